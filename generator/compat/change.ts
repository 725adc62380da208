import type { Json } from "../json.js";
import type { Stability } from "../model/protocol.js";
import type { Spot } from "./side.js";
import type { View } from "./view.js";

/**
 * A step from a value to a part of it. `same` is one alternative of the value itself; nothing certain lies behind an
 * `other` step, so no witness is led there.
 */
export type Step =
  | { readonly to: "field"; readonly name: string }
  | { readonly to: "item" }
  | { readonly to: "tuple"; readonly index: number }
  | { readonly to: "same" }
  | { readonly to: "other" };

/** Where in which event a change is. */
export interface Occurrence {
  /** The event type; "" for the envelope of every event. */
  readonly event: string;
  /** The value's place in a message: `/data/items/0/name`. */
  readonly path: string;
  readonly steps: readonly Step[];
  readonly stability: Stability;
}

/** What a witness of the change has to show at its place. */
export type Shows =
  /** The field is there. */
  | { readonly is: "present"; readonly field: string }
  /** The field is not there. */
  | { readonly is: "absent"; readonly field: string }
  /** The value is outside of what the right side's schema of that place allows. */
  | { readonly is: "outside" }
  /** Nothing in particular. */
  | { readonly is: "anything" };

/** How a change can break: what to look for among baseline events (left) and among current events (right). */
export interface Claim {
  readonly left?: Shows;
  readonly right?: Shows;
}

/** Whom a break hurts: an inclusion of the sandwich that fails, and who notices. */
export type Hurt = "old readers of new events" | "new readers of old events" | "the contract alone";

/** What the containment engine found out about a change. */
export interface Proof {
  /** An event of the baseline that must not be sent any more. */
  readonly left?: Json;
  /** A new event that readers of the baseline refuse. */
  readonly right?: Json;
  /** Why an inclusion could not be decided; the rule's word stands then. */
  readonly undecided?: string;
  /** What was found out about streams, for changes of the stream contract. */
  readonly stream?: StreamProof;
  readonly hurts: readonly Hurt[];
}

/** What was found out about a change of the stream contract. */
export interface StreamProof {
  /** The inclusions that fail or are open. */
  readonly directions: readonly ("forward" | "backward")[];
  /** The shortest stream that was found: one side allows it, the other refuses it. */
  readonly events?: readonly Json[];
  /** The stream rule that refuses it. */
  readonly rule?: string;
  /** Who is affected, a sentence each. */
  readonly affected?: readonly string[];
}

/** A change, its proof, and what it was compared against. */
export interface Judged extends Change {
  readonly proof: Proof;
  /** The baseline, as the user named it. */
  readonly against: string;
  /** Whether the baseline belongs to another major version, where breaks are facts. */
  readonly otherMajor: boolean;
  /** Whether a waiver lifts it. */
  readonly waived?: boolean;
}

/** A suspicion that one name replaces another, or a declaration of it. */
export interface Rename {
  readonly declared: boolean;
  /** Of 100. */
  readonly score: number;
  /** Other new names that would fit nearly as well. */
  readonly ties: readonly string[];
  /** For a family: the event types or fields that moved, old and new. */
  readonly members?: readonly (readonly [from: string, to: string])[];
}

/** One difference between two protocols, as data. */
export interface Change {
  /** The rule that it belongs to. */
  readonly kind: string;
  /** What it is about: a field, an event type, a keyword. */
  readonly name: string;
  readonly from?: Json;
  readonly to?: Json;
  readonly before?: Spot;
  readonly after?: Spot;
  /** The event types and places concerned; never empty, sorted. */
  readonly occurrences: readonly Occurrence[];
  readonly claim: Claim;
  /** The value's schemas on both sides, for claims about values. */
  readonly views?: { readonly before: View; readonly after: View };
  readonly rename?: Rename;
  /** What differs, as a sentence without its full stop. */
  readonly detail?: string;
}
