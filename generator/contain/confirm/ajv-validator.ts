/**
 * Ajv as one of the two validators that confirm a witness. Ajv does not read draft-04, and it acts on keywords that a
 * dialect leaves undefined. So each schema is first rewritten to one that Ajv reads with the same meaning, where the
 * dialect expects schemas and nowhere else: draft-04's `id` and boolean limits are spelled as in draft-06, and keywords
 * that the dialect does not define are left out.
 */
import { createRequire } from "node:module";
import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type Json, type JsonObject, objectFrom, own } from "../../json.js";
import { type Dialect, idKeyword, SCHEMA_URI, since } from "../../schema/dialects.js";
import { defines } from "../../schema/keywords.js";
import { type ReplaceSchema, rewriteSchemas, statedDialect } from "../schema/rewrite-schemas.js";
import {
  matchNatively,
  type PatternMatcher,
  PatternTester,
  spellPatterns,
  type Validate,
} from "./validator-patterns.js";

const OPTIONS = {
  strict: false,
  validateSchema: false,
  validateFormats: false,
  ownProperties: true,
  logger: false,
  inlineRefs: false,
  messages: false,
} satisfies Options;

/** Keywords that Ajv acts upon and that some dialects leave undefined. */
const DEFINED_IN_SOME_DIALECT = new Set([
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
/** Keywords whose values Ajv takes as they stand. */
const LITERAL = new Set([
  "$ref",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "default",
  "examples",
]);
/** Keywords that Ajv acts upon though no dialect, or another one, defines them. */
const AJV_ONLY = new Set([
  "nullable",
  "$async",
  "discriminator",
  "$recursiveAnchor",
  "$dynamicAnchor",
  "$anchor",
]);

/** Compiles a schema with Ajv. `matches` decides about patterns. Throws where Ajv cannot compile the schema. */
export function compileWithAjv(schema: Json, dialect: Dialect, matches = matchNatively): Validate {
  if (typeof schema === "boolean") return () => schema;
  const actual = statedDialect(schema) ?? dialect;
  const validate = createAjv(actual, matches).compile(
    rewriteSchemas(schema, actual, rewriteForAjv) as object,
  );
  return (value) => validate(value) === true;
}

/** A new instance for every schema, so that no identifier of one is known to another. */
function createAjv(dialect: Dialect, matches: PatternMatcher): Ajv {
  const regExp = Object.assign((source: string) => new PatternTester(source, matches), { code: "matcher" });
  const options: Options = { ...OPTIONS, code: { optimize: false, regExp } };
  if (dialect === "2020-12") return new Ajv2020(options);
  if (dialect === "2019-09") return new Ajv2019(options);
  const ajv = new Ajv(options);
  if (dialect !== "draft7") {
    ajv.addMetaSchema(createRequire(import.meta.url)("ajv/dist/refs/json-schema-draft-06.json") as object);
  }
  return ajv;
}

const rewriteForAjv: ReplaceSchema = (schema, dialect) => {
  const onlyReference = !since(dialect, "2019-09") && own(schema, "$ref") !== undefined;
  const members = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    if (onlyReference && keyword !== "$ref" && keyword !== "definitions") return [];
    return rewriteMember(keyword, value, schema, dialect);
  });
  return spellPatterns(objectFrom(members), dialect);
};

function rewriteMember(keyword: string, value: Json, schema: JsonObject, dialect: Dialect): [string, Json][] {
  if (keyword === "$schema")
    return dialect === "draft4" ? [] : [["$schema", SCHEMA_URI[dialect] + emptyFragment(dialect)]];
  if (keyword === "id" || keyword === "$id") return keyword === idKeyword(dialect) ? [["$id", value]] : [];
  if (AJV_ONLY.has(keyword) && !isAnchor(keyword, dialect)) return [];
  if (DEFINED_IN_SOME_DIALECT.has(keyword) && !defines(dialect, keyword)) return [];
  if (dialect === "draft4" && /^(exclusiveM|m)(ax|in)imum$/.test(keyword))
    return rewriteLimit(keyword, value, schema);
  return [[keyword, defines(dialect, keyword) || LITERAL.has(keyword) ? value : withoutIdentifiers(value)]];
}

/** Identifiers count only where schemas stand; Ajv looks for them everywhere. */
function withoutIdentifiers(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutIdentifiers);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => !/^(\$?id|\$anchor|\$dynamicAnchor)$/.test(key));
  return objectFrom(members.map(([key, each]) => [key, withoutIdentifiers(each)]));
}

function isAnchor(keyword: string, dialect: Dialect): boolean {
  if (keyword === "$anchor") return since(dialect, "2019-09");
  return (
    keyword === (dialect === "2020-12" ? "$dynamicAnchor" : "$recursiveAnchor") && since(dialect, "2019-09")
  );
}

function emptyFragment(dialect: Dialect): string {
  return since(dialect, "2019-09") ? "" : "#";
}

/** Draft-04 has a boolean beside a limit; draft-06 has a limit of its own. */
function rewriteLimit(keyword: string, value: Json, schema: JsonObject): [string, Json][] {
  if (keyword.startsWith("exclusive")) return [];
  const exclusive = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  return [[own(schema, exclusive) === true ? exclusive : keyword, value]];
}
