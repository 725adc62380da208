/** Turns schemas into shapes, keyword by keyword. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { ANNOTATION_FORMATS, FORMATS } from "../formats.js";
import type { Reading } from "../readings.js";
import { definitionNameOf } from "../reference.js";
import {
  ANY_ARRAY,
  ANY_NUMBER,
  ANY_OBJECT,
  ANY_STRING,
  ANYTHING,
  both,
  NOTHING,
  type Objects,
  type Shape,
  withMember,
} from "./shape.js";

/** Returns the shape of a reading. */
export function shapeOf({ schema, $defs }: Reading): Shape {
  const known = new Map<JsonObject, Shape>();
  const refer = (reference: Json): Shape => {
    const name = definitionNameOf(String(reference));
    return Object.hasOwn($defs, name) ? shape($defs[name] as Json) : NOTHING;
  };
  const shape = (node: Json): Shape => {
    if (!isObject(node)) return node === true ? ANYTHING : NOTHING;
    const before = known.get(node);
    if (before) return before;
    // A schema that refers to itself in the same place says nothing that could be checked.
    known.set(node, NOTHING);
    const made = Object.keys(node).every((keyword) => Object.hasOwn(KEYWORDS, keyword))
      ? Object.entries(node).reduce(
          (all, [keyword, value]) =>
            both(all, (KEYWORDS[keyword] as KeywordShape)(value, node, { shape, refer })),
          ANYTHING,
        )
      : NOTHING;
    known.set(node, made);
    return made;
  };
  return shape(schema);
}

interface ShapeContext {
  readonly shape: (node: Json) => Shape;
  readonly refer: (reference: Json) => Shape;
}

/** What one keyword of a schema says. */
type KeywordShape = (value: Json, node: JsonObject, context: ShapeContext) => Shape;

const restrict = (part: Shape): Shape => ({ ...ANYTHING, ...part });
const ignored: KeywordShape = () => ANYTHING;

/** Every keyword that is understood; a schema with another one has no shape. */
const KEYWORDS: { readonly [keyword: string]: KeywordShape } = {
  $defs: ignored,
  $ref: (reference, _node, { refer }) => refer(reference),
  allOf: (all, _node, { shape }) => list(all).map(shape).reduce(both, ANYTHING),
  anyOf: (any, _node, { shape }) => restrict({ also: [list(any).map(shape)] }),
  oneOf: (all, _node, { shape }) =>
    restrict({
      also: [
        list(all).map((one, index) => {
          const others = list(all).filter((_other, at) => at !== index);
          return both(shape(one), restrict({ also: others.map(shapesRefusing) }));
        }),
      ],
    }),
  not: (node) => restrict({ also: [shapesRefusing(node)] }),
  if: (condition, { then = true, else: otherwise = true }, { shape }) =>
    restrict({
      also: [
        [
          both(shape(condition), shape(then)),
          ...shapesRefusing(condition).map((one) => both(one, shape(otherwise))),
        ],
      ],
    }),
  then: ignored,
  else: ignored,
  $schema: ignored,
  title: ignored,
  description: ignored,
  enum: (values) => shapeOfValues(list(values)),
  const: (value) => shapeOfValues([value]),
  type: (types) => shapeOfTypes([types].flat() as Json[]),
  minimum: (min) => restrict({ number: { whole: false, min: Number(min), max: Infinity } }),
  maximum: (max) => restrict({ number: { whole: false, min: -Infinity, max: Number(max) } }),
  minLength: (min) => restrict({ string: { ...ANY_STRING, min: Number(min) } }),
  maxLength: (max) => restrict({ string: { ...ANY_STRING, max: Number(max) } }),
  pattern: (pattern) => restrict({ string: { ...ANY_STRING, patterns: [new RegExp(String(pattern), "u")] } }),
  format: (name) => {
    const format = FORMATS.get(String(name));
    if (format) return restrict({ string: { ...ANY_STRING, patterns: [format.test] } });
    return ANNOTATION_FORMATS.has(String(name)) ? ANYTHING : NOTHING;
  },
  items: (items, _node, { shape }) =>
    restrict({ array: { min: 0, max: Infinity, items: () => shape(items) } }),
  minItems: (min) => restrict({ array: { ...ANY_ARRAY, min: Number(min) } }),
  maxItems: (max) => restrict({ array: { ...ANY_ARRAY, max: Number(max) } }),
  required: (names) => restrict({ object: { ...ANY_OBJECT, required: new Set(list(names).map(String)) } }),
  properties: (properties, { additionalProperties }, { shape }) =>
    restrict({ object: members(properties, additionalProperties, shape) }),
  additionalProperties: (others, { properties }, { shape }) =>
    properties === undefined ? restrict({ object: members({}, others, shape) }) : ANYTHING,
};

/** Returns shapes of which one admits each value that `node` refuses; none unless it only lists texts of members. */
function shapesRefusing(node: Json): readonly Shape[] {
  if (!isObject(node)) return [];
  const { properties = {}, required = [], ...rest } = node;
  if (Object.keys(rest).length > 0 || !isObject(properties)) return [];
  const others = Object.entries(properties).map(([name, member]) => {
    const texts = textsOf(member);
    if (texts.length === 0) return NOTHING;
    return { object: withMember(name, restrict({ string: { ...ANY_STRING, except: texts } })).object };
  });
  const absent = list(required).map((name) => ({
    object: { ...ANY_OBJECT, members: new Map([[String(name), () => NOTHING]]) },
  }));
  return [...others, ...absent] as Shape[];
}

/** Returns the texts that `const` or `enum` lists, if the schema says nothing else and lists nothing else. */
function textsOf(node: Json): readonly string[] {
  if (!isObject(node) || Object.keys(node).length !== 1) return [];
  const values = node.const === undefined ? list(node.enum ?? []) : [node.const];
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === values.length ? texts : [];
}

function list(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function members(properties: Json, others: Json | undefined, shape: ShapeContext["shape"]): Objects {
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return {
    members: new Map(entries.map(([name, sub]) => [name, () => shape(sub)] as const)),
    required: new Set(),
    others: () => shape(others ?? true),
  };
}

const TYPES: { readonly [type: string]: Shape } = {
  null: { null: true },
  boolean: { boolean: [true, false] },
  number: { number: ANY_NUMBER },
  integer: { number: { ...ANY_NUMBER, whole: true } },
  string: { string: ANY_STRING },
  array: { array: ANY_ARRAY },
  object: { object: ANY_OBJECT },
};

function shapeOfTypes(types: readonly Json[]): Shape {
  const named = types.includes("number") ? types.filter((type) => type !== "integer") : types;
  return Object.assign({}, ...named.map((type) => TYPES[String(type)]));
}

/** Returns the shape of listed values. It leaves out numbers, arrays and objects. */
function shapeOfValues(values: readonly Json[]): Shape {
  const texts = values.filter((value) => typeof value === "string");
  const flags = values.filter((value) => typeof value === "boolean");
  return {
    ...(texts.length > 0 && { string: { ...ANY_STRING, among: texts } }),
    ...(flags.length > 0 && { boolean: flags }),
    ...(values.includes(null) && { null: true }),
  };
}
