import { closest, distance } from "fastest-levenshtein";
import type { Finding } from "../../finding.js";
import { isObject, type Json, type JsonObject, join } from "../../json.js";
import { KEYWORDS, type ValueKind } from "../../model/keywords.js";
import { subschemas } from "../../model/walk.js";
import type { SchemaFile } from "../folder.js";
import type { Source } from "../source.js";

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const STABILITIES = ["experimental", "candidate", "stable"];

/** Checks one schema file by itself: every keyword known, every keyword's value of the right shape. */
export function lintSchema({ source }: SchemaFile): Finding[] {
  const findings: Finding[] = [];
  const visit = (schema: Json, pointer: string): void => {
    if (typeof schema === "boolean") return;
    if (!isObject(schema)) {
      findings.push(invalid(source, pointer, "A schema is an object, true or false."));
      return;
    }
    for (const [name, value] of Object.entries(schema))
      findings.push(...lintKeyword(source, pointer, name, value));
    findings.push(...lintNames(source, pointer, schema));
    for (const sub of subschemas(schema, pointer)) visit(sub.schema, sub.pointer);
  };
  visit(source.document, "");
  return findings;
}

function invalid(source: Source, pointer: string, message: string): Finding {
  return { rule: "keyword-invalid", severity: "error", message, at: source.locate(pointer) };
}

function lintKeyword(source: Source, pointer: string, name: string, value: Json): Finding[] {
  const here = join(pointer, name);
  const keyword = KEYWORDS.get(name);
  if (!keyword) return unknown(source, here, name);
  if (keyword.unsupported !== undefined)
    return [
      {
        rule: "keyword-unsupported",
        severity: "error",
        message: `The keyword ${name} cannot be used in a protocol schema: ${keyword.unsupported}.`,
        at: source.locateKey(here),
      },
    ];
  const wrong = SHAPES[keyword.value](value);
  return wrong === undefined ? [] : [invalid(source, here, `The value of ${JSON.stringify(name)} ${wrong}.`)];
}

/** An unknown keyword is a typo, except an `x-` annotation that resembles none of ours: those belong to other tools. */
function unknown(source: Source, here: string, name: string): Finding[] {
  const nearest = closest(name.toLowerCase(), [...KEYWORDS.keys()]);
  const near =
    distance(name.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, Math.floor(name.length / 4));
  if (name.startsWith("x-") && !near) return [];
  return [
    {
      rule: "keyword-unknown",
      severity: "error",
      message: `The keyword ${JSON.stringify(name)} is unknown${near ? `; did you mean ${JSON.stringify(nearest)}?` : "."}`,
      at: source.locateKey(here),
      hint: near ? `Write ${JSON.stringify(nearest)}.` : "Annotations of other tools begin with x-.",
    },
  ];
}

/** Field names that cannot be represented faithfully in generated code. */
function lintNames(source: Source, pointer: string, schema: JsonObject): Finding[] {
  if (!isObject(schema.properties) || !Object.hasOwn(schema.properties, "__proto__")) return [];
  return [
    {
      rule: "field-unsafe",
      severity: "error",
      message:
        'A field cannot be named "__proto__": in JavaScript it is not a field but the prototype of its object.',
      at: source.locateKey(join(pointer, "properties", "__proto__")),
      hint: "Choose another name.",
    },
  ];
}

type Shape = (value: Json) => string | undefined;

const must =
  (test: (value: Json) => boolean, message: string): Shape =>
  (value) =>
    test(value) ? undefined : message;
const isString = (value: Json): value is string => typeof value === "string";
const isNames = (value: Json): boolean =>
  Array.isArray(value) && value.every(isString) && new Set(value).size === value.length;

/** For each kind of keyword value, what is wrong with a value, or undefined. */
const SHAPES: { readonly [K in ValueKind]: Shape } = {
  any: () => undefined,
  boolean: must((value) => typeof value === "boolean", "must be true or false"),
  string: must(isString, "must be a string"),
  text: must((value) => isString(value) && value !== "", "must be a string that is not empty"),
  texts: must((value) => Array.isArray(value) && value.every(isString), "must be a list of strings"),
  number: must((value) => typeof value === "number", "must be a number"),
  positive: must((value) => typeof value === "number" && value > 0, "must be a number above 0"),
  count: must((value) => Number.isInteger(value) && (value as number) >= 0, "must be a whole number from 0"),
  names: must(isNames, "must be a list of different names"),
  "name-map": must(
    (value) => isObject(value) && Object.values(value).every(isNames),
    "must map names to lists of names",
  ),
  type: must(
    (value) =>
      [value].flat().every((t) => isString(t as Json) && TYPES.includes(t as string)) &&
      isNames([value].flat() as Json),
    `must be one or several of ${TYPES.join(", ")}`,
  ),
  regex: (value) => {
    if (!isString(value)) return "must be a string";
    try {
      new RegExp(value, "u");
      return undefined;
    } catch (error) {
      return `is not a regular expression (ECMA-262, u flag): ${(error as Error).message}`;
    }
  },
  array: must((value) => Array.isArray(value) && value.length > 0, "must be a list that is not empty"),
  schema: must((value) => isObject(value) || typeof value === "boolean", "must be a schema"),
  schemas: must(
    (value) => Array.isArray(value) && value.length > 0,
    "must be a list of schemas that is not empty",
  ),
  map: must(isObject, "must map names to schemas"),
  stability: must(
    (value) => STABILITIES.includes(value as string),
    `must be one of ${STABILITIES.join(", ")}`,
  ),
};
