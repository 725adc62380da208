import type { Severity } from "../finding.js";
import type { Json, JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import type { Gap } from "../stream/delivery.js";
import type { Comparable } from "./comparable.js";
import type { TextSize, TextSum } from "./text-measure.js";

/** Everything there is to say about one rule of streams. */
export interface StreamRule {
  /** Kebab-case, never used again for anything else. */
  readonly id: string;
  /** One line without a full stop: what is wrong where it fires. */
  readonly summary: string;
  /** Why it matters, and what the rule does not say. */
  readonly explanation: string;
  /** How to do it right, one sentence. */
  readonly hint: string;
  readonly severity: { readonly [profile in Profile]: Severity | "off" };
  /** The member of `stream` in protocol.json that it follows; absent for rules of protocols that are written in code. */
  readonly declaredBy?: string;
}

/** One finding of a rule, before it has a place in a file. */
export interface Breach {
  readonly rule: string;
  readonly severity: Severity;
  /** One sentence, plain text. May quote text from events. */
  readonly message: string;
  readonly hint: string;
  /** JSON pointer into the event at `mark`. */
  readonly pointer: string;
  /** The number that the event was given when it was checked. */
  readonly mark: number;
}

/** What is known about one open stream, besides what the rules remember. */
export interface StreamState {
  readonly key: string;
  /** Grows where events may be missing; nothing that began in an earlier epoch is known to be complete. */
  epoch: number;
  /** The epoch whose events were seen from the beginning of the stream on, if any: see `seenFromStart`. */
  known: number;
  /** The mark of its last event, and how many events it had. */
  mark: number;
  events: number;
  /** What the watches remember, by their index. */
  readonly slots: unknown[];
}

/** Whether nothing of the stream was missed so far. */
export function seenFromStart({ epoch, known }: StreamState): boolean {
  return epoch === known;
}

/** What a watch sees: an event in its place. One object for all events, so nothing may keep it. */
export interface Step {
  readonly event: JsonObject;
  readonly payload: JsonObject;
  readonly type: string;
  readonly sequence: number | undefined;
  /** Numbers that are missing right before it. */
  readonly gap: Gap | undefined;
  readonly stream: StreamState;
  /** The text of a payload field; undefined if it has none. */
  sum(field: string): TextSum | undefined;
  size(field: string): TextSize | undefined;
  /** JSON pointer of a payload field. */
  at(field: string): string;
  report(rule: StreamRule, pointer: string, message: string): void;
  /** Says that a limit was reached, once for each stream. */
  limited(what: string): void;
}

/** The end of a stream, or of the input. */
export interface Closing {
  readonly stream: StreamState;
  report(rule: StreamRule, mark: number, pointer: string, message: string): void;
}

/** What to do with events of some types. */
export interface Handler<S> {
  /** `rest`: every event that comes after a terminal one of its stream. */
  readonly types: readonly string[] | "every" | "rest";
  check(state: S, step: Step): void;
}

/** One declaration at work, with a state of its own for every stream. */
export interface Watch<S = unknown> {
  /** The rules that it may report. */
  readonly rules: readonly StreamRule[];
  readonly profile?: "writer" | undefined;
  /** The state of a stream with nothing in it; null for a watch that needs none. All that a watch remembers is in it. */
  start(): S;
  /** There is one state for all streams together. */
  readonly shared?: boolean;
  readonly handlers: readonly Handler<S>[];
  end?(state: S, closing: Closing): void;
  /** What a comparison of contracts knows of the watch. */
  readonly comparable?: Comparable<S>;
}

/** Rules that one file holds, and how they watch a protocol. */
export interface RuleFile {
  readonly rules: readonly StreamRule[];
  /** The members of `stream.rules` that the rules follow, and what identifies a declaration in each. */
  readonly declares?: { readonly [member: string]: (declaration: JsonObject) => Json };
  /** Nothing for a protocol that does not declare what the rules are about. */
  watch(protocol: Protocol): readonly Watch[];
}

/** A row of the table of stream rules. */
export function defineStreamRule(rule: StreamRule): StreamRule {
  return rule;
}
