import type { Severity } from "../finding.js";
import type { Json, JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { StreamRules } from "../protocol/stream-rules.js";
import type { Profile } from "../schema/readings.js";
import type { Gap } from "../stream/delivery.js";
import type { DeclarationPart } from "./declaration.js";
import type { Machine } from "./machine/language.js";
import type { TextSize, TextSum } from "./text-measure.js";

/** A member of `stream.rules` in protocol.json. */
export type Member = keyof StreamRules;

/** One declaration of a member: an element where the member is a list. */
type Declared<M extends Member> = Required<StreamRules>[M] extends readonly (infer One)[]
  ? One
  : Required<StreamRules>[M];

/** The parts of a rule whose declarations have the type `D`. */
interface RuleParts<M extends Member, Id extends string, D> {
  readonly member: M;
  /** The parts of one declaration. */
  readonly declaration: Declaration<D>;
  /** Set if the member is one declaration instead of a list. */
  readonly single?: true;
  /** The value of the member in the documentation. */
  readonly example: StreamRules[M];
  /** The findings that the machines of the rule may report. */
  readonly findings: readonly StreamFindingKind<Id>[];
  /** Returns one sentence for the catalogue, with its full stop. Further lines are sentences about parts of the declaration. */
  describe(declared: D, terms: CatalogTerms): string;
  /** Returns the states of things for a diagram in the catalogue; undefined if they never change. */
  draw?(declared: D): StateDiagram | undefined;
  /** Returns the parts of a declaration that never have an effect, although each name in them exists. */
  findUnusedParts?(declared: D, protocol: Protocol): readonly UnusedPart[];
  readonly comparison: DeclarationComparison<D>;
  /** Returns the machines that check one declaration. */
  createMachines(declared: D, protocol: Protocol): Machine | readonly Machine[];
  /** Returns the machines that check all declarations together, also if there are none. */
  createJointMachines?(declared: readonly D[], protocol: Protocol): readonly Machine[];
}

/**
 * The rule of one member of `stream.rules`, defined in one file of conform/rules/. Lint, the catalogue, the comparison of
 * contracts and the kit know a member only by its rule.
 */
export interface StreamRule<M extends Member, Id extends string> extends RuleParts<M, Id, Declared<M>> {}

/** A part of a declaration without an effect. */
export interface UnusedPart {
  /** The pointer below the declaration. */
  readonly pointer: string;
  /** A sentence that says why. */
  readonly message: string;
}

/** The rule of any member, for code that handles all of them. */
export type AnyStreamRule = RuleParts<Member, string, JsonObject>;

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

/** The states of a thing and how they follow each other. */
export interface StateDiagram {
  /** The name of the thing. */
  readonly name: string;
  /** The first state; absent if a thing may begin in any state. */
  readonly initial?: string;
  readonly moves: readonly StateMove[];
}

/** A change of state. */
export interface StateMove {
  /** The state before; absent if it may be any. */
  readonly from?: string;
  readonly to: string;
  /** What causes the change; absent if the states alone are declared. */
  readonly cause?: string;
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

/** Returns a kind of finding whose id is part of its type. Without a severity, it is an error in both profiles. */
export function defineFinding<const Id extends string>({
  severity = { reader: "error", writer: "error" },
  ...kind
}: Omit<StreamFindingKind<Id>, "severity"> & Partial<StreamFindingKind<Id>>): StreamFindingKind<Id> {
  return { ...kind, severity };
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
  /** The memories of the machines, by their index. */
  readonly slots: unknown[];
}

/** Returns whether no event of the stream can be missing so far. */
export function isSeenFromStart({ epoch, completeEpoch }: StreamState): boolean {
  return epoch === completeEpoch;
}

/** An event in its stream, as machines see it. All events share one object. */
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
  /** Reports a finding about a part of the event; by default about the event. At the end of a stream, `index` names the event. */
  report(kind: StreamFindingKind, message: string, pointer?: string, index?: number): void;
  /** Reports that the stream reached a limit, once for each stream. */
  reportLimit(what: string): void;
}
