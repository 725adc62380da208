/** Whether an imported event keeps what the original accepts, and whether writers may send anything else. */
import { type Containment, checkContainment } from "../contain/contain.js";
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { bodyReading } from "../protocol/message-readings.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { SCHEMA_URI } from "../schema/dialects.js";
import { document, type Profile, readAs } from "../schema/readings.js";
import { targetName } from "../schema/reference.js";
import { mapSubschemas } from "../schema/walk.js";
import type { Bundle } from "./bundle.js";
import type { Originals } from "./import-union.js";

/** The two inclusions between the original and the imported event. */
export interface Comparison {
  readonly type: string;
  /** Whether writers may send everything that the original accepts; or readers accept it, if writers send listed fields only. */
  readonly kept: Containment;
  /** Whether the original accepts everything that writers may send. */
  readonly added: Containment;
}

/** Compares the event with `original`, a schema of the bundle. Formats are ignored: they are annotations there. */
export async function compareEvent(
  protocol: Protocol,
  event: EventType,
  original: JsonObject,
  { bundle, narrower }: Originals,
): Promise<Comparison> {
  const before = documentOf(original, bundle);
  const written = messageSchema("writer", protocol, event);
  const accepted = narrower ? messageSchema("reader", protocol, event) : written;
  return {
    type: event.type,
    kept: await checkContainment(before, accepted),
    added: await checkContainment(written, before),
  };
}

/** Returns the schema of what writers may send, or readers accept: the payload, or the whole message if it is flat. */
function messageSchema(profile: Profile, protocol: Protocol, event: EventType): Json {
  const { envelope, definitions } = protocol;
  if (envelope.placement === "nested") return document(readAs(profile, event.payload, definitions));
  const body = document(bodyReading(profile, protocol, event)) as JsonObject;
  const type = {
    properties: { [envelope.discriminator]: { const: event.type } },
    required: [envelope.discriminator],
  };
  return { ...body, allOf: [...(Array.isArray(body.allOf) ? body.allOf : []), type] };
}

/** Returns a schema of a bundle as a document. Its definitions have numbers for names, which need no escapes in references. */
function documentOf(schema: JsonObject, { dialect, definitions }: Bundle): JsonObject {
  const keys = new Map<string, string>();
  const used: { [key: string]: Json } = {};
  const keyOf = (name: string): string => {
    const key = keys.get(name) ?? String(keys.size);
    if (!keys.has(name)) {
      keys.set(name, key);
      used[key] = rewrite(own(definitions, name)?.schema ?? true);
    }
    return key;
  };
  const rewrite = (part: Json): Json => {
    if (!isObject(part)) return part;
    const name = targetName(part);
    const copy = mapSubschemas(part, rewrite, dialect);
    return name === undefined ? copy : { ...copy, $ref: `#/definitions/${keyOf(name)}` };
  };
  return { ...(rewrite(schema) as JsonObject), $schema: SCHEMA_URI[dialect], definitions: used };
}
