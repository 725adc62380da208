/** Reads the rows of a log as events. */
import { computeChecksum } from "../ingest/content-identity.js";
import type { ContentId, Place } from "../ingest/place.js";
import type { Json, JsonObject } from "../json.js";
import { createRowMapper, type MappedRow, type RowFailure } from "../rows/map-row.js";
import type { Validators } from "../validators/protocol-validators.js";

/** Something that knows the validators of one protocol. */
interface WithValidators {
  readonly validators: Validators;
}

/** A row, and the protocol of its event. */
interface FoundRow<Known extends WithValidators> {
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
  if (mappers.length === 0) return () => undefined;
  return (value, assumed) => {
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

/** The event of a row with its place. The identity of its content leaves out what the row holds besides. */
interface RowEvent {
  readonly event: JsonObject;
  readonly place: Place;
  readonly content: ContentId;
}

/** Returns the event of a row at a place. Places in the event are reported as places in the row. */
export function placeRowEvent({ event, findOrigin }: MappedRow, place: Place): RowEvent {
  const { input, textKind, line, offset, pointer, itemIndex, frameId } = place;
  const eventPlace: Place = {
    ...{ input, textKind, line, offset, pointer, itemIndex },
    ...(frameId !== undefined && { frameId }),
    findOrigin,
    text: () => place.text(),
    locateOffset: (textOffset) => place.locateOffset(textOffset),
    guessStream: () => place.guessStream(),
  };
  return { event, place: eventPlace, content: computeChecksum(Buffer.from(JSON.stringify(event))) };
}
