/** Finds the fields that all events of a union have, which become fields of the envelope. */
import { areEqual, getMembers, getOwn, isObject, type Json, type JsonObject, listItems } from "../json.js";
import {
  BRANCHES,
  createSpotWithoutPlace,
  type DescriptionOf,
  describeSchema,
  EVERYTHING,
  listStatements,
} from "../schema/describe.js";
import { mergeFields } from "../schema/merge.js";
import { type Definitions, getTargetName } from "../schema/reference.js";

/** Fields of an envelope, as keywords of its schema. */
export interface SharedFields {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/**
 * Keywords about fields that may be named elsewhere. A schema that has one of them keeps its fields together, because their
 * place could change what it means.
 */
const BINDING_KEYWORDS = [
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "dependentRequired",
  "dependentSchemas",
  "if",
  "not",
  "unevaluatedProperties",
] as const;

/**
 * Returns the fields other than `discriminator` that each alternative declares in the same way: with equal schemas,
 * annotations aside, and either always or never required, if `allowed` has them. Returns none if that could change what an alternative accepts.
 */
export function findSharedFields(
  alternatives: readonly { readonly schema: JsonObject }[],
  discriminator: string,
  definitions: Definitions,
  allowed?: ReadonlySet<string>,
): SharedFields {
  const [first, ...others] = alternatives.map(({ schema }) => listMovableFields(schema, definitions));
  if (first === undefined || others.length === 0) return { properties: {}, required: [] };
  const names = [...first.keys()].filter((name) => {
    const field = first.get(name);
    if (allowed?.has(name) === false) return false;
    return name !== discriminator && others.every((fields) => isSame(field, fields.get(name)));
  });
  return {
    properties: Object.fromEntries(names.map((name) => [name, first.get(name)?.schema ?? true])),
    required: names.filter((name) => first.get(name)?.isRequired),
  };
}

/** A field of which all parts of an event say the same. */
interface MovableField {
  readonly schema: Json;
  readonly isRequired: boolean;
}

function isSame(a: MovableField | undefined, b: MovableField | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.isRequired === b.isRequired &&
    areEqual(dropTexts(a.schema), dropTexts(b.schema))
  );
}

function listMovableFields(schema: JsonObject, definitions: Definitions): ReadonlyMap<string, MovableField> {
  const description = describeSchema([createSpotWithoutPlace(schema)], definitions, EVERYTHING, BRANCHES);
  const movable = new Map<string, MovableField>();
  if (isBinding(description)) return movable;
  for (const { name, spots, isCertain, isRequired, requiredAt } of mergeFields(description).values()) {
    const [first, ...others] = spots.map((spot) => spot.schema);
    const isUniform =
      first !== undefined && others.every((other) => areEqual(dropTexts(first), dropTexts(other)));
    const isConditional = requiredAt !== undefined && !isRequired;
    if (isUniform && isCertain && !isConditional && !isForbiddenSomewhere(schema, name, definitions))
      movable.set(name, { schema: first, isRequired });
  }
  return movable;
}

function isBinding(description: DescriptionOf<keyof typeof EVERYTHING>): boolean {
  return BINDING_KEYWORDS.some((keyword) => listStatements(description, keyword).length > 0);
}

/** Returns whether a closed part of a schema lacks the field, and thus forbids it. */
function isForbiddenSomewhere(
  schema: Json,
  name: string,
  definitions: Definitions,
  visited: readonly Json[] = [],
): boolean {
  if (!isObject(schema) || visited.includes(schema)) return false;
  if (schema.additionalProperties === false && getOwn(getMembers(schema.properties), name) === undefined)
    return true;
  const target = getOwn(definitions, getTargetName(schema) ?? "")?.schema ?? true;
  const parts = [target, ...[schema.allOf, schema.anyOf, schema.oneOf].flatMap(listItems)];
  return parts.some((part) => isForbiddenSomewhere(part, name, definitions, [...visited, schema]));
}

/** Drops the texts about a field, which restrict no values. */
function dropTexts(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const {
    title: _title,
    description: _description,
    examples: _examples,
    $comment: _comment,
    ...rest
  } = schema;
  return rest;
}
