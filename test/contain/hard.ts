/** Creates pairs of similar schemas that are hard to compare or specific to a dialect. */

import { createObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { type Dialect, getIdKeyword, isAtLeast } from "../../generator/schema/dialects.js";

/** Creates a random schema of the family. */
type Family = (random: Random, dialect: Dialect) => JsonObject;

/** Patterns with expensive backtracking, with assertions, and with Unicode. */
const PATTERNS = [
  ...["^(a+)+$", "^(a|a)*$", "^(a|ab)*b?$", "(x+x+)+y", "^([a-z]+)*\\d$", "^(?:(?:a|b)+c?)*$"],
  ...["^(?=.*\\d)(?=.*[a-z]).{3,}$", "^(?!.*(a)b)", "^(?=(a|b)c?)\\w+$", "(?<=a)b", "^(?!(?:ab)+$)[ab]*$"],
  ...["^\\p{L}+$", "^[\\u{1F600}-\\u{1F64F}]$", "^.$", "^é?$", "^[^\\x00-\\x7F]+$", "^\\S+$", "^a{3,40}$"],
];
const WORDS = ["", "a", "ab", "aaab", "é", "😀", "😀😀", "\u2028", "a\nb", "x1", "A", "Ā", "e\u0301", "ﬀ"];
const NUMBERS = [
  0.1, 0.01, 0.3, 1e-7, 1e21, 9007199254740992, 1e300, 1e-300, 123456789012345680000, -0.1, 0.7,
  1099511627776,
];
const STEPS = [0.1, 0.01, 0.3, 0.25, 1e-7, 3, 7, 1e3, 2.5, 1e21];

const createSimpleSchema: Family = (random) =>
  random.pick<Family>([
    (r) => ({ type: r.pick(["string", "integer", "null"]) }),
    (r) => ({ enum: [...new Set([r.pick(WORDS), r.below(3)])] }),
    (r) => ({ minLength: r.below(3) }),
    (r) => ({ maximum: r.below(5) }),
  ])(random, "2020-12");

const createConstant = (dialect: Dialect, value: Json) =>
  isAtLeast(dialect, "draft6") ? { const: value } : { enum: [value] };
const getDefinitionsKeyword = (dialect: Dialect) => (isAtLeast(dialect, "2019-09") ? "$defs" : "definitions");
const pickSome = <T>(random: Random, list: readonly T[]) => list.filter(() => random.chance(0.5));

const createLongStrings: Family = (random, dialect) => {
  const long = { type: "string", minLength: 3 + random.below(60), pattern: random.pick(PATTERNS) };
  const list = { type: "array", items: long, minItems: random.below(4), uniqueItems: true };
  const names = { type: "object", minProperties: random.below(4), propertyNames: long };
  return random.pick<JsonObject>([
    long,
    { ...list, items: { ...long, maxLength: long.minLength + random.below(2) } },
    isAtLeast(dialect, "draft6")
      ? { ...names, additionalProperties: createSimpleSchema(random, dialect) }
      : list,
  ]);
};

const createManyContains: Family = (random, dialect) => {
  if (!isAtLeast(dialect, "draft6"))
    return { type: "array", items: createSimpleSchema(random, dialect), maxItems: 40 };
  const count = random.pick([3, 10, 33]);
  const all = Array.from({ length: count }, (_, i) => ({ contains: { const: i } }));
  return { type: "array", allOf: all, ...(random.chance(0.5) && { maxItems: count - random.below(2) }) };
};

const createStrings: Family = (random, dialect) => ({
  type: "string",
  ...(random.chance(0.7) && { pattern: random.pick(PATTERNS) }),
  ...(random.chance(0.3) && { not: { pattern: random.pick(PATTERNS) } }),
  ...(random.chance(0.3) && { minLength: random.below(40) }),
  ...(random.chance(0.3) && { maxLength: random.below(40) }),
  ...(random.chance(0.2) && createConstant(dialect, random.pick([...WORDS, `${"a".repeat(40)}!`]))),
});

const createNumbers: Family = (random, dialect) => {
  const isExclusive = random.chance(0.5);
  const low = random.pick(NUMBERS);
  return {
    type: random.pick(["number", "integer"]),
    ...(random.chance(0.6) && { multipleOf: random.pick(STEPS) }),
    ...(random.chance(0.5) &&
      (dialect === "draft4"
        ? { minimum: low, exclusiveMinimum: isExclusive }
        : { [isExclusive ? "exclusiveMinimum" : "minimum"]: low })),
    ...(random.chance(0.5) && { maximum: low + random.below(3) * random.pick(STEPS) }),
    ...(random.chance(0.2) && { enum: [...new Set([random.pick(NUMBERS), random.pick(NUMBERS)])] }),
  };
};

const createTuples: Family = (random, dialect) => {
  const items = Array.from({ length: 1 + random.below(3) }, () => createSimpleSchema(random, dialect));
  const rest = random.pick<Json>(
    dialect === "draft4" ? [{}, { not: {} }] : [true, false, createSimpleSchema(random, dialect)],
  );
  const tuple =
    dialect === "2020-12" ? { prefixItems: items, items: rest } : { items, additionalItems: rest };
  const { [dialect === "2020-12" ? "items" : "additionalItems"]: _, ...open } = tuple as JsonObject;
  const unevaluated = isAtLeast(dialect, "2019-09") ? { allOf: [open], unevaluatedItems: rest } : open;
  return {
    type: "array",
    ...random.pick<JsonObject>([tuple, open, unevaluated]),
    minItems: random.below(3),
  };
};

const createDependent: Family = (random, dialect) => {
  const pickKey = () => random.pick(["a", "b", "c"]);
  const requirements = { [pickKey()]: [pickKey()], [pickKey()]: [pickKey()] };
  const schemas = { [pickKey()]: { properties: { [pickKey()]: createSimpleSchema(random, dialect) } } };
  const base = { type: "object", required: pickSome(random, ["a", "b"]).concat("c") };
  return isAtLeast(dialect, "2019-09")
    ? { ...base, dependentRequired: requirements, dependentSchemas: schemas }
    : { ...base, dependencies: { ...requirements, ...schemas } };
};

const createUnevaluated: Family = (random, dialect) => {
  const closingKeyword = isAtLeast(dialect, "2019-09") ? "unevaluatedProperties" : "additionalProperties";
  const createProperties = (...keys: string[]) => ({
    properties: createObject(keys.map((key) => [key, createSimpleSchema(random, dialect)])),
  });
  const createBranch = (key: string) => ({ ...createProperties(key), required: [key] });
  return {
    type: "object",
    ...createProperties(...pickSome(random, ["a", "b"])),
    ...(random.chance(0.5) && { anyOf: [createBranch("b"), createBranch("c"), {}].slice(random.below(2)) }),
    ...(random.chance(0.4) &&
      isAtLeast(dialect, "draft7") && {
        if: createBranch("a"),
        [random.pick(["then", "else"])]: createProperties("d"),
      }),
    ...(random.chance(0.3) &&
      isAtLeast(dialect, "2019-09") && { dependentSchemas: { a: createProperties("c", "d") } }),
    [closingKeyword]:
      random.chance(0.7) && isAtLeast(dialect, "draft6") ? false : createSimpleSchema(random, dialect),
  };
};

const createTrees: Family = (random, dialect) => {
  const leaf = { value: createSimpleSchema(random, dialect) };
  const id = "https://fuzz.example/tree";
  const closed = random.chance(0.5) ? { additionalProperties: false } : {};
  const createTree = (reference: JsonObject) => ({
    type: "object",
    properties: { ...leaf, children: { type: "array", items: reference, maxItems: random.below(3) } },
    ...closed,
  });
  if (dialect === "2019-09")
    return { $id: id, $recursiveAnchor: true, ...createTree({ $recursiveRef: "#" }) };
  if (dialect !== "2020-12") return createTree({ $ref: "#" });
  const list = {
    $id: "list",
    type: "array",
    items: { $dynamicRef: "#node" },
    $defs: { d: { $dynamicAnchor: "node" } },
  };
  const dynamic = {
    $id: id,
    $dynamicAnchor: "node",
    $ref: "#/$defs/n",
    $defs: { n: createTree({ $dynamicRef: "#node" }) },
  };
  const generic = {
    $id: id,
    $ref: "list",
    $defs: { l: list, e: { $dynamicAnchor: "node", ...createSimpleSchema(random, dialect) } },
  };
  return random.pick<JsonObject>([dynamic, generic]);
};

const createReferences: Family = (random, dialect) => {
  const keyword = getDefinitionsKeyword(dialect);
  const [name, escaped] = random.pick([
    ["a/b", "a~1b"],
    ["~1", "~01"],
    ["a%b", "a%25b"],
    ['é "', "%C3%A9%20%22"],
    ["", ""],
  ] as const);
  const anchored = isAtLeast(dialect, "2019-09") ? { $anchor: "x" } : { [getIdKeyword(dialect)]: "#x" };
  const reference = random.pick([`#/${keyword}/${escaped}`, "#x", `#/${keyword}/d/properties/p`]);
  const target = createSimpleSchema(random, dialect);
  const definition = {
    [name]: target,
    d: { properties: { p: target } },
    x: { ...anchored, ...createSimpleSchema(random, dialect) },
  };
  const sibling = random.chance(0.5)
    ? { maxLength: 2, [getDefinitionsKeyword(dialect)]: definition }
    : { [keyword]: definition };
  return { $ref: reference, ...sibling };
};

const createDeep: Family = (random, dialect) => {
  let schema = createSimpleSchema(random, dialect);
  const wraps: readonly ((inner: JsonObject) => JsonObject)[] = [
    (inner) => ({ properties: { a: inner } }),
    (inner) => ({ type: "object", properties: { a: inner }, required: ["a"] }),
    (inner) => ({ items: inner }),
    (inner) => ({ not: inner }),
    (inner) => ({ allOf: [inner, {}] }),
    (inner) => ({ anyOf: [inner, { type: "null" }] }),
  ];
  for (let i = random.below(12); i > 0; i--) schema = random.pick(wraps)(schema);
  return schema;
};

const FAMILIES: readonly Family[] = [
  createLongStrings,
  createManyContains,
  createStrings,
  createNumbers,
  createTuples,
  createDependent,
  createUnevaluated,
  createTrees,
  createReferences,
  createDeep,
];

/** Creates two schemas of a random family. */
export function createHardPair(random: Random, dialect: Dialect): readonly [Json, Json] {
  const family = random.pick(FAMILIES);
  return [family(random, dialect), family(random, dialect)];
}
