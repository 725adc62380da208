/** One kind of value that a schema accepts and another one refuses, and the schema that describes it. */
import type { Json, JsonObject } from "../../json.js";

/** A step from a value to one of its fields or items. */
export type DifferenceStep =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "item"; readonly afterFirst: number }
  | { readonly kind: "tuple item"; readonly index: number }
  | { readonly kind: "other field"; readonly declared: DeclaredNames };

/** The names of fields that a schema declares. */
export interface DeclaredNames {
  readonly fields: readonly string[];
  readonly patterns: readonly string[];
}

/** What makes a value one that is refused. */
export type DifferenceCondition =
  | { readonly kind: "anything" }
  | { readonly kind: "absent"; readonly field: string }
  | { readonly kind: "present"; readonly field: string }
  | { readonly kind: "undeclared field"; readonly declared: DeclaredNames }
  | { readonly kind: "fraction" }
  | { readonly kind: "types"; readonly types: readonly string[] }
  | { readonly kind: "values"; readonly values: readonly Json[] }
  /** A value of these types, or of any type, that is none of `values`. */
  | {
      readonly kind: "other values";
      readonly types: readonly string[] | undefined;
      readonly values: readonly Json[];
    }
  /** A value that the schema refuses. It has one keyword, or keywords that mean something only together. */
  | { readonly kind: "refused"; readonly schema: JsonObject };

/** A field that tells alternatives apart, and the values with which the case is about. */
export interface Guard {
  readonly steps: readonly DifferenceStep[];
  readonly values: readonly Json[];
}

/** The values whose part at `steps` fulfils the condition, among those that fulfil all guards. */
export interface DifferenceCase {
  /** Each guard begins with steps of the case, and ends with fields. */
  readonly guards: readonly Guard[];
  readonly steps: readonly DifferenceStep[];
  readonly condition: DifferenceCondition;
  /**
   * The type of the value that the condition is about, if that has to be said: the first schema also accepts values without a
   * value there, or with one of another type, and the words of the condition would be true of these as well.
   */
  readonly onlyType?: string;
}

/** Returns the schema of the values that belong to a case. */
export function createCaseSchema({ guards, steps, condition }: DifferenceCase): Json {
  const createSchemaAt = (depth: number): Json => {
    const step = steps[depth];
    const inner =
      step === undefined
        ? createConditionSchema(condition)
        : createStepSchema(step, createSchemaAt(depth + 1));
    const guardSchemas = guards
      .filter((guard) => findGuardedDepth(guard) === depth)
      .map(({ steps: path, values }) =>
        path
          .slice(depth)
          .reduceRight<Json>((schema, each) => createStepSchema(each, schema), { enum: values }),
      );
    return guardSchemas.length === 0 ? inner : { allOf: [...guardSchemas, inner] };
  };
  return createSchemaAt(0);
}

/** Returns how many steps lead to the value that a guard is about: the innermost item, or the whole value. */
export function findGuardedDepth({ steps }: Guard): number {
  return steps.findLastIndex(({ kind }) => kind !== "field") + 1;
}

/** Returns the schema of the values that have a part at `step` with the schema `inner`. */
function createStepSchema(step: DifferenceStep, inner: Json): Json {
  switch (step.kind) {
    case "field":
      return { type: "object", required: [step.name], properties: { [step.name]: inner } };
    case "tuple item":
      return {
        type: "array",
        minItems: step.index + 1,
        prefixItems: [...Array.from({ length: step.index }, () => true), inner],
      };
    case "item":
      return step.afterFirst === 0
        ? { type: "array", contains: inner }
        : {
            type: "array",
            not: {
              prefixItems: Array.from({ length: step.afterFirst }, () => true),
              items: { not: inner },
            },
          };
    case "other field":
      return {
        type: "object",
        not: { ...allowDeclared(step.declared), additionalProperties: { not: inner } },
      };
  }
}

function createConditionSchema(condition: DifferenceCondition): Json {
  switch (condition.kind) {
    case "anything":
      return true;
    case "absent":
      return { type: "object", not: { required: [condition.field] } };
    case "present":
      return { type: "object", required: [condition.field] };
    case "undeclared field":
      return {
        type: "object",
        not: { ...allowDeclared(condition.declared), additionalProperties: false },
      };
    case "fraction":
      return { type: "number", not: { type: "integer" } };
    case "types":
      return { type: condition.types };
    case "values":
      return { enum: condition.values };
    case "other values":
      return {
        ...(condition.types && { type: condition.types }),
        not: { enum: condition.values },
      };
    case "refused":
      return { not: condition.schema };
  }
}

function allowDeclared({ fields, patterns }: DeclaredNames): JsonObject {
  const properties = Object.fromEntries(fields.map((name) => [name, true]));
  const patternProperties = Object.fromEntries(patterns.map((pattern) => [pattern, true]));
  return { properties, ...(patterns.length > 0 && { patternProperties }) };
}
