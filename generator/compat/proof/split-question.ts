/**
 * Splits the question "is `a` a subset of `b`?" into questions about parts, if both schemas have the same structure.
 * For example, an object is a subset if each of its fields is. If a part is not a subset, or nothing can be split, the
 * whole question must be decided.
 */
import { formatCanonicalJson, getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { filterKeywords } from "../../schema/keywords.js";
import { getTargetName } from "../../schema/reference.js";

/** The question whether the schema `a` is a subset of the schema `b`. Both are self-contained. */
export type Question = readonly [a: Json, b: Json];

/** Keywords that may declare further fields of a closed object. */
const DECLARING_KEYWORDS: ReadonlySet<string> = new Set([
  "$ref",
  "patternProperties",
  ...filterKeywords(({ subject }) => subject === "same value"),
]);

/** Keywords whose meaning depends on other keywords of the schema. */
const INTERDEPENDENT_KEYWORDS = [
  "items",
  "prefixItems",
  "unevaluatedItems",
  "contains",
  "minContains",
  "maxContains",
  "if",
  "then",
  "else",
  "patternProperties",
];

/** The largest number of references that are followed from one reference to the next. */
const MAX_HOPS = 16;

/**
 * Returns smaller questions. If the answer to all is yes, `a` is a subset of `b`. Undefined if nothing can be split.
 */
export function splitQuestion(a: Json, b: Json): readonly Question[] | undefined {
  const definitionsOfA = getDefinitions(a);
  const definitionsOfB = getDefinitions(b);
  const rootOfA = dropDefinitions(a);
  const rootOfB = dropDefinitions(b);
  /** The state of each pair of references. */
  const states = new Map<string, "being split" | "split">();

  const split = (a: Json, b: Json): readonly Question[] | undefined => {
    const key = isOnlyReference(a) && isOnlyReference(b) ? `${String(a.$ref)} ${String(b.$ref)}` : undefined;
    const state = key === undefined ? undefined : states.get(key);
    if (state === "split") return [];
    // A recursive pair cannot be decided by itself.
    if (state === "being split") return undefined;
    if (key !== undefined) states.set(key, "being split");
    const parts = splitTargets(followReferences(a, definitionsOfA), followReferences(b, definitionsOfB));
    if (key !== undefined && parts) states.set(key, "split");
    return parts;
  };

  const splitTargets = (a: Json, b: Json): readonly Question[] | undefined => {
    if (b === true || a === false) return [];
    if (!isObject(a) || !isObject(b)) return undefined;
    const isSelfContained = !hasReference(a) && !hasReference(b);
    if (isSelfContained && formatCanonicalJson(a) === formatCanonicalJson(b)) return [];
    const parts = haveComparableKeywords(a, b) ? splitByKeyword(a, b, split) : undefined;
    if (parts) return parts;
    const isWholeQuestion = a === rootOfA && b === rootOfB;
    return isSelfContained && !isWholeQuestion ? [[a, b]] : undefined;
  };

  return split(rootOfA, rootOfB);
}

function splitByKeyword(
  a: JsonObject,
  b: JsonObject,
  split: (a: Json, b: Json) => readonly Question[] | undefined,
): readonly Question[] | undefined {
  const found: Question[] = [];
  for (const [keyword, value] of Object.entries(b)) {
    const pairs = (KEYWORD_SPLITTERS[keyword] ?? requireEqualValues)(getOwn(a, keyword), value, a, keyword);
    if (!pairs) return undefined;
    for (const [partOfA, partOfB] of pairs) {
      const parts = split(partOfA, partOfB);
      if (!parts) return undefined;
      found.push(...parts);
    }
  }
  return found;
}

/**
 * Returns the questions that decide whether every value of `a` satisfies one keyword of `b`; undefined if parts do not
 * decide it. `inA` and `inB` are the values of the keyword.
 */
type KeywordSplitter = (
  inA: Json | undefined,
  inB: Json,
  a: JsonObject,
  keyword: string,
) => readonly Question[] | undefined;

const requireEqualValues: KeywordSplitter = (inA, inB, _a, keyword) =>
  inA !== undefined &&
  !keyword.startsWith("$") &&
  !hasReference(inB) &&
  formatCanonicalJson(inA) === formatCanonicalJson(inB)
    ? []
    : undefined;

const requireSuperset: KeywordSplitter = (inA, inB) =>
  toList(inB).every((each) => toList(inA).includes(each)) ? [] : undefined;

/** Accepts the keyword if it allows everything, or if both objects are closed. `haveComparableKeywords` checks their fields. */
const requireClosedObject: KeywordSplitter = (_inA, inB, a) =>
  inB === true || (inB === false && isClosed(a)) ? [] : undefined;

const KEYWORD_SPLITTERS: { readonly [keyword: string]: KeywordSplitter } = {
  $ref: (inA, inB) => (inA === undefined ? undefined : [[{ $ref: inA }, { $ref: inB }]]),
  // The items that the keyword refuses depend on the keywords beside it.
  unevaluatedItems: () => undefined,
  required: requireSuperset,
  type: (inA, inB) => {
    const types = toList(inB);
    const has = (type: Json): boolean =>
      types.includes(type) || (type === "integer" && types.includes("number"));
    return inA !== undefined && toList(inA).every(has) ? [] : undefined;
  },
  properties: (inA, inB, a) => {
    const fields = isObject(inA) ? inA : {};
    const pairs = Object.entries(isObject(inB) ? inB : {}).map(([name, schema]): Question | undefined => {
      const field = getOwn(fields, name);
      if (field !== undefined) return [field, schema];
      return isClosed(a) || schema === true ? [false, schema] : undefined;
    });
    return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
  },
  allOf: (inA, inB) => {
    const [parts, others] = [toList(inA), toList(inB)];
    return parts.length >= others.length ? others.map((each, i) => [parts[i] ?? true, each]) : undefined;
  },
  items: (inA, inB) => (inA === undefined ? undefined : [[inA, inB]]),
  additionalProperties: requireClosedObject,
  unevaluatedProperties: requireClosedObject,
};

/** Returns whether only the fields in `properties` are allowed. */
function isClosed(a: JsonObject): boolean {
  const refuses =
    a.additionalProperties === false ||
    (a.unevaluatedProperties === false && a.additionalProperties === undefined);
  return refuses && !Object.keys(a).some((keyword) => DECLARING_KEYWORDS.has(keyword));
}

/**
 * Returns whether both schemas have the same interdependent keywords and, if `b` limits undeclared fields, whether `b`
 * declares every field of `a`.
 */
function haveComparableKeywords(a: JsonObject, b: JsonObject): boolean {
  const limitsFields = ["additionalProperties", "unevaluatedProperties"].some(
    (keyword) => getOwn(b, keyword) !== undefined,
  );
  const fieldsOfA = isObject(a.properties) ? a.properties : {};
  const fieldsOfB = isObject(b.properties) ? b.properties : {};
  const declaresAll = Object.keys(fieldsOfA).every((name) => Object.hasOwn(fieldsOfB, name));
  return (
    (!limitsFields || declaresAll) &&
    INTERDEPENDENT_KEYWORDS.every((keyword) => Object.hasOwn(a, keyword) === Object.hasOwn(b, keyword))
  );
}

/** Returns whether `schema` may contain a reference at any depth. */
function hasReference(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(hasReference);
  if (!isObject(schema)) return false;
  return Object.entries(schema).some(([keyword, value]) => keyword.startsWith("$") || hasReference(value));
}

/** Returns whether a schema is a reference and nothing else. */
function isOnlyReference(schema: Json): schema is JsonObject {
  return isObject(schema) && typeof schema.$ref === "string" && Object.keys(schema).length === 1;
}

/** Follows references that have no other keywords. */
function followReferences(schema: Json, defs: JsonObject): Json {
  let target = schema;
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    if (!isOnlyReference(target)) return target;
    const next = getOwn(defs, getTargetName(target) ?? "");
    if (next === undefined) return target;
    target = next;
  }
  return target;
}

function getDefinitions(schema: Json): JsonObject {
  return isObject(schema) && isObject(schema.$defs) ? schema.$defs : {};
}

function dropDefinitions(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { $defs: _defs, ...rest } = schema;
  return rest;
}

function toList(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
