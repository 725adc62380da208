/** Finds the rows among values. */
import type { Json, JsonObject } from "../json.js";
import { createResourceCheck, type Validators } from "../validators/protocol-validators.js";
import { createRowMapper, type MappedRow, type RowFailure } from "./map-row.js";

/** An object with the validators of one protocol. */
interface WithValidators {
  readonly validators: Validators;
}

/** A row, and the protocol of its event. */
export interface FoundRow<Known extends WithValidators> {
  readonly found: Known;
  readonly result: MappedRow | RowFailure;
}

/** Reads a value as a row, preferably of the protocol `assumed`. Returns undefined if it is not a row. */
export type FindRow<Known extends WithValidators> = (
  value: Json,
  assumed: Known | undefined,
) => FoundRow<Known> | undefined;

/** Creates a function that finds rows of these protocols. Of several protocols, it prefers the assumed one, and then one that knows the event. */
export function createRowFinder<Known extends WithValidators>(protocols: readonly Known[]): FindRow<Known> {
  const mappers = protocols.flatMap((found) => {
    const mapper = createRowMapper(found.validators.protocol);
    return mapper ? [{ found, mapper, findFailure: createRowCheck(found.validators) }] : [];
  });
  return (value, assumed) => {
    // Most values are not rows, and this test is cheap.
    if (!mappers.some(({ mapper }) => mapper.isRow(value))) return undefined;
    const rows = mappers.flatMap(({ found, mapper, findFailure }) => {
      if (!mapper.isRow(value)) return [];
      const result = mapper.mapRow(value);
      return [{ found, result: (result.kind === "mapped" && findFailure(value, result)) || result }];
    });
    const isKnown = ({ found, result }: FoundRow<Known>): boolean =>
      result.kind === "mapped" && found.validators.decodeEvent(result.event).kind === "known";
    return rows.length > 1
      ? (rows.find(({ found }) => found === assumed) ?? rows.find(isKnown) ?? rows[0])
      : rows[0];
  };
}

/**
 * Returns a function that finds what the resource of rows does not allow in a row. A row whose event is invalid has no
 * failure, because the findings about the event say what is wrong.
 */
function createRowCheck({ protocol, decodeEvent }: Validators) {
  const { rows } = protocol;
  if (rows?.resource === undefined) return () => undefined;
  const { resource, payload } = rows;
  const listIssues = createResourceCheck("reader", protocol, resource);
  return (row: JsonObject, mapped: MappedRow): RowFailure | undefined => {
    // A column that is null is absent: tables have no other absent values.
    const columns = Object.entries(row).filter(([, value]) => value !== null);
    const [issue] = listIssues({ ...Object.fromEntries(columns), [payload]: mapped.payload });
    if (issue === undefined || decodeEvent(mapped.event).kind === "invalid") return undefined;
    const subject = issue.pointer === "" ? "The row " : "The column ";
    return {
      kind: "failed",
      pointer: issue.pointer,
      message: `${subject}${issue.message} (${issue.keyword}).`,
    };
  };
}
