import type { Severity } from "../finding.js";
import type { Json, JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { StreamRules } from "../protocol/stream-rules.js";
import type { Random } from "../random.js";
import type { Profile } from "../schema/readings.js";
import type { Gap } from "../stream/delivery.js";
import type { CheckerDescription, FieldUse } from "./comparable.js";
import type { DeclarationPart } from "./declaration.js";
import type { TextSize, TextSum } from "./text-measure.js";

/** A member of `stream.rules` in protocol.json. */
export type Member = keyof StreamRules;

/** One declaration of a member: an element where the member is a list. */
type Declared<M extends Member> = Required<StreamRules>[M] extends readonly (infer One)[]
  ? One
  : Required<StreamRules>[M];

/**
 * The rule of one member of `stream.rules`, defined in one file of conform/rules/. Lint, the catalogue, the comparison of
 * contracts and the kit know a member only by its rule.
 */
export interface StreamRule<M extends Member, Id extends string, D = Declared<M>> {
  readonly member: M;
  /** The parts of one declaration. */
  readonly declaration: Declaration<D>;
  /** Set if the member is one declaration instead of a list. */
  readonly single?: true;
  /** The value of the member in the documentation. */
  readonly example: StreamRules[M];
  /** The findings that the checkers of the rule may report. */
  readonly findings: readonly StreamFindingKind<Id>[];
  /** Returns one sentence for the catalogue, with its full stop. */
  describe(declared: D, terms: CatalogTerms): string;
  readonly comparison: DeclarationComparison<D>;
  /** Returns the checkers of one declaration. */
  createCheckers(declared: D, protocol: Protocol): RuleChecker | readonly RuleChecker[];
  /** Returns the checkers of all declarations together, also if there are none. */
  createJointCheckers?(declared: readonly D[], protocol: Protocol): readonly RuleChecker[];
  /** Lets the kit generate streams that keep the rule. Absent if random streams keep it. */
  readonly generation?: StreamGeneration<D>;
}

/** The rule of any member, for code that handles all of them. */
export type AnyStreamRule = StreamRule<Member, string, JsonObject>;

/** Returns the rule of a member. The type checker reports missing parts. */
export function defineStreamRule<M extends Member, Id extends string>(
  rule: StreamRule<M, Id>,
): StreamRule<M, Id> {
  return rule;
}

/** The object that holds a declaration: its parts, and no others. */
interface Declaration<D> {
  readonly description: string;
  readonly required: readonly (keyof D & string)[];
  readonly properties: { readonly [name in Exclude<keyof D, "profile">]-?: DeclarationPart };
  /** True if a declaration can be limited to writers; true by default. */
  readonly hasProfile?: "profile" extends keyof D ? true : false;
}

/** Functions that write events, fields and values in the catalogue. */
export interface CatalogTerms {
  prose(text: string): string;
  code(name: string): string;
  event(type: string): string;
  /** Event types, the last one after "or". */
  anyEvent(types: readonly string[]): string;
  /** Event types, the last one after "and". */
  allEvents(types: readonly string[]): string;
  fields(names: readonly string[]): string;
  values(values: readonly string[]): string;
}

/** Options for matching and comparing two versions of a declaration. */
interface DeclarationComparison<D> {
  /** Returns the subject of a declaration, never its place in a list. */
  identify(declared: D): Json;
  /** Lists whose order matters. */
  readonly ordered?: readonly (keyof D & string)[];
  /** A list whose elements could also be separate declarations. */
  readonly split?: keyof D & string;
  /** Optional lists that mean something different when they are empty than when they are absent. */
  readonly closed?: readonly (keyof D & string)[];
}

/** One kind of finding about streams. */
export interface StreamFindingKind<Id extends string = string> {
  /** The id in kebab-case. It never gets another meaning. */
  readonly id: Id;
  /** A clause that says what is wrong, without a full stop. */
  readonly summary: string;
  /** Sentences that say why it matters, and what is not checked. */
  readonly explanation: string;
  /** Sentences that say what to do. */
  readonly hint: string;
  readonly severity: { readonly [profile in Profile]: Severity | "off" };
  /** Set if the finding is also reported for protocols that do not declare the member. */
  readonly always?: true;
}

/** Returns a kind of finding whose id is part of its type. */
export function defineFinding<const Id extends string>(kind: StreamFindingKind<Id>): StreamFindingKind<Id> {
  return kind;
}

/** The state of one open stream that all checkers share. */
export interface StreamState {
  readonly key: string;
  /** A number that increases where events may be missing. Anything that began in an earlier epoch may be incomplete. */
  epoch: number;
  /** The epoch that `epoch` has while no event of the stream can be missing; see `isSeenFromStart`. */
  completeEpoch: number;
  /** The index of the last event of the stream, as the caller counts. */
  index: number;
  /** The number of events of the stream so far. */
  events: number;
  /** True if the stream has ended and has not restarted. */
  hasEnded: boolean;
  /** The states of the checkers, by their index. */
  readonly slots: unknown[];
}

/** Returns whether no event of the stream can be missing so far. */
export function isSeenFromStart({ epoch, completeEpoch }: StreamState): boolean {
  return epoch === completeEpoch;
}

/** An event in its stream, as checkers see it. All events share one object, so checkers must not keep it. */
export interface Step {
  readonly event: JsonObject;
  readonly payload: JsonObject;
  readonly type: string;
  readonly sequence: number | undefined;
  /** The numbers that are missing directly before the event. */
  readonly gap: Gap | undefined;
  readonly stream: StreamState;
  /** Returns the sum of the text of a payload field; undefined if it is not a text. */
  measureSum(field: string): TextSum | undefined;
  /** Returns the size of the text of a payload field; undefined if it is not a text. */
  measureSize(field: string): TextSize | undefined;
  /** Returns the JSON pointer of a payload field. */
  locate(field: string): string;
  /** Reports a finding about a part of the event; by default about the event. */
  report(kind: StreamFindingKind, message: string, pointer?: string): void;
  /** Reports that the stream reached a limit, once for each stream. */
  reportLimit(what: string): void;
}

/** The end of a stream, or of the input. */
interface StreamEndContext {
  readonly stream: StreamState;
  report(kind: StreamFindingKind, index: number, message: string): void;
}

/** A check of all events of some types. */
export interface Handler<S> {
  /** The event types that are checked. `after-terminal` stands for every event after the terminal event of its stream. */
  readonly types: readonly string[] | "every" | "after-terminal";
  check(state: S, step: Step): void;
}

/** A checker of one declaration. It has a state for every stream. */
export interface RuleChecker<S = unknown> {
  /** The findings that the checker may report; by default, all findings of the rule. */
  readonly findings?: readonly StreamFindingKind[];
  /** Returns the state of a stream without events; null for a checker that remembers nothing. */
  start(): S;
  /** True if all streams share one state. */
  readonly shared?: boolean;
  readonly handlers: readonly Handler<S>[];
  end?(state: S, closing: StreamEndContext): void;
  /** Describes the checker to the comparison of contracts. */
  readonly comparable?: CheckerDescription<S>;
}

/** Returns a checker that looks at each event of `types` by itself. */
export function createEventChecker(
  types: Handler<null>["types"],
  check: (step: Step) => void,
  reads: readonly FieldUse[],
  { findings, dependsOn }: { findings?: readonly StreamFindingKind[]; dependsOn?: Json } = {},
): RuleChecker<null> {
  return {
    ...(findings && { findings }),
    start: () => null,
    handlers: [{ types, check: (_state, step) => check(step) }],
    comparable: { ...(dependsOn !== undefined && { dependsOn }), reads, snapshot: () => null },
  };
}

/** Generates streams that keep a rule. The kit then verifies them with the checker of the rule. */
interface StreamGeneration<D> {
  /** Returns the event types that only scenarios and the kit generate: random choices leave them out. */
  listReservedTypes?(declared: D, protocol: Protocol): readonly string[];
  /** Returns a sequence of events that the declaration describes, if it describes one. */
  createScenario?(declared: D, protocol: Protocol): Scenario | undefined;
  /** Returns an adjuster of payloads for one stream. */
  createAdjuster?(declared: D, protocol: Protocol): PayloadAdjuster;
  /** Changes the envelope fields of stream `index`; `first` holds those of stream 0. */
  adjustEnvelope?(
    declared: D,
    fields: { [name: string]: Json },
    index: number,
    first: JsonObject | undefined,
  ): void;
}

/** An event that a scenario wants to send. */
export interface ProposedEvent {
  readonly type: string;
  /** Payload fields that must have these values. */
  readonly fixedFields: JsonObject;
  /** The count of sequence numbers that are skipped before the event. */
  readonly skip?: number;
  /** The fields in which the event names the first and the last skipped number. */
  readonly gap?: { readonly first?: string; readonly last?: string };
}

/** The tools of a scenario. */
interface ScenarioContext {
  readonly random: Random;
  readonly size: number;
  /** An event type that must be proposed. If absent, the choice is random. */
  readonly requiredType?: string | undefined;
  /** Returns a valid value of a payload field that no other event has. */
  createUniqueValue(type: string, field: string): Json;
}

/** A sequence of events that the kit can generate. */
export interface Scenario {
  readonly name: string;
  /** The event types that the sequence contains if the context requires them. */
  readonly types: readonly string[];
  propose(context: ScenarioContext): readonly ProposedEvent[];
}

/** Adjusts the payloads of one generated stream to one rule. */
export interface PayloadAdjuster {
  /** Changes `payload` so that the rule holds. */
  adjust(type: string, payload: { [name: string]: Json }, random: Random): void;
  /** Remembers an event that was sent. */
  record?(type: string, payload: JsonObject): void;
}
