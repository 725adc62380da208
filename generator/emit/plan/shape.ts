/** Describes the values of a schema as far as types of typed languages can express it: JSON types, fields, lists and bounds. */
import { isObject, type Json } from "../../json.js";
import {
  BRANCHES,
  CONJUNCTION,
  createSpotWithoutPlace,
  type Description,
  describeSchema,
  EVERYTHING,
  findOmittedKeywords,
  listHeldSchemas,
  listStatements,
  omitKeywords,
  SELF,
} from "../../schema/describe.js";
import { filterKeywords } from "../../schema/keywords.js";
import { BOUNDS, findStrictestBound, findValueList, mergeFields } from "../../schema/merge.js";
import { derivePossibleTypes } from "../../schema/possible-types.js";
import { type Definitions, getTargetName } from "../../schema/reference.js";
import { CATALOG_KEYWORDS, IN_CATALOG, WRITER_ONLY } from "./constraints.js";

const IN_COMMENT = { reason: "only the doc comment states it", result: "wider" } as const;
export const WITHOUT_TYPE = { reason: "the types cannot express it", result: "wider" } as const;
const ONLY_TEXTS = { reason: "only lists of texts are checked", result: "wider" } as const;
const ONE_TYPE = { reason: "a map or list has one type of values", result: "narrower" } as const;

/** The facets of a schema that types of typed languages express. The types hold every value that the schema accepts, and more. */
export const TYPE_FACETS = {
  ...EVERYTHING,
  texts: IN_COMMENT,
  contains: WITHOUT_TYPE,
  conditions: { reason: "the fields of conditions are optional", result: "wider" },
  writer: WRITER_ONLY,
  except: {
    ...CATALOG_KEYWORDS,
    ...omitKeywords(
      IN_CATALOG,
      "x-stability",
      "x-deprecated-since",
      "x-requires",
      "x-known-values",
      "x-sensitive",
      "x-replaces",
    ),
    ...omitKeywords(WITHOUT_TYPE, "multipleOf", "uniqueItems", "minContains", "maxContains"),
    ...omitKeywords(WITHOUT_TYPE, "unevaluatedItems", "unevaluatedProperties"),
    ...omitKeywords(ONE_TYPE, "patternProperties", "prefixItems"),
  },
} as const;

/** Returns the facets that types without unions express. A value with alternatives is of the type `anyValue`. */
export function describeFacetsWithoutUnions(anyValue: string) {
  const branches = {
    reason: `a value with alternatives is a \`${anyValue}\`, or has all their fields`,
    result: "wider",
  } as const;
  return {
    ...TYPE_FACETS,
    bounds: IN_COMMENT,
    except: {
      ...TYPE_FACETS.except,
      ...omitKeywords(branches, "anyOf", "oneOf"),
      ...omitKeywords(ONLY_TEXTS, "const", "enum"),
      ...omitKeywords(WITHOUT_TYPE, "minProperties", "maxProperties"),
    },
  } as const;
}

/** A field of an object. Several branches may declare it. */
export interface ShapeField {
  readonly name: string;
  /** The schemas that certainly apply or, if there are none, those of branches. */
  readonly schemas: readonly Json[];
  /** True if the object is always described with this field, not only in a branch. */
  readonly isCertain: boolean;
  readonly required: boolean;
}

/** The values that a schema lists. An open list may be extended later. */
export interface ListedValues {
  readonly values: readonly Json[];
  readonly isOpen: boolean;
}

/** The strictest bounds by the names of `BOUNDS`. */
export type Bounds = { readonly [name: string]: { readonly value: number; readonly isExclusive: boolean } };

/** The shape of the values of a schema. */
export interface Shape {
  /** The definition that the schema refers to without saying more about the shape. */
  readonly definition: string | undefined;
  /** The JSON types except null, and except integer if other numbers are allowed, too. */
  readonly types: readonly string[];
  readonly isNullable: boolean;
  /** The fields that any branch declares. */
  readonly fields: readonly ShapeField[];
  /** The schema of all values of a map, and of all items of a list; undefined if there is none. */
  readonly values: Json | undefined;
  readonly items: Json | undefined;
  /** The values of an enum, open or closed; undefined if any value is allowed. */
  readonly listed: ListedValues | undefined;
  readonly bounds: Bounds;
}

/** Returns the shape of `schema`. That of `anyOf: [X, {type: "null"}]` is the shape of X, as a nullable one. */
export function describeShape(schema: Json, definitions: Definitions): Shape {
  const unwrappedSchema = unwrapNullable(schema, definitions);
  const description = describeSchema(
    createSpotWithoutPlace(unwrappedSchema),
    definitions,
    TYPE_FACETS,
    BRANCHES,
  );
  const types = derivePossibleTypes(unwrappedSchema, definitions);
  return {
    definition: findDefinition(unwrappedSchema),
    types: [...types].filter((type) => type !== "null" && (type !== "integer" || !types.has("number"))),
    isNullable: derivePossibleTypes(schema, definitions).has("null"),
    fields: listFields(unwrappedSchema, description, definitions),
    values: findValueSchema(description, "additionalProperties"),
    items: findValueSchema(description, "items"),
    ...describeLimits(unwrappedSchema, definitions),
  };
}

/** Returns the listed values and bounds that certainly apply. Null counts as a type, not as a value. */
function describeLimits(schema: Json, definitions: Definitions): Pick<Shape, "listed" | "bounds"> {
  // The bounds of a definition are those of its own type.
  const policy = findDefinition(schema) === undefined ? CONJUNCTION : SELF;
  const description = describeSchema(createSpotWithoutPlace(schema), definitions, TYPE_FACETS, policy);
  const closedList = findValueList(description, "closed");
  const list = closedList ?? findValueList(description, "open");
  const bounds = BOUNDS.flatMap((kind) => {
    const bound = findStrictestBound(description, kind);
    return bound === undefined ? [] : [[kind.name, bound] as const];
  });
  return {
    listed: list && { values: list.values, isOpen: closedList === undefined },
    bounds: Object.fromEntries(bounds),
  };
}

function listFields(
  schema: Json,
  described: Description<typeof TYPE_FACETS>,
  definitions: Definitions,
): ShapeField[] {
  const conjunction = describeSchema(createSpotWithoutPlace(schema), definitions, TYPE_FACETS, CONJUNCTION);
  const certain = mergeFields(conjunction);
  return [...mergeFields(described).values()].map(({ name, spots, isRequired }) => ({
    name,
    schemas: (certain.get(name)?.spots ?? spots).map((spot) => spot.schema),
    isCertain: certain.has(name),
    required: isRequired,
  }));
}

/** Returns the schema of all values of a map or list. Returns `true` if some of them may have another type. */
function findValueSchema(
  described: Description<typeof TYPE_FACETS>,
  keyword: "additionalProperties" | "items",
): Json | undefined {
  const statement = listStatements(described, keyword).find(
    ({ value, isCertain }) => isCertain && isObject(value),
  );
  if (statement === undefined) return undefined;
  return findOmittedKeywords(described).some(({ result }) => result === "narrower") ? true : statement.value;
}

/** The keywords that determine a type. A schema without them has the type of the definition that it refers to. */
const SHAPING_KEYWORDS = filterKeywords(
  ({ facet }, name) =>
    name !== "required" &&
    (["types", "values", "properties", "items", "composition", "alternatives"] as const).some(
      (each) => each === facet,
    ),
);

function findDefinition(schema: Json): string | undefined {
  if (!isObject(schema) || Object.keys(schema).some((keyword) => SHAPING_KEYWORDS.has(keyword)))
    return undefined;
  return getTargetName(schema);
}

function unwrapNullable(schema: Json, definitions: Definitions): Json {
  const description = describeSchema(createSpotWithoutPlace(schema), definitions, TYPE_FACETS, SELF);
  if (listStatements(description, "type").length + listStatements(description, "properties").length > 0)
    return schema;
  for (const keyword of ["anyOf", "oneOf", "allOf"] as const) {
    const [only, ...others] = listHeldSchemas(description, keyword)
      .map((node) => node.schema)
      .filter((branch) => [...derivePossibleTypes(branch, definitions)].some((type) => type !== "null"));
    if (others.length === 0 && isObject(only)) return unwrapNullable(only, definitions);
  }
  return schema;
}
