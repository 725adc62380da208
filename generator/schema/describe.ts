/**
 * Describes what a schema states about one value: the schemas that apply to the value, directly and through references, and
 * the statements of each of them. All code that reads keywords uses this module, so that references, `allOf` and branches are
 * followed in one way. Properties and items are not entered, so a recursive schema cannot lead to endless recursion.
 */
import type { Location } from "../finding.js";
import { getOwn, isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { type Facet, getKeywords, type KeywordName, type RowOf } from "./keywords.js";
import { type Definitions, findTarget, getTargetName } from "./reference.js";
import { listSubschemas } from "./walk.js";

/** A schema with its file and its pointer. */
export interface Spot {
  readonly schema: Json;
  readonly file: string;
  readonly pointer: string;
}

/** Returns the spot of `schema`, which is at `tokens` below `spot`. */
export function createSpotBelow(spot: Spot, schema: Json, ...tokens: readonly (string | number)[]): Spot {
  return { schema, file: spot.file, pointer: joinPointer(spot.pointer, ...tokens) };
}

/** Returns the spot of a schema at a location. */
export function createSpot(schema: Json, at: Pick<Location, "file" | "pointer">): Spot {
  return { schema, file: at.file, pointer: at.pointer };
}

/** Returns the spot of a schema whose place does not matter. */
export function createSpotWithoutPlace(schema: Json): Spot {
  return { schema, file: "", pointer: "" };
}

/** A schema that applies to the value. */
export interface Part extends Spot {
  readonly schema: JsonObject;
  /** True unless the schema applies only under a condition. */
  readonly isCertain: boolean;
}

/** Keywords that lead to schemas of the same value, in the order in which they are followed. */
const EDGES = [
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "then",
  "else",
  "dependentSchemas",
  "if",
  "not",
  "x-writer",
] as const;

/** A keyword that leads from a schema to others that apply to the same value. */
type Edge = (typeof EDGES)[number];

/** The way to follow an edge. A number is the index of the only branch that is followed; that branch certainly applies. */
type Follow = "certain" | "conditional" | "skip" | number;

/** Decides how an edge of `part` to `count` schemas is followed. */
export type EdgePolicy = (edge: Edge, part: Part, count: number) => Follow;

/** Follows no edge, so that only the schema itself is described. */
export const SELF: EdgePolicy = () => "skip";

/** Follows `$ref` and `allOf`, to the schemas that certainly apply. */
export const CONJUNCTION: EdgePolicy = (edge) => (edge === "$ref" || edge === "allOf" ? "certain" : "skip");

/** Also follows branches, as parts that apply under a condition. Does not follow `if`, `not` and `x-writer`. */
export const BRANCHES: EdgePolicy = (edge) => {
  if (edge === "if" || edge === "not" || edge === "x-writer") return "skip";
  return edge === "$ref" || edge === "allOf" ? "certain" : "conditional";
};

/** Follows the edges of `BRANCHES`, `if` and `not`, to all schemas that may declare a field of the same object. */
export const FAMILY: EdgePolicy = (edge, part, count) =>
  edge === "if" || edge === "not" ? "conditional" : BRANCHES(edge, part, count);

/** The omission of a facet by a caller of `describeSchema`. */
export interface Omission {
  /** A clause that says why the caller omits the facet. */
  readonly reason: string;
  /** The effect of the omission on the values that the caller's result allows. */
  readonly result: "wider" | "narrower" | "unchanged";
}

/**
 * The facets that a caller of `describeSchema` uses or omits, and the single keywords of used facets that it omits. A caller
 * starts from `EVERYTHING` or `omitAllFacets`, and states the differences.
 */
export type Coverage = { readonly [F in Facet]: "used" | Omission } & {
  readonly except?: { readonly [K in KeywordName]?: Omission };
};

/** The coverage of a caller that uses all facets. */
export const EVERYTHING = {
  types: "used",
  values: "used",
  bounds: "used",
  texts: "used",
  properties: "used",
  otherProperties: "used",
  items: "used",
  contains: "used",
  references: "used",
  composition: "used",
  alternatives: "used",
  conditions: "used",
  writer: "used",
  annotations: "used",
} as const;

/** Returns the coverage of a caller that omits all facets. */
export function omitAllFacets(omission: Omission): { readonly [F in Facet]: Omission } {
  return Object.fromEntries(Object.keys(EVERYTHING).map((facet) => [facet, omission])) as {
    [F in Facet]: Omission;
  };
}

const FOR_AUTHORS = { reason: "it is for authors and tools", result: "unchanged" } as const;

/** The omission of keywords that do not describe values. */
export const AUTHOR_KEYWORDS = omitKeywords(
  FOR_AUTHORS,
  ...([
    "$schema",
    "$comment",
    "$anchor",
    "$defs",
    "x-emitted-by",
    "x-source",
    "x-group",
    "x-type",
    "x-payload-property",
  ] as const),
);

/** Returns the same omission for several keywords of used facets. */
export function omitKeywords<K extends KeywordName>(
  omission: Omission,
  ...keywords: readonly K[]
): { [_ in K]: Omission } {
  return Object.fromEntries(keywords.map((keyword) => [keyword, omission])) as { [_ in K]: Omission };
}

/** The schemas that apply to one value, for a caller with this coverage. */
export interface Description<C extends Coverage> {
  /** The schemas that were passed to `describeSchema`. */
  readonly spots: readonly Spot[];
  /** These schemas and the schemas to which they lead. Each definition appears once. */
  readonly parts: readonly Part[];
  /** True if no value is allowed, because a part that certainly applies is `false`. */
  readonly isNever: boolean;
  readonly coverage: C;
}

/** A description for a caller that uses these facets. Functions that read the facets require it. */
export type DescriptionOf<F extends Facet> = Description<Coverage & { readonly [Used in F]: "used" }>;

/** The keywords of the facets that a coverage uses. */
type UsedKeyword<C extends Coverage> = {
  [K in KeywordName]: C[RowOf<K>["facet"]] extends "used" ? K : never;
}[KeywordName];

/** The value of a keyword, and its spot. */
export interface Statement {
  readonly value: Json;
  readonly spot: Spot;
  /** True if the part with the keyword certainly applies. */
  readonly isCertain: boolean;
}

/** Describes one value to which all of `spots` apply. References are looked up in `definitions`. */
export function describeSchema<const C extends Coverage>(
  spots: Spot | readonly Spot[],
  definitions: Definitions,
  coverage: C,
  edgePolicy: EdgePolicy,
): Description<C> {
  const list = "schema" in spots ? [spots] : spots;
  const parts: Part[] = [];
  const followedNames = new Set<string>();
  let isNever = false;
  const addSpot = (spot: Spot, isCertain: boolean): void => {
    const { schema } = spot;
    if (schema === false && isCertain) isNever = true;
    if (!isObject(schema)) return;
    const part = { ...spot, schema, isCertain };
    parts.push(part);
    for (const edge of EDGES) {
      if (!Object.hasOwn(schema, edge)) continue;
      const branches = listHeldSpots(spot, edge);
      const follow = edgePolicy(edge, part, branches.length);
      if (follow === "skip") continue;
      const isTargetCertain = isCertain && follow !== "conditional";
      if (edge === "$ref") addTarget(schema, isTargetCertain);
      branches.forEach((branch, index) => {
        if (typeof follow !== "number" || index === follow) addSpot(branch, isTargetCertain);
      });
    }
  };
  const addTarget = (schema: JsonObject, isCertain: boolean): void => {
    const name = getTargetName(schema);
    const target = findTarget(schema, definitions);
    if (name === undefined || !target || followedNames.has(name)) return;
    followedNames.add(name);
    addSpot(createSpot(target.schema, target.at), isCertain);
  };
  for (const spot of list) addSpot(spot, true);
  return { spots: list, parts, isNever, coverage };
}

/** Returns the schemas that a keyword of `spot` holds: one schema, or those of a list or a map. */
function listHeldSpots({ schema, file, pointer }: Spot, keyword: KeywordName): Spot[] {
  const value = isObject(schema) ? getOwn(schema, keyword) : undefined;
  if (value === undefined) return [];
  return listSubschemas({ [keyword]: value }, pointer).map((sub) => ({
    schema: sub.schema,
    file,
    pointer: sub.pointer,
  }));
}

/** Returns the values of `keyword` in the parts, in their order. The keyword must belong to a facet that the caller uses. */
export function listStatements<C extends Coverage>(
  { parts }: Description<C>,
  keyword: UsedKeyword<C>,
): Statement[] {
  return parts.flatMap((part) => {
    const value = getOwn(part.schema, keyword);
    if (value === undefined) return [];
    return [{ value, spot: createSpotBelow(part, value, keyword), isCertain: part.isCertain }];
  });
}

/** Returns the first value that the parts state by `keyword`; undefined if there is none. */
export function readFirstValue<C extends Coverage>(
  { parts }: Description<C>,
  keyword: UsedKeyword<C>,
): Json | undefined {
  for (const { schema } of parts) {
    const value = getOwn(schema, keyword);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Returns the schemas that the parts hold by `keyword`, in their order. */
export function listHeldSchemas<C extends Coverage>(
  { parts }: Description<C>,
  keyword: UsedKeyword<C>,
): Spot[] {
  return parts.flatMap((part) => listHeldSpots(part, keyword));
}

/** A keyword that the parts state and the caller omits. */
interface OmittedKeyword {
  readonly keyword: string;
  readonly spot: Spot;
  readonly reason: string;
  readonly result: Omission["result"];
}

/** Returns the keywords of the parts that belong to omitted facets, or that the table does not contain. */
export function findOmittedKeywords({ parts, coverage }: Description<Coverage>): OmittedKeyword[] {
  return parts.flatMap((part) =>
    Object.entries(part.schema).flatMap(([keyword, value]): OmittedKeyword[] => {
      const row = getKeywords().get(keyword);
      if (row === undefined && keyword.startsWith("x-")) return [];
      const use =
        row === undefined
          ? UNKNOWN_KEYWORD
          : (coverage.except?.[keyword as KeywordName] ?? coverage[row.facet]);
      if (use === "used") return [];
      return [
        { keyword, spot: createSpotBelow(part, value, keyword), reason: use.reason, result: use.result },
      ];
    }),
  );
}

const UNKNOWN_KEYWORD: Omission = { reason: "the keyword is not known", result: "wider" };
