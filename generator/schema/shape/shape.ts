import { isObject, type Json } from "../../json.js";

/**
 * The values that a schema accepts, type by type. No values of an absent type are admitted. Shapes express the part of JSON
 * Schema that can be checked in one pass over a text. A shape admits no value that its schema refuses. It may refuse a value
 * that its schema accepts, so a text that it refuses must be parsed and validated.
 */
export interface Shape {
  readonly null?: boolean;
  readonly boolean?: readonly boolean[];
  readonly number?: Numbers;
  readonly string?: Strings;
  readonly array?: Arrays;
  readonly object?: Objects;
  /** Groups of shapes. The value must also be admitted by at least one shape of each group. */
  readonly groups?: readonly (readonly Shape[])[];
}

/** Numbers in a range. */
interface Numbers {
  readonly isWhole: boolean;
  readonly min: number;
  readonly max: number;
}

/** Strings by their length in code points, and the patterns that all match. */
export interface Strings {
  readonly min: number;
  readonly max: number;
  readonly patterns: readonly RegExp[];
  /** The only values that are admitted; absent if the values are not listed. */
  readonly values?: readonly string[];
  /** Values that are not admitted. */
  readonly excluded?: readonly string[];
}

/** Arrays by their length and their items. */
export interface Arrays {
  readonly min: number;
  readonly max: number;
  readonly items: LazyShape;
}

/** Objects by their members. */
export interface Objects {
  readonly members: ReadonlyMap<string, LazyShape>;
  readonly required: ReadonlySet<string>;
  /** The shape of members that are not declared. */
  readonly others: LazyShape;
}

/** A shape that is computed on demand, because schemas may refer to themselves. */
type LazyShape = () => Shape;

const getAnything: LazyShape = () => ANYTHING;

/** Every number. */
export const ANY_NUMBER: Numbers = { isWhole: false, min: -Infinity, max: Infinity };
/** Every string. */
export const ANY_STRING: Strings = { min: 0, max: Infinity, patterns: [] };
/** Every array. */
export const ANY_ARRAY: Arrays = { min: 0, max: Infinity, items: getAnything };
/** Every object. */
export const ANY_OBJECT: Objects = { members: new Map(), required: new Set(), others: getAnything };

/** The shape that admits every value. */
export const ANYTHING: Shape = {
  null: true,
  boolean: [true, false],
  number: ANY_NUMBER,
  string: ANY_STRING,
  array: ANY_ARRAY,
  object: ANY_OBJECT,
};

/** The shape that admits no value. */
export const NOTHING: Shape = {};

/** Returns the shape that admits one string only. */
export function createTextShape(text: string): Shape {
  return { string: { ...ANY_STRING, values: [text] } };
}

/** Returns the shape of the objects that have this member. Other members are not restricted. */
export function createMemberShape(name: string, member: Shape): Shape {
  return {
    object: { ...ANY_OBJECT, members: new Map([[name, () => member]]), required: new Set([name]) },
  };
}

/** Returns the shape of the values that both shapes admit. */
export function intersectShapes(a: Shape, b: Shape): Shape {
  if (a === ANYTHING) return b;
  if (b === ANYTHING || a === b) return a;
  const groups = [...(a.groups ?? []), ...(b.groups ?? [])];
  return {
    ...(a.null && b.null && { null: true }),
    ...(a.boolean && b.boolean && { boolean: a.boolean.filter((one) => b.boolean?.includes(one)) }),
    ...(a.number && b.number && { number: intersectNumbers(a.number, b.number) }),
    ...(a.string && b.string && { string: intersectStrings(a.string, b.string) }),
    ...(a.array && b.array && { array: intersectArrays(a.array, b.array) }),
    ...(a.object && b.object && { object: intersectObjects(a.object, b.object) }),
    ...(groups.length > 0 && { groups }),
  };
}

function intersectNumbers(a: Numbers, b: Numbers): Numbers {
  return { isWhole: a.isWhole || b.isWhole, min: Math.max(a.min, b.min), max: Math.min(a.max, b.max) };
}

function intersectStrings(a: Strings, b: Strings): Strings {
  const common = a.values && b.values && a.values.filter((text) => b.values?.includes(text));
  const values = common ?? a.values ?? b.values;
  const excluded = [...(a.excluded ?? []), ...(b.excluded ?? [])];
  return {
    min: Math.max(a.min, b.min),
    max: Math.min(a.max, b.max),
    patterns: [...a.patterns, ...b.patterns],
    ...(values && { values }),
    ...(excluded.length > 0 && { excluded }),
  };
}

function intersectArrays(a: Arrays, b: Arrays): Arrays {
  return {
    min: Math.max(a.min, b.min),
    max: Math.min(a.max, b.max),
    items: intersectLazily(a.items, b.items),
  };
}

function intersectObjects(a: Objects, b: Objects): Objects {
  return {
    members: intersectMembers(a, b),
    required: new Set([...a.required, ...b.required]),
    others: intersectLazily(a.others, b.others),
  };
}

function intersectMembers(a: Objects, b: Objects): Objects["members"] {
  if (admitsAnyMember(b)) return a.members;
  if (admitsAnyMember(a)) return b.members;
  const names = new Set([...a.members.keys(), ...b.members.keys()]);
  const intersectMember = (name: string): LazyShape =>
    intersectLazily(a.members.get(name) ?? a.others, b.members.get(name) ?? b.others);
  return new Map([...names].map((name) => [name, intersectMember(name)]));
}

function admitsAnyMember({ members, others }: Objects): boolean {
  return members.size === 0 && others === getAnything;
}

function intersectLazily(a: LazyShape, b: LazyShape): LazyShape {
  if (a === getAnything || a === b) return b;
  if (b === getAnything) return a;
  let intersection: Shape | undefined;
  return () => {
    intersection ??= intersectShapes(a(), b());
    return intersection;
  };
}

/** Returns whether the shape admits a parsed value. */
export function matchesShape(shape: Shape, value: Json): boolean {
  if (!admitsByType(shape, value)) return false;
  return (
    shape.groups === undefined || shape.groups.every((group) => group.some((one) => matchesShape(one, value)))
  );
}

function admitsByType(
  { null: admitsNull, boolean, number, string, array, object }: Shape,
  value: Json,
): boolean {
  if (value === null) return admitsNull === true;
  if (typeof value === "boolean") return boolean?.includes(value) === true;
  if (typeof value === "number") {
    if (number === undefined || (number.isWhole && !Number.isInteger(value))) return false;
    return number.min <= value && value <= number.max;
  }
  if (typeof value === "string") {
    if (string === undefined) return false;
    const { min, max, patterns, values, excluded } = string;
    if ((values !== undefined && !values.includes(value)) || excluded?.includes(value)) return false;
    return hasLengthWithin(value, min, max) && patterns.every((pattern) => pattern.test(value));
  }
  if (!isObject(value)) {
    if (array === undefined || value.length < array.min || value.length > array.max) return false;
    for (const item of value) if (!matchesShape(array.items(), item)) return false;
    return true;
  }
  if (object === undefined) return false;
  for (const name of object.required) if (!Object.hasOwn(value, name)) return false;
  for (const name of Object.keys(value))
    if (!matchesShape((object.members.get(name) ?? object.others)(), value[name] ?? null)) return false;
  return true;
}

/** Returns whether the number of code points of `text` is between `min` and `max`. */
function hasLengthWithin(text: string, min: number, max: number): boolean {
  // A code point has one or two units, so the number of units often decides.
  if (text.length <= max && text.length >= 2 * min) return true;
  const { length } = [...text];
  return min <= length && length <= max;
}
