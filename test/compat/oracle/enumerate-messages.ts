/**
 * Messages of a schema: a full one, a smallest one, and those that differ from them in one place, with values at the
 * bounds that either side of a comparison names; and random ones, from fast-check.
 */
import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { getList, getObject } from "./protocol-files.js";

/** How many values one place gets, and how many messages one schema. */
const MAX_VALUES = 14;
const MAX_OBJECTS = 90;
const SAMPLES = 40;

const STRINGS = ["", "a", "b", "x", "y", "ab", "bb", "abc", "xyz", "abcd", "z-1", "new"];
const NUMBERS = [0, 1, 2, 3, 4, 6, 12, -1, 0.5, 1.5];

/** The schemas that describe one value: those whose values are wanted, and those of the other side. */
interface Views {
  readonly own: readonly Json[];
  readonly other: readonly Json[];
}

/** Messages that `own` allows as far as scalars go; `other` adds values of interest. The same seed gives the same messages. */
export function enumerateMessages(own: Json, other: Json, seed: number): Json[] {
  const views = { own: [own], other: [other] };
  const sampled = fc.sample(createMessageArbitrary(views, 6), { numRuns: SAMPLES, seed });
  const messages = [...enumerateValues(views, 6, MAX_OBJECTS), ...sampled];
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}

/** Values of one place, the plainest first. */
function enumerateValues(views: Views, depth: number, limit: number): Json[] {
  const found: Json[] = [];
  for (const choice of listAlternatives(views)) {
    found.push(...listScalars(choice));
    if (canBe(choice.own, "object")) found.push(...enumerateObjects(choice, depth, limit));
    if (canBe(choice.own, "array")) found.push(...enumerateArrays(choice, depth, limit));
  }
  return dropDuplicates(found).slice(0, limit);
}

function dropDuplicates(values: readonly Json[]): Json[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** All schemas of one value, in-place parts included, for each combination of alternatives of the own side. */
function listAlternatives({ own, other }: Views): Views[] {
  const others = other.flatMap((schema) => [...walkInPlaceSchemas(schema)]);
  return combineAlternatives(own).map((schemas) => ({ own: schemas, other: others }));
}

const MAX_CHOICES = 4;

function combineAlternatives(schemas: readonly Json[]): Json[][] {
  let choices: Json[][] = [[]];
  for (const schema of schemas) {
    if (!isObject(schema)) continue;
    const forced = [
      ...getList(schema, "allOf"),
      schema.then ?? true,
      schema.else ?? true,
      schema["x-writer"] ?? true,
    ];
    forced.push(...Object.values(getObject(schema, "dependentSchemas")));
    let own: Json[][] = combineAlternatives(forced).map((each) => [schema, ...each]);
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const branches = getList(schema, keyword);
      if (branches.length === 0) continue;
      const options = branches.flatMap((branch) => combineAlternatives([branch]));
      own = options.flatMap((option) => own.map((each) => [...each, ...option])).slice(0, MAX_CHOICES);
    }
    choices = choices.flatMap((before) => own.map((each) => [...before, ...each])).slice(0, MAX_CHOICES);
  }
  return choices;
}

function* walkInPlaceSchemas(schema: Json | undefined): Generator<JsonObject> {
  if (!isObject(schema)) return;
  yield schema;
  for (const keyword of ["allOf", "anyOf", "oneOf"])
    for (const each of getList(schema, keyword)) yield* walkInPlaceSchemas(each);
  for (const keyword of ["then", "else", "if", "not", "x-writer"]) yield* walkInPlaceSchemas(schema[keyword]);
  for (const each of Object.values(getObject(schema, "dependentSchemas"))) yield* walkInPlaceSchemas(each);
}

/** Scalars that every own schema takes, constants and bounds of both sides among them. */
function listScalars({ own, other }: Views): Json[] {
  const all = [...own, ...other].filter(isObject);
  const named = all.flatMap((schema) => [
    ...(schema.const === undefined ? [] : [schema.const]),
    ...getList(schema, "enum"),
    ...getList(schema, "x-extensible-enum"),
  ]);
  const lengths = all.flatMap((schema) => listNeighbours(schema.minLength, schema.maxLength));
  const strings = lengths
    .filter((length) => length >= 0)
    .flatMap((length) => ["abcdefgh".slice(0, length), "x".repeat(length)]);
  const numbers = all.flatMap((schema) => [
    ...listNeighbours(schema.minimum, schema.maximum, schema.exclusiveMinimum, schema.exclusiveMaximum),
    ...(typeof schema.multipleOf === "number" ? [schema.multipleOf, schema.multipleOf * 2] : []),
  ]);
  const pool = [...named, ...STRINGS, ...NUMBERS, true, false, null, ...strings, ...numbers];
  const fitting = dropDuplicates(pool).filter((value) => own.every((schema) => fitsScalar(schema, value)));
  return limitScalars(fitting, named.length);
}

/** Limits a list, keeping the named values and some of each kind of the others. */
function limitScalars(values: readonly Json[], named: number): Json[] {
  if (values.length <= MAX_VALUES) return [...values];
  const rest = values.slice(named);
  const kinds = new Map<string, Json[]>();
  for (const value of rest) kinds.set(getKind(value), [...(kinds.get(getKind(value)) ?? []), value]);
  const each = Math.max(2, Math.floor((MAX_VALUES - named) / kinds.size));
  return [
    ...values.slice(0, named),
    ...[...kinds.values()].flatMap((list) => [...list.slice(0, each - 1), ...list.slice(-1)]),
  ];
}

function listNeighbours(...bounds: readonly (Json | undefined)[]): number[] {
  return bounds.flatMap((bound) => (typeof bound === "number" ? [bound - 1, bound, bound + 1] : []));
}

function getKind(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Whether the scalar keywords of a schema take a value; what they do not decide passes. */
function fitsScalar(schema: Json, value: Json): boolean {
  if (!isObject(schema)) return schema !== false;
  const { type, const: only, pattern } = schema;
  if (type !== undefined && ![type].flat().some((each) => isOfType(value, each))) return false;
  if (only !== undefined && only !== value) return false;
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false;
  const known = getList(schema, "x-extensible-enum");
  if (known.length > 0 && !known.includes(value) && value !== null) return false;
  if (typeof value === "string")
    return (
      isWithin(value.length, schema.minLength, schema.maxLength) &&
      (typeof pattern !== "string" || new RegExp(pattern, "u").test(value))
    );
  if (typeof value === "number")
    return (
      isWithin(value, schema.minimum, schema.maximum) &&
      (typeof schema.multipleOf !== "number" || Number.isInteger(value / schema.multipleOf))
    );
  return true;
}

function isWithin(value: number, low: Json | undefined, high: Json | undefined): boolean {
  return !(typeof low === "number" && value < low) && !(typeof high === "number" && value > high);
}

function isOfType(value: Json, type: Json): boolean {
  if (type === "integer") return Number.isInteger(value);
  return getKind(value) === type;
}

function canBe(schemas: readonly Json[], type: string): boolean {
  return schemas.every(
    (schema) =>
      schema !== false &&
      (!isObject(schema) ||
        ((schema.type === undefined || [schema.type].flat().includes(type)) &&
          schema.const === undefined &&
          schema.enum === undefined)),
  );
}

interface Field {
  readonly name: string;
  readonly views: Views;
  readonly isRequired: boolean;
}

function listFields({ own, other }: Views): Field[] {
  const declared = namesIn(own);
  // Where anything passes, the fields of the other side are of interest, and one that nobody knows.
  const open =
    own.some((schema) => isObject(schema) && schema.additionalProperties !== undefined) ||
    declared.length === 0;
  const names: string[] = open ? [...new Set([...declared, ...namesIn(other), "unknown"])] : [...declared];
  if (own.some((schema) => isObject(schema) && schema.patternProperties !== undefined)) names.push("x1");
  const required = new Set(own.flatMap((schema) => getList(schema, "required")));
  return names.map((name) => ({
    name,
    views: { own: declarationsOf(own, name), other: declarationsOf(other, name) },
    isRequired: required.has(name),
  }));
}

function namesIn(schemas: readonly Json[]): string[] {
  return [...new Set(schemas.flatMap((schema) => Object.keys(getObject(schema, "properties"))))];
}

function declarationsOf(schemas: readonly Json[], name: string): Json[] {
  return schemas.flatMap((schema) => {
    const properties = getObject(schema, "properties");
    if (Object.hasOwn(properties, name)) return [properties[name] ?? true];
    const patterns = Object.entries(getObject(schema, "patternProperties"));
    const matching = patterns.flatMap(([pattern, each]) =>
      new RegExp(pattern, "u").test(name) ? [each] : [],
    );
    if (matching.length > 0) return matching;
    const others = isObject(schema) ? schema.additionalProperties : undefined;
    return isObject(others) ? [others] : [];
  });
}

function enumerateObjects(views: Views, depth: number, limit: number): Json[] {
  if (depth === 0) return [{}];
  const fields = listFields(views);
  const values = new Map(
    fields.map(({ name, views: below }) => [name, enumerateValues(below, depth - 1, Math.max(8, limit / 2))]),
  );
  const first = (names: readonly string[]): JsonObject =>
    Object.fromEntries(
      names.flatMap((name): [string, Json][] => {
        const value = values.get(name)?.[0];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const usual = fields.filter(({ name }) => name !== "unknown").map(({ name }) => name);
  const full = first(usual);
  const least = first(fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])));
  const changed: Json[][] = fields.map(({ name, isRequired }) => {
    const { [name]: _dropped, ...without } = full;
    const others = (values.get(name) ?? []).flatMap((value) => [
      { ...full, [name]: value },
      { ...least, [name]: value },
    ]);
    return isRequired ? others : [without, ...others];
  });
  return dropDuplicates([full, least, ...interleave(changed)]).slice(0, limit);
}

/** The first of each list, then the second of each, and so on. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}

function createItemViews({ own, other }: Views): { readonly tuple: readonly Views[]; readonly items: Views } {
  const at = (schemas: readonly Json[], index?: number): Json[] =>
    schemas.flatMap((schema) => {
      const tuple = getList(schema, "prefixItems");
      if (index !== undefined && tuple[index] !== undefined) return [tuple[index]];
      return isObject(schema) && schema.items !== undefined ? [schema.items] : [];
    });
  const length = Math.max(0, ...own.map((schema) => getList(schema, "prefixItems").length));
  return {
    tuple: Array.from({ length }, (_, index) => ({ own: at(own, index), other: at(other, index) })),
    items: { own: at(own), other: at(other) },
  };
}

function enumerateArrays(views: Views, depth: number, limit: number): Json[] {
  if (depth === 0) return [[]];
  const { tuple, items } = createItemViews(views);
  const values = enumerateValues(items, depth - 1, Math.max(6, limit / 3));
  const first = tuple.map((each) => enumerateValues(each, depth - 1, 6));
  const start = first.map(([value]) => value ?? null);
  const [one = null, two = one] = values;
  const tuples = first.flatMap((list, index) =>
    list.map((value) => start.map((old, i) => (i === index ? value : old))),
  );
  const plain = [[], [one], [one, two], [one, one], [one, two, one], ...values.map((value) => [value])];
  return dropDuplicates(
    first.length > 0
      ? [...tuples, ...start.map((_, i) => start.slice(0, i)), [...start, one], ...plain]
      : plain,
  );
}

/** Random values of one place. */
function createMessageArbitrary(views: Views, depth: number): fc.Arbitrary<Json> {
  const kinds = listAlternatives(views).flatMap((choice): fc.Arbitrary<Json>[] => {
    const scalars = listScalars(choice);
    return [
      ...(scalars.length > 0 ? [fc.constantFrom(...scalars)] : []),
      ...(canBe(choice.own, "object") ? [createObjectArbitrary(choice, depth)] : []),
      ...(canBe(choice.own, "array") ? [createArrayArbitrary(choice, depth)] : []),
    ];
  });
  return kinds.length > 0 ? fc.oneof(...kinds) : fc.constant(null);
}

function createObjectArbitrary(views: Views, depth: number): fc.Arbitrary<Json> {
  if (depth === 0) return fc.constant({});
  const fields = listFields(views);
  const model = Object.fromEntries(
    fields.map((field) => [field.name, createMessageArbitrary(field.views, depth - 1)]),
  );
  const requiredKeys = fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  return fc.record(model, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Json>;
}

function createArrayArbitrary(views: Views, depth: number): fc.Arbitrary<Json> {
  if (depth === 0) return fc.constant([]);
  const { tuple, items } = createItemViews(views);
  const rest = fc.array(createMessageArbitrary(items, depth - 1), { maxLength: 3 });
  if (tuple.length === 0) return rest;
  const start = fc.tuple(...tuple.map((each) => createMessageArbitrary(each, depth - 1)));
  return fc.tuple(start, rest).map(([first, others]) => [...first, ...others]);
}
