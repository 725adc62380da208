import type { Ajv2020, Code, KeywordErrorDefinition, Options } from "ajv/dist/2020.js";
import type { KeywordErrorCxt } from "ajv/dist/types/index.js";
import { isObject, type Json, listItems } from "../json.js";
import { FORMATS } from "../schema/formats.js";
import { loadAjv } from "./ajv-package.js";
import { fixKeywords } from "./fix-keywords.js";

/** Messages that replace those of Ajv, which do not name the values of an enum or const. */
const MESSAGES: { readonly [keyword: string]: KeywordErrorDefinition["message"] } = {
  enum: ({ schema }) => `must be ${joinAlternatives(listItems(schema).map(quote))}`,
  const: ({ schema }) => `must be ${quote(schema)}`,
  minLength: ({ schema }) => (schema === 1 ? "must not be empty" : `must have at least ${schema} characters`),
  pattern: ({ schema }) => `must match ${schema}`,
  format: ({ schema }) => `must be a valid ${schema}`,
  // The keyword that fails inside of the condition has its own error.
  if: "must fit its condition",
  required: ({ params }) => loadAjv().str`must have the field ${params.missingProperty}`,
  additionalProperties: "is not declared here",
  unevaluatedProperties: "is not declared here",
  propertyNames: "is a field whose name is not allowed",
  not: ({ schema }) => describeNegation(schema),
};

/** The message about a value where the schema accepts none. It replaces that of Ajv. */
export const FORBIDDEN = "is not allowed here";

/** Keywords whose errors name the property. */
const KEYWORDS_WITH_PROPERTY = new Set(["additionalProperties", "unevaluatedProperties", "propertyNames"]);

/**
 * Creates an Ajv for readings of protocol schemas: 2020-12, all errors, no defaults, formats of the table and no others.
 * Readings hold checked keywords only, so Ajv's own schema checks are off. An error holds `instancePath`, `keyword` and
 * `message`, and `params` only where it names an undeclared property.
 */
export function makeAjv(options: Options = {}): Ajv2020 {
  const ajv = new (loadAjv().Ajv2020)({
    allErrors: true,
    strict: false,
    strictNumbers: true,
    validateSchema: false,
    meta: false,
    logger: false,
    ...options,
  });
  for (const [name, { pattern }] of FORMATS) ajv.addFormat(name, pattern);
  fixKeywords(ajv);
  for (const rule of Object.values(ajv.RULES.all))
    if (typeof rule === "object" && rule.definition.error) {
      const { message, params } = rule.definition.error;
      const ownMessage = MESSAGES[rule.keyword] ?? message;
      rule.definition.error = {
        message: (cxt) =>
          describeMissingTag(cxt) ??
          addName(cxt, typeof ownMessage === "function" ? ownMessage(cxt) : ownMessage),
        ...(KEYWORDS_WITH_PROPERTY.has(rule.keyword) && params && { params }),
      };
    }
  return ajv;
}

/** Returns the message about a value that has none of the tags of a union; undefined for other errors. */
function describeMissingTag({ params }: KeywordErrorCxt): string | undefined {
  const tag: unknown = params.tag;
  if (tag === undefined) return undefined;
  const { property, values } = tag as { readonly property: string; readonly values: readonly Json[] };
  return `must have ${joinAlternatives(values.map(quote))} in the field ${property}`;
}

/** Returns the message of an error. If the checked text is the name of a field, the message names it. */
function addName({ it }: KeywordErrorCxt, message: Code | string): Code | string {
  return it.propertyName === undefined
    ? message
    : loadAjv().str`has the field ${it.propertyName}, whose name ${message}`;
}

/** Returns the message about a value that fits the schema below `not`. It describes simple schemas only. */
function describeNegation(schema: Json): string {
  if (!isObject(schema)) return FORBIDDEN;
  const { enum: values, const: value, required, anyOf } = schema;
  const names = Array.isArray(required) ? required.map(String) : [];
  const keywords = Object.keys(schema);
  if (keywords.length === 1 && Array.isArray(values))
    return `must not be ${joinAlternatives(values.map(quote))}`;
  if (keywords.length === 1 && value !== undefined) return `must not be ${quote(value)}`;
  if (keywords.length === 1 && names.length > 0)
    return `must not have the field${names.length > 1 ? "s" : ""} ${names.join(" and ")}`;
  const alternatives = keywords.length === 1 && Array.isArray(anyOf) ? anyOf.map(describeNegation) : [];
  const beginning = "must not have the field ";
  if (alternatives.length > 0 && alternatives.every((each) => each.startsWith(beginning)))
    return beginning + joinAlternatives(alternatives.map((each) => each.slice(beginning.length)));
  return "must not fit the schema below `not`";
}

function quote(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Joins words: `a`, `a or b`, `a, b or c`. */
function joinAlternatives(words: readonly string[]): string {
  const parts = words.length > 20 ? [...words.slice(0, 20), `${words.length - 20} more`] : words;
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;
}
