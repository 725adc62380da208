import type { Location } from "../finding.js";
import type { Json, JsonObject } from "../json.js";
import type { Definition } from "../schema/json-schema.js";
import type { Endpoints } from "./endpoints.js";
import type { FaultTargets } from "./fault-targets.js";
import type { StreamRules } from "./stream-rules.js";
import type { ViewDeclaration } from "./view-roles.js";

export type Stability = "experimental" | "candidate" | "stable";

/** Where an event carries its payload. */
export type Placement = "nested" | "inline" | "keyed";

/** The layout of a message around its payload. */
export interface Envelope {
  /** The envelope property that holds the event type. */
  readonly discriminator: string;
  readonly placement: Placement;
  /** The property that holds the payload; nested placement only. */
  readonly property?: string;
  /** The envelope's own schema, an object schema, open at the place of the payload: in its property or beside its fields. */
  readonly schema: JsonObject;
  /** Nested placement: names of the fields that the envelope declares for every payload. Each `EventType.payload` holds them. */
  readonly payloadFields: readonly string[];
  readonly at: Location;
}

/** Names of the envelope properties that order a stream, and rules beyond order; a protocol without numbering has no `sequence`. */
export interface Stream {
  /** The properties that together identify one stream. */
  readonly key: readonly string[];
  readonly sequence?: string;
  /** The number of the first event of a stream. */
  readonly first?: number;
  readonly id?: string;
  /** The events among which an id occurs once, redeliveries aside: those of its stream (the default), or all of the protocol. */
  readonly idScope?: "stream" | "protocol";
  readonly time?: string;
  readonly rules?: StreamRules;
}

/** An announcement that a name is still valid but will be removed. */
export interface Deprecation {
  readonly since?: string;
  /** What to use instead; null says that nothing replaces it. */
  readonly replacedBy?: string | null;
}

/** One event type: its name on the wire and the contract of its payload. */
export interface EventType {
  readonly type: string;
  readonly group: string;
  /** One line (the schema's `title`). */
  readonly summary: string;
  /** When it is sent and what to know about it (the schema's `description`). */
  readonly description: string;
  readonly stability: Stability;
  readonly since: string;
  readonly deprecated?: Deprecation;
  readonly requires?: string;
  /** Names of the runtimes that are known to send it. */
  readonly emittedBy?: readonly string[];
  readonly renamedFrom?: string;
  /** The property that holds the payload; keyed placement only, absent for a kind without payload. */
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
  readonly at: Location;
}

/** A name that was withdrawn and must never be used again. */
export interface Tombstone {
  readonly kind: "event" | "field" | "value";
  /** An event type (a trailing `.*` stands for the whole family), a field name or an enum value. */
  readonly name: string;
  /** For a field or value: the event type, or `event type#/json/pointer`, that held it. */
  readonly in?: string;
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

/** The release that another one follows: that of the greatest version below, in this major version or an earlier one. */
export interface PreviousRelease {
  readonly version: string;
  readonly digest: string;
}

/** What the whole protocol needs before its candidate event types can become stable. */
export interface PromotionPlan {
  /** The values of `x-requires` that are met. */
  readonly met?: readonly string[];
  /** The kinds of frontends of which one must be tested with every candidate event type, such as "web". */
  readonly consumers?: readonly string[];
  /** Tool families with their event types. At least one family must be complete from end to end. */
  readonly families?: { readonly [name: string]: readonly string[] };
}

/** One major version of a protocol, complete and resolved. Everything downstream of `load` works on this value. */
export interface Protocol {
  readonly name: string;
  readonly major: number;
  /** `<name>/v<major>`, also the folder below the schemas folder. */
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  /** What a writer promises about streams, a sentence each. */
  readonly guarantees: readonly string[];
  /** How the contract may change, a sentence each. */
  readonly evolution: readonly string[];
  /** Group name → what the group is for; groups of the catalogue that have none are absent. */
  readonly groups: { readonly [name: string]: string };
  readonly envelope: Envelope;
  readonly stream?: Stream;
  /** Where its streams are found, how they are shown, and what faults are about. Tools read these; no release holds them. */
  readonly endpoints?: Partial<Endpoints>;
  readonly view?: ViewDeclaration;
  readonly faults?: FaultTargets;
  /** What it needs to become stable. No release holds it. */
  readonly promotion?: PromotionPlan;
  /** Sorted by type, by code unit. */
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

/** A file to be written below the output folder; `path` uses forward slashes. */
export interface OutputFile {
  readonly path: string;
  readonly content: string;
}
