/** Decides whether the schema of an object lists its fields, and whether it accepts others. */
import { isObject, type Json } from "../json.js";
import { describesObjects } from "../schema/close-objects.js";
import {
  BRANCHES,
  CONJUNCTION,
  createSpotWithoutPlace,
  type DescriptionOf,
  describeSchema,
  EVERYTHING,
  listStatements,
} from "../schema/describe.js";
import { collectRequired, deriveTypes, mergeFields } from "../schema/merge.js";
import { collectDeclaredFields, collectDeclaredPatterns } from "../schema/object-family.js";
import {
  createFindSchema,
  type Definitions,
  type FindSchema,
  formatReference,
  getTargetName,
} from "../schema/reference.js";
import { walk } from "../schema/walk.js";
import type { Bundle } from "./bundle.js";

/** Returns whether a schema, or a definition of it, states of any object that it has no undeclared fields. */
export function closesObjects({ schema, definitions, dialect }: Bundle): boolean {
  let isClosing = false;
  for (const each of [schema, ...Object.values(definitions).map((definition) => definition.schema)])
    walk(
      each,
      ({ additionalProperties, unevaluatedProperties }) => {
        isClosing ||= additionalProperties === false || unevaluatedProperties === false;
      },
      dialect,
    );
  return isClosing;
}

/** Describes everything that certainly applies to a value of all these schemas. */
export function describeConjunction(schemas: readonly Json[], definitions: Definitions) {
  return describeSchema(schemas.map(createSpotWithoutPlace), definitions, EVERYTHING, CONJUNCTION);
}

/** Lists the alternatives of each `anyOf` and `oneOf`. */
export function listUnions(description: DescriptionOf<"alternatives">): (readonly Json[])[] {
  return [...listStatements(description, "anyOf"), ...listStatements(description, "oneOf")].flatMap(
    ({ value }) => (Array.isArray(value) ? [value] : []),
  );
}

/**
 * Collects the schemas of fields that several parts of one object describe, if a schema lacks a field that another one
 * declares. If it were closed, it would refuse that field.
 */
export function collectPartialSchemas(schemas: readonly Json[], definitions: Definitions): ReadonlySet<Json> {
  const findSchema = createFindSchema(definitions);
  const partial = new Set<Json>();
  const numbers = new Map<Json, number>();
  const visited = new Set<string>();
  const visit = (parts: readonly Json[]): void => {
    for (const { spots } of mergeFields(describeConjunction(parts, definitions)).values()) {
      const described = new Set(spots.map(({ schema }) => resolveSchema(schema, findSchema)));
      for (const each of described) if (!numbers.has(each)) numbers.set(each, numbers.size);
      const key = [...described].map((each) => numbers.get(each)).join();
      if (described.size < 2 || visited.has(key)) continue;
      visited.add(key);
      const declared = new Map(
        [...described].map((each) => [each, mergeFields(describeConjunction([each], definitions))]),
      );
      const names = new Set([...declared.values()].flatMap((fields) => [...fields.keys()]));
      for (const [each, fields] of declared) if (fields.size < names.size) partial.add(each);
      visit([...described]);
    }
  };
  for (const schema of schemas)
    walk(schema, (node) => {
      const branches = [node.anyOf, node.oneOf].flatMap((union) => (Array.isArray(union) ? union : []));
      for (const branch of branches) visit([node, branch]);
      if (node.allOf !== undefined || (node.$ref !== undefined && describesObjects(node))) visit([node]);
    });
  return partial;
}

/** Returns the schema that a reference without siblings leads to; else the schema itself. */
function resolveSchema(schema: Json, findSchema: FindSchema): Json {
  const name = isObject(schema) && !describesObjects(schema) ? getTargetName(schema) : undefined;
  return name === undefined ? schema : findSchema(formatReference(name));
}

/**
 * Returns a test of schemas that asks about each schema once. `ask` may use the test for parts of the schema. The answer about
 * a schema that is a part of itself is no there.
 */
function rememberAnswers(
  ask: (schema: Json, test: (part: Json) => boolean) => boolean,
): (schema: Json) => boolean {
  const answers = new Map<Json, boolean>();
  const test = (schema: Json): boolean => {
    const known = answers.get(schema);
    if (known !== undefined) return known;
    answers.set(schema, false);
    const answer = ask(schema, test);
    answers.set(schema, answer);
    return answer;
  };
  return test;
}

/** Returns whether the schema rejects every object with undeclared fields. */
export function isSealed(schema: Json, definitions: Definitions): boolean {
  return rememberAnswers((each, isPartSealed) => isSealedBy(each, definitions, isPartSealed))(schema);
}

function isSealedBy(schema: Json, definitions: Definitions, isPartSealed: (part: Json) => boolean): boolean {
  const description = describeConjunction([schema], definitions);
  if (description.isNever || !deriveTypes(description).set.has("object")) return true;
  const closingKeywords = [
    ...listStatements(description, "additionalProperties"),
    ...listStatements(description, "unevaluatedProperties"),
  ];
  if (closingKeywords.some(({ value }) => value === false)) return true;
  return listUnions(description).some((union) => union.every(isPartSealed));
}

/**
 * Returns whether these schemas of one value list the fields of its objects: each alternative declares some, and every
 * required field is declared. An object without declared fields is a map or holds any content, so writers could send
 * nothing in it if it were closed.
 */
export function declaresItsFields(schemas: readonly Json[], definitions: Definitions): boolean {
  const isDeclaring = rememberAnswers((branch, test) => declaresFields([branch], definitions, test));
  return declaresFields(schemas, definitions, isDeclaring) && declaresRequired(schemas, definitions);
}

/** Returns whether the schemas, or every alternative for objects, declare fields. */
function declaresFields(
  schemas: readonly Json[],
  definitions: Definitions,
  isDeclaring: (branch: Json) => boolean,
): boolean {
  const description = describeConjunction(schemas, definitions);
  if (mergeFields(description).size > 0 || collectDeclaredPatterns(description).length > 0) return true;
  return listUnions(description).some((union) => {
    const objects = union.filter((branch) =>
      deriveTypes(describeConjunction([branch], definitions)).set.has("object"),
    );
    return objects.length > 0 && objects.every(isDeclaring);
  });
}

/** Returns whether the schemas and their alternatives declare all required fields, and at least `minProperties` fields. */
function declaresRequired(schemas: readonly Json[], definitions: Definitions): boolean {
  const family = describeSchema(schemas.map(createSpotWithoutPlace), definitions, EVERYTHING, BRANCHES);
  if (collectDeclaredPatterns(family).length > 0) return true;
  const declaredFields = collectDeclaredFields(family);
  const dependent = listStatements(family, "dependentRequired").flatMap(({ value }) =>
    isObject(value) ? Object.values(value).flat().map(String) : [],
  );
  const minProperties = Math.max(
    0,
    ...listStatements(family, "minProperties").map(({ value }) => Number(value)),
  );
  return (
    minProperties <= declaredFields.size &&
    [...collectRequired(family).keys(), ...dependent].every((name) => declaredFields.has(name))
  );
}
