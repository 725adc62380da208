/** Pulls the conjunction of the keywords of a schema back through a change of the value that it describes. */
import { type Json, type JsonObject, listItems } from "../../json.js";
import { readSubschema, type Schema } from "../../schema/json-schema.js";
import { getDefinitionName } from "../../schema/reference.js";
import { and, implies, not, or, type Places } from "./predicate.js";
import type { Definitions } from "./presence.js";

/** How a condition is pulled back. */
export interface Context {
  readonly definitions: Definitions;
  /** Returns whether a schema, which may refer to the definitions, accepts a value. */
  readonly accepts: (schema: Schema, value: Json) => boolean;
  /** Returns how the texts that match a pattern, `language`, satisfy another one. */
  readonly relateTexts: (language: string, pattern: string) => TextRelation;
  /** The places of the event before the step. */
  readonly places: Places;
  /** True below a negation, where a stricter condition would become a weaker one. */
  readonly isExact: boolean;
}

/** How the texts of a set satisfy a pattern: all of them, none, or some. "some" is also the answer if this is not certain. */
export type TextRelation = "all" | "none" | "some";

/** Thrown if a condition cannot be expressed. The question whether the plan is right is then undecided. */
export class InexpressibleCondition extends Error {}

/** Returns the condition under which a changed value satisfies a schema. */
type PullBack = (schema: Schema, context: Context) => Schema;

/**
 * Returns the condition under which a changed value satisfies all keywords of `schema`. `pull` pulls back the schemas that
 * describe the same value, and `pullKeyword` pulls back the keywords that do not combine schemas.
 */
export function pullBackKeywords(
  schema: Schema,
  context: Context,
  pull: PullBack,
  pullKeyword: (keyword: string, value: Json, schema: JsonObject) => Schema,
): Schema {
  if (typeof schema === "boolean") return schema;
  return and(
    ...Object.entries(schema).map(
      ([keyword, value]) =>
        pullBackCombination(keyword, value, schema, context, pull) ?? pullKeyword(keyword, value, schema),
    ),
  );
}

/** Pulls back a keyword that combines schemas. Returns undefined for other keywords. */
function pullBackCombination(
  keyword: string,
  value: Json,
  schema: JsonObject,
  context: Context,
  pull: PullBack,
): Schema | undefined {
  const apply = (part: Json): Schema => pull(readSubschema(part), context);
  const applyExactly = (part: Json): Schema => pull(readSubschema(part), { ...context, isExact: true });
  const parts = listItems(value);
  switch (keyword) {
    case "$ref":
      return apply(context.definitions[getDefinitionName(String(value))] ?? true);
    case "allOf":
      return and(...parts.map(apply));
    case "anyOf":
      return or(...parts.map(apply));
    case "oneOf":
      return { oneOf: parts.map((each) => applyExactly(each)) };
    case "not":
      return not(applyExactly(value));
    case "if": {
      const condition = applyExactly(value);
      return and(
        implies(condition, apply(schema.then ?? true)),
        implies(not(condition), apply(schema.else ?? true)),
      );
    }
    // `if` pulls these two back.
    case "then":
    case "else":
    case "$defs":
      return true;
    default:
      return undefined;
  }
}
