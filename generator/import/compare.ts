/** Compares an imported event with its original: which values the event no longer allows, and which it allows in addition. */
import { type Containment, checkContainment } from "../contain/contain.js";
import { getOwn, isObject, type Json, type JsonObject, listItems } from "../json.js";
import { findPayloadCarrier, getEnvelopeFields } from "../protocol/message-layout.js";
import { createBodyReading, createEnvelopeReading } from "../protocol/message-readings.js";
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
  /** They can. `message` is a payload if one field of the message holds it, else the whole message. */
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
  const schema = createPayloadSchema("writer", protocol, event);
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
  const { envelope } = protocol;
  if (envelope.placement === "nested") return createPayloadSchema(profile, protocol, event);
  const body = createBodyReading(profile, protocol, event);
  const type = {
    properties: { [envelope.discriminator]: { const: event.type } },
    required: [envelope.discriminator],
  };
  const hasOtherFields = Object.keys(getEnvelopeFields(envelope)).length > 1;
  const fields = hasOtherFields ? createEnvelopeReading(profile, protocol) : { schema: true, $defs: {} };
  const document = buildDocument({ ...body, $defs: { ...fields.$defs, ...body.$defs } });
  if (!isObject(document)) return document;
  const parts = [...listItems(document.allOf), ...(hasOtherFields ? [fields.schema] : []), type];
  return { ...document, allOf: parts as Json[] };
}

/** Creates the schema of the payload if one field of the message holds it, else of the whole message. */
function createPayloadSchema(profile: Profile, protocol: Protocol, event: EventType): Json {
  return findPayloadCarrier(protocol.envelope, event) === undefined
    ? createMessageSchema(profile, protocol, event)
    : buildDocument(readAs(profile, event.payload, protocol.definitions));
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
