/** Does an imported event keep what the original accepts, and may writers send nothing else? */
import { type Containment, checkContainment } from "../contain/contain.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import { bodyReading } from "../protocol/message-readings.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { SCHEMA_URI } from "../schema/dialects.js";
import { document, type Profile, readAs } from "../schema/readings.js";
import type { Bundle } from "./bundle.js";
import type { Originals } from "./import-union.js";

/** The two inclusions between the original and the imported event. */
export interface Comparison {
  readonly type: string;
  /**
   * Whether all that the original accepts may still be sent; or where writers send listed fields alone, whether readers
   * accept all of it.
   */
  readonly kept: Containment;
  /** Whether writers may send nothing else. */
  readonly added: Containment;
}

/** Compares the event with `original`, a schema of the bundle; formats aside, which are annotations there. */
export async function compareEvent(
  protocol: Protocol,
  event: EventType,
  original: JsonObject,
  { bundle: { dialect, definitions }, narrower }: Originals,
): Promise<Comparison> {
  const before = { ...original, $schema: SCHEMA_URI[dialect], definitions: needed(original, definitions) };
  const written = messageSchema("writer", protocol, event);
  const keeping = narrower ? messageSchema("reader", protocol, event) : written;
  return {
    type: event.type,
    kept: await checkContainment(before, keeping),
    added: await checkContainment(written, before),
  };
}

/** What writers may send or readers accept: the payload, or where it lies beside the type the whole message. */
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
