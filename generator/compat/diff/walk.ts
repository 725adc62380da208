/** Walks two schemas of one value side by side and records all differences, whether they break anything or not. */
import { canonical, type Json, join } from "../../json.js";
import type { Protocol, Stability } from "../../protocol/protocol.js";
import type { Change, Claim, Effect, Occurrence, Rename, Rule } from "../change.js";
import type { FieldPlace } from "../proof/edit-schemas.js";
import type { Side, Spot } from "../side.js";
import type { LiteralKey } from "./literal-key.js";
import { createView, inlineReferences, listBranchFields, type View } from "./view.js";

/** What the comparison of two protocols has found, and what it is comparing. */
export interface Walk {
  readonly before: Side;
  readonly after: Side;
  readonly protocols: { readonly before: Protocol; readonly after: Protocol };
  /** Keys of the schemas of both sides. Schemas with equal keys do not differ. */
  readonly literalKeys: readonly [LiteralKey, LiteralKey];
  readonly changes: Change[];
  /** Fields of the baseline with a lower stability than the object that contains them. */
  readonly labelledFields: LabelledField[];
  /** Pairs of places that are being compared, so that the walk of recursive schemas ends. */
  readonly activePairs: Set<string>;
}

/** A field that states its own stability, and the object that holds it on both sides. */
export interface LabelledField {
  readonly stability: Stability;
  readonly before: FieldPlace;
  readonly after: FieldPlace;
}

/** Two views of one value and where it is. */
export interface Pair {
  readonly before: View;
  readonly after: View;
  readonly at: Occurrence;
  /** For an alternative: fields that are declared for the same value outside of it. */
  readonly around?: { readonly before: Iterable<string>; readonly after: Iterable<string> };
}

/** Returns the fields that alternatives of a value, or the schemas around it, declare on one side. */
export function listFieldsElsewhere(walk: Walk, pair: Pair, side: "before" | "after"): string[] {
  return [...listBranchFields(pair[side], walk[side].protocol), ...(pair.around?.[side] ?? [])];
}

/** Compares everything about two views of one value. */
export type Compare = (walk: Walk, pair: Pair) => void;

/**
 * Compares one aspect of a pair, and parts of it with `compare`. The result is true if the two sides have
 * nothing in common, so that nothing else is compared.
 */
export type Aspect = (walk: Walk, pair: Pair, compare: Compare) => unknown;

/** Creates the views of both sides at one place. */
export function createPair(
  walk: Walk,
  before: readonly Spot[],
  after: readonly Spot[],
  at: Occurrence,
): Pair {
  return {
    before: createView(before, walk.before.protocol),
    after: createView(after, walk.after.protocol),
    at,
  };
}

/** The details of a change. If `whole` is true, the complete schemas of both sides identify it. */
interface ChangeDetails {
  readonly name?: string;
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
  readonly before?: Spot | undefined;
  readonly after?: Spot | undefined;
  readonly content?: Json;
  readonly whole?: boolean;
  readonly rename?: Rename;
}

/**
 * Records a change of the values that `keywords` allow. By the effect, values of one side violate these keywords of the
 * other: those of the baseline if it narrows, current ones if it widens. The effect is that of the rule, unless given.
 */
export function recordKeywordChange(
  walk: Walk,
  pair: Pair,
  rule: Rule,
  keywords: readonly string[],
  details: ChangeDetails,
  effect: Effect = rule.effect,
): void {
  const outside = { is: "outside", keywords } as const;
  const claim = {
    ...((effect === "narrows" || effect === "changes") && { backward: outside }),
    ...((effect === "widens" || effect === "changes") && { forward: outside }),
  };
  recordChange(walk, pair, rule, claim, details);
}

/** Records a change of the pair's value. */
export function recordChange(
  walk: Walk,
  { before, after, at }: Pair,
  rule: Rule,
  claim: Claim,
  details: ChangeDetails,
): void {
  // A value has no name: one definition may be used by many fields.
  const { name = "", from, to, whole = false, rename } = details;
  const content = whole ? inlineContent(walk.protocols, { before, after }) : details.content;
  // A change that only states a spot in the current schema has none in the baseline.
  const isAddition = details.before === undefined && details.after !== undefined;
  const old = isAddition ? undefined : (details.before ?? before.parts[0] ?? before.nodes[0]);
  const now = details.after ?? after.parts[0] ?? after.nodes[0];
  walk.changes.push({
    rule,
    name,
    claim,
    occurrences: [at],
    views: { before, after },
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(content !== undefined && { content }),
    ...(whole && { whole }),
    ...(rename && { rename }),
    ...(old && { before: old }),
    ...(now && { after: now }),
  });
}

/** Returns the complete schemas of a value on both sides, for changes that end its comparison. */
export function inlineContent(
  protocols: { readonly before: Protocol; readonly after: Protocol },
  views: Pick<Pair, "before" | "after">,
): Json {
  const inlineNodes = ({ nodes }: View, { definitions }: Protocol): Json =>
    nodes.map(({ schema }) => inlineReferences(schema, definitions));
  return [inlineNodes(views.before, protocols.before), inlineNodes(views.after, protocols.after)];
}

/** Returns the place of a field of the value at `at`. */
export function locateField(at: Occurrence, name: string): Occurrence {
  return { ...at, path: join(at.path, name), steps: [...at.steps, { to: "field", name }] };
}

/** Returns the place of items, of one tuple item, or of a part that no witness reaches. */
export function locatePart(at: Occurrence, token: string, step: Occurrence["steps"][number]): Occurrence {
  return { ...at, path: join(at.path, token), steps: [...at.steps, step] };
}

/** Returns whether two values are equal, or both absent. */
export function areSame(before: Json | undefined, after: Json | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return canonical(before) === canonical(after);
}
