/**
 * What samples look like, merged: a shape grows with each value, and the schema made of it accepts every value that it
 * has seen. Law: nothing is guessed that a further sample of the same kind could refute for want of samples: no enums,
 * no bounds, no formats; only which fields there are, which of them were always there, and of which types they are.
 */
import { isObject, type Json, type JsonObject, objectFrom } from "../json.js";
import { FORMATS } from "../schema/formats.js";

/** The values seen in one place. */
interface Shape {
  /** Types of the values, as JSON Schema names them. */
  readonly types: Set<string>;
  /** How many of them were objects. */
  objects: number;
  readonly fields: Map<string, { seen: number; readonly shape: Shape }>;
  items?: Shape;
  /** Formats that every string so far has had; undefined before the first string. */
  formats?: ReadonlySet<string>;
  /** Whether something in it was too deep to be looked at. */
  deep: boolean;
}

/** How deep samples are described; what is deeper may be anything. */
const DEEPEST = 40;

/** An object with more fields than this is taken for a map, whose keys are data. */
const MOST_FIELDS = 150;

/** A shape that has seen nothing. */
export function emptyShape(): Shape {
  return { types: new Set(), objects: 0, fields: new Map(), deep: false };
}

/** Adds `value`; returns whether the shape had not seen its like: a new field, a field gone, or a new type. */
export function see(shape: Shape, value: Json, depth = 0): boolean {
  if (depth > DEEPEST) {
    const news = !shape.deep;
    shape.deep = true;
    return news;
  }
  const type = typeOf(value);
  let news = !shape.types.has(type);
  shape.types.add(type);
  if (typeof value === "string") shape.formats = formatsOf(value, shape.formats);
  if (Array.isArray(value))
    for (const item of value) {
      shape.items ??= emptyShape();
      news = see(shape.items, item, depth + 1) || news;
    }
  return isObject(value) ? seeFields(shape, value, depth) || news : news;
}

function seeFields(shape: Shape, value: JsonObject, depth: number): boolean {
  let news = false;
  let known = 0;
  const needed = [...shape.fields.values()].filter(({ seen }) => seen === shape.objects).length;
  for (const [name, below] of Object.entries(value)) {
    let field = shape.fields.get(name);
    if (field === undefined) {
      field = { seen: 0, shape: emptyShape() };
      shape.fields.set(name, field);
    } else if (field.seen === shape.objects) known++;
    news = see(field.shape, below, depth + 1) || news;
    field.seen++;
  }
  shape.objects++;
  return news || known < needed;
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function formatsOf(text: string, before: ReadonlySet<string> | undefined): ReadonlySet<string> {
  const possible = before ?? new Set(TOLD);
  if (possible.size === 0) return possible;
  return new Set([...possible].filter((name) => FORMATS.get(name)?.test.test(text)));
}

/** The formats that are worth a word, the narrower before the wider. */
const TOLD = ["date-time", "date", "uuid", "uri"];

/** The schema of the values that `shape` has seen. */
export function schemaOf(shape: Shape): JsonObject {
  if (shape.deep || shape.types.size === 0) return {};
  const types = [...shape.types].filter((type) => type !== "integer" || !shape.types.has("number")).sort();
  const schemas = types.map((type) => ofType(type, shape));
  if (schemas.length === 1) return schemas[0] as JsonObject;
  const plain = types.every((type) => !["object", "array"].includes(type));
  const { description } = ofType("string", shape);
  if (plain) return { type: types, ...(shape.types.has("string") && description && { description }) };
  return { anyOf: schemas };
}

function ofType(type: string, shape: Shape): JsonObject {
  if (type === "object") return objectSchema(shape);
  if (type === "array") return shape.items ? { type, items: schemaOf(shape.items) } : { type };
  const [format] = type === "string" ? (shape.formats ?? []) : [];
  return { type, ...(format && { description: `A ${format} in every sample.` }) };
}

function objectSchema({ fields, objects }: Shape): JsonObject {
  if (fields.size > MOST_FIELDS) return { type: "object", additionalProperties: mapped(fields) };
  const speakable = [...fields].filter(([name]) => isSpeakable(name));
  const required = speakable.flatMap(([name, { seen }]) => (seen === objects ? [name] : []));
  return {
    type: "object",
    properties: objectFrom(speakable.map(([name, { shape }]) => [name, schemaOf(shape)])),
    ...(required.length > 0 && { required }),
    ...(speakable.length < fields.size && { additionalProperties: true }),
  };
}

/** Whether a schema may declare a field of this name: lint refuses the others, which generated code could not hold. */
function isSpeakable(name: string): boolean {
  return name !== "__proto__" && name.isWellFormed();
}

/** What of the samples the schema does not describe, a sentence each. */
export function undescribed(shape: Shape): string[] {
  const all = [...shapesBelow(shape)];
  const found: readonly (readonly [boolean, string])[] = [
    [
      all.some(({ fields }) => fields.size > MOST_FIELDS),
      "an object with very many different fields became a map",
    ],
    [all.some(({ deep }) => deep), "very deeply nested values may be anything"],
    [
      all.some(({ fields }) => [...fields.keys()].some((name) => !isSpeakable(name))),
      "an object stays open because a schema cannot declare the name of one of its fields",
    ],
  ];
  return found.flatMap(([is, sentence]) => (is ? [sentence] : []));
}

function* shapesBelow(shape: Shape): Iterable<Shape> {
  yield shape;
  if (shape.items) yield* shapesBelow(shape.items);
  for (const field of shape.fields.values()) yield* shapesBelow(field.shape);
}

/** The schema of all values of a map, whatever their keys. */
function mapped(fields: Shape["fields"]): JsonObject {
  const all = emptyShape();
  for (const { shape } of fields.values()) merge(all, shape);
  return schemaOf(all);
}

/** Adds to `shape` all that `other` has seen. */
function merge(shape: Shape, other: Shape): void {
  for (const type of other.types) shape.types.add(type);
  shape.deep ||= other.deep;
  if (other.formats !== undefined)
    shape.formats = new Set([...(shape.formats ?? other.formats)].filter((name) => other.formats?.has(name)));
  if (other.items !== undefined) {
    shape.items ??= emptyShape();
    merge(shape.items, other.items);
  }
  for (const [name, { seen, shape: below }] of other.fields) {
    const field = shape.fields.get(name) ?? { seen: 0, shape: emptyShape() };
    shape.fields.set(name, field);
    field.seen += seen;
    merge(field.shape, below);
  }
  shape.objects += other.objects;
}
