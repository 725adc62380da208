/**
 * The types of a comparison. Its words:
 * - A *subject* is an event type in its envelope, or a resource.
 * - A *place* is a value in the messages of a subject. A *spot* is a schema in a file. A *view* merges the spots of one
 *   value.
 * - A *change* is one thing in which two versions differ. A change belongs to a rule.
 * - An *inclusion* is the question whether everything that one side sends is accepted by the other side. Its two
 *   directions are backward and forward.
 * - A *witness* is a message that shows that an inclusion fails. A *claim* states which witnesses show a change.
 * - A *proof* is what was found out about a change: witnesses, or the reason why the question is undecided.
 * - A *break* is a change with a witness, or a change that could not be decided.
 * - `before` and `after` (also `old` and `now`) are the baseline and the current contract.
 */
import type { Severity } from "../finding.js";
import type { Json, JsonObject } from "../json.js";
import type { Stability, Tombstone } from "../protocol/protocol.js";
import type { Spot } from "../schema/describe.js";
import type { View } from "./diff/view.js";

/**
 * The effect of a change:
 * - `adds`: more can be sent, and nobody is affected.
 * - `withdraws`: a name was removed.
 * - `narrows`: some values are no longer allowed.
 * - `widens`: values are allowed that readers of the baseline refuse.
 * - `narrows-or-widens`: one of the two, or both.
 * - `reinterprets`: the same values mean something else. Validators do not notice.
 * - `annotates`: validators do not notice, and readers need not.
 * - `breaks-promise`: a promise was withdrawn or is missing.
 * - `violates-history`: a name, a release or a waiver is not in order. It is an error at every stability.
 */
export type Effect =
  | "adds"
  | "withdraws"
  | "narrows"
  | "widens"
  | "narrows-or-widens"
  | "reinterprets"
  | "annotates"
  | "breaks-promise"
  | "violates-history";

/** Files of a small protocol, merged into those of a basic one; null removes a file. */
export type ExampleFiles = { readonly [path: string]: JsonObject | null };

/** The parts of a finding that an example or a test states. */
export interface ExpectedFinding {
  /** The rule of the example, unless stated. */
  readonly rule?: string;
  /** An error, unless stated. */
  readonly verdict?: Severity | "addition";
  /** The location of the finding: file, pointer, and the text of its line from the column on. */
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
  readonly reverse: { readonly rule: string } | { readonly description: string };
  readonly example: { readonly before: ExampleFiles; readonly after: ExampleFiles };
  /** The findings of the example, in order. The rules of accrete's first release have them in test/compat/rule-cases.ts. */
  readonly expected?: ExpectedFinding | readonly ExpectedFinding[];
  /** Returns one sentence about one change. It may quote names from schemas. */
  readonly describe: (change: Change) => string;
  /** True if the change of something stable is an error, although it breaks nothing or is between major versions. */
  readonly isErrorIfStable?: boolean;
  /** True if a break is an error for experimental contracts, too. */
  readonly isErrorIfExperimental?: boolean;
  /** True if a change is reported although it breaks nothing. */
  readonly isReportedUnbroken?: boolean;
  /** True if a report shows the line of the value's name instead of the line of the value. */
  readonly isLocatedAtName?: boolean;
  /** True if the value before may have had alternatives that it does not have now. */
  readonly removesAlternatives?: boolean;
  /** True if changes with the same names are one finding, whatever their places are. */
  readonly isGroupedByNames?: boolean;
  /** True if the change compares texts that may name fields, so that it may only repeat a rename. */
  readonly mayRepeatRename?: boolean;
  /** For rules about a field that only one side has. */
  readonly field?: { readonly change: "removed" | "added"; readonly required: boolean };
  /** Returns the names that the change may remove. With several places and names it returns every combination. */
  readonly removedNames?: (change: Change) => NameKey[];
  /** True if a break accounts for every removed name at and below its place. */
  readonly coversNamesBelow?: boolean;
}

/** The identity of a name across versions: an event type, a field of an object, or a value of a list. */
export interface NameKey {
  readonly kind: Tombstone["kind"];
  readonly name: string;
  /** The event type, or the key of a resource; "" for the envelope. */
  readonly event: string;
  /** The path of the object that has the field, or of the value; "" for event types. */
  readonly path: string;
}

/**
 * A step from a value to a part of it. An alternative applies to the same value; `tag` identifies it. It is not certain
 * which field or item the last two steps lead to, so an exact search accepts any message there.
 */
export type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "item" }
  | { readonly kind: "tuple item"; readonly index: number }
  | { readonly kind: "alternative"; readonly tag: string }
  /** A field that neither side declares: its name is none of `fields` and matches none of `patterns`. */
  | {
      readonly kind: "undeclared field";
      readonly fields: readonly string[];
      readonly patterns: readonly string[];
    }
  /** An item after the first `count` items, which have schemas of their own. */
  | { readonly kind: "later item"; readonly count: number };

/** A place of a change: a value in the messages of a subject. */
export interface Place {
  /** The event type, or the key of a resource; "" for the envelope of every event. */
  readonly event: string;
  /** The path of the value in a message: `/data/items/0/name`. */
  readonly path: string;
  readonly steps: readonly Step[];
  readonly stability: Stability;
}

/** Returns what identifies a place: its subject, its path, and the alternatives that it lies in. */
export function identifyPlace({ event, path, steps }: Place): readonly string[] {
  return [event, path, ...steps.flatMap((step) => (step.kind === "alternative" ? [step.tag] : []))];
}

/** Returns whether a path is that of a value, or of a part of it. */
export function isAtOrBelow(path: string, value: string): boolean {
  return `${path}/`.startsWith(`${value}/`);
}

/** Returns whether one of two paths is at or below the other. */
export function areNestedPaths(one: string, other: string): boolean {
  return isAtOrBelow(one, other) || isAtOrBelow(other, one);
}

/** The condition that a witness fulfils at the place of the change. */
export type WitnessCondition =
  /**
   * The field is there. If the larger side takes undeclared fields (`isAcceptedUndeclared`), the presence of the field
   * alone breaks nothing.
   */
  | { readonly kind: "present"; readonly field: string; readonly isAcceptedUndeclared?: boolean }
  /** The field is not there. */
  | { readonly kind: "absent"; readonly field: string }
  /**
   * The schema of the larger side refuses the value. With `keywords`, it refuses the value because of these keywords
   * alone: without them it would accept the value.
   */
  | { readonly kind: "outside"; readonly keywords?: readonly string[] }
  /** The object has a field other than these, and readers accept it. */
  | { readonly kind: "undeclared"; readonly fields: readonly string[] }
  /** Every message fulfils this condition. */
  | { readonly kind: "anything" };

/**
 * One of the two inclusions. `backward`: what the baseline allows is still allowed. `forward`: readers of the baseline
 * accept what can be sent now.
 */
export type Direction = "backward" | "forward";

/** The conditions of a witness among baseline events (backward) and among current events (forward). */
export type Claim = { readonly [direction in Direction]?: WitnessCondition };

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
  /** Set if the change certainly breaks, although no message shows it, because values have another meaning. */
  readonly unwitnessed?: true;
  /** The result for streams, for changes of the stream contract. */
  readonly stream?: StreamProof;
  /** The messages that break, for each inclusion with a proven description of them. */
  readonly broken?: { readonly [direction in Direction]?: BrokenMessages };
  /** The affected readers and writers; empty without a witness. */
  readonly affects: readonly Affected[];
}

/** The messages that a change breaks. */
export interface BrokenMessages {
  /** Names them, such as `every event without data.ms`. Absent if this takes too many words. */
  readonly phrase?: string;
  /** For each subject, accepts the messages that break, because of this change or of others. */
  readonly schemas: readonly Json[];
}

/** The proof of a change that breaks nothing. */
export const NO_BREAK: Proof = { affects: [] };

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
  /** The inclusions that fail or are undecided. */
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

/** A change before it is assigned to its rule. */
export interface UnclassifiedChange {
  /** The name of the thing that changed: a field, an event type, a keyword. */
  readonly name: string;
  readonly from?: Json;
  readonly to?: Json;
  readonly before?: Spot;
  readonly after?: Spot;
  /** The places concerned, sorted; never empty. */
  readonly places: readonly Place[];
  readonly claim: Claim;
  /** The schemas that differ, if `from` and `to` do not identify the change. */
  readonly content?: Json;
  /** True if `content` holds the whole schemas of the value, because nothing else of the value was compared. */
  readonly hasWholeContent?: boolean;
  /** The views of the value on both sides, for claims about values. */
  readonly views?: { readonly before: View; readonly after: View };
  readonly rename?: Rename;
  /** Set for a field that moved between the envelope and the payload: where it is now. */
  readonly movedTo?: "envelope" | "payload";
  /** The difference in words, as the rule uses it in its message. Fingerprints do not depend on it. */
  readonly detail?: string;
  readonly proof?: Proof;
  /** The baseline, as the user named it. */
  readonly against?: string;
  /** True if the baseline belongs to another major version, where breaks are expected. */
  readonly otherMajor?: boolean;
  /** True if a waiver covers the change. */
  readonly waived?: boolean;
}

/** One thing in which two versions differ. */
export interface Change extends UnclassifiedChange {
  readonly rule: Rule;
}

/** A change whose effect was examined. */
export type ProvenChange = Change & { readonly proof: Proof };

/** A proven change and the baseline that it was found against. */
export type ComparedChange = ProvenChange & Required<Pick<Change, "against" | "otherMajor">>;

/** Returns the key of the subject at the first place of a change; "" for the envelope. */
export function getFirstSubject({ places: [first] }: Change): string {
  return first?.event ?? "";
}
