/** What the parts of a description say together: types, listed values, bounds, fields. */
import { canonical, isObject, type Json, jsonType } from "../json.js";
import {
  below,
  type Coverage,
  type Describes,
  heldNodes,
  type SchemaNode,
  type Statement,
  statements,
} from "./describe.js";
import type { KeywordName } from "./keywords.js";

/** Every JSON type. */
const JSON_TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"] as const;

/** The types that a value may have. `number` is never there without `integer`. */
interface Types {
  readonly set: ReadonlySet<string>;
  /** Whether something limits the types: `type`, or a list of values. */
  readonly stated: boolean;
  readonly spot?: SchemaNode;
}

/** Returns the types that all parts allow by `type`, or without it those of the listed values. */
export function typesOf(description: Describes<"types" | "values">): Types {
  const stated = statements(description, "type");
  const [first] = stated;
  if (first) {
    const [types = [], ...others] = stated.map(({ value }) => withIntegers([value].flat().map(String)));
    const common = types.filter((type) => others.every((list) => list.includes(type)));
    return { set: new Set(common), stated: true, spot: first.spot };
  }
  const list = listOf(description, "closed") ?? listOf(description, "open");
  if (!list) return { set: new Set(JSON_TYPES), stated: false };
  return { set: new Set(withIntegers(list.values.map(jsonType))), stated: true, spot: list.spot };
}

function withIntegers(types: readonly string[]): string[] {
  return types.flatMap((type) => (type === "number" ? ["number", "integer"] : [type]));
}

/** Listed values: `closed` by `enum` or `const`, `open` by `x-extensible-enum`, where others may come. */
export interface ValueList {
  /** Without null, which is a matter of types. */
  readonly values: readonly Json[];
  readonly spot: SchemaNode;
}

/** Returns the values that all closed lists, or all open ones, have in common; undefined if there is no list. */
export function listOf(description: Describes<"values">, kind: "closed" | "open"): ValueList | undefined {
  const lists = kind === "open" ? openLists(description) : closedLists(description);
  const [first] = lists;
  const values = commonValues(lists)?.filter((value) => value !== null);
  return first && values && { values, spot: first.spot };
}

/** Returns the values that all lists have in common, closed ones and open ones; undefined if there is no list. */
export function knownValues(description: Describes<"values">): readonly Json[] | undefined {
  return commonValues([...closedLists(description), ...openLists(description)]);
}

function commonValues(lists: readonly Statement[]): readonly Json[] | undefined {
  const [first, ...others] = lists.map(({ value }) => (Array.isArray(value) ? value : []));
  return first?.filter((value) => others.every((other) => hasValue(other, value)));
}

function openLists(description: Describes<"values">): Statement[] {
  return statements(description, "x-extensible-enum");
}

/** Returns the lists of `enum` and `const`, one value for `const`. */
export function closedLists(description: Describes<"values">): Statement[] {
  const single = statements(description, "const").map((each) => ({ ...each, value: [each.value] }));
  return [...statements(description, "enum"), ...single];
}

/** Returns whether a list holds a value. */
export function hasValue(list: readonly Json[], value: Json): boolean {
  const wanted = canonical(value);
  return list.some((each) => canonical(each) === wanted);
}

/** A limit on a size or number. */
interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
  readonly spot: SchemaNode;
}

/** A kind of bound and the keywords that state it. */
interface BoundKind {
  readonly name: KeywordName & `${"min" | "max"}${string}`;
  readonly exclusive?: "exclusiveMinimum" | "exclusiveMaximum";
  readonly upper: boolean;
}

/** Lower and upper bounds of numbers and sizes. */
export const BOUNDS: readonly BoundKind[] = [
  { name: "minimum", exclusive: "exclusiveMinimum", upper: false },
  { name: "maximum", exclusive: "exclusiveMaximum", upper: true },
  { name: "minLength", upper: false },
  { name: "maxLength", upper: true },
  { name: "minItems", upper: false },
  { name: "maxItems", upper: true },
  { name: "minProperties", upper: false },
  { name: "maxProperties", upper: true },
  { name: "minContains", upper: false },
  { name: "maxContains", upper: true },
];

/** Returns the strictest of the stated bounds of one kind. */
export function boundOf(description: Describes<"bounds">, kind: BoundKind): Bound | undefined {
  const { name, exclusive, upper } = kind;
  const stated = (keyword: typeof name | typeof exclusive, isExclusive: boolean) =>
    keyword === undefined
      ? []
      : statements(description, keyword).map(({ value, spot }) => ({ value, exclusive: isExclusive, spot }));
  const all = [...stated(name, false), ...stated(exclusive, true)];
  const numbers = all.filter((bound): bound is Bound => typeof bound.value === "number");
  return numbers.sort((a, b) => compareStrictness(a, b, upper))[0];
}

/** Returns a negative number if `a` allows less than `b`. */
export function compareStrictness(a: Bound, b: Bound, upper: boolean): number {
  return (upper ? a.value - b.value : b.value - a.value) || Number(b.exclusive) - Number(a.exclusive);
}

/** A declared field of an object. */
export interface Field {
  readonly name: string;
  /** Every schema that declares it. */
  readonly spots: readonly SchemaNode[];
  /** Whether each object has it: a part that certainly applies requires it. */
  readonly required: boolean;
  /** Where it is required, certainly or not. */
  readonly requiredAt?: SchemaNode;
  /** Whether a part that certainly applies declares it. */
  readonly certain: boolean;
  /** Its number in the order of declarations. */
  readonly index: number;
}

/** Returns the declared fields by name, in the order of the parts. */
export function fieldsOf(description: Describes<"properties">): Map<string, Field> {
  const declared = new Map<string, { spots: SchemaNode[]; certain: boolean }>();
  for (const { value, spot, certain } of statements(description, "properties"))
    for (const [name, schema] of Object.entries(isObject(value) ? value : {})) {
      const known = declared.get(name) ?? { spots: [], certain: false };
      known.spots.push(below(spot, schema, name));
      declared.set(name, { spots: known.spots, certain: known.certain || certain });
    }
  const required = requiredOf(description);
  return new Map(
    [...declared].map(([name, { spots, certain }], index): [string, Field] => {
      const at = required.get(name);
      const field = { name, spots, certain, required: at?.certain === true, index };
      return [name, at === undefined ? field : { ...field, requiredAt: at.spot }];
    }),
  );
}

/** Returns where each required name is required: the last place that certainly applies, if there is one. */
export function requiredOf(description: Describes<"properties">): Map<string, Statement> {
  const required = new Map<string, Statement>();
  for (const { value, spot, certain } of statements(description, "required"))
    for (const [i, name] of Array.isArray(value) ? value.entries() : [])
      if (typeof name === "string" && (certain || required.get(name)?.certain !== true))
        required.set(name, { value: name, spot: below(spot, name, i), certain });
  return required;
}

/** Returns the schemas of all alternatives, those of `anyOf` first. */
export function alternativesOf(description: Describes<"alternatives">): SchemaNode[] {
  return [...heldNodes(description, "anyOf"), ...heldNodes(description, "oneOf")];
}

/** Returns the first value of an annotation: what refers to a definition overrides it. */
export function annotation(description: Describes<"annotations">, keyword: AnnotationName): Json | undefined {
  return statements(description, keyword)[0]?.value;
}

/** The name of an annotation keyword. */
export type AnnotationName = Parameters<typeof statements<Coverage & { readonly annotations: "used" }>>[1];

/** Returns the one value that a schema fixes, by `const` or an `enum` of one value. */
export function fixedValue(description: Describes<"values">): Json | undefined {
  for (const { value } of closedLists(description))
    if (Array.isArray(value) && value.length === 1) return value[0];
  return undefined;
}
