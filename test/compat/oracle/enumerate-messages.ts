/**
 * Creates messages of a schema: one with all fields, one with the required fields, and messages that differ from these
 * in one place. The values lie at the bounds of both sides of a comparison. fast-check adds random messages.
 */
import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { getList, getObject } from "./protocol-files.js";
import { walkInPlaceSchemas } from "./read-messages.js";

/** The numbers of values for one place, of messages for one schema, and of random messages. */
const MAX_VALUES = 14;
const MAX_OBJECTS = 90;
const SAMPLES = 40;

const STRINGS = ["", "a", "b", "x", "y", "ab", "bb", "abc", "xyz", "abcd", "z-1", "new"];
const NUMBERS = [0, 1, 2, 3, 4, 6, 12, -1, 0.5, 1.5];

/** The schemas that describe one value: those that its values should satisfy, and those of the other side. */
interface Views {
  readonly own: readonly Json[];
  readonly other: readonly Json[];
}

/**
 * Returns messages that `own` allows as far as scalars are concerned. The values that `other` states are tried as well.
 * The same seed gives the same messages.
 */
export function enumerateMessages(own: Json, other: Json, seed: number): Json[] {
  const views = { own: [own], other: [other] };
  const sampled = fc.sample(createMessageArbitrary(views, 6), { numRuns: SAMPLES, seed });
  return dropDuplicates([...enumerateValues(views, 6, MAX_OBJECTS), ...sampled]);
}

/** Returns values of one place, the simplest first. */
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

/** Returns all schemas of one value, with those inside of allOf and its like, for each combination of own alternatives. */
function listAlternatives({ own, other }: Views): Views[] {
  const others = other.flatMap((schema) => [...walkInPlaceSchemas(schema, ["x-writer"])]);
  return combineAlternatives(own).map((schemas) => ({ own: schemas, other: others }));
}

/** The maximum number of combinations of alternatives. */
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

/** Returns scalars that every own schema accepts, among them constants and bounds of both sides. */
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
  const accepted = dropDuplicates(pool).filter((value) =>
    own.every((schema) => acceptsScalar(schema, value)),
  );
  return limitScalars(accepted, named.length);
}

/** Shortens a list. Keeps the first `named` values, and some of each type of the others. */
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

/** Returns false if a keyword about scalars refuses the value. */
function acceptsScalar(schema: Json, value: Json): boolean {
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
  const declared = listNames(own);
  // An open object may also have the fields of the other side, and an unknown one.
  const isOpen =
    own.some((schema) => isObject(schema) && schema.additionalProperties !== undefined) ||
    declared.length === 0;
  const names: string[] = isOpen
    ? [...new Set([...declared, ...listNames(other), "unknown"])]
    : [...declared];
  if (own.some((schema) => isObject(schema) && schema.patternProperties !== undefined)) names.push("x1");
  const required = new Set(own.flatMap((schema) => getList(schema, "required")));
  return names.map((name) => ({
    name,
    views: { own: listDeclarations(own, name), other: listDeclarations(other, name) },
    isRequired: required.has(name),
  }));
}

function listNames(schemas: readonly Json[]): string[] {
  return [...new Set(schemas.flatMap((schema) => Object.keys(getObject(schema, "properties"))))];
}

function listDeclarations(schemas: readonly Json[], name: string): Json[] {
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
  const createObject = (names: readonly string[]): JsonObject =>
    Object.fromEntries(
      names.flatMap((name): [string, Json][] => {
        const value = values.get(name)?.[0];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const usual = fields.filter(({ name }) => name !== "unknown").map(({ name }) => name);
  const full = createObject(usual);
  const smallest = createObject(fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])));
  const changed: Json[][] = fields.map(({ name, isRequired }) => {
    const { [name]: _dropped, ...without } = full;
    const others = (values.get(name) ?? []).flatMap((value) => [
      { ...full, [name]: value },
      { ...smallest, [name]: value },
    ]);
    return isRequired ? others : [without, ...others];
  });
  return dropDuplicates([full, smallest, ...interleave(changed)]).slice(0, limit);
}

/** Returns the first item of each list, then the second item of each, and so on. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}

function createItemViews({ own, other }: Views): { readonly tuple: readonly Views[]; readonly items: Views } {
  const listItemSchemas = (schemas: readonly Json[], index?: number): Json[] =>
    schemas.flatMap((schema) => {
      const tuple = getList(schema, "prefixItems");
      if (index !== undefined && tuple[index] !== undefined) return [tuple[index]];
      return isObject(schema) && schema.items !== undefined ? [schema.items] : [];
    });
  const length = Math.max(0, ...own.map((schema) => getList(schema, "prefixItems").length));
  return {
    tuple: Array.from({ length }, (_, index) => ({
      own: listItemSchemas(own, index),
      other: listItemSchemas(other, index),
    })),
    items: { own: listItemSchemas(own), other: listItemSchemas(other) },
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

/** Creates an arbitrary of random values of one place. */
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
