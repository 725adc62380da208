/** What a schema asks of one value, in words; what it asks of fields together stands in catalog-rules.ts. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { literal } from "../../text.js";
import { branches, members, type Pen } from "./renderer.js";
import { ANY_VALUE, typeWords } from "./type-names.js";

export const ANY_OTHER_FIELD = "any other field";
export const ANY_FIELD = "any field";

type Say = (value: Json, pen: Pen, schema: JsonObject) => string;

/** How each keyword reads, in the order of the catalogue; an empty text says nothing. */
const WORDS: { readonly [keyword: string]: Say } = {
  const: (value, pen) => `always ${pen.json(value)}`,
  enum: (value, pen) => `one of ${values(value, pen, "or")}`,
  "x-extensible-enum": (value, pen) =>
    `known value${Array.isArray(value) && value.length === 1 ? "" : "s"} ${values(value, pen, "and")}; others may come`,
  minimum: (value, _pen, { maximum }) =>
    maximum === undefined ? `≥ ${number(value)}` : `${number(value)} to ${number(maximum)}`,
  maximum: (value, _pen, { minimum }) => (minimum === undefined ? `≤ ${number(value)}` : ""),
  exclusiveMinimum: (value) => `above ${number(value)}`,
  exclusiveMaximum: (value) => `below ${number(value)}`,
  multipleOf: (value) => `a multiple of ${number(value)}`,
  minLength: (value, _pen, { maxLength }) => range("character", value, maxLength),
  maxLength: (value, _pen, { minLength }) => (minLength === undefined ? range("character", 0, value) : ""),
  pattern: (value, pen) => `matches ${pen.code(String(value))}`,
  format: (value, pen) => `format ${pen.code(String(value))}`,
  contentEncoding: (value, pen) => `encoded as ${pen.code(String(value))}`,
  contentMediaType: (value, pen) => `holds ${pen.code(String(value))}`,
  contentSchema: (value, pen) => `holds JSON: ${typeWords(value, pen)}`,
  minItems: (value, _pen, { maxItems }) => range("item", value, maxItems),
  maxItems: (value, _pen, { minItems }) => (minItems === undefined ? range("item", 0, value) : ""),
  uniqueItems: (value) => (value === true ? "no equal items" : ""),
  contains: (value, pen, { minContains, maxContains }) =>
    `${range("item", minContains ?? 1, maxContains)} such as this: ${inWords(value, pen)}`,
  minProperties: (value, _pen, { maxProperties }) => range("field", value, maxProperties),
  maxProperties: (value, _pen, { minProperties }) =>
    minProperties === undefined ? range("field", 0, value) : "",
  propertyNames: (value, pen) => `field names: ${inWords(value, pen)}`,
  additionalProperties: anyOther,
  unevaluatedProperties: anyOther,
  unevaluatedItems: (value) => (value === false ? "no other items" : ""),
  readOnly: (value) => (value === true ? "read only" : ""),
  writeOnly: (value) => (value === true ? "write only" : ""),
  default: (value, pen) => `default ${pen.json(value)}`,
};

/** The constraints on a value of `schema`, Markdown. References and `allOf` are followed. */
export function constraints(
  schema: Json | undefined,
  pen: Pen,
  seen: ReadonlySet<Json> = new Set(),
): string[] {
  if (!isObject(schema) || seen.has(schema)) return [];
  const within = new Set([...seen, schema]);
  const said = [
    ...Object.entries(WORDS)
      .filter(([keyword]) => Object.hasOwn(schema, keyword))
      .map(([keyword, say]) => say(schema[keyword] as Json, pen, schema)),
    ...[pen.definition(schema)?.schema, ...branches(schema, "allOf")].flatMap((part) =>
      constraints(part, pen, within),
    ),
    ...["anyOf", "oneOf"].flatMap((keyword) => alternatives(schema, keyword, pen, within)),
    ...(isObject(schema.not) && !speaksOfFields(schema.not, pen)
      ? [`never ${inWords(schema.not, pen)}`]
      : []),
    ...(isObject(schema["x-writer"])
      ? constraints(schema["x-writer"], pen, within).map((words) => `writer: ${words}`)
      : []),
  ];
  return [...new Set(said)].filter((words) => words !== "");
}

/** `schema` as one phrase: its type and what it asks of a value. */
export function inWords(schema: Json, pen: Pen, seen: ReadonlySet<Json> = new Set()): string {
  const said = constraints(schema, pen, seen);
  if (isObject(schema) && schema.const !== undefined) return pen.json(schema.const);
  if (isObject(schema) && schema.enum !== undefined) return said.join(", ");
  const type = typeWords(schema, pen);
  return (said.length > 0 && type === ANY_VALUE ? said : [type, ...said]).join(", ");
}

/** Whether `schema`, or a part of it that applies to the same value, asks for fields: a matter for rules. */
export function speaksOfFields(schema: Json, pen: Pen, seen: ReadonlySet<Json> = new Set()): boolean {
  if (!isObject(schema) || seen.has(schema)) return false;
  const within = new Set([...seen, schema]);
  return (
    ["required", "properties", "dependentRequired", "dependentSchemas"].some((key) =>
      Object.hasOwn(schema, key),
    ) ||
    [
      ...["anyOf", "oneOf", "allOf"].flatMap((keyword) => branches(schema, keyword)),
      ...[schema.not, schema.if, pen.definition(schema)?.schema],
    ].some((part) => part !== undefined && speaksOfFields(part, pen, within))
  );
}

/** Alternatives that differ in more than their types, which the type tells already; null has nothing to add. */
function alternatives(schema: JsonObject, keyword: string, pen: Pen, seen: ReadonlySet<Json>): string[] {
  const all = branches(schema, keyword);
  if (all.some((branch) => speaksOfFields(branch, pen))) return [];
  if (!all.some((branch) => constraints(branch, pen, seen).length > 0)) return [];
  const others = all.filter(({ type }) => type !== "null");
  const [only] = others;
  if (only && others.length === 1) return constraints(only, pen, seen);
  const words = all.map((branch) => inWords(branch, pen, seen)).join("; or ");
  return [`${keyword === "oneOf" ? "exactly one of these: " : "either "}${words}`];
}

function anyOther(value: Json, _pen: Pen, schema: JsonObject): string {
  if (value !== true && !(isObject(value) && Object.keys(value).length === 0)) return "";
  return members(schema, "properties").length > 0 ? ANY_OTHER_FIELD : ANY_FIELD;
}

function values(value: Json, pen: Pen, word: "and" | "or"): string {
  return pen.list(
    [value].flat().map((item) => pen.json(item as Json)),
    word,
  );
}

function range(unit: string, from: Json, to: Json | undefined): string {
  const units = (count: Json): string => `${number(count)} ${unit}${count === 1 ? "" : "s"}`;
  if (to === undefined) return `at least ${units(from)}`;
  if (from === to) return `exactly ${units(to)}`;
  return from === 0 ? `at most ${units(to)}` : `${number(from)} to ${units(to)}`;
}

function number(value: Json): string {
  return typeof value === "number" ? literal(value) : "?";
}
