/**
 * Ajv as a judge. It knows neither draft-04 nor the difference between the dialects in what they leave undefined, so
 * each schema is first brought to what Ajv reads with the same meaning, at places where subschemas stand and nowhere
 * else: draft-04's `id` and boolean limits are spelled as in draft-06, and keywords that the dialect does not define
 * are taken out.
 */
import { createRequire } from "node:module";
import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type Json, type JsonObject, objectFrom, own } from "../../json.js";
import { type Dialect, dialectNamed, idKeyword, SCHEMA_URI, since } from "../../schema/dialects.js";
import { defines } from "../../schema/keywords.js";
import { type Replace, rewriteSchemas } from "../schema/rewrite.js";
import { type Judge, type Matcher, natively, Tester } from "./tester.js";
import { inUnicodeMode } from "./unicode-patterns.js";

const OPTIONS = {
  strict: false,
  validateSchema: false,
  validateFormats: false,
  ownProperties: true,
  logger: false,
  inlineRefs: false,
  messages: false,
} satisfies Options;

/** Keywords that Ajv acts upon and that some dialect leaves undefined or that no dialect defines. */
const NOT_ALWAYS_DEFINED = new Set([
  "if",
  "then",
  "else",
  "const",
  "contains",
  "propertyNames",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "minContains",
  "maxContains",
  "unevaluatedItems",
  "unevaluatedProperties",
  "prefixItems",
  "additionalItems",
  "$recursiveRef",
  "$dynamicRef",
]);
const LITERAL = new Set([
  "$ref",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "default",
  "examples",
]);
const NEVER_DEFINED = new Set([
  "nullable",
  "$async",
  "discriminator",
  "$recursiveAnchor",
  "$dynamicAnchor",
  "$anchor",
]);

/** A judge for a schema, which asks `matches` about patterns; throws where Ajv cannot compile it. */
export function ajvJudge(schema: Json, dialect: Dialect, matches = natively): Judge {
  const stated = isObject(schema) ? own(schema, "$schema") : undefined;
  const actual = typeof stated === "string" ? dialectNamed(stated) : dialect;
  if (typeof schema === "boolean") return () => schema;
  const validate = instance(actual, matches).compile(rewriteSchemas(schema, actual, prepare) as object);
  return (value) => validate(value) === true;
}

/** A new instance for every schema, so that no identifier of one is known to another. */
function instance(dialect: Dialect, matches: Matcher): Ajv {
  const regExp = Object.assign((source: string) => new Tester(source, matches), { code: "matcher" });
  const options: Options = { ...OPTIONS, code: { optimize: false, regExp } };
  if (dialect === "2020-12") return new Ajv2020(options);
  if (dialect === "2019-09") return new Ajv2019(options);
  const ajv = new Ajv(options);
  if (dialect !== "draft7") {
    ajv.addMetaSchema(createRequire(import.meta.url)("ajv/dist/refs/json-schema-draft-06.json") as object);
  }
  return ajv;
}

const prepare: Replace = (schema, dialect) => {
  const onlyReference = !since(dialect, "2019-09") && own(schema, "$ref") !== undefined;
  const members = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    if (onlyReference && keyword !== "$ref" && keyword !== "definitions") return [];
    return member(keyword, value, schema, dialect);
  });
  return inUnicodeMode(objectFrom(members), dialect);
};

function member(keyword: string, value: Json, schema: JsonObject, dialect: Dialect): [string, Json][] {
  if (keyword === "$schema")
    return dialect === "draft4" ? [] : [["$schema", SCHEMA_URI[dialect] + hash(dialect)]];
  if (keyword === "id" || keyword === "$id") return keyword === idKeyword(dialect) ? [["$id", value]] : [];
  if (NEVER_DEFINED.has(keyword) && !anchors(keyword, dialect)) return [];
  if (NOT_ALWAYS_DEFINED.has(keyword) && !defines(dialect, keyword)) return [];
  if (dialect === "draft4" && /^(exclusiveM|m)(ax|in)imum$/.test(keyword))
    return limit(keyword, value, schema);
  return [[keyword, defines(dialect, keyword) || LITERAL.has(keyword) ? value : withoutIdentifiers(value)]];
}

/** Identifiers count only where schemas stand; Ajv looks for them everywhere. */
function withoutIdentifiers(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutIdentifiers);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => !/^(\$?id|\$anchor|\$dynamicAnchor)$/.test(key));
  return objectFrom(members.map(([key, each]) => [key, withoutIdentifiers(each)]));
}

function anchors(keyword: string, dialect: Dialect): boolean {
  if (keyword === "$anchor") return since(dialect, "2019-09");
  return (
    keyword === (dialect === "2020-12" ? "$dynamicAnchor" : "$recursiveAnchor") && since(dialect, "2019-09")
  );
}

function hash(dialect: Dialect): string {
  return since(dialect, "2019-09") ? "" : "#";
}

function limit(keyword: string, value: Json, schema: JsonObject): [string, Json][] {
  if (keyword.startsWith("exclusive")) return [];
  const exclusive = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  return [[own(schema, exclusive) === true ? exclusive : keyword, value]];
}
