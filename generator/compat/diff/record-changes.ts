/** Records the changes between two views of one value, whether they break anything or not. */
import { type Json, joinPointer } from "../../json.js";
import type { Protocol, Stability } from "../../protocol/protocol.js";
import type { Spot } from "../../schema/describe.js";
import type { Change, Claim, Effect, Place, Rename, Rule, Step } from "../change.js";
import type { ObjectField } from "../proof/edit-schemas.js";
import type { Side } from "../side.js";
import type { SchemaKeyFunction } from "./literal-key.js";
import { createView, inlineReferences, listBranchFields, type View } from "./view.js";

/** The state of a comparison of two protocols: its input, and the changes that it has found. */
export interface ComparisonContext {
  readonly before: Side;
  readonly after: Side;
  readonly protocols: { readonly before: Protocol; readonly after: Protocol };
  /** Functions that return the key of a schema of each side. Schemas with equal keys do not differ. */
  readonly getSchemaKey: { readonly before: SchemaKeyFunction; readonly after: SchemaKeyFunction };
  readonly changes: Change[];
  readonly lessStableFields: LessStableField[];
}

/** A field of the baseline whose own stability is lower than that of the object that has it. */
export interface LessStableField {
  readonly stability: Stability;
  readonly before: ObjectField;
  readonly after: ObjectField;
}

/** The views of one value on both sides, and the place of the value. */
export interface ViewPair {
  readonly before: View;
  readonly after: View;
  readonly place: Place;
  /** For an alternative: the fields that the schemas around it declare for the same value. */
  readonly outerFields?: { readonly before: Iterable<string>; readonly after: Iterable<string> };
}

/** Returns the fields that alternatives of a value, or the schemas around it, declare on one side. */
export function listFieldsElsewhere(
  context: ComparisonContext,
  pair: ViewPair,
  side: "before" | "after",
): string[] {
  return [...listBranchFields(pair[side], context[side].protocol), ...(pair.outerFields?.[side] ?? [])];
}

/** Lets two views of a part of the value be compared in every respect. */
export type ValueComparer = (context: ComparisonContext, pair: ViewPair) => void;

/**
 * Compares one aspect of a pair of views, such as the types. It compares parts of the value with `compareValue`. It
 * returns "incomparable" if the two sides have nothing in common, so that nothing else is compared.
 */
export type AspectComparer = (
  context: ComparisonContext,
  pair: ViewPair,
  compareValue: ValueComparer,
  // biome-ignore lint/suspicious/noConfusingVoidType: most comparers return nothing
) => "incomparable" | void;

/** Creates the views of both sides at one place. */
export function createPair(
  context: ComparisonContext,
  before: readonly Spot[],
  after: readonly Spot[],
  place: Place,
): ViewPair {
  return {
    before: createView(before, context.before.protocol),
    after: createView(after, context.after.protocol),
    place,
  };
}

/** The details of a change. If `hasWholeContent` is true, the complete schemas of both sides identify the change. */
interface ChangeDetails {
  readonly name?: string;
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
  readonly before?: Spot | undefined;
  readonly after?: Spot | undefined;
  readonly content?: Json;
  readonly hasWholeContent?: boolean;
  readonly rename?: Rename;
  readonly detail?: string;
}

/**
 * Records a change of the values that `keywords` allow. If the effect narrows, values of the baseline violate the current
 * keywords. If it widens, current values violate the keywords of the baseline. The effect is that of the rule, unless
 * given.
 */
export function recordKeywordChange(
  context: ComparisonContext,
  pair: ViewPair,
  rule: Rule,
  keywords: readonly string[],
  details: ChangeDetails,
  effect: Effect = rule.effect,
): void {
  const outside = { kind: "outside", keywords } as const;
  const claim = {
    ...((effect === "narrows" || effect === "narrows-or-widens") && { backward: outside }),
    ...((effect === "widens" || effect === "narrows-or-widens") && { forward: outside }),
  };
  recordChange(context, pair, rule, claim, details);
}

/** Records a change of the pair's value. */
export function recordChange(
  context: ComparisonContext,
  { before, after, place }: ViewPair,
  rule: Rule,
  claim: Claim,
  details: ChangeDetails,
): void {
  // The name is empty for a change of a value itself, because many fields may use its definition.
  const { name = "", from, to, hasWholeContent = false, rename, detail } = details;
  const content = hasWholeContent ? inlineContent(context.protocols, { before, after }) : details.content;
  // If the details state only a current spot, the change has no spot in the baseline.
  const isAddition = details.before === undefined && details.after !== undefined;
  const old = isAddition ? undefined : (details.before ?? getFirstSpot(before));
  const now = details.after ?? getFirstSpot(after);
  context.changes.push({
    rule,
    name,
    claim,
    places: [place],
    views: { before, after },
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(content !== undefined && { content }),
    ...(hasWholeContent && { hasWholeContent }),
    ...(rename && { rename }),
    ...(detail !== undefined && { detail }),
    ...(old && { before: old }),
    ...(now && { after: now }),
  });
}

/** Returns the spot of the first object schema of a view, or of a boolean schema if there is no object schema. */
function getFirstSpot({ parts, spots }: View): Spot | undefined {
  return parts[0] ?? spots[0];
}

/** Returns the complete schemas of a value on both sides, for changes that end its comparison. */
export function inlineContent(
  protocols: { readonly before: Protocol; readonly after: Protocol },
  views: Pick<ViewPair, "before" | "after">,
): Json {
  const inlineSpots = ({ spots }: View, { definitions }: Protocol): Json =>
    spots.map(({ schema }) => inlineReferences(schema, definitions));
  return [inlineSpots(views.before, protocols.before), inlineSpots(views.after, protocols.after)];
}

/** Returns the place of a field of the value at `place`. */
export function locateField(place: Place, name: string): Place {
  return locatePart(place, name, { kind: "field", name });
}

/** Returns the place of the part that `step` leads to; `token` names the part in its path. */
export function locatePart(place: Place, token: string, step: Step): Place {
  return { ...place, path: joinPointer(place.path, token), steps: [...place.steps, step] };
}
