/** Walks two schemas of one value side by side and notes every difference, whether it breaks anything or not. */
import { canonical, type Json, join } from "../../json.js";
import type { Protocol, Stability } from "../../protocol/protocol.js";
import type { Change, Claim, Occurrence, Rename, Rule } from "../change.js";
import type { FieldPlace } from "../proof/edit-schemas.js";
import type { Side, Spot } from "../side.js";
import type { LiteralKey } from "./literal-key.js";
import type { View } from "./view.js";
import { branchFields, inlined, viewOf } from "./view.js";

/** One walk over two protocols. */
export interface Walk {
  readonly before: Side;
  readonly after: Side;
  readonly protocols: { readonly before: Protocol; readonly after: Protocol };
  /** Keys of the schemas of both sides: where they are equal there is nothing to find. */
  readonly literal: readonly [LiteralKey, LiteralKey];
  readonly found: Change[];
  /** Fields of the baseline that are labelled less stable than what contains them. */
  readonly labelled: LabelledField[];
  /** Pairs of places that are being compared, so that recursive schemas end. */
  readonly open: Set<string>;
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
export function fieldsElsewhere(walk: Walk, pair: Pair, side: "before" | "after"): string[] {
  return [...branchFields(pair[side], walk[side].protocol), ...(pair.around?.[side] ?? [])];
}

/** Returns the claim that values of the baseline violate these keywords of the current schema. */
export function narrows(...keywords: readonly string[]): Claim {
  return { backward: { is: "outside", keywords } };
}

/** Returns the claim that values of the current schema violate these keywords of the baseline. */
export function widens(...keywords: readonly string[]): Claim {
  return { forward: { is: "outside", keywords } };
}

/** Returns the claim that values of either side violate these keywords of the other. */
export function alters(...keywords: readonly string[]): Claim {
  return { ...narrows(...keywords), ...widens(...keywords) };
}

/** Compares two views of one value as a whole. */
export type Compare = (walk: Walk, pair: Pair) => void;

/**
 * Compares one aspect of a pair, and parts of it with `compare`. The result is true if the two sides have
 * nothing in common, so that nothing else is compared.
 */
export type Aspect = (walk: Walk, pair: Pair, compare: Compare) => unknown;

/** The keywords that list the values that are allowed or known. */
export const LIST_KEYWORDS = ["enum", "const", "x-extensible-enum"];

/** Creates the views of both sides at one place. */
export function pairOf(walk: Walk, before: readonly Spot[], after: readonly Spot[], at: Occurrence): Pair {
  return {
    before: viewOf(before, walk.before.protocol),
    after: viewOf(after, walk.after.protocol),
    at,
  };
}

/** Notes a change of the pair's value; a `whole` one is identified by the complete schemas of both sides. */
export function note(
  walk: Walk,
  { before, after, at }: Pair,
  rule: Rule,
  claim: Claim,
  details: {
    readonly name?: string;
    readonly from?: Json | undefined;
    readonly to?: Json | undefined;
    readonly before?: Spot | undefined;
    readonly after?: Spot | undefined;
    readonly content?: Json;
    readonly whole?: boolean;
    readonly rename?: Rename;
  },
): void {
  // A value has no name: one definition may be used by many fields.
  const { name = "", from, to, whole = false, rename } = details;
  const content = whole ? contentOf(walk.protocols, { before, after }) : details.content;
  const spotted = details.before ?? details.after;
  const old = details.before ?? (spotted ? undefined : (before.parts[0] ?? before.nodes[0]));
  const now = details.after ?? after.parts[0] ?? after.nodes[0];
  walk.found.push({
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

/** Returns the complete schemas of a value, for changes after which nothing else of it is compared. */
export function contentOf(
  protocols: { readonly before: Protocol; readonly after: Protocol },
  views: Pick<Pair, "before" | "after">,
): Json {
  const meanings = ({ nodes }: View, { definitions }: Protocol): Json =>
    nodes.map(({ schema }) => inlined(schema, definitions));
  return [meanings(views.before, protocols.before), meanings(views.after, protocols.after)];
}

/** Returns the place of a field of the value at `at`. */
export function fieldPlace(at: Occurrence, name: string): Occurrence {
  return { ...at, path: join(at.path, name), steps: [...at.steps, { to: "field", name }] };
}

/** Returns the place of items, of one tuple item, or of a part that no witness reaches. */
export function partPlace(at: Occurrence, token: string, step: Occurrence["steps"][number]): Occurrence {
  return { ...at, path: join(at.path, token), steps: [...at.steps, step] };
}

/** Whether two values are equal, or both absent. */
export function same(before: Json | undefined, after: Json | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return canonical(before) === canonical(after);
}
