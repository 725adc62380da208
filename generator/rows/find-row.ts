/** Finds the rows among values. */
import type { Json } from "../json.js";
import type { Validators } from "../validators/protocol-validators.js";
import { createRowMapper, type MappedRow, type RowFailure } from "./map-row.js";

/** Something that knows the validators of one protocol. */
interface WithValidators {
  readonly validators: Validators;
}

/** A row, and the protocol of its event. */
export interface FoundRow<Known extends WithValidators> {
  readonly found: Known;
  readonly result: MappedRow | RowFailure;
}

/** Returns the row that a value is, preferably of `assumed`; undefined for other values. */
export type FindRow<Known extends WithValidators> = (
  value: Json,
  assumed: Known | undefined,
) => FoundRow<Known> | undefined;

/** Creates a function that finds rows of these protocols. Of several protocols, it prefers the assumed one, and then one that knows the event. */
export function createRowFinder<Known extends WithValidators>(protocols: readonly Known[]): FindRow<Known> {
  const mappers = protocols.flatMap((found) => {
    const mapper = createRowMapper(found.validators.protocol);
    return mapper ? [{ found, mapper }] : [];
  });
  return (value, assumed) => {
    // Most values are no rows, and this test is cheap.
    if (!mappers.some(({ mapper }) => mapper.isRow(value))) return undefined;
    const rows = mappers.flatMap(({ found, mapper }) =>
      mapper.isRow(value) ? [{ found, result: mapper.mapRow(value) }] : [],
    );
    const isKnown = ({ found, result }: FoundRow<Known>): boolean =>
      result.kind === "mapped" && found.validators.decodeEvent(result.event).kind === "known";
    return rows.length > 1
      ? (rows.find(({ found }) => found === assumed) ?? rows.find(isKnown) ?? rows[0])
      : rows[0];
  };
}
