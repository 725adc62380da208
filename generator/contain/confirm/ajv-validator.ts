/**
 * Validates with Ajv, one of the two validators that confirm a witness. Ajv does not read draft-04, and it acts on keywords
 * that a dialect leaves undefined. Therefore each schema is first rewritten to one that Ajv reads with the same meaning:
 * `id` and the boolean limits of draft-04 are written as in draft-06, and keywords that the dialect does not define are left
 * out.
 */
import { createRequire } from "node:module";
import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createObject, getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { DIALECTS, type Dialect, getIdKeyword, hidesSiblings } from "../../schema/dialects.js";
import { getKeywords, isKeywordOf } from "../../schema/keywords.js";
import { type ReplaceSchema, readStatedDialect, rewriteSchemas } from "../schema/rewrite-schemas.js";
import {
  matchNatively,
  type PatternMatcher,
  PatternTester,
  rewritePatterns,
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

/** Keywords that Ajv acts upon although no dialect defines them. */
const AJV_ONLY = ["nullable", "$async", "discriminator"];

/**
 * Keywords that Ajv acts upon, also in dialects that do not define them. Ajv ignores definitions, and annotations other than
 * anchors.
 */
const KEYWORDS_OF_AJV = new Set(
  DIALECTS.flatMap((dialect) =>
    [...getKeywords(dialect)].flatMap(([name, { facet, subject, value }]) =>
      (facet === "annotations" && value !== "anchor") || subject === "definition" ? [] : [name],
    ),
  ),
);

/** The keywords of draft-04 that limit numbers. */
const LIMITS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

/** Compiles a schema with Ajv. `matches` decides about patterns. Throws if Ajv cannot compile the schema. */
export function compileWithAjv(schema: Json, dialect: Dialect, matches = matchNatively): Validate {
  if (typeof schema === "boolean") return () => schema;
  const schemaDialect = readStatedDialect(schema) ?? dialect;
  const rewrittenSchema = rewriteSchemas(schema, schemaDialect, rewriteForAjv);
  const validate = createAjv(schemaDialect, matches).compile(rewrittenSchema as object);
  return (value) => validate(value) === true;
}

/** Creates an instance for one schema, so that it does not know the identifiers of other schemas. */
function createAjv(dialect: Dialect, matches: PatternMatcher): Ajv {
  const regExp = Object.assign((source: string) => new PatternTester(source, matches), { code: "matcher" });
  const options: Options = { ...OPTIONS, code: { optimize: false, regExp } };
  if (dialect === "2020-12") return new Ajv2020(options);
  if (dialect === "2019-09") return new Ajv2019(options);
  const ajv = new Ajv(options);
  if (dialect !== "draft7") {
    ajv.addMetaSchema(createRequire(import.meta.url)("ajv/dist/refs/json-schema-draft-06.json"));
  }
  return ajv;
}

const rewriteForAjv: ReplaceSchema = (schema, dialect) => {
  const hasOnlyReference = hidesSiblings(schema, dialect);
  const members = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    if (hasOnlyReference && keyword !== "$ref" && keyword !== "definitions") return [];
    return rewriteMember(keyword, value, schema, dialect);
  });
  return rewritePatterns(createObject(members), dialect);
};

function rewriteMember(keyword: string, value: Json, schema: JsonObject, dialect: Dialect): [string, Json][] {
  const isDefined = isKeywordOf(dialect, keyword);
  if (AJV_ONLY.includes(keyword) || (KEYWORDS_OF_AJV.has(keyword) && !isDefined)) return [];
  if (keyword === getIdKeyword(dialect)) return [["$id", value]];
  if (dialect === "draft4" && keyword === "$schema") return [];
  if (dialect === "draft4" && LIMITS.includes(keyword)) return rewriteLimit(keyword, value, schema);
  return [[keyword, isDefined ? value : removeIdentifiers(value)]];
}

/** Removes identifiers from a value that is not a schema, because Ajv would read them there, too. */
function removeIdentifiers(value: Json): Json {
  if (Array.isArray(value)) return value.map(removeIdentifiers);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => !/^(\$?id|\$anchor|\$dynamicAnchor)$/.test(key));
  return createObject(members.map(([key, each]) => [key, removeIdentifiers(each)]));
}

/**
 * Rewrites a limit of draft-04. If a boolean beside it makes it exclusive, it becomes `exclusiveMinimum` or
 * `exclusiveMaximum` of draft-06.
 */
function rewriteLimit(keyword: string, value: Json, schema: JsonObject): [string, Json][] {
  if (keyword.startsWith("exclusive")) return [];
  const exclusive = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  return [[getOwn(schema, exclusive) === true ? exclusive : keyword, value]];
}
