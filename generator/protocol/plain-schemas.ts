import { createObject, isObject, type Json } from "../json.js";
import { mapSubschemas } from "../schema/walk.js";
import { compareTexts } from "../text.js";
import type { Protocol } from "./protocol.js";

/** The schemas of a protocol as data, without annotations, for tools that make events. */
interface PlainSchemas {
  readonly envelope: Json;
  /** The schemas of payloads by event type. `property` is the property that carries the payload, with keyed placement. */
  readonly events: { readonly [type: string]: { readonly payload: Json; readonly property?: string } };
  /** The definitions by name, sorted. */
  readonly definitions: { readonly [name: string]: Json };
}

/** Returns the schemas of a protocol without annotations. */
export function createPlainSchemas({ envelope, events, definitions }: Protocol): PlainSchemas {
  const payloads = events.map(({ type, payload, payloadProperty: property }) => {
    const isWithoutPayload = property === undefined && envelope.placement === "keyed";
    const schema: Json = isWithoutPayload ? {} : dropAnnotations(payload);
    return [type, { payload: schema, ...(property !== undefined && { property }) }] as const;
  });
  const shared = Object.entries(definitions)
    .sort(([a], [b]) => compareTexts(a, b))
    .map(([name, { schema }]) => [name, dropAnnotations(schema)] as const);
  return {
    envelope: dropAnnotations(envelope.schema),
    events: createObject(payloads),
    definitions: createObject(shared),
  };
}

const ANNOTATIONS = new Set(["$schema", "$comment", "title", "description", "examples"]);

/** Returns `schema` without keywords that only people read. */
function dropAnnotations(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const keywords = Object.entries(mapSubschemas(schema, dropAnnotations));
  return Object.fromEntries(keywords.filter(([keyword]) => !ANNOTATIONS.has(keyword)));
}
