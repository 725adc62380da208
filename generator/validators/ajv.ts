import type { Ajv2020, KeywordErrorDefinition, Options } from "ajv/dist/2020.js";
import type { Json } from "../json.js";
import { FORMATS } from "../schema/formats.js";
import { loadAjv } from "./ajv-package.js";
import { fixKeywords } from "./fix-keywords.js";

/** Messages that replace those of Ajv, which do not name the values of an enum or const. */
const MESSAGES: { readonly [keyword: string]: KeywordErrorDefinition["message"] } = {
  enum: ({ schema }) => `must be ${joinAlternatives((schema as readonly Json[]).map(quote))}`,
  const: ({ schema }) => `must be ${quote(schema)}`,
  minLength: ({ schema }) => (schema === 1 ? "must not be empty" : `must have at least ${schema} characters`),
  pattern: ({ schema }) => `must match ${schema}`,
  format: ({ schema }) => `must be a valid ${schema}`,
  // The keyword that fails inside of the condition has its own error.
  if: "must fit its condition",
  required: ({ params }) => loadAjv().str`must have the field ${params.missingProperty}`,
  additionalProperties: "is not declared here",
  unevaluatedProperties: "is not declared here",
};

/** Keywords whose errors name the property. */
const KEYWORDS_WITH_PROPERTY = new Set(["additionalProperties", "unevaluatedProperties"]);

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
      rule.definition.error =
        KEYWORDS_WITH_PROPERTY.has(rule.keyword) && params
          ? { message: ownMessage, params }
          : { message: ownMessage };
    }
  return ajv;
}

function quote(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Joins words: `a`, `a or b`, `a, b or c`. */
function joinAlternatives(words: readonly string[]): string {
  const shown = words.length > 20 ? [...words.slice(0, 20), `${words.length - 20} more`] : words;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} or ${shown.at(-1)}`;
}
