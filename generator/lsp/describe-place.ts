/** Describes what readers rely on at a place of a schema. */
import { formatCatalogField, formatCatalogSection } from "../emit/catalog/catalog.js";
import { splitPointer } from "../json.js";
import type { ConsumerRecord } from "../load/consumer-records.js";
import { findReach } from "../protocol/lens.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import { formatArgument } from "../text.js";
import { findField, findInVersion, getFieldPointer, type PartPlace } from "./parts.js";

/** Returns the catalogue's row of a field, or its section of an event type, as Markdown; undefined at other places. */
export function describePlace(place: PartPlace, records: readonly ConsumerRecord[]): string | undefined {
  const { protocol, part } = place;
  const field = findField(place.pointer);
  if (field === undefined) return part.event && formatCatalogSection(protocol, part.event.type);
  const found = findInVersion(protocol, { ...place, pointer: getFieldPointer(field) });
  const row = found && formatCatalogField(protocol, part.schema, found.schema);
  if (found === undefined || row === undefined) return undefined;
  const { event } = part;
  const facts = event ? [`${event.type}: ${event.stability}, since ${event.since}`] : [];
  const consumers = found.part.event ? listDependents(found, records) : [];
  const dependence = `Recorded consumers that depend on it: ${consumers.map(formatArgument).join(", ")}`;
  return [row, ...facts, ...(consumers.length > 0 ? [dependence] : [])].join("\n\n");
}

/** Returns the recorded consumers that depend on a field. */
function listDependents(
  { protocol, part, pointer }: PartPlace,
  records: readonly ConsumerRecord[],
): readonly string[] {
  const carrier = findPayloadCarrier(protocol.envelope, part.event);
  const path = (carrier === undefined ? "" : `/${carrier}`) + convertToEventPath(pointer);
  const place = { event: part.event?.type ?? "", path };
  return records
    .filter((record) => record.protocol === protocol.id)
    .filter(({ lens }) => findReach(lens, place, ["removed"]).reach === "reached")
    .map(({ consumer }) => consumer);
}

/** Returns the path in events of the schema at a pointer: `/cups/*` for `/properties/cups/items`. */
function convertToEventPath(pointer: string): string {
  const tokens = splitPointer(pointer);
  const steps = tokens.map((token, index) => {
    if (tokens[index - 1] === "properties") return `/${token}`;
    return token === "items" ? "/*" : "";
  });
  return steps.join("");
}
