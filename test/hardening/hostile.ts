/** Changes files in hostile ways, which depend only on the random numbers. */
import { isObject, type Json, parseJson } from "../../generator/json.js";
import { UNUSUAL_VALUES } from "../emit/mutations.js";
import { NASTY_PATTERNS, NASTY_STRINGS } from "../emit/nasty.js";
import { damageBytes } from "../ingest/reading-fuzz.js";

/** Returns a random whole number from 0 to below the argument. */
export type Next = (below: number) => number;

/** Returns a random element. */
export function pick<T>(values: readonly T[], next: Next): T {
  return values[next(values.length)] as T;
}

/** Names that are paths, options or keywords, or that are too long or hard to print. */
export const NAMES: readonly string[] = [
  ..."__proto__ constructor hasOwnProperty ../../../outside .. . /proc/version a/b a\\b CON nul.json".split(
    " ",
  ),
  ..."%00 %2e%2e%2f #/$defs -rf --force $ref type data * .git/hooks/post-checkout".split(" "),
  ...["\u001b[2J\u0007", "\u202eabc", "x".repeat(300), "ü 漢字", "x".repeat(70_000), "\n\n# h"],
  ...NASTY_STRINGS,
];

const REFERENCES: readonly string[] = [
  ..."# #/$defs/none #/ #nowhere #/properties/kind #/% #/~2 // ../protocol.json".split(" "),
  ..."parts.schema.json#/$defs/Mug ../shared/parts.schema.json#/$defs/Mug/properties/inner".split(" "),
  ..."mug.filled.schema.json# ../events/mug.filled.schema.json ../../../../outer.json".split(" "),
  ..."file:///etc/passwd https://example.com/x.json".split(" "),
];

const nestSchema = (levels: number): Json => (levels === 0 ? {} : { not: nestSchema(levels - 1) });

/** Valid and invalid values of keywords. */
const KEYWORDS: { readonly [keyword: string]: readonly Json[] } = {
  $ref: REFERENCES,
  $dynamicRef: ["#x", "#"],
  $schema: ["http://json-schema.org/draft-04/schema#", "x", 1],
  $id: ["https://example.com/", "x", "#"],
  $anchor: ["nowhere", "1", ""],
  $defs: [{ ["x".repeat(9999)]: {} }, [], { __proto__: null, a: { $ref: "#/$defs/a" } }],
  allOf: [[{ $ref: "#" }], [], [true, false], {}],
  anyOf: [[{}, { $ref: "#" }], [false]],
  oneOf: [[{ type: "string" }, { type: "string" }], [1]],
  not: [{}, true, nestSchema(250), nestSchema(300)],
  if: [false, { $ref: "#" }],
  properties: [{}, [], null, JSON.parse('{"__proto__":{"type":"string"},"":{},"a\\u0000":true}')],
  patternProperties: [{ "(": {} }, { "(a+)+$": { type: "string" }, "": false }],
  additionalProperties: [false, { $ref: "#" }, 1],
  unevaluatedProperties: [false, true],
  propertyNames: [{ pattern: "^(a|a)*$" }, false],
  required: [["__proto__"], ["kind", "kind"], "kind", [1]],
  dependentSchemas: [{ kind: false }],
  items: [false, { $ref: "#" }, []],
  prefixItems: [[{ type: "integer" }], []],
  contains: [false, {}],
  uniqueItems: [true, "yes"],
  minItems: [1e300, -1, 4294967296, 1.5],
  maxItems: [0, 2 ** 53 + 2],
  minLength: [1e9, 2147483648],
  maxLength: [0, -1],
  minimum: [1e308, -1e308, 5e-324, 2 ** 53 + 2],
  exclusiveMaximum: [-1e308, 0],
  multipleOf: [5e-324, 0, -1, 1e308, 0.1],
  enum: [[], [{}, {}], NASTY_STRINGS.map(String), [1, 1.0], [null]],
  const: UNUSUAL_VALUES,
  pattern: [...NASTY_PATTERNS, ..."( [ (a+)+$ (?<=a)b \\p{Foo} a{99999} (?:a{1000}){1000} \\1".split(" ")],
  format: ["date-time", "regex", "none", "uri", "\n"],
  type: ["none", [], ["string", "string"], {}],
  examples: [[], UNUSUAL_VALUES, {}],
  title: NAMES,
  description: NAMES,
  deprecated: [true, "yes"],
  "x-stability": ["stable", "gone"],
  "x-since": ["0.0", "99999.99999", "1"],
  "x-extensible-enum": [["a", "a"], [], [1], NASTY_STRINGS.map(String)],
  "x-writer": [{ $ref: "#" }, false, { required: ["none"] }],
  "x-payload-property": NAMES,
  "x-renamed-from": ["kind", "mug", ""],
  "x-replaced-by": ["kind", "nowhere"],
};

/** Returns the paths to all values in `root`, including the empty path to `root`. */
function listPaths(root: Json): string[][] {
  const found: string[][] = [];
  const visit = (value: Json, at: string[]): void => {
    found.push(at);
    if (typeof value === "object" && value !== null)
      for (const [key, below] of Object.entries(value)) visit(below, [...at, key]);
  };
  visit(root, []);
  return found;
}

function changeAtPath(value: Json, [key, ...rest]: readonly string[], change: (value: Json) => Json): Json {
  if (key === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? changeAtPath(item, rest, change) : item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === key ? changeAtPath(item, rest, change) : item,
    ]),
  );
}

function findValue(root: Json, path: readonly string[]): Json {
  return path.reduce<Json>((value, key) => (value as { [key: string]: Json })[key] ?? null, root);
}

/** Adds a member to an object. The name may be `__proto__`. */
function addMember(value: Json, name: string, member: Json): Json {
  return isObject(value)
    ? Object.fromEntries([...Object.entries(value), [name, member]])
    : { [name]: member };
}

/** Ways to change one value of a document. */
const CHANGES: readonly ((value: Json, next: Next, root: Json) => Json)[] = [
  (_value, next) => pick(UNUSUAL_VALUES, next),
  (_value, next) => pick(NAMES, next),
  (_value, next) => pick(REFERENCES, next),
  (_value, next) => pick([1e308, -1e308, 2 ** 53 + 2, 5e-324, -0, 4294967296], next),
  (_value, next, root) => findValue(root, pick(listPaths(root), next)),
  (value) => [value],
  (value) => Array.from({ length: 3 }, () => value),
  (value, next) => addMember(value, pick(NAMES, next), pick(UNUSUAL_VALUES, next)),
  (value, next) => {
    const keyword = pick(Object.keys(KEYWORDS), next);
    return addMember(value, keyword, pick(KEYWORDS[keyword] ?? [], next));
  },
  (value, next) => {
    if (!isObject(value) || Object.keys(value).length === 0) return pick(UNUSUAL_VALUES, next);
    const gone = pick(Object.keys(value), next);
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== gone));
  },
  (value, next) => {
    if (!isObject(value) || Object.keys(value).length === 0) return nestSchema(next(300));
    const [from, to] = [pick(Object.keys(value), next), pick([...Object.keys(KEYWORDS), ...NAMES], next)];
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name === from ? to : name, item]));
  },
];

/** Returns the text of a file with one to three hostile changes, mostly to its values and sometimes to its bytes. */
export function applyHostileChanges(text: string, next: Next): string | Buffer {
  const document = parseJson(text);
  if (document === undefined || next(5) === 0) return damageBytes(Buffer.from(text), next);
  let changed = document;
  for (let count = 1 + next(3); count > 0; count--) {
    const change = pick(CHANGES, next);
    changed = changeAtPath(changed, pick(listPaths(changed), next), (value) => change(value, next, document));
  }
  const result = JSON.stringify(changed, null, 2);
  // JSON.stringify cannot write numbers that JavaScript does not have.
  return next(30) === 0 ? result.replace(/\d+/, pick(["1e999", "-", "0x1", "1".repeat(999)], next)) : result;
}
