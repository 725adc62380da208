/**
 * Infers the schema of sample values. A shape collects the values, and its schema accepts every value that was added. The
 * schema states the fields, their types and which fields every sample has. It states no enums, bounds or formats, since
 * the next sample could break them.
 */
import { getItem } from "../get-item.js";
import { createObject, getJsonType, isObject, type Json, type JsonObject } from "../json.js";
import { FORMATS } from "../schema/formats.js";

/** Describes all values that were added at one place of the samples. */
interface SampleShape {
  /** The JSON Schema types of the values. */
  readonly types: Set<string>;
  /** The number of values that were objects. */
  objects: number;
  readonly fields: Map<string, { count: number; readonly shape: SampleShape }>;
  items?: SampleShape;
  /** The formats that every string has; undefined if no string was added. */
  formats?: ReadonlySet<string>;
  /** True if a value was nested too deeply to be described. */
  isDeep: boolean;
}

/** The depth to which samples are described. The schema accepts anything below it. */
const MAX_DEPTH = 40;

/** The maximum number of declared fields. An object with more is described as a map. */
const MAX_FIELDS = 150;

/** Creates a shape without values. */
export function createShape(): SampleShape {
  return { types: new Set(), objects: 0, fields: new Map(), isDeep: false };
}

/** Adds a value. Returns whether it has something new: a new field, a missing field, or a new type. */
export function addValue(shape: SampleShape, value: Json, depth = 0): boolean {
  if (depth > MAX_DEPTH) {
    const isNew = !shape.isDeep;
    shape.isDeep = true;
    return isNew;
  }
  const type = getJsonType(value);
  let isNew = !shape.types.has(type);
  shape.types.add(type);
  if (typeof value === "string") shape.formats = filterFormats(value, shape.formats);
  if (Array.isArray(value))
    for (const item of value) {
      shape.items ??= createShape();
      isNew = addValue(shape.items, item, depth + 1) || isNew;
    }
  return isObject(value) ? addFields(shape, value, depth) || isNew : isNew;
}

function addFields(shape: SampleShape, value: JsonObject, depth: number): boolean {
  let isNew = false;
  const requiredFields = [...shape.fields].filter(([, { count }]) => count === shape.objects);
  for (const [name, member] of Object.entries(value)) {
    const field = getOrAddField(shape, name);
    isNew = addValue(field.shape, member, depth + 1) || isNew;
    field.count++;
  }
  shape.objects++;
  return isNew || requiredFields.some(([name]) => !Object.hasOwn(value, name));
}

function getOrAddField(
  { fields }: SampleShape,
  name: string,
): { count: number; readonly shape: SampleShape } {
  const field = fields.get(name) ?? { count: 0, shape: createShape() };
  fields.set(name, field);
  return field;
}

/** Returns the formats that a text also has. */
function filterFormats(
  text: string,
  formats: ReadonlySet<string> = new Set(DESCRIBED_FORMATS),
): ReadonlySet<string> {
  if (formats.size === 0) return formats;
  return new Set([...formats].filter((name) => FORMATS.get(name)?.pattern.test(text)));
}

/** The formats that descriptions mention, narrower ones first. */
const DESCRIBED_FORMATS = ["date-time", "date", "uuid", "uri"];

/** Creates the schema of the values that were added. */
export function createSchema(shape: SampleShape): JsonObject {
  if (shape.isDeep || shape.types.size === 0) return {};
  const types = [...shape.types].filter((type) => type !== "integer" || !shape.types.has("number")).sort();
  const schemas = types.map((type) => createTypeSchema(type, shape));
  if (schemas.length === 1) return getItem(schemas, 0);
  const areScalars = types.every((type) => !["object", "array"].includes(type));
  const { description } = createTypeSchema("string", shape);
  if (areScalars) return { type: types, ...(shape.types.has("string") && description && { description }) };
  return { anyOf: schemas };
}

function createTypeSchema(type: string, shape: SampleShape): JsonObject {
  if (type === "object") return createObjectSchema(shape);
  if (type === "array") return shape.items ? { type, items: createSchema(shape.items) } : { type };
  const [format] = shape.formats ?? [];
  if (type !== "string" || format === undefined) return { type };
  return { type, description: `A ${format} in every sample.` };
}

function createObjectSchema({ fields, objects }: SampleShape): JsonObject {
  if (fields.size > MAX_FIELDS) return { type: "object", additionalProperties: createMemberSchema(fields) };
  const declaredFields = [...fields].filter(([name]) => canDeclare(name));
  const requiredNames = declaredFields.flatMap(([name, { count }]) => (count === objects ? [name] : []));
  return {
    type: "object",
    properties: createObject(declaredFields.map(([name, { shape }]) => [name, createSchema(shape)])),
    ...(requiredNames.length > 0 && { required: requiredNames }),
    ...(declaredFields.length < fields.size && { additionalProperties: true }),
  };
}

/** Returns whether a schema can declare a field of this name. Lint reports names that generated code cannot hold. */
function canDeclare(name: string): boolean {
  return name !== "__proto__" && name.isWellFormed();
}

/** Describes the parts of the samples that the schema leaves out, one sentence each. */
export function describeGaps(shape: SampleShape): string[] {
  const shapes = [...walkShapes(shape)];
  const gaps: readonly (readonly [isFound: boolean, sentence: string])[] = [
    [
      shapes.some(({ fields }) => fields.size > MAX_FIELDS),
      "an object with very many different fields became a map",
    ],
    [shapes.some(({ isDeep }) => isDeep), "very deeply nested values may be anything"],
    [
      shapes.some(({ fields }) => [...fields.keys()].some((name) => !canDeclare(name))),
      "an object stays open because a schema cannot declare the name of one of its fields",
    ],
  ];
  return gaps.flatMap(([isFound, sentence]) => (isFound ? [sentence] : []));
}

function* walkShapes(shape: SampleShape): Iterable<SampleShape> {
  yield shape;
  if (shape.items) yield* walkShapes(shape.items);
  for (const field of shape.fields.values()) yield* walkShapes(field.shape);
}

/** Creates one schema for the values of all keys of a map. */
function createMemberSchema(fields: SampleShape["fields"]): JsonObject {
  const memberShape = createShape();
  for (const { shape } of fields.values()) mergeShape(memberShape, shape);
  return createSchema(memberShape);
}

/** Adds the values of `other` to `shape`. */
function mergeShape(shape: SampleShape, other: SampleShape): void {
  for (const type of other.types) shape.types.add(type);
  shape.isDeep ||= other.isDeep;
  if (other.formats !== undefined)
    shape.formats = new Set([...(shape.formats ?? other.formats)].filter((name) => other.formats?.has(name)));
  if (other.items !== undefined) {
    shape.items ??= createShape();
    mergeShape(shape.items, other.items);
  }
  for (const [name, otherField] of other.fields) {
    const field = getOrAddField(shape, name);
    field.count += otherField.count;
    mergeShape(field.shape, otherField.shape);
  }
  shape.objects += other.objects;
}
