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
import { DIALECTS, type Dialect, hidesSiblings, idKeyword } from "../../schema/dialects.js";
import { defines, keywordsOf } from "../../schema/keywords.js";
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

/** Keywords that Ajv acts upon though no dialect defines them. */
const AJV_ONLY = ["nullable", "$async", "discriminator"];

/** Keywords that Ajv acts upon, also in dialects that do not define them. */
const EFFECTIVE = new Set(
  DIALECTS.flatMap((dialect) =>
    [...keywordsOf(dialect)].flatMap(([name, { facet, subject, value }]) =>
      (facet === "annotations" && value !== "anchor") || subject === "definition" ? [] : [name],
    ),
  ),
);

/** Compiles a schema with Ajv. `matches` decides about patterns. Throws where Ajv cannot compile the schema. */
export function compileWithAjv(schema: Json, dialect: Dialect, matches = matchNatively): Validate {
  if (typeof schema === "boolean") return () => schema;
  const actual = statedDialect(schema) ?? dialect;
  const validate = createAjv(actual, matches).compile(
    rewriteSchemas(schema, actual, rewriteForAjv) as object,
  );
  return (value) => validate(value) === true;
}

/** Creates an instance for one schema, so that it knows no identifier of another one. */
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
  const onlyReference = hidesSiblings(schema, dialect);
  const members = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    if (onlyReference && keyword !== "$ref" && keyword !== "definitions") return [];
    return rewriteMember(keyword, value, schema, dialect);
  });
  return spellPatterns(objectFrom(members), dialect);
};

function rewriteMember(keyword: string, value: Json, schema: JsonObject, dialect: Dialect): [string, Json][] {
  const isDefined = defines(dialect, keyword);
  if (AJV_ONLY.includes(keyword) || (EFFECTIVE.has(keyword) && !isDefined)) return [];
  if (keyword === idKeyword(dialect)) return [["$id", value]];
  if (dialect === "draft4" && keyword === "$schema") return [];
  if (dialect === "draft4" && /^(exclusiveM|m)(ax|in)imum$/.test(keyword))
    return rewriteLimit(keyword, value, schema);
  return [[keyword, isDefined ? value : withoutIdentifiers(value)]];
}

/** Identifiers count only where schemas stand; Ajv looks for them everywhere. */
function withoutIdentifiers(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutIdentifiers);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => !/^(\$?id|\$anchor|\$dynamicAnchor)$/.test(key));
  return objectFrom(members.map(([key, each]) => [key, withoutIdentifiers(each)]));
}

/** Rewrites a limit of draft-04, which has a boolean beside it, to draft-06, which has two kinds of limits. */
function rewriteLimit(keyword: string, value: Json, schema: JsonObject): [string, Json][] {
  if (keyword.startsWith("exclusive")) return [];
  const exclusive = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  return [[own(schema, exclusive) === true ? exclusive : keyword, value]];
}
