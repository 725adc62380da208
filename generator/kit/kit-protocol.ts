import type { Json, JsonObject } from "../json.js";
import type { EventType, Protocol, Stream } from "../protocol/protocol.js";
import type { StreamRules } from "../protocol/stream-rules.js";
import type { ViewDeclaration } from "../protocol/view-roles.js";
import type { DecodeWithProfile, Profile, ProfileValidators } from "../runtime/runtime.js";
import { memoizeByObject } from "../sample/memoize.js";
import { createDefinitions } from "../schema/reference.js";
import type { StreamFields } from "../stream/contract.js";

/** The schemas of a contract, as a generated module holds them. */
export interface KitSchemas {
  readonly envelope: unknown;
  readonly events: { readonly [type: string]: { readonly payload: unknown; readonly property?: string } };
  readonly definitions: { readonly [name: string]: unknown };
}

/** A protocol as the kit needs it: the `protocol` object that every generated module exports. */
export interface KitProtocol {
  readonly name: string;
  readonly id: string;
  readonly version: string;
  readonly envelope: {
    readonly discriminator: string;
    readonly placement: "nested" | "inline" | "keyed";
    readonly property?: string;
  };
  readonly stream?: StreamFields;
  readonly rules?: StreamRules;
  /** How events are shown. It says which texts come in pieces and which fields hold a state. */
  readonly view?: ViewDeclaration;
  readonly validators: Readonly<Record<Profile, ProfileValidators>>;
  readonly decodeEvent: DecodeWithProfile<unknown, unknown>;
  readonly schemas: KitSchemas;
  readonly releases: readonly { readonly version: string; readonly schemas: KitSchemas }[];
}

const NOWHERE = { file: "", pointer: "" };

/** Creates the model of a protocol with these schemas, for the stream checker. Texts for people are empty. */
export function createModel(protocol: KitProtocol, schemas: KitSchemas = protocol.schemas): Protocol {
  const { name, id, version, envelope, stream, rules } = protocol;
  return {
    name,
    id,
    version,
    major: Number(/\d+$/.exec(id)?.[0] ?? 0),
    title: "",
    description: "",
    guarantees: [],
    evolution: [],
    groups: {},
    resources: [],
    tombstones: [],
    waivers: [],
    envelope: { ...envelope, schema: schemas.envelope as JsonObject, payloadFields: [], at: NOWHERE },
    ...(stream && { stream: { ...stream, ...(rules && { rules }) } satisfies Stream }),
    events: Object.entries(schemas.events).map(([type, { payload, property }]) =>
      createEventType(type, payload as JsonObject, property),
    ),
    definitions: createDefinitions(schemas.definitions as { readonly [name: string]: Json }),
    at: NOWHERE,
  };
}

/** Returns the model of the current schemas of a protocol; the same one each time. */
export const getModel = memoizeByObject((protocol: KitProtocol): Protocol => createModel(protocol));

function createEventType(type: string, payload: JsonObject, payloadProperty: string | undefined): EventType {
  return {
    type,
    payload,
    ...(payloadProperty !== undefined && { payloadProperty }),
    group: "",
    summary: "",
    description: "",
    stability: "candidate",
    since: "",
    examples: [],
    at: NOWHERE,
  };
}
