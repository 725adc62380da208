/** The types of a comparison: changes, the rules that they belong to, and their proofs. */
import type { Severity } from "../finding.js";
import type { Json, JsonObject } from "../json.js";
import type { Stability, Tombstone } from "../protocol/protocol.js";
import type { View } from "./diff/view.js";
import type { Spot } from "./side.js";

/**
 * The effect of a change. `adds`: more can be sent, and nobody is affected. `withdraws`: a name was removed. `narrows`:
 * some values are no longer allowed. `widens`: values are allowed that readers of the baseline refuse. `changes`: both.
 * `reinterprets`: the same values mean something else, which no validator notices. `annotates`: no validator notices,
 * and readers need not. `promises`: a promise was withdrawn or is missing. `guards`: protects names and releases, at
 * every stability.
 */
export type Effect =
  | "adds"
  | "withdraws"
  | "narrows"
  | "widens"
  | "changes"
  | "reinterprets"
  | "annotates"
  | "promises"
  | "guards";

/** Files of a small protocol, merged into those of a basic one; null removes a file. */
export type ExampleFiles = { readonly [path: string]: JsonObject | null };

/** The parts of a finding that an example or a test states. */
export interface ExpectedFinding {
  /** The rule of the example, unless stated. */
  readonly rule?: string;
  /** An error, unless stated. */
  readonly is?: Severity | "addition";
  /** The place that the finding points at: file, pointer, and the text of its line from the column on. */
  readonly at: string;
  readonly baseline?: string;
  readonly affects?: readonly string[];
  readonly witness?: Json;
  readonly opposite?: Json;
  readonly stream?: readonly Json[];
}

/** One kind of change, except how it is detected. */
export interface Rule<Id extends string = string> {
  /** Kebab-case. Once published, an id is never used for anything else. */
  readonly id: Id;
  readonly effect: Effect;
  /** One line without a full stop. */
  readonly summary: string;
  /** Sentences: what the change means and why it matters. */
  readonly explanation: string;
  /** Sentences: what to do. */
  readonly hint: string;
  /** The rule for the reverse change, or a phrase about the reverse change if no other rule reports it. */
  readonly mirror: { readonly rule: string } | { readonly none: string };
  readonly example: { readonly before: ExampleFiles; readonly after: ExampleFiles };
  /** The findings of the example, in order. The rules of accrete's first release have them in test/compat/rule-cases.ts. */
  readonly expected?: ExpectedFinding | readonly ExpectedFinding[];
  /** Returns one sentence about one change. It may quote names from schemas. */
  readonly describe: (change: Change) => string;
  /** Whether the change of something stable is an error, although it breaks nothing or stands between major versions. */
  readonly isErrorIfStable?: boolean;
  /** Whether a change is reported that breaks nothing. */
  readonly isReportedUnbroken?: boolean;
  /** Whether a line in a report is that of the value's name, not of the value. */
  readonly isLocatedAtName?: boolean;
  /** Whether changes with the same names are one finding, whatever their places are. */
  readonly isGroupedByNames?: boolean;
  /** Whether the change compares texts that may name fields, so that it may only repeat a rename. */
  readonly mayRepeatRename?: boolean;
  /** For rules about a field that only one side has. */
  readonly field?: { readonly is: "removed" | "added"; readonly required: boolean };
  /** Returns the names that the change may remove: with several places and names every combination. */
  readonly removedNames?: (change: Change) => NameKey[];
  /** Whether a break accounts for every removed name at and below its place. */
  readonly coversNamesBelow?: boolean;
}

/** The identity of a name across versions: an event type, a field of an object, or a value of a list. */
export interface NameKey {
  readonly kind: Tombstone["kind"];
  readonly name: string;
  /** The event type, or the key of a resource; "" for the envelope. */
  readonly event: string;
  /** The place of the object that has the field, or of the value; "" for event types. */
  readonly path: string;
}

/**
 * A step from a value to a part of it. `same` is one alternative of the value itself. `other` is an undeclared field or
 * a later item; it is not certain which one, so a proof does not search for an exact witness there.
 */
export type Step =
  | { readonly to: "field"; readonly name: string }
  | { readonly to: "item" }
  | { readonly to: "tuple"; readonly index: number }
  /** `of` identifies the alternative. */
  | { readonly to: "same"; readonly of: string }
  | {
      readonly to: "other";
      /** The fields and patterns of the object on either side: the value is that of another field. */
      readonly except?: { readonly fields: readonly string[]; readonly patterns: readonly string[] };
      /** The number of items that have schemas of their own. The value is a later item. */
      readonly from?: number;
    };

/** A place of a change: an event type and a value in its messages. */
export interface Occurrence {
  /** The event type; "" for the envelope of every event. */
  readonly event: string;
  /** The value's place in a message: `/data/items/0/name`. */
  readonly path: string;
  readonly steps: readonly Step[];
  readonly stability: Stability;
}

/** Returns what identifies a place: its event type, its path, and the alternatives that it lies in. */
export function identifyPlace({ event, path, steps }: Occurrence): readonly string[] {
  return [event, path, ...steps.flatMap((step) => (step.to === "same" ? [step.of] : []))];
}

/** Returns whether a path is that of a value, or of a part of it. */
export function isAtOrBelow(path: string, value: string): boolean {
  return `${path}/`.startsWith(`${value}/`);
}

/** The condition that a witness of the change fulfils at its place. */
export type Shows =
  /** The field is there; `open` where the larger side takes undeclared fields, so that its presence alone breaks nothing. */
  | { readonly is: "present"; readonly field: string; readonly open?: boolean }
  /** The field is not there. */
  | { readonly is: "absent"; readonly field: string }
  /**
   * The value is outside of what the larger side's schema of that place allows; with `keywords`, because of these
   * keywords alone: without them the schema would accept it.
   */
  | { readonly is: "outside"; readonly keywords?: readonly string[] }
  /** The object has a field other than these, and is accepted by readers. */
  | { readonly is: "undeclared"; readonly fields: readonly string[] }
  /** Nothing in particular. */
  | { readonly is: "anything" };

/**
 * One of the two inclusions. `backward`: what the baseline allows is still allowed. `forward`: readers of the baseline
 * accept what can be sent now.
 */
export type Direction = "backward" | "forward";

/** The conditions of a witness among baseline events (backward) and among current events (forward). */
export type Claim = { readonly [direction in Direction]?: Shows };

/**
 * The readers or writers that a break affects, according to its witnesses. `baseline-readers` reject an event that can
 * be sent now. `current-readers` reject an event that the baseline allows. `senders` of such an event violate the
 * contract, although current readers still accept it. `data-loss`: readers no longer get a field or an event that the
 * baseline allows.
 */
export type Affected = "baseline-readers" | "current-readers" | "senders" | "data-loss";

/** The result of the containment engine for a change. */
export interface Proof {
  /** An event of the baseline that the current contract refuses. */
  readonly backward?: Json;
  /** A new event that readers of the baseline refuse. */
  readonly forward?: Json;
  /** The reason why an inclusion could not be decided. */
  readonly undecided?: string;
  /** The change certainly breaks, although no message shows it: values have another meaning. */
  readonly unwitnessed?: true;
  /** The result for streams, for changes of the stream contract. */
  readonly stream?: StreamProof;
  /** The affected readers and writers; empty without a witness. */
  readonly affects: readonly Affected[];
}

/** Returns whether a change certainly breaks something. */
export function isProven(proof: Proof | undefined): boolean {
  const { backward, forward, stream, unwitnessed } = proof ?? {};
  return (
    backward !== undefined || forward !== undefined || stream?.events !== undefined || unwitnessed === true
  );
}

/** Returns whether a change breaks something, or may do so as far as could be decided. */
export function isBreak(proof: Proof | undefined): boolean {
  return isProven(proof) || proof?.undecided !== undefined;
}

/** The result of the search for a stream that shows a change of the stream contract. */
interface StreamProof {
  /** The inclusions that fail or are open. */
  readonly directions: readonly Direction[];
  /** The shortest stream that was found: one side allows it, the other refuses it. */
  readonly events?: readonly Json[];
  /** The stream rule that refuses it. */
  readonly rule?: string;
}

/** A suspected or declared rename. */
export interface Rename {
  readonly declared: boolean;
  /** From 0 to 100. */
  readonly score: number;
  /** Other new names that would fit nearly as well. */
  readonly ties: readonly string[];
  /** For a family: the event types or fields, old and new. */
  readonly members?: readonly (readonly [from: string, to: string])[];
}

/** A change as it is detected, before it is assigned to its rule. */
export interface Difference {
  /** The subject: a field, an event type, a keyword. */
  readonly name: string;
  readonly from?: Json;
  readonly to?: Json;
  readonly before?: Spot;
  readonly after?: Spot;
  /** The event types and places concerned; never empty, sorted. */
  readonly occurrences: readonly Occurrence[];
  readonly claim: Claim;
  /** The schemas that differ, if `from` and `to` do not identify the change. */
  readonly content?: Json;
  /** Whether `content` holds the whole schemas of the value, since nothing else of it was compared. */
  readonly whole?: boolean;
  /** The value's schemas on both sides, for claims about values. */
  readonly views?: { readonly before: View; readonly after: View };
  readonly rename?: Rename;
  /** For a moved field: whether it left the payload or the envelope for the other one. */
  readonly movedTo?: "envelope" | "payload";
  /** The difference, as a sentence without its full stop. */
  readonly detail?: string;
  readonly proof?: Proof;
  /** The baseline, as the user named it. */
  readonly against?: string;
  /** Whether the baseline belongs to another major version, where breaks are expected. */
  readonly otherMajor?: boolean;
  /** Whether a waiver covers the change. */
  readonly waived?: boolean;
}

/** One difference between two protocols, as data. */
export interface Change extends Difference {
  readonly rule: Rule;
}

/** A change whose effect was examined. */
export type ProvenChange = Change & { readonly proof: Proof };

/** A proven change and the baseline that it was found against. */
export type ComparedChange = ProvenChange & Required<Pick<Change, "against" | "otherMajor">>;
