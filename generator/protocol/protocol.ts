import type { Location } from "../finding.js";
import type { Json, JsonObject } from "../json.js";
import type { Definition } from "../schema/json-schema.js";
import type { StreamRules } from "./stream-rules.js";
import type { ToolMembers } from "./tool-members.js";

/** The stability of a part of the contract. A stable part is never broken within a major version. */
export type Stability = "experimental" | "candidate" | "stable";

/**
 * The place of the payload in an event: `nested` in one property, `inline` beside the fields of the envelope, or `keyed` in
 * a property of the event type.
 */
export type Placement = "nested" | "inline" | "keyed";

/** A document in which writers send each event. */
export interface Message {
  /** The JSON pointer to the event in the document. */
  readonly event: string;
  /** The resource that describes the document. */
  readonly resource: string;
}

/** The layout of a message around its payload. */
export interface Envelope {
  /** The envelope property that holds the event type. */
  readonly discriminator: string;
  readonly placement: Placement;
  /** The property that holds the payload; nested placement only. */
  readonly property?: string;
  /** The document around each event; absent if events are sent alone. */
  readonly message?: Message;
  /** The schema of the envelope. It allows any payload: in its property, or beside the fields of the envelope. */
  readonly schema: JsonObject;
  /** The names of the fields that a nested envelope declares for every payload. Each `EventType.payload` also declares them. */
  readonly payloadFields: readonly string[];
  /** Where its statements come from: the value of `x-source`. */
  readonly sources?: readonly string[];
  readonly at: Location;
}

/** The envelope properties that order a stream, and the rules of streams. */
export interface Stream {
  /** The properties that together identify one stream. */
  readonly key: readonly string[];
  /** The property with the number of an event in its stream. */
  readonly sequence?: string;
  /** The number of the first event of a stream. */
  readonly first?: number;
  /** The property with the id of an event. */
  readonly id?: string;
  /** The events among which an id is unique, except for redeliveries: those of one stream (the default), or all of the protocol. */
  readonly idScope?: "stream" | "protocol";
  /** The property with the time of an event. */
  readonly time?: string;
  readonly rules?: StreamRules;
}

/** An announcement that a name is still valid but will be removed. */
export interface Deprecation {
  /** The version in which the name was deprecated. */
  readonly since?: string;
  /** The name to use instead; null states that nothing replaces the deprecated name. */
  readonly replacedBy?: string | null;
}

/** One event type: its name on the wire and the contract of its payload. */
export interface EventType {
  readonly type: string;
  /** The name in file names and in generated code, if it differs from the event type. */
  readonly name?: string;
  readonly group: string;
  /** The `title` of the schema: one line. */
  readonly summary: string;
  /** The `description` of the schema. */
  readonly description: string;
  readonly stability: Stability;
  /** The version that added the event type. */
  readonly since: string;
  readonly deprecated?: Deprecation;
  /** The requirement of writers that send the event type: the value of `x-requires`. */
  readonly requires?: string;
  /** Names of the runtimes that are known to send it. */
  readonly emittedBy?: readonly string[];
  /** Where its statements come from: the value of `x-source`. */
  readonly sources?: readonly string[];
  /** The earlier name of the event type. */
  readonly renamedFrom?: string;
  /** The property that holds the payload, with keyed placement. Absent for an event type without payload. */
  readonly payloadProperty?: string;
  /** The payload's schema, an object schema with its annotations. */
  readonly payload: JsonObject;
  readonly examples: readonly Json[];
  readonly at: Location;
}

/** A document around events, such as the response of a list endpoint. */
export interface Resource {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly examples: readonly Json[];
  /** Where its statements come from: the value of `x-source`. */
  readonly sources?: readonly string[];
  readonly at: Location;
}

/** A name that was withdrawn and must never be used again. */
export interface Tombstone {
  readonly kind: "event" | "field" | "value";
  /** An event type (a trailing `.*` stands for the whole family), a field name or an enum value. */
  readonly name: string;
  /** For a field or value: the event type, or `event type#/json/pointer`, that held it. */
  readonly in?: string;
  /** The version that removed the name. */
  readonly removedIn: string;
  readonly replacedBy?: string;
  readonly reason: string;
  readonly at: Location;
}

/** A reviewed exception for one breaking change of a candidate contract. */
export interface Waiver {
  readonly fingerprint: string;
  readonly rule: string;
  readonly reason: string;
  /** The version from which on the waiver no longer counts. */
  readonly expires: string;
  readonly at: Location;
}

/** A release that was withdrawn, so that its version may be issued again with other content. */
export interface Withdrawal {
  readonly version: string;
  /** The digest of the release that was withdrawn. */
  readonly digest: string;
  readonly reason: string;
  readonly at: Location;
}

/** The release before another one: the newest older version, in the same major version or an earlier one. */
export interface PreviousRelease {
  readonly version: string;
  readonly digest: string;
}

/** One major version of a protocol, with all references resolved. All components after `load` work on this value. */
export interface Protocol extends ToolMembers {
  readonly name: string;
  readonly major: number;
  /** `<name>/v<major>`, also the folder below the schemas folder. */
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  /** Sentences about what writers promise about streams. */
  readonly guarantees: readonly string[];
  /** Sentences about how the contract may change. */
  readonly evolution: readonly string[];
  /** The descriptions of groups of event types, by name. A group may have none. */
  readonly groups: { readonly [name: string]: string };
  readonly envelope: Envelope;
  readonly stream?: Stream;
  /** Where the rules of streams come from, by member and by place in its list. Absent if no rule says so. */
  readonly ruleSources?: { readonly [member: string]: readonly (readonly string[])[] };
  /** The event types, sorted by code unit. */
  readonly events: readonly EventType[];
  readonly resources: readonly Resource[];
  /** Shared schemas by name, the targets of every `$ref`; the names are valid TypeScript type names. */
  readonly definitions: { readonly [name: string]: Definition };
  readonly tombstones: readonly Tombstone[];
  readonly waivers: readonly Waiver[];
  /** Absent if no release was withdrawn. */
  readonly withdrawn?: readonly Withdrawal[];
  /** The location of protocol.json, or of the facts in a release. */
  readonly at: Location;
}

/** A file to be written below the output folder. `path` has forward slashes. */
export interface OutputFile {
  readonly path: string;
  readonly content: string;
  /** The folder that the path is relative to; that of all outputs if undefined. */
  readonly folder?: string | undefined;
}
