/** Compares an imported event with its original: which values the event no longer allows, and which it allows in addition. */
import { type Containment, checkContainment } from "../contain/contain.js";
import { getOwn, type Json, type JsonObject } from "../json.js";
import { createBodyReading } from "../protocol/message-readings.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { SCHEMA_URI } from "../schema/dialects.js";
import { buildDocument, type Profile, readAs } from "../schema/readings.js";
import { getDefinitionName } from "../schema/reference.js";
import { mapReferences } from "../schema/walk.js";
import type { Bundle } from "./bundle.js";
import type { Originals } from "./import-union.js";

/** The answers about an imported event and the schema that it was imported from. */
export interface Comparison {
  readonly type: string;
  /**
   * The answer to the question whether writers may send everything that the original accepts. If writers may send only
   * listed fields, the question is whether readers accept everything that the original accepts.
   */
  readonly originalInEvent: Containment;
  /** The answer to the question whether the original accepts everything that writers may send. */
  readonly eventInOriginal: Containment;
}

/** Compares the event with `original`, a schema of the bundle. Formats are ignored, since they are annotations in the original. */
export async function compareEvent(
  protocol: Protocol,
  event: EventType,
  original: JsonObject,
  { bundle, isNarrower }: Originals,
): Promise<Comparison> {
  const originalSchema = createDocument(original, bundle);
  const writtenSchema = createMessageSchema("writer", protocol, event);
  const acceptedSchema = isNarrower ? createMessageSchema("reader", protocol, event) : writtenSchema;
  return {
    type: event.type,
    originalInEvent: await checkContainment(originalSchema, acceptedSchema),
    eventInOriginal: await checkContainment(writtenSchema, originalSchema),
  };
}

/** The answer to the question whether writers can send an event of a type. */
export type Possibility =
  /** They can. `message` is a payload if the payload is nested, else the fields of an event without its envelope. */
  | { readonly kind: "possible"; readonly message: Json }
  /** They cannot, because the original accepts no message, or because only the closed objects of writers exclude each other. */
  | { readonly kind: "impossible"; readonly cause: "original" | "writers" }
  | { readonly kind: "unknown" };

/** Decides whether writers can send an event of a type. Formats count for the message, but are no reason for "impossible". */
export async function findPossibility(
  protocol: Protocol,
  event: EventType,
  original: JsonObject,
  { bundle }: Originals,
): Promise<Possibility> {
  const schema = createMessageSchema("writer", protocol, event);
  const answer = await checkContainment(schema, false, { assertFormats: true });
  if (answer.verdict === "not-contained") return { kind: "possible", message: answer.witness };
  const isEmpty = async (each: Json): Promise<boolean> =>
    (await checkContainment(each, false)).verdict === "contained";
  if (!(await isEmpty(schema))) return { kind: "unknown" };
  const cause = (await isEmpty(createDocument(original, bundle))) ? "original" : "writers";
  return { kind: "impossible", cause };
}

/** Creates the schema of what writers may send, or readers accept: of the payload if it is nested, else of the whole message. */
function createMessageSchema(profile: Profile, protocol: Protocol, event: EventType): Json {
  const { envelope, definitions } = protocol;
  if (envelope.placement === "nested") return buildDocument(readAs(profile, event.payload, definitions));
  const body = buildDocument(createBodyReading(profile, protocol, event)) as JsonObject;
  const type = {
    properties: { [envelope.discriminator]: { const: event.type } },
    required: [envelope.discriminator],
  };
  return { ...body, allOf: [...(Array.isArray(body.allOf) ? body.allOf : []), type] };
}

/** Creates a document from a schema of a bundle. Its definitions are named by numbers, which need no escapes in references. */
function createDocument(schema: JsonObject, { dialect, definitions }: Bundle): JsonObject {
  const keys = new Map<string, string>();
  const usedDefinitions: { [key: string]: Json } = {};
  const assignKey = (name: string): string => {
    const key = keys.get(name) ?? String(keys.size);
    if (!keys.has(name)) {
      keys.set(name, key);
      usedDefinitions[key] = rewrite(getOwn(definitions, name)?.schema ?? true);
    }
    return key;
  };
  // The references add the definitions.
  const rewrite = <S extends Json>(part: S): S =>
    mapReferences(part, (reference) => `#/definitions/${assignKey(getDefinitionName(reference))}`, dialect);
  return { ...rewrite(schema), $schema: SCHEMA_URI[dialect], definitions: usedDefinitions };
}
