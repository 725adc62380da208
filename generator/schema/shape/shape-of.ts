/** Derives shapes from schemas, keyword by keyword. */
import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { ANNOTATION_FORMATS, FORMATS } from "../formats.js";
import type { Reading } from "../readings.js";
import { getDefinitionName } from "../reference.js";
import {
  ANY_ARRAY,
  ANY_NUMBER,
  ANY_OBJECT,
  ANY_STRING,
  ANYTHING,
  createMemberShape,
  intersectShapes,
  NOTHING,
  type Objects,
  type Shape,
} from "./shape.js";

/** Returns the shape of a reading. */
export function deriveShape({ schema, $defs }: Reading): Shape {
  const shapes = new Map<JsonObject, Shape>();
  const deriveTarget = (reference: Json): Shape => {
    const name = getDefinitionName(String(reference));
    return Object.hasOwn($defs, name) ? derive($defs[name] ?? true) : NOTHING;
  };
  const derive = (node: Json): Shape => {
    if (!isObject(node)) return node === true ? ANYTHING : NOTHING;
    const cached = shapes.get(node);
    if (cached) return cached;
    // A schema that refers to itself without entering a part of the value gets the shape that admits nothing.
    shapes.set(node, NOTHING);
    const derived = deriveFromKeywords(node);
    shapes.set(node, derived);
    return derived;
  };
  const deriveFromKeywords = (node: JsonObject): Shape => {
    let shape = ANYTHING;
    for (const keyword of Object.keys(node)) {
      const deriveKeyword = getOwn(KEYWORDS, keyword);
      if (deriveKeyword === undefined) return NOTHING;
      shape = intersectShapes(shape, deriveKeyword(node[keyword] ?? null, node, context));
    }
    return shape;
  };
  const context: ShapeContext = { derive, deriveTarget };
  return derive(schema);
}

/** Functions that derive the shapes of subschemas and of the targets of references. */
interface ShapeContext {
  readonly derive: (node: Json) => Shape;
  readonly deriveTarget: (reference: Json) => Shape;
}

/** Returns the shape of one keyword of a schema. */
type DeriveKeyword = (value: Json, node: JsonObject, context: ShapeContext) => Shape;

/** Returns a shape that restricts only the types for which `part` has a member. */
const createRestriction = (part: Shape): Shape => ({ ...ANYTHING, ...part });
const ignoreKeyword: DeriveKeyword = () => ANYTHING;

/** The supported keywords. A schema with any other keyword gets the shape that admits nothing. */
const KEYWORDS: { readonly [keyword: string]: DeriveKeyword } = {
  $defs: ignoreKeyword,
  $ref: (reference, _node, { deriveTarget }) => deriveTarget(reference),
  allOf: (branches, _node, { derive }) => asList(branches).map(derive).reduce(intersectShapes, ANYTHING),
  anyOf: (branches, _node, { derive }) => createRestriction({ groups: [asList(branches).map(derive)] }),
  oneOf: (branches, _node, { derive }) =>
    createRestriction({
      groups: [
        asList(branches).map((branch, index) => {
          const others = asList(branches).filter((_other, otherIndex) => otherIndex !== index);
          return intersectShapes(
            derive(branch),
            createRestriction({ groups: others.map(listRefusingShapes) }),
          );
        }),
      ],
    }),
  not: (node) => createRestriction({ groups: [listRefusingShapes(node)] }),
  if: (condition, { then = true, else: otherwise = true }, { derive }) =>
    createRestriction({
      groups: [
        [
          intersectShapes(derive(condition), derive(then)),
          ...listRefusingShapes(condition).map((one) => intersectShapes(one, derive(otherwise))),
        ],
      ],
    }),
  then: ignoreKeyword,
  else: ignoreKeyword,
  $schema: ignoreKeyword,
  title: ignoreKeyword,
  description: ignoreKeyword,
  default: ignoreKeyword,
  enum: (values) => buildValueShape(asList(values)),
  const: (value) => buildValueShape([value]),
  type: (types) => buildTypeShape([types].flat()),
  minimum: (min) => createRestriction({ number: { isWhole: false, min: Number(min), max: Infinity } }),
  maximum: (max) => createRestriction({ number: { isWhole: false, min: -Infinity, max: Number(max) } }),
  minLength: (min) => createRestriction({ string: { ...ANY_STRING, min: Number(min) } }),
  maxLength: (max) => createRestriction({ string: { ...ANY_STRING, max: Number(max) } }),
  pattern: (pattern) =>
    createRestriction({ string: { ...ANY_STRING, patterns: [new RegExp(String(pattern), "u")] } }),
  format: (name) => {
    const format = FORMATS.get(String(name));
    if (format) return createRestriction({ string: { ...ANY_STRING, patterns: [format.pattern] } });
    return ANNOTATION_FORMATS.has(String(name)) ? ANYTHING : NOTHING;
  },
  items: (items, _node, { derive }) =>
    createRestriction({ array: { min: 0, max: Infinity, items: () => derive(items) } }),
  minItems: (min) => createRestriction({ array: { ...ANY_ARRAY, min: Number(min) } }),
  maxItems: (max) => createRestriction({ array: { ...ANY_ARRAY, max: Number(max) } }),
  // Shapes do not compare items, so they admit only arrays of at most one item.
  uniqueItems: (isUnique) =>
    isUnique === true ? createRestriction({ array: { ...ANY_ARRAY, max: 1 } }) : ANYTHING,
  required: (names) =>
    createRestriction({ object: { ...ANY_OBJECT, required: new Set(asList(names).map(String)) } }),
  properties: (properties, { additionalProperties }, { derive }) =>
    createRestriction({ object: buildMembers(properties, additionalProperties, derive) }),
  additionalProperties: (others, { properties }, { derive }) =>
    properties === undefined ? createRestriction({ object: buildMembers({}, others, derive) }) : ANYTHING,
};

/**
 * Returns shapes that together admit the values that `node` refuses. Returns none unless `node` only lists texts and flags,
 * only has a pattern, or only requires members and restricts them in one of these ways.
 */
function listRefusingShapes(node: Json): readonly Shape[] {
  const refused = describeRefusedValues(node);
  if (refused !== undefined) return [refused];
  if (!isObject(node)) return [];
  const { properties = {}, required = [], ...rest } = node;
  if (Object.keys(rest).length > 0 || !isObject(properties)) return [];
  const others = Object.entries(properties).map(([name, member]): Shape => {
    const refusedMember = describeRefusedValues(member);
    return refusedMember ? { object: createMemberShape(name, refusedMember).object as Objects } : NOTHING;
  });
  const absentShapes = asList(required).map(
    (name): Shape => ({ object: { ...ANY_OBJECT, members: new Map([[String(name), () => NOTHING]]) } }),
  );
  return [...others, ...absentShapes];
}

/** Returns the shape of the values that a schema refuses; undefined unless it only lists texts and flags, or only has a pattern. */
function describeRefusedValues(node: Json): Shape | undefined {
  if (!isObject(node) || Object.keys(node).length !== 1) return undefined;
  if (typeof node.pattern === "string") {
    // This pattern matches a text if the pattern of the schema matches no part of the text. A pattern refuses texts only.
    const inverse = new RegExp(`^(?![^]*(?:${node.pattern}))`, "u");
    return { string: { ...ANY_STRING, patterns: [inverse] } };
  }
  const values = node.const === undefined ? asList(node.enum ?? []) : [node.const];
  const texts = values.filter((value) => typeof value === "string");
  const flags = values.filter((value) => typeof value === "boolean");
  if (values.length === 0 || texts.length + flags.length < values.length) return undefined;
  const { boolean: _flags, ...anyOther } = ANYTHING;
  const otherFlags = [true, false].filter((flag) => !flags.includes(flag));
  return {
    ...anyOther,
    ...(otherFlags.length > 0 && { boolean: otherFlags }),
    ...(texts.length > 0 && { string: { ...ANY_STRING, excluded: texts } }),
  };
}

function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function buildMembers(properties: Json, others: Json | undefined, derive: ShapeContext["derive"]): Objects {
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return {
    members: new Map(entries.map(([name, sub]) => [name, () => derive(sub)] as const)),
    required: new Set(),
    others: () => derive(others ?? true),
  };
}

const TYPES: { readonly [type: string]: Shape } = {
  null: { null: true },
  boolean: { boolean: [true, false] },
  number: { number: ANY_NUMBER },
  integer: { number: { ...ANY_NUMBER, isWhole: true } },
  string: { string: ANY_STRING },
  array: { array: ANY_ARRAY },
  object: { object: ANY_OBJECT },
};

function buildTypeShape(types: readonly Json[]): Shape {
  // Both types restrict the member `number`, and `number` admits all integers.
  const withoutInteger = types.includes("number") ? types.filter((type) => type !== "integer") : types;
  return Object.assign({}, ...withoutInteger.map((type) => TYPES[String(type)]));
}

/** Returns the shape of listed values. It admits no arrays and objects, and a number only if it is the only one. */
function buildValueShape(values: readonly Json[]): Shape {
  const texts = values.filter((value) => typeof value === "string");
  const flags = values.filter((value) => typeof value === "boolean");
  const numbers = values.filter((value) => typeof value === "number");
  const [number = 0] = numbers;
  return {
    ...(texts.length > 0 && { string: { ...ANY_STRING, values: texts } }),
    ...(flags.length > 0 && { boolean: flags }),
    ...(numbers.length === 1 && { number: { isWhole: false, min: number, max: number } }),
    ...(values.includes(null) && { null: true }),
  };
}
