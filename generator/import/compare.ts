/** Does an imported event accept what the original accepts, and nothing else? */
import { type Containment, checkContainment } from "../contain/contain.js";
import { SCHEMA_URI } from "../contain/dialect.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import { bodyReading } from "../model/event.js";
import { document, readAs } from "../model/profile.js";
import type { EventType, Protocol } from "../model/protocol.js";
import type { Bundle } from "./bundle.js";

/** The two inclusions between the original and what writers of the imported event may send. */
export interface Comparison {
  readonly type: string;
  /** Whether all that the original accepts may still be sent. */
  readonly kept: Containment;
  /** Whether nothing else may be sent. */
  readonly added: Containment;
}

/** Compares the event with `original`, a schema of the bundle; formats aside, which are annotations there. */
export async function compareEvent(
  protocol: Protocol,
  event: EventType,
  original: JsonObject,
  { dialect, definitions }: Bundle,
): Promise<Comparison> {
  const before = { ...original, $schema: SCHEMA_URI[dialect], definitions: needed(original, definitions) };
  const after = messageSchema(protocol, event);
  return {
    type: event.type,
    kept: await checkContainment(before, after),
    added: await checkContainment(after, before),
  };
}

/** What writers may send: the payload, or where it lies beside the type the whole message. */
function messageSchema(protocol: Protocol, event: EventType): Json {
  const { envelope, definitions } = protocol;
  if (envelope.placement === "nested") return document(readAs("writer", event.payload, definitions));
  const body = document(bodyReading("writer", protocol, event)) as JsonObject;
  const type = {
    properties: { [envelope.discriminator]: { const: event.type } },
    required: [envelope.discriminator],
  };
  return { ...body, allOf: [...(Array.isArray(body.allOf) ? body.allOf : []), type] };
}

function needed(schema: Json, definitions: Bundle["definitions"]): JsonObject {
  const found: { [name: string]: Json } = {};
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    if (isObject(value) && typeof value.$ref === "string") {
      const name = value.$ref.slice("#/definitions/".length).replace(/~1/g, "/").replace(/~0/g, "~");
      if (Object.hasOwn(definitions, name) && !Object.hasOwn(found, name)) {
        found[name] = definitions[name] as Json;
        visit(found[name] as Json);
      }
    }
    for (const below of Object.values(value)) visit(below);
  };
  visit(schema);
  return found;
}
