/**
 * Splits "is `a` a subset of `b`?" into questions about parts where both schemas have the same structure: an object is a
 * subset if each of its fields is. If a part is no subset, or nothing can be split, the whole question must be decided.
 */
import { canonical, isObject, type Json, type JsonObject, own } from "../../json.js";
import { filterKeywords } from "../../schema/keywords.js";
import { targetName } from "../../schema/reference.js";

/** Is the first schema a subset of the second one? Both are self-contained. */
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

/** How often a reference may lead to nothing but another reference. */
const MAX_HOPS = 16;

/** Returns smaller questions: if the answer to all is yes, `a` is a subset of `b`. Undefined if nothing can be split. */
export function splitQuestion(a: Json, b: Json): readonly Question[] | undefined {
  const defs = [defsOf(a), defsOf(b)] as const;
  const root = [without$defs(a), without$defs(b)] as const;
  const open = new Map<string, "open" | "split">();

  const split = (a: Json, b: Json): readonly Question[] | undefined => {
    const key = isOnlyReference(a) && isOnlyReference(b) ? `${String(a.$ref)} ${String(b.$ref)}` : undefined;
    const known = key === undefined ? undefined : open.get(key);
    // A pair that is still being split would be its own proof.
    if (known !== undefined) return known === "split" ? [] : undefined;
    if (key !== undefined) open.set(key, "open");
    const found = splitPlain(followReferences(a, defs[0]), followReferences(b, defs[1]));
    if (key !== undefined && found) open.set(key, "split");
    return found;
  };

  const splitPlain = (a: Json, b: Json): readonly Question[] | undefined => {
    if (b === true || a === false) return [];
    if (!isObject(a) || !isObject(b)) return undefined;
    const whole = !hasReference(a) && !hasReference(b);
    if (whole && canonical(a) === canonical(b)) return [];
    const parts = isClosedLike(a, b) ? keywordParts(a, b, split) : undefined;
    if (parts) return parts;
    return whole && !(a === root[0] && b === root[1]) ? [[a, b]] : undefined;
  };

  return split(root[0], root[1]);
}

function keywordParts(
  a: JsonObject,
  b: JsonObject,
  split: (a: Json, b: Json) => readonly Question[] | undefined,
): readonly Question[] | undefined {
  const found: Question[] = [];
  for (const [keyword, value] of Object.entries(b)) {
    const pairs = (PAIRS[keyword] ?? sameValue)(own(a, keyword), value, a, keyword);
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
type Pairs = (
  inA: Json | undefined,
  inB: Json,
  a: JsonObject,
  keyword: string,
) => readonly Question[] | undefined;

const sameValue: Pairs = (inA, inB, _a, keyword) =>
  inA !== undefined && !keyword.startsWith("$") && !hasReference(inB) && canonical(inA) === canonical(inB)
    ? []
    : undefined;

const listed: Pairs = (inA, inB) =>
  listOf(inB).every((each) => listOf(inA).includes(each)) ? [] : undefined;

const PAIRS: { readonly [keyword: string]: Pairs } = {
  $ref: (inA, inB) => (inA === undefined ? undefined : [[{ $ref: inA }, { $ref: inB }]]),
  // What it refuses depends on the keywords around it.
  unevaluatedItems: () => undefined,
  required: listed,
  type: (inA, inB) => {
    const types = listOf(inB);
    const has = (type: Json): boolean =>
      types.includes(type) || (type === "integer" && types.includes("number"));
    return inA !== undefined && listOf(inA).every(has) ? [] : undefined;
  },
  properties: (inA, inB, a) => {
    const fields = isObject(inA) ? inA : {};
    const pairs = Object.entries(isObject(inB) ? inB : {}).map(([name, schema]): Question | undefined => {
      const field = own(fields, name);
      return field !== undefined
        ? [field, schema]
        : isClosed(a) || schema === true
          ? [false, schema]
          : undefined;
    });
    return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
  },
  allOf: (inA, inB) => {
    const [parts, others] = [listOf(inA), listOf(inB)];
    return parts.length >= others.length ? others.map((each, i) => [parts[i] ?? true, each]) : undefined;
  },
  items: (inA, inB) => (inA === undefined ? undefined : [[inA, inB]]),
  additionalProperties: pairClosedObjects,
  unevaluatedProperties: pairClosedObjects,
};

/** A closed object is a subset of one that declares all of its fields, which `isClosedLike` checks. */
function pairClosedObjects(
  _inA: Json | undefined,
  inB: Json,
  a: JsonObject,
): readonly Question[] | undefined {
  return inB === true || (inB === false && isClosed(a)) ? [] : undefined;
}

/** Whether only the fields in `properties` are allowed. */
function isClosed(a: JsonObject): boolean {
  const refuses =
    a.additionalProperties === false ||
    (a.unevaluatedProperties === false && a.additionalProperties === undefined);
  return refuses && !Object.keys(a).some((keyword) => DECLARING.has(keyword));
}

/** Whether `b` declares every field of `a` where it allows no others, and both have the same interdependent keywords. */
function isClosedLike(a: JsonObject, b: JsonObject): boolean {
  const closes = ["additionalProperties", "unevaluatedProperties"].some(
    (keyword) => own(b, keyword) !== undefined,
  );
  const [fields, declared] = [a.properties, b.properties].map((each) => (isObject(each) ? each : {}));
  const alike = Object.keys(fields ?? {}).every((name) => Object.hasOwn(declared ?? {}, name));
  return (
    (!closes || alike) &&
    INTERDEPENDENT.every((keyword) => Object.hasOwn(a, keyword) === Object.hasOwn(b, keyword))
  );
}

/** Whether `schema` may hold a reference at any depth. */
function hasReference(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(hasReference);
  if (!isObject(schema)) return false;
  return Object.entries(schema).some(([keyword, value]) => keyword.startsWith("$") || hasReference(value));
}

/** Whether a schema is a reference and nothing else. */
function isOnlyReference(schema: Json): schema is JsonObject {
  return isObject(schema) && typeof schema.$ref === "string" && Object.keys(schema).length === 1;
}

/** Follows references that have no other keywords. */
function followReferences(schema: Json, defs: JsonObject): Json {
  let target = schema;
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    if (!isOnlyReference(target)) return target;
    const next = own(defs, targetName(target) ?? "");
    if (next === undefined) return target;
    target = next;
  }
  return target;
}

function defsOf(schema: Json): JsonObject {
  return isObject(schema) && isObject(schema.$defs) ? schema.$defs : {};
}

function without$defs(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { $defs: _defs, ...rest } = schema;
  return rest;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}
