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
 * Everything about one member of `stream.rules`, in one file of conform/rules/. What reads protocol.json, the catalogue,
 * the comparison of contracts and the kit know of a member comes from here.
 */
export interface StreamRule<M extends Member, Id extends string, D = Declared<M>> {
  readonly member: M;
  /** The parts of one declaration. */
  readonly declaration: Declaration<D>;
  /** The member is one declaration instead of a list. */
  readonly single?: true;
  /** What documentation shows as the value of the member. */
  readonly example: StreamRules[M];
  /** The findings that its checkers may report. */
  readonly findings: readonly StreamFindingKind<Id>[];
  /** One sentence for the catalogue, with its full stop. */
  sentence(declared: D, terms: CatalogTerms): string;
  readonly comparison: DeclarationComparison<D>;
  /** Returns the checkers of one declaration. */
  createCheckers(declared: D, protocol: Protocol): RuleChecker | readonly RuleChecker[];
  /** Returns the checkers of all declarations together, also if there are none. */
  createJointCheckers?(declared: readonly D[], protocol: Protocol): readonly RuleChecker[];
  /** How the kit makes streams that keep the rule, where that does not come about by itself. */
  readonly generation?: StreamGeneration<D>;
}

/** The rule of any member, for code that treats all of them alike. */
export type AnyStreamRule = StreamRule<Member, string, JsonObject>;

/** Returns the row of a member; its types say what is missing. */
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
  /** Whether a declaration can be limited to writers; true by default. */
  readonly hasProfile?: "profile" extends keyof D ? true : false;
}

/** How events, fields and values are written in the catalogue. */
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

/** How two versions of a declaration are matched and compared. */
interface DeclarationComparison<D> {
  /** What a declaration is about. Never its place in a list. */
  identify(declared: D): Json;
  /** Lists whose order has a meaning. */
  readonly ordered?: readonly (keyof D & string)[];
  /** A list whose elements could as well be separate declarations. */
  readonly split?: keyof D & string;
  /** Optional lists that say something else when they are empty than when they are absent. */
  readonly closed?: readonly (keyof D & string)[];
}

/** One kind of finding about streams. */
export interface StreamFindingKind<Id extends string = string> {
  /** Kebab-case, never used again for anything else. */
  readonly id: Id;
  /** One line without a full stop: what is wrong. */
  readonly summary: string;
  /** Why it matters, and what is not checked. */
  readonly explanation: string;
  /** How to do it right, one sentence. */
  readonly hint: string;
  readonly severity: { readonly [profile in Profile]: Severity | "off" };
  /** It is also reported where the protocol does not declare the member. */
  readonly always?: true;
}

/** Returns a kind of finding whose id is part of its type. */
export function defineFinding<const Id extends string>(kind: StreamFindingKind<Id>): StreamFindingKind<Id> {
  return kind;
}

/** What is known about one open stream, besides what checkers remember. */
export interface StreamState {
  readonly key: string;
  /** Grows where events may be missing; nothing that began in an earlier epoch is known to be complete. */
  epoch: number;
  /** The epoch whose events were seen from the beginning of the stream on, if any: see `seenFromStart`. */
  known: number;
  /** The mark of its last event, and how many events it had. */
  mark: number;
  events: number;
  /** What the checkers remember, by their index. */
  readonly slots: unknown[];
}

/** Whether nothing of the stream was missed so far. */
export function seenFromStart({ epoch, known }: StreamState): boolean {
  return epoch === known;
}

/** An event in its place, as checkers see it. All events share one object, so nothing may keep it. */
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
  report(kind: StreamFindingKind, pointer: string, message: string): void;
  /** Reports that a limit was reached, once for each stream. */
  limited(what: string): void;
}

/** The end of a stream, or of the input. */
interface Closing {
  readonly stream: StreamState;
  report(kind: StreamFindingKind, mark: number, pointer: string, message: string): void;
}

/** What to do with events of some types. */
export interface Handler<S> {
  /** `rest`: every event that comes after a terminal one of its stream. */
  readonly types: readonly string[] | "every" | "rest";
  check(state: S, step: Step): void;
}

/** Checks one declaration, with a state of its own for every stream. */
export interface RuleChecker<S = unknown> {
  /** The findings that it may report; all of the rule by default. */
  readonly findings?: readonly StreamFindingKind[];
  /** Returns the state of a stream without events; null for a checker that remembers nothing. */
  start(): S;
  /** There is one state for all streams together. */
  readonly shared?: boolean;
  readonly handlers: readonly Handler<S>[];
  end?(state: S, closing: Closing): void;
  /** Describes the checker to the comparison of contracts. */
  readonly comparable?: CheckerDescription<S>;
}

/** Returns a checker that looks at each event of `types` by itself. */
export function createEventChecker(
  types: Handler<null>["types"],
  check: (step: Step) => void,
  reads: readonly FieldUse[],
  { findings, madeOf }: { findings?: readonly StreamFindingKind[]; madeOf?: Json } = {},
): RuleChecker<null> {
  return {
    ...(findings && { findings }),
    start: () => null,
    handlers: [{ types, check: (_state, step) => check(step) }],
    comparable: { ...(madeOf !== undefined && { madeOf }), reads, snapshot: () => null },
  };
}

/** How streams are generated that keep a rule. The checker has the last word on whether they do. */
interface StreamGeneration<D> {
  /** Event types that are generated by scenarios or by the kit only, never at random. */
  reservedTypes?(declared: D, protocol: Protocol): readonly string[];
  /** A course of events that the declaration describes. */
  scenario?(declared: D, protocol: Protocol): Scenario;
  /** Brings payloads into line with what was sent before. */
  adjust?(declared: readonly D[]): PayloadAdjuster;
  /** Changes the envelope fields of the stream with number `index`; `first` holds those of stream 0. */
  adjustEnvelope?(
    declared: D,
    fields: { [name: string]: Json },
    index: number,
    first: JsonObject | undefined,
  ): void;
}

/** An event that a scenario wants to send. */
export interface Proposal {
  readonly type: string;
  /** Payload fields that have to have these values. */
  readonly wanted: JsonObject;
  /** How many numbers are skipped before it; the marker names them in the fields of `gap`. */
  readonly skip?: number;
  readonly gap?: { readonly first?: string; readonly last?: string };
}

/** What a scenario may use. */
interface ScenarioContext {
  readonly random: Random;
  readonly size: number;
  /** An event type that has to be among those that are proposed; chance decides where it is absent. */
  readonly must?: string | undefined;
  /** Returns a value of a payload field that nothing else has, of the kind that the field takes. */
  fresh(type: string, field: string): Json;
}

/** A course of events. */
export interface Scenario {
  readonly name: string;
  /** The event types that it can be made to contain. */
  readonly types: readonly string[];
  propose(context: ScenarioContext): readonly Proposal[];
}

/** The memory of one generated stream, as far as one rule needs it. */
export interface PayloadAdjuster {
  /** Changes `payload` so that the rule holds. */
  adjust(type: string, payload: { [name: string]: Json }, random: Random): void;
  /** Remembers an event that was sent. */
  record?(type: string, payload: JsonObject): void;
}
