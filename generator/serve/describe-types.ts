/** Describes the event types of a protocol for the page: their texts, and the fields of their payloads. */
import type { Json } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import {
  BRANCHES,
  createSpot,
  describeSchema,
  EVERYTHING,
  listHeldSchemas,
  readFirstValue,
  type Spot,
} from "../schema/describe.js";
import { collectKnownValues, deriveTypes, mergeFields } from "../schema/merge.js";

/** A field of a payload. */
interface FieldDescription {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** An event type, as the page shows it beside an event. */
interface TypeDescription
  extends Pick<EventType, "summary" | "description" | "stability" | "since" | "deprecated" | "requires"> {
  readonly fields: readonly FieldDescription[];
}

/** Returns the descriptions of all event types by name. */
export function describeTypes({ events, definitions }: Protocol): {
  readonly [type: string]: TypeDescription;
} {
  const describe = (event: EventType): TypeDescription => {
    const { summary, description, stability, since, deprecated, requires } = event;
    const texts = { summary, description, stability, since };
    const optional = { ...(deprecated && { deprecated }), ...(requires !== undefined && { requires }) };
    return { ...texts, ...optional, fields: listFields(event, definitions) };
  };
  return Object.fromEntries(events.map((event) => [event.type, describe(event)]));
}

function listFields({ payload, at }: EventType, definitions: Protocol["definitions"]): FieldDescription[] {
  const whole = describeSchema(createSpot(payload, at), definitions, EVERYTHING, BRANCHES);
  return [...mergeFields(whole).values()].map(({ name, spots, isRequired }) => {
    const field = describeSchema(spots, definitions, EVERYTHING, BRANCHES);
    const description = readFirstValue(field, "description");
    return {
      name,
      type: formatType(spots, definitions),
      required: isRequired,
      description: typeof description === "string" ? description : "",
    };
  });
}

/** The largest number of listed values that are shown. */
const MAX_VALUES = 8;

/** The largest number of arrays within arrays that are described, because an array may contain itself. */
const MAX_DEPTH = 3;

/** Returns the type of a field in words: its known values, or "array of string", or "string or null". */
function formatType(spots: readonly Spot[], definitions: Protocol["definitions"], depth = 0): string {
  const described = describeSchema(spots, definitions, EVERYTHING, BRANCHES);
  const values = collectKnownValues(described);
  if (values !== undefined && values.length > 0) {
    const shown = values.slice(0, MAX_VALUES).map((value: Json) => JSON.stringify(value));
    return [...shown, ...(values.length > MAX_VALUES ? ["…"] : [])].join(" | ");
  }
  const { set, isStated } = deriveTypes(described);
  if (!isStated) return "any value";
  const names = [...set].filter((name) => name !== "integer" || !set.has("number"));
  const items = set.has("array") && depth < MAX_DEPTH ? listHeldSchemas(described, "items") : [];
  if (items.length === 0) return names.join(" or ");
  return names
    .map((name) => (name === "array" ? `array of ${formatType(items, definitions, depth + 1)}` : name))
    .join(" or ");
}
