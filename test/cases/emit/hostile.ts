/** Payload schemas with names and texts that could break generated code. Each is emitted under every placement. */
import type { Json, JsonObject } from "../../../generator/json.js";

/** A payload schema, with payloads that it accepts and refuses. */
export interface HostilePayload {
  readonly payload: JsonObject;
  /** The `$defs` of `shared/x.schema.json`. */
  readonly $defs?: JsonObject;
  /** Payloads that a writer may send. */
  readonly good: readonly JsonObject[];
  /** Payloads that no reader accepts. */
  readonly bad: readonly JsonObject[];
  /** A TypeScript type that must be assignable to the type of the payload. */
  readonly type?: string;
}

const HOSTILE_TEXTS: { readonly [name: string]: string } = {
  "end of comment": "a */ alert(1) /* b **/ */",
  backticks: "`a` ``b`` ${process.exit(1)}",
  table: "| a | b \\| c |\n|---|---|\n",
  html: "<script>alert(1)</script><img src=x onerror=alert(1)> &lt; <!-- -->",
  ansi: "\u001b[31mred\u001b[0m \u009b2J \u0007",
  newlines: "one\ntwo\r\nthree\rfour\n\n\nfive\u2028six\u2029seven",
  controls: "\u0000\u0001\u007f\u200b\ufeff\u00ad",
  bidi: "\u202eabc\u202c \u2066x\u2069",
  long: "x".repeat(10_000),
  "long words": "word ".repeat(2_000),
  tags: "@deprecated use nothing\n@ts-ignore\n * @ts-nocheck\n{@link Foo} @internal @type {string}",
  "deprecated alone": "@deprecated",
  directives: "// @ts-nocheck\n/// <reference path='x' />\n/* @ts-expect-error */",
  "lone surrogate": "a \ud800 b",
  heading: "# Title\n- [x](javascript:alert(1)) ![i](x)\n```\ncode\n```",
  quotes: "\" ' \\ \\\\ \\u0022 \\x22",
};

const HOSTILE_NAMES: readonly string[] = [
  ...["constructor", "toString", "hasOwnProperty", "valueOf", "isPrototypeOf", "prototype", "length", "name"],
  ...["a b", '"', "'", "\\", "`", "${a}", "hecate.tool.exit_code", "[k: string]", "[key: string]", "", " "],
  ...["123", "01", "-1", "1e3", "😀", "a\nb", "a\r\nb", "\u2028", "\u0000", "\u202e", "*/", "/*", "//", "@deprecated"],
  ...["class", "readonly", "new", "get x", "async", "?", "a?", "readonly a", "T0", "Root", "$ref", "$id", "$defs"],
  ...["title", "description", "properties", "required", "type_", "tsType", "const", "enum", "err0", "data0", "errors"],
  ...["vErrors", "fail", "instancePath", "validate0", "schema0", "x".repeat(10_000), "ü", "Ω", "𝒜", "a/b", "~", "~0"],
  ...['a"__proto__', 'a,"__proto__'],
];

const createClosed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});

const createField = (schema: JsonObject): JsonObject => ({ description: "A field.", ...schema });

const texts = Object.entries(HOSTILE_TEXTS).map(([name, text]): [string, HostilePayload] => [
  `text: ${name}`,
  {
    payload: createClosed(
      {
        v: { description: text, type: "string", enum: [text, "other"], default: text, deprecated: true, "x-replaced-by": text, "x-requires": text },
        w: { description: text, type: "string", "x-extensible-enum": [text] },
        o: { description: text, type: "object", properties: { deep: { description: text, const: { [`k${text}`]: [text, -1, null, true] } } } },
      },
      { title: text, description: text, "x-group": text, "x-requires": text, deprecated: true, "x-deprecated-since": text, "x-replaced-by": text },
    ),
    good: [{ v: text, w: text, o: { deep: { [`k${text}`]: [text, -1, null, true] } } }],
    bad: [{ v: "no", w: text, o: {} }, { v: text, w: 1, o: {} }, { v: text, w: text, o: { deep: {} } }],
  },
]);

const names = HOSTILE_NAMES.map((name): [string, HostilePayload] => [
  `field: ${JSON.stringify(name).slice(0, 30)}`,
  {
    payload: createClosed({ [name]: createField({ type: "string" }), in: createField({ ...createClosed({ [name]: createField({ type: "integer" }) }) }) }),
    good: [{ [name]: "a", in: { [name]: 1 } }],
    bad: [{ [name]: 1, in: { [name]: 1 } }, { in: { [name]: 1 } }, { [name]: "a", in: {} }],
    type: `{ ${JSON.stringify(name)}: string; in: { ${JSON.stringify(name)}: number } }`,
  },
]);

const definitionNames = ["string", "Array", "Promise", "any", "object", "unknown", "never", "Date", "Error", "class", "Record", "String", "Object", "ReadonlyMap", "Function", "err0", "1", "a b", "é", "Root", "T0"];

const definitions = definitionNames.map((name): [string, HostilePayload] => [
  `definition: ${name}`,
  {
    payload: createClosed({ v: { $ref: `../shared/x.schema.json#/$defs/${encodeURIComponent(name)}` } }),
    $defs: { [name]: { description: "A thing.", type: "object", properties: { list: createField({ type: "array", items: { type: "string" } }) }, required: ["list"] } },
    good: [{ v: { list: ["a"] } }],
    bad: [{ v: {} }, { v: { list: [1] } }],
    type: "{ v: { list: string[] } }",
  },
]);

const createNested = (depth: number): JsonObject => (depth === 0 ? { type: "integer", description: "End." } : createClosed({ d: createNested(depth - 1) }, { description: "Level." }));
const createNestedValue = (depth: number, end: Json): Json => (depth === 0 ? end : { d: createNestedValue(depth - 1, end) });

const payloads: readonly [string, HostilePayload][] = [
  ["tuple", { payload: createClosed({ t: createField({ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false, minItems: 2 }) }), good: [{ t: ["a", 1] }], bad: [{ t: [1, 1] }, { t: ["a"] }], type: "{ t: [string, number] }" }],
  ["open tuple", { payload: createClosed({ t: createField({ type: "array", prefixItems: [{ type: "string" }], items: { type: "integer" } }) }), good: [{ t: ["a", 1, 2] }, { t: [] }], bad: [{ t: ["a", "b"] }], type: "{ t: [string, number, number] }" }],
  ["negative numbers", { payload: createClosed({ n: createField({ type: "number", enum: [-1, -0.5, 0, 1e21, -1e21, 1e-7] }) }), good: [{ n: -1 }, { n: 1e21 }], bad: [{ n: 1 }, { n: "-1" }], type: "{ n: -1 | -0.5 }" }],
  ["object const", { payload: createClosed({ c: createField({ const: { a: [1, { "b c": null }], toString: -1 } }) }), good: [{ c: { toString: -1, a: [1, { "b c": null }] } }], bad: [{ c: {} }, { c: { a: [1, {}], toString: -1 } }] }],
  ["const with __proto__", { payload: createClosed({ c: createField({ const: JSON.parse('{"__proto__":{"a":1}}') }) }), good: [JSON.parse('{"c":{"__proto__":{"a":1}}}')], bad: [{ c: {} }, { c: { a: 1 } }] }],
  ["50 levels", { payload: createClosed({ d: createNested(50) }), good: [{ d: createNestedValue(50, 1) as Json }], bad: [{ d: createNestedValue(50, "1") as Json }, { d: createNestedValue(49, 1) as Json }] }],
  ["map", { payload: { type: "object", additionalProperties: { type: "string" } }, good: [{}, { x: "a" }], bad: [{ x: 1 }], type: "{ x: string }" }],
  ["pattern map", { payload: { type: "object", properties: { a: createField({ type: "integer" }) }, patternProperties: { "^x": { type: "string" } }, additionalProperties: true }, good: [{ a: 1, xx: "a", q: null }], bad: [{ xx: 1 }], type: "{ a: number; xx: string }" }],
  ["property names", { payload: { type: "object", propertyNames: { maxLength: 200, pattern: "^[a-z]+$" }, additionalProperties: true }, good: [{ abc: 1 }], bad: [{ A: 1 }] }],
  ["recursion", { payload: createClosed({ tree: { $ref: "../shared/x.schema.json#/$defs/Tree" } }), $defs: { Tree: { type: "object", description: "A tree.", properties: { kids: createField({ type: "array", items: { $ref: "#/$defs/Tree" } }) } } }, good: [{ tree: { kids: [{ kids: [] }, {}] } }], bad: [{ tree: { kids: [{ kids: [1] }] } }], type: "{ tree: { kids: { kids: [] }[] } }" }],
  ["union of shapes", { payload: { type: "object", properties: { a: createField({ type: "string" }) }, anyOf: [{ properties: { b: createField({ type: "string" }) }, required: ["b"] }, { properties: { c: createField({ type: "string" }) }, required: ["c"] }] }, good: [{ a: "a", b: "b" }, { c: "c" }], bad: [{ a: "a" }, { b: 1 }], type: '{ a: "a"; b: "b" }' }],
  ["all of", { payload: { type: "object", allOf: [{ $ref: "../shared/x.schema.json#/$defs/Base" }], properties: { a: createField({ type: "string" }) } }, $defs: { Base: { type: "object", description: "Base.", properties: { base: createField({ type: "integer" }) }, required: ["base"] } }, good: [{ base: 1, a: "a" }], bad: [{ a: "a" }], type: '{ base: 1; a: "a" }' }],
  ["payload by reference", { payload: { $ref: "../shared/x.schema.json#/$defs/Whole" }, $defs: { Whole: { type: "object", description: "Whole.", properties: { a: createField({ type: "integer" }) }, required: ["a"] } }, good: [{ a: 1 }], bad: [{}, { a: "1" }], type: "{ a: number }" }],
  ["required sets", { payload: { type: "object", properties: { a: createField({ type: "string" }), "b c": createField({ type: "string" }) }, anyOf: [{ required: ["a"] }, { required: ["b c"] }] }, good: [{ a: "a" }, { "b c": "" }], bad: [{}], type: '{ "b c": string }' }],
  ["conditions on inherited names", { payload: { type: "object", properties: { a: createField({ type: "string" }) }, dependentRequired: { constructor: ["valueOf"] }, dependentSchemas: { toString: { required: ["a"] } }, additionalProperties: true }, good: [{ a: "a" }, {}], bad: [{ constructor: 1 }, { toString: 1 }] }],
  ["nullable", { payload: createClosed({ a: createField({ type: ["string", "null"] }), b: createField({ type: ["string", "null"], "x-extensible-enum": ["x"] }), c: createField({ enum: ["a", null, 1, true] }) }), good: [{ a: null, b: null, c: null }], bad: [{ a: 1, b: null, c: null }], type: '{ a: null; b: null | "x"; c: null | 1 | true }' }],
  ["empty", { payload: { type: "object" }, good: [{}], bad: [] }],
  ["closed map", { payload: { type: "object", properties: { a: createField({ type: "integer" }) }, additionalProperties: false }, good: [{ a: 1 }, {}], bad: [{ a: "x" }] }],
  ["many fields", { payload: createClosed(Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`f${i}`, createField({ type: "integer" })]))), good: [Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`f${i}`, i]))], bad: [{}, { f0: 1 }] }],
  ["mixed extensible enum", { payload: createClosed({ a: createField({ type: ["integer", "string"], "x-extensible-enum": [-1, "x"] }), b: createField({ "x-extensible-enum": [1, 2] }) }), good: [{ a: -1, b: 1 }, { a: "x", b: 2 }], bad: [{ a: true, b: 1 }], type: '{ a: number; b: number }' }],
];

/** All payloads by name. */
export const HOSTILE_PAYLOADS: ReadonlyMap<string, HostilePayload> = new Map([...texts, ...names, ...definitions, ...payloads]);

/** Event types that may stand together in one protocol. */
export const HOSTILE_TYPES: readonly string[] = [
  ...["constructor", "toString", "a b", "event", "class", 'c"b"c', "d'x", "e`x`y", "ünïcode", "日本", "1.2", "$", "f${b}"],
  ...["hasOwnProperty", "valueOf", "envelope", "g😀", "h\u202eb", "i\u2028c", "j\nd", "\\k", "tool.shell.output_chunk", "then"],
  // No file has these names, so x-type states them.
  ...[" ", "tools/call", "../up", "*/m", "//n", "</script>", "http://a.b/c?d#e", "NUL\0", "long".repeat(80), "."],
  ...["default", "*l*", "validator", "payload", "events", "resources", "protocol", "__proto__"],
];
