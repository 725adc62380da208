/** Checks whether readers of one version accept every event that writers of another version may send. */
import type { Containment } from "../../contain/contain.js";
import type { Json } from "../../json.js";
import { digest } from "../../protocol/digest.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Profile } from "../../schema/readings.js";
import {
  acceptsEventTypeName,
  type ContainmentCache,
  createContainmentCache,
  createMessageSchema,
  createUnknownMessageSchema,
} from "./readings.js";

/** An event type of the writers of which readers refuse an event, or for which it is not proven that they refuse none. */
export interface RefusedType {
  readonly type: string;
  readonly answer: Exclude<Containment, { readonly verdict: "contained" }>;
}

/** Returns the event types of `writer` of which `reader`, under a profile, refuses an event. The default profile is `reader`. */
export type ReaderCheck = (
  writer: Protocol,
  reader: Protocol,
  profile?: Profile,
) => Promise<readonly RefusedType[]>;

/** Creates a check that asks each question once. */
export function createReaderCheck(cache: ContainmentCache = createContainmentCache()): ReaderCheck {
  const createSchema = memoizeSchemas();
  return async (writer, reader, profile = "reader") => {
    const refusedTypes: RefusedType[] = [];
    for (const { type } of writer.events) {
      const sent = createSchema("writer", writer, type);
      const accepted = createSchema(profile, reader, type);
      const answer = await cache.memoize(`${sent.key} ${accepted.key}`, () =>
        cache.checkSubset(sent.schema, accepted.schema),
      );
      if (answer.verdict !== "contained") refusedTypes.push({ type, answer });
    }
    return refusedTypes;
  };
}

/** The schema of the messages of an event type, and a key that is the same for equal schemas. */
interface MessageSchema {
  readonly schema: Json;
  readonly key: string;
}

/** Returns a function that creates each schema once. */
function memoizeSchemas(): (profile: Profile, protocol: Protocol, type: string) => MessageSchema {
  const schemas = new WeakMap<Protocol, Map<string, MessageSchema>>();
  return (profile, protocol, type) => {
    const protocolSchemas = schemas.get(protocol) ?? new Map<string, MessageSchema>();
    schemas.set(protocol, protocolSchemas);
    const name = `${profile} ${type}`;
    const knownSchema = protocolSchemas.get(name);
    if (knownSchema) return knownSchema;
    const schema = createTypeSchema(profile, protocol, type);
    const keyedSchema = { schema, key: digest(schema) };
    protocolSchemas.set(name, keyedSchema);
    return keyedSchema;
  };
}

/** Returns the schema of the messages of a type. Readers take messages of a type that they do not know for unknown events, and writers have none. */
function createTypeSchema(profile: Profile, protocol: Protocol, type: string): Json {
  const event = protocol.events.find((each) => each.type === type);
  if (event) return createMessageSchema(profile, protocol, event);
  return profile === "reader" && acceptsEventTypeName(protocol, type)
    ? createUnknownMessageSchema(profile, protocol)
    : false;
}
