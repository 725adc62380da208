/**
 * What a schema says about one value: the schemas that apply to it, in place and through references, and what each of
 * them states. Whoever reads keywords asks here, so that references, `allOf` and branches are followed in one way.
 * Properties and items are not entered, so that recursion needs no guard.
 */
import type { Location } from "../finding.js";
import { isObject, type Json, type JsonObject, join, own } from "../json.js";
import type { Schema } from "./json-schema.js";
import { type Facet, type KeywordName, keywordsOf, type RowOf } from "./keywords.js";
import { type Definitions, targetName, targetOf } from "./reference.js";
import { subschemas } from "./walk.js";

/** A schema and where it stands. */
export interface SchemaNode {
  readonly schema: Json;
  readonly file: string;
  readonly pointer: string;
}

/** Returns the node further down, at `tokens` below `node`. */
export function below(node: SchemaNode, schema: Json, ...tokens: readonly (string | number)[]): SchemaNode {
  return { schema, file: node.file, pointer: join(node.pointer, ...tokens) };
}

/** Returns the node of a schema at a location. */
export function nodeAt(schema: Schema, at: Pick<Location, "file" | "pointer">): SchemaNode {
  return { schema, file: at.file, pointer: at.pointer };
}

/** Returns the node of a schema whose place does not matter. */
export function nodeWithoutPlace(schema: Json): SchemaNode {
  return { schema, file: "", pointer: "" };
}

/** A schema that applies to the value. It is not `certain` if it applies under a condition only. */
export interface Part extends SchemaNode {
  readonly schema: JsonObject;
  readonly certain: boolean;
}

/** Keywords that lead to schemas of the same value, in the order in which they are followed. */
const EDGES = [
  ...["$ref", "allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas", "if", "not", "x-writer"],
] as const;

/** A way from a schema to another one that applies to the same value. */
type Edge = (typeof EDGES)[number];

/** How an edge is followed: a number follows only the branch with this index, as one that applies in any case. */
type Follow = "certain" | "conditional" | "skip" | number;

/** Decides how an edge of `part` to `count` schemas is followed. */
export type Through = (edge: Edge, part: Part, count: number) => Follow;

/** Follows nothing: one schema as it stands. */
export const SELF: Through = () => "skip";

/** Follows `$ref` and `allOf`: everything that certainly applies. */
export const CONJUNCTION: Through = (edge) => (edge === "$ref" || edge === "allOf" ? "certain" : "skip");

/** Follows branches too, as parts that apply under a condition. `if`, `not` and `x-writer` are not entered. */
export const BRANCHES: Through = (edge) => {
  if (edge === "if" || edge === "not" || edge === "x-writer") return "skip";
  return edge === "$ref" || edge === "allOf" ? "certain" : "conditional";
};

/** As `BRANCHES`, and `if` and `not`: everything that may declare a field of the same object. */
export const FAMILY: Through = (edge, part, count) =>
  edge === "if" || edge === "not" ? "conditional" : BRANCHES(edge, part, count);

/** Why a consumer does not express a facet, and what its result is then: wider, narrower or the same. */
export interface Omitted {
  readonly omitted: string;
  readonly result: "wider" | "narrower" | "unchanged";
}

/**
 * What a consumer does with each facet, and with single keywords of used facets. It names all facets, so that a new one
 * stops the build of every consumer.
 */
export type Coverage = { readonly [F in Facet]: "used" | Omitted } & {
  readonly except?: { readonly [K in KeywordName]?: Omitted };
};

/** The coverage of a consumer that looks at everything a schema can say. */
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

const FOR_AUTHORS = { omitted: "it is for authors and tools", result: "unchanged" } as const;

/** Keywords that tell a consumer of values nothing. */
export const AUTHOR_KEYWORDS = omitKeywords(
  FOR_AUTHORS,
  ...(["$schema", "$comment", "$anchor", "$defs", "x-emitted-by", "x-group", "x-payload-property"] as const),
);

/** The same omission for several keywords of used facets. */
export function omitKeywords<K extends KeywordName>(
  how: Omitted,
  ...keywords: readonly K[]
): { [_ in K]: Omitted } {
  return Object.fromEntries(keywords.map((keyword) => [keyword, how])) as { [_ in K]: Omitted };
}

/** The schemas that apply to one value, for a consumer with this coverage. */
export interface Description<C extends Coverage> {
  /** The schemas that were asked about, before anything was followed. */
  readonly nodes: readonly SchemaNode[];
  /** The schemas themselves, then what they lead to, each definition once. */
  readonly parts: readonly Part[];
  /** Whether a part that certainly applies is `false`: no value is allowed. */
  readonly isNever: boolean;
  readonly coverage: C;
}

/** A description whose consumer uses these facets; functions that read them ask for it. */
export type Describes<F extends Facet> = Description<Coverage & { readonly [Used in F]: "used" }>;

/** The keywords of the facets that a coverage uses. */
type UsedKeyword<C extends Coverage> = {
  [K in KeywordName]: C[RowOf<K>["facet"]] extends "used" ? K : never;
}[KeywordName];

/** The value of a keyword, and the node of that value; `certain` as the part that states it. */
export interface Statement {
  readonly value: Json;
  readonly spot: SchemaNode;
  readonly certain: boolean;
}

/** Describes one value to which all of `nodes` apply. References are looked up in `definitions`. */
export function describeSchema<const C extends Coverage>(
  nodes: SchemaNode | readonly SchemaNode[],
  definitions: Definitions,
  coverage: C,
  through: Through,
): Description<C> {
  const list = "schema" in nodes ? [nodes] : nodes;
  const parts: Part[] = [];
  const opened = new Set<string>();
  let isNever = false;
  const add = (node: SchemaNode, certain: boolean): void => {
    const { schema } = node;
    if (schema === false && certain) isNever = true;
    if (!isObject(schema)) return;
    const part = { ...node, schema, certain };
    parts.push(part);
    for (const edge of EDGES) {
      if (!Object.hasOwn(schema, edge)) continue;
      const branches = nodesOf(node, edge);
      const follow = through(edge, part, branches.length);
      if (follow === "skip") continue;
      const isCertain = certain && follow !== "conditional";
      if (edge === "$ref") addTarget(schema, isCertain);
      for (const [index, branch] of branches.entries())
        if (typeof follow !== "number" || index === follow) add(branch, isCertain);
    }
  };
  const addTarget = (schema: JsonObject, certain: boolean): void => {
    const [name, target] = [targetName(schema), targetOf(schema, definitions)];
    if (name === undefined || !target || opened.has(name)) return;
    opened.add(name);
    add(nodeAt(target.schema, target.at), certain);
  };
  for (const node of list) add(node, true);
  return { nodes: list, parts, isNever, coverage };
}

/** Returns the schemas that a keyword of `node` holds: one, a list of them, or those of a map. */
function nodesOf({ schema, file, pointer }: SchemaNode, keyword: KeywordName): SchemaNode[] {
  const value = isObject(schema) ? own(schema, keyword) : undefined;
  if (value === undefined) return [];
  return subschemas({ [keyword]: value }, pointer).map((sub) => ({
    schema: sub.schema,
    file,
    pointer: sub.pointer,
  }));
}

/** Returns what the parts state by `keyword`, in their order. It can be asked for keywords of used facets only. */
export function statements<C extends Coverage>(
  { parts }: Description<C>,
  keyword: UsedKeyword<C>,
): Statement[] {
  return parts.flatMap((part) => {
    const value = own(part.schema, keyword);
    return value === undefined ? [] : [{ value, spot: below(part, value, keyword), certain: part.certain }];
  });
}

/** Returns the first value that the parts state by `keyword`. */
export function firstValue<C extends Coverage>(
  description: Description<C>,
  keyword: UsedKeyword<C>,
): Json | undefined {
  return statements(description, keyword)[0]?.value;
}

/** Returns the schemas that the parts hold by `keyword`, in their order. */
export function heldNodes<C extends Coverage>(
  { parts }: Description<C>,
  keyword: UsedKeyword<C>,
): SchemaNode[] {
  return parts.flatMap((part) => nodesOf(part, keyword));
}

/** Something that the parts state and the consumer does not express. */
interface Unexpressed {
  readonly keyword: string;
  readonly spot: SchemaNode;
  readonly reason: string;
  readonly result: Omitted["result"];
}

/** Returns what the parts say in facets that the consumer omits, and by keywords that the table does not know. */
export function unexpressed({ parts, coverage }: Description<Coverage>): Unexpressed[] {
  return parts.flatMap((part) =>
    Object.entries(part.schema).flatMap(([keyword, value]): Unexpressed[] => {
      const row = keywordsOf().get(keyword);
      if (row === undefined && keyword.startsWith("x-")) return [];
      const use =
        row === undefined ? UNKNOWN : (coverage.except?.[keyword as KeywordName] ?? coverage[row.facet]);
      if (use === "used") return [];
      return [{ keyword, spot: below(part, value, keyword), reason: use.omitted, result: use.result }];
    }),
  );
}

const UNKNOWN: Omitted = { omitted: "the keyword is not known", result: "wider" };
