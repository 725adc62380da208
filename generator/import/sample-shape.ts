/**
 * The shape of sample values. It grows with each value, and its schema accepts every value that was added. Nothing is
 * guessed that the next sample could refute: no enums, bounds or formats, only fields, their types, and which of them
 * every sample has.
 */
import { isObject, type Json, type JsonObject, jsonType, objectFrom } from "../json.js";
import { FORMATS } from "../schema/formats.js";

/** The values that were added in one place. */
interface Shape {
  /** Types of the values, as JSON Schema names them. */
  readonly types: Set<string>;
  /** How many of them were objects. */
  objects: number;
  readonly fields: Map<string, { count: number; readonly shape: Shape }>;
  items?: Shape;
  /** The formats that every string so far has; undefined before the first string. */
  formats?: ReadonlySet<string>;
  /** Whether a value in it was too deep to be described. */
  isDeep: boolean;
}

/** The depth up to which samples are described. Deeper values may be anything. */
const MAX_DEPTH = 40;

/** An object with more fields than this is a map, whose keys are data. */
const MOST_FIELDS = 150;

/** Returns the shape of no values. */
export function emptyShape(): Shape {
  return { types: new Set(), objects: 0, fields: new Map(), isDeep: false };
}

/** Adds a value. Returns whether it showed something new: a field, a missing field, or a type. */
export function addValue(shape: Shape, value: Json, depth = 0): boolean {
  if (depth > MAX_DEPTH) {
    const isNew = !shape.isDeep;
    shape.isDeep = true;
    return isNew;
  }
  const type = jsonType(value);
  let isNew = !shape.types.has(type);
  shape.types.add(type);
  if (typeof value === "string") shape.formats = formatsOf(value, shape.formats);
  if (Array.isArray(value))
    for (const item of value) {
      shape.items ??= emptyShape();
      isNew = addValue(shape.items, item, depth + 1) || isNew;
    }
  return isObject(value) ? addFields(shape, value, depth) || isNew : isNew;
}

function addFields(shape: Shape, value: JsonObject, depth: number): boolean {
  let isNew = false;
  const always = [...shape.fields].filter(([, { count }]) => count === shape.objects);
  for (const [name, below] of Object.entries(value)) {
    const field = fieldOf(shape, name);
    isNew = addValue(field.shape, below, depth + 1) || isNew;
    field.count++;
  }
  shape.objects++;
  return isNew || always.some(([name]) => !Object.hasOwn(value, name));
}

function fieldOf({ fields }: Shape, name: string): { count: number; readonly shape: Shape } {
  const field = fields.get(name) ?? { count: 0, shape: emptyShape() };
  fields.set(name, field);
  return field;
}

function formatsOf(text: string, before: ReadonlySet<string> | undefined): ReadonlySet<string> {
  const possible = before ?? new Set(DESCRIBED_FORMATS);
  if (possible.size === 0) return possible;
  return new Set([...possible].filter((name) => FORMATS.get(name)?.test.test(text)));
}

/** The formats that descriptions mention, the narrower before the wider. */
const DESCRIBED_FORMATS = ["date-time", "date", "uuid", "uri"];

/** Returns the schema of the values that were added. */
export function schemaOf(shape: Shape): JsonObject {
  if (shape.isDeep || shape.types.size === 0) return {};
  const types = [...shape.types].filter((type) => type !== "integer" || !shape.types.has("number")).sort();
  const schemas = types.map((type) => schemaOfType(type, shape));
  if (schemas.length === 1) return schemas[0] as JsonObject;
  const plain = types.every((type) => !["object", "array"].includes(type));
  const { description } = schemaOfType("string", shape);
  if (plain) return { type: types, ...(shape.types.has("string") && description && { description }) };
  return { anyOf: schemas };
}

function schemaOfType(type: string, shape: Shape): JsonObject {
  if (type === "object") return objectSchema(shape);
  if (type === "array") return shape.items ? { type, items: schemaOf(shape.items) } : { type };
  const [format] = type === "string" ? (shape.formats ?? []) : [];
  return { type, ...(format && { description: `A ${format} in every sample.` }) };
}

function objectSchema({ fields, objects }: Shape): JsonObject {
  if (fields.size > MOST_FIELDS) return { type: "object", additionalProperties: memberSchema(fields) };
  const declared = [...fields].filter(([name]) => canDeclare(name));
  const required = declared.flatMap(([name, { count }]) => (count === objects ? [name] : []));
  return {
    type: "object",
    properties: objectFrom(declared.map(([name, { shape }]) => [name, schemaOf(shape)])),
    ...(required.length > 0 && { required }),
    ...(declared.length < fields.size && { additionalProperties: true }),
  };
}

/** Whether a schema can declare a field of this name. Lint refuses names that generated code cannot hold. */
function canDeclare(name: string): boolean {
  return name !== "__proto__" && name.isWellFormed();
}

/** Returns a sentence for each part of the samples that the schema does not describe. */
export function describeGaps(shape: Shape): string[] {
  const all = [...shapesBelow(shape)];
  const gaps: readonly (readonly [isFound: boolean, sentence: string])[] = [
    [
      all.some(({ fields }) => fields.size > MOST_FIELDS),
      "an object with very many different fields became a map",
    ],
    [all.some(({ isDeep }) => isDeep), "very deeply nested values may be anything"],
    [
      all.some(({ fields }) => [...fields.keys()].some((name) => !canDeclare(name))),
      "an object stays open because a schema cannot declare the name of one of its fields",
    ],
  ];
  return gaps.flatMap(([isFound, sentence]) => (isFound ? [sentence] : []));
}

function* shapesBelow(shape: Shape): Iterable<Shape> {
  yield shape;
  if (shape.items) yield* shapesBelow(shape.items);
  for (const field of shape.fields.values()) yield* shapesBelow(field.shape);
}

/** Returns the schema of all values of a map, whatever their keys. */
function memberSchema(fields: Shape["fields"]): JsonObject {
  const all = emptyShape();
  for (const { shape } of fields.values()) merge(all, shape);
  return schemaOf(all);
}

/** Adds the values of `other` to `shape`. */
function merge(shape: Shape, other: Shape): void {
  for (const type of other.types) shape.types.add(type);
  shape.isDeep ||= other.isDeep;
  if (other.formats !== undefined)
    shape.formats = new Set([...(shape.formats ?? other.formats)].filter((name) => other.formats?.has(name)));
  if (other.items !== undefined) {
    shape.items ??= emptyShape();
    merge(shape.items, other.items);
  }
  for (const [name, { count, shape: below }] of other.fields) {
    const field = fieldOf(shape, name);
    field.count += count;
    merge(field.shape, below);
  }
  shape.objects += other.objects;
}
