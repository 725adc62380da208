/**
 * Splits the question "is `a` a subset of `b`?" into questions about parts, if both schemas have the same structure.
 * For example, an object is a subset if each of its fields is. If a part is not a subset, or nothing can be split, the
 * whole question must be decided.
 */
import { canonical, isObject, type Json, type JsonObject, own } from "../../json.js";
import { filterKeywords } from "../../schema/keywords.js";
import { getTargetName } from "../../schema/reference.js";

/** The question whether the schema `a` is a subset of the schema `b`. Both are self-contained. */
export type Question = readonly [a: Json, b: Json];

/** Keywords that may declare further fields of a closed object. */
const DECLARING: ReadonlySet<string> = new Set([
  "$ref",
  "patternProperties",
  ...filterKeywords(({ subject }) => subject === "same value"),
]);

/** Keywords that depend on each other. */
const INTERDEPENDENT = [
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
  const defs = [getDefinitions(a), getDefinitions(b)] as const;
  const root = [dropDefinitions(a), dropDefinitions(b)] as const;
  const states = new Map<string, "open" | "split">();

  const split = (a: Json, b: Json): readonly Question[] | undefined => {
    const key = isOnlyReference(a) && isOnlyReference(b) ? `${String(a.$ref)} ${String(b.$ref)}` : undefined;
    const known = key === undefined ? undefined : states.get(key);
    // A pair that is still being split cannot be decided by itself.
    if (known !== undefined) return known === "split" ? [] : undefined;
    if (key !== undefined) states.set(key, "open");
    const found = splitPlain(followReferences(a, defs[0]), followReferences(b, defs[1]));
    if (key !== undefined && found) states.set(key, "split");
    return found;
  };

  const splitPlain = (a: Json, b: Json): readonly Question[] | undefined => {
    if (b === true || a === false) return [];
    if (!isObject(a) || !isObject(b)) return undefined;
    const whole = !hasReference(a) && !hasReference(b);
    if (whole && canonical(a) === canonical(b)) return [];
    const parts = isClosedLike(a, b) ? splitByKeyword(a, b, split) : undefined;
    if (parts) return parts;
    return whole && !(a === root[0] && b === root[1]) ? [[a, b]] : undefined;
  };

  return split(root[0], root[1]);
}

function splitByKeyword(
  a: JsonObject,
  b: JsonObject,
  split: (a: Json, b: Json) => readonly Question[] | undefined,
): readonly Question[] | undefined {
  const found: Question[] = [];
  for (const [keyword, value] of Object.entries(b)) {
    const pairs = (KEYWORD_PAIRS[keyword] ?? requireEqualValues)(own(a, keyword), value, a, keyword);
    if (!pairs) return undefined;
    for (const [x, y] of pairs) {
      const parts = split(x, y);
      if (!parts) return undefined;
      found.push(...parts);
    }
  }
  return found;
}

/** Returns the questions that decide whether `b`'s keyword holds for all of `a`; undefined if parts do not decide it. */
type PairKeyword = (
  inA: Json | undefined,
  inB: Json,
  a: JsonObject,
  keyword: string,
) => readonly Question[] | undefined;

const requireEqualValues: PairKeyword = (inA, inB, _a, keyword) =>
  inA !== undefined && !keyword.startsWith("$") && !hasReference(inB) && canonical(inA) === canonical(inB)
    ? []
    : undefined;

const requireSuperset: PairKeyword = (inA, inB) =>
  toList(inB).every((each) => toList(inA).includes(each)) ? [] : undefined;

const KEYWORD_PAIRS: { readonly [keyword: string]: PairKeyword } = {
  $ref: (inA, inB) => (inA === undefined ? undefined : [[{ $ref: inA }, { $ref: inB }]]),
  // The keyword refuses other items if the keywords beside it change.
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
      const field = own(fields, name);
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
  additionalProperties: pairClosedObjects,
  unevaluatedProperties: pairClosedObjects,
};

/** Needs no further question about closed objects: `isClosedLike` has checked that `b` declares all fields of `a`. */
function pairClosedObjects(
  _inA: Json | undefined,
  inB: Json,
  a: JsonObject,
): readonly Question[] | undefined {
  return inB === true || (inB === false && isClosed(a)) ? [] : undefined;
}

/** Returns whether only the fields in `properties` are allowed. */
function isClosed(a: JsonObject): boolean {
  const refuses =
    a.additionalProperties === false ||
    (a.unevaluatedProperties === false && a.additionalProperties === undefined);
  return refuses && !Object.keys(a).some((keyword) => DECLARING.has(keyword));
}

/**
 * Returns whether both schemas have the same interdependent keywords and, if `b` limits undeclared fields, whether `b`
 * declares every field of `a`.
 */
function isClosedLike(a: JsonObject, b: JsonObject): boolean {
  const closes = ["additionalProperties", "unevaluatedProperties"].some(
    (keyword) => own(b, keyword) !== undefined,
  );
  const [fields, declared] = [a.properties, b.properties].map((each) => (isObject(each) ? each : {}));
  const declaresAll = Object.keys(fields ?? {}).every((name) => Object.hasOwn(declared ?? {}, name));
  return (
    (!closes || declaresAll) &&
    INTERDEPENDENT.every((keyword) => Object.hasOwn(a, keyword) === Object.hasOwn(b, keyword))
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
    const next = own(defs, getTargetName(target) ?? "");
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
