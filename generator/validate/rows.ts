/** Gives the event of a row its place. */
import { computeChecksum } from "../ingest/content-identity.js";
import type { ContentId, Place } from "../ingest/place.js";
import type { JsonObject } from "../json.js";
import type { MappedRow } from "../rows/map-row.js";

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
