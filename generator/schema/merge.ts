/** Combines the statements of a description about types, listed values, bounds and fields. */
import { formatCanonicalJson, getJsonType, isObject, type Json, listItems } from "../json.js";
import {
  type Coverage,
  createSpotBelow,
  type DescriptionOf,
  listHeldSchemas,
  listStatements,
  readFirstValue,
  type Spot,
  type Statement,
} from "./describe.js";
import { EVERY_TYPE } from "./json-schema.js";
import type { KeywordName } from "./keywords.js";
import { readListedValues } from "./listed-values.js";

/** The types that a value may have. `number` is never in the set without `integer`. */
interface Types {
  readonly set: ReadonlySet<string>;
  /** True if `type` or a list of values limits the types. */
  readonly isStated: boolean;
  readonly spot?: Spot;
}

/** Returns the types that all parts allow by `type`. If no part has `type`, returns the types of the listed values. */
export function deriveTypes(description: DescriptionOf<"types" | "values">): Types {
  const statements = listStatements(description, "type");
  const [first] = statements;
  if (first) {
    const [types = [], ...others] = statements.map(({ value }) => addIntegers([value].flat().map(String)));
    const common = types.filter((type) => others.every((list) => list.includes(type)));
    return { set: new Set(common), isStated: true, spot: first.spot };
  }
  const list = findValueList(description, "closed") ?? findValueList(description, "open");
  if (!list) return { set: EVERY_TYPE, isStated: false };
  return { set: new Set(addIntegers(list.values.map(getJsonType))), isStated: true, spot: list.spot };
}

/** Returns the types, with `integer` after `number`. */
export function addIntegers(types: readonly string[]): string[] {
  return types.flatMap((type) => (type === "number" ? ["number", "integer"] : [type]));
}

/** The values of a closed list (`enum`, `const`) or of an open one (`x-extensible-enum`). */
export interface ValueList {
  /** The values without null, which counts as a type. */
  readonly values: readonly Json[];
  readonly spot: Spot;
}

/** Returns the values that all closed lists, or all open ones, have in common; undefined if there is no list. */
export function findValueList(
  description: DescriptionOf<"values">,
  kind: "closed" | "open",
): ValueList | undefined {
  const lists = kind === "open" ? collectOpenLists(description) : collectClosedLists(description);
  const [first] = lists;
  const values = intersectValues(lists)?.filter((value) => value !== null);
  return first && values && { values, spot: first.spot };
}

/** Returns the values that all lists have in common, closed ones and open ones; undefined if there is no list. */
export function collectKnownValues(description: DescriptionOf<"values">): readonly Json[] | undefined {
  return intersectValues([...collectClosedLists(description), ...collectOpenLists(description)]);
}

function intersectValues(lists: readonly Statement[]): readonly Json[] | undefined {
  const [first, ...others] = lists.map(({ value }) => (Array.isArray(value) ? value : []));
  return first && others.reduce(keepValues, first);
}

function collectOpenLists(description: DescriptionOf<"values">): Statement[] {
  return listStatements(description, "x-extensible-enum");
}

/** Returns the lists of `enum` and `const`. A `const` is a list of one value. */
export function collectClosedLists(description: DescriptionOf<"values">): Statement[] {
  const single = listStatements(description, "const").map((each) => ({ ...each, value: [each.value] }));
  return [...listStatements(description, "enum"), ...single];
}

/** Returns all values of `x-known-values`, which limit nothing; undefined if no part has the keyword. */
export function findSuggestedValues(description: DescriptionOf<"annotations">): ValueList | undefined {
  const lists = listStatements(description, "x-known-values");
  const [first] = lists;
  const values = lists.flatMap(({ value }) => listItems(value));
  return first && { values, spot: first.spot };
}

/** Returns every listed value, those of `const` last. The value of a `const` is fixed: no other value is allowed. */
export function listStatedValues(description: DescriptionOf<"values">) {
  const lists = [...listStatements(description, "enum"), ...collectOpenLists(description)];
  const fixed = listStatements(description, "const").map((each) => ({ ...each, isFixed: true }));
  const listedValues = lists.flatMap(({ value, spot }) =>
    (Array.isArray(value) ? value : [value]).map((each: Json) => ({ value: each, spot, isFixed: false })),
  );
  return [...listedValues, ...fixed];
}

/** Returns the values that a list has, too. */
export function keepValues(values: readonly Json[], list: readonly Json[]): Json[] {
  const texts = new Set(list.map(formatCanonicalJson));
  return values.filter((value) => texts.has(formatCanonicalJson(value)));
}

/** Returns the values that a list does not have. */
export function omitValues(values: readonly Json[], list: readonly Json[]): Json[] {
  const texts = new Set(list.map(formatCanonicalJson));
  return values.filter((value) => !texts.has(formatCanonicalJson(value)));
}

/** A limit of a size or a number. */
interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
  readonly spot: Spot;
}

/** A kind of bound, with the keywords that state it. */
interface BoundKind {
  readonly name: KeywordName & `${"min" | "max"}${string}`;
  /** The keyword whose value is not allowed itself. */
  readonly exclusive?: "exclusiveMinimum" | "exclusiveMaximum";
  readonly isUpper: boolean;
}

/** Lower and upper bounds of numbers and sizes. */
export const BOUNDS: readonly BoundKind[] = [
  { name: "minimum", exclusive: "exclusiveMinimum", isUpper: false },
  { name: "maximum", exclusive: "exclusiveMaximum", isUpper: true },
  { name: "minLength", isUpper: false },
  { name: "maxLength", isUpper: true },
  { name: "minItems", isUpper: false },
  { name: "maxItems", isUpper: true },
  { name: "minProperties", isUpper: false },
  { name: "maxProperties", isUpper: true },
  { name: "minContains", isUpper: false },
  { name: "maxContains", isUpper: true },
];

/** Returns the strictest of the stated bounds of one kind. */
export function findStrictestBound(description: DescriptionOf<"bounds">, kind: BoundKind): Bound | undefined {
  const { name, exclusive, isUpper } = kind;
  const listBounds = (keyword: typeof name | typeof exclusive, isExclusive: boolean) =>
    keyword === undefined
      ? []
      : listStatements(description, keyword).map(({ value, spot }) => ({ value, isExclusive, spot }));
  const bounds = [...listBounds(name, false), ...listBounds(exclusive, true)];
  const numbers = bounds.filter((bound): bound is Bound => typeof bound.value === "number");
  return numbers.sort((a, b) => compareStrictness(a, b, isUpper))[0];
}

/** Returns a negative number if `a` allows less than `b`. */
export function compareStrictness(a: Bound, b: Bound, isUpper: boolean): number {
  if (a.value === b.value) return Number(b.isExclusive) - Number(a.isExclusive);
  return isUpper ? a.value - b.value : b.value - a.value;
}

/** A declared field of an object. */
export interface Field {
  readonly name: string;
  /** Every schema that declares the field. */
  readonly spots: readonly Spot[];
  /** True if a part that certainly applies requires the field, so that each object has it. */
  readonly isRequired: boolean;
  /** The spot that requires the field, also if it does so only under a condition. */
  readonly requiredAt?: Spot;
  /** True if a part that certainly applies declares the field. */
  readonly isCertain: boolean;
  /** The index of the field in the order of declarations. */
  readonly index: number;
}

/** Returns the declared fields by name, in the order of the parts. */
export function mergeFields(description: DescriptionOf<"properties">): Map<string, Field> {
  const declared = new Map<string, { spots: Spot[]; isCertain: boolean }>();
  for (const { value, spot, isCertain } of listStatements(description, "properties")) {
    if (!isObject(value)) continue;
    for (const [name, schema] of Object.entries(value)) {
      const declaration = declared.get(name) ?? { spots: [], isCertain: false };
      declared.set(name, declaration);
      declaration.spots.push(createSpotBelow(spot, schema, name));
      declaration.isCertain ||= isCertain;
    }
  }
  const required = collectRequired(description);
  return new Map(
    [...declared].map(([name, { spots, isCertain }], index): [string, Field] => {
      const requirement = required.get(name);
      const field = { name, spots, isCertain, isRequired: requirement?.isCertain === true, index };
      return [name, requirement === undefined ? field : { ...field, requiredAt: requirement.spot }];
    }),
  );
}

/** Returns a statement for each required name, one that certainly applies if there is one. */
export function collectRequired(description: DescriptionOf<"properties">): Map<string, Statement> {
  const required = new Map<string, Statement>();
  for (const { value, spot, isCertain } of listStatements(description, "required")) {
    if (!Array.isArray(value)) continue;
    for (const [index, name] of value.entries())
      if (typeof name === "string" && (isCertain || required.get(name)?.isCertain !== true))
        required.set(name, { value: name, spot: createSpotBelow(spot, name, index), isCertain });
  }
  return required;
}

/** Returns the schemas of all alternatives, those of `anyOf` first. */
export function listAlternatives(description: DescriptionOf<"alternatives">): Spot[] {
  return [...listHeldSchemas(description, "anyOf"), ...listHeldSchemas(description, "oneOf")];
}

/** Returns the first value of an annotation. A schema that refers to a definition overrides the annotations of the definition. */
export function readAnnotation(
  description: DescriptionOf<"annotations">,
  keyword: AnnotationName,
): Json | undefined {
  return readFirstValue(description, keyword);
}

/** The name of an annotation keyword. */
export type AnnotationName = Parameters<
  typeof listStatements<Coverage & { readonly annotations: "used" }>
>[1];

/** Returns the only value that a schema allows by `const` or by an `enum` of one value; undefined if there is none. */
export function findFixedValue(description: DescriptionOf<"values">): Json | undefined {
  for (const { value } of collectClosedLists(description))
    if (Array.isArray(value) && value.length === 1) return value[0];
  return undefined;
}

/** Returns the only text that a schema allows; undefined if it allows other values. References are not followed. */
export function findFixedText(schema: Json): string | undefined {
  const [list, ...others] = readListedValues(schema);
  if (list === undefined || list.isOpen || others.length > 0 || list.values.length !== 1) return undefined;
  const [value] = list.values;
  return typeof value === "string" ? value : undefined;
}
