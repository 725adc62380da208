import { isObject, type Json } from "../../json.js";

/**
 * Shapes describe the values of a reading type by type. They express the part of JSON Schema that a text can be checked
 * against in one pass. A shape never admits what its schema refuses, and it admits nothing that it cannot express: such
 * a text must be parsed and validated.
 */
/** Which values are admitted; of a type that is absent none. */
export interface Shape {
  readonly null?: boolean;
  readonly boolean?: readonly boolean[];
  readonly number?: Numbers;
  readonly string?: Strings;
  readonly array?: Arrays;
  readonly object?: Objects;
  /** Of each of these groups one must admit the value, too. */
  readonly also?: readonly (readonly Shape[])[];
}

/** Numbers in a range. */
interface Numbers {
  readonly whole: boolean;
  readonly min: number;
  readonly max: number;
}

/** Strings by their length in code points, the patterns that they match, and their values if those are listed. */
export interface Strings {
  readonly min: number;
  readonly max: number;
  readonly patterns: readonly RegExp[];
  readonly among?: readonly string[];
  /** Values that are not admitted. */
  readonly except?: readonly string[];
}

/** Arrays by their length and their items. */
export interface Arrays {
  readonly min: number;
  readonly max: number;
  readonly items: Later;
}

/** Objects by their members. */
export interface Objects {
  readonly members: ReadonlyMap<string, Later>;
  readonly required: ReadonlySet<string>;
  /** Members that are not declared. */
  readonly others: Later;
}

/** A shape that is worked out when it is needed: schemas may refer to themselves. */
type Later = () => Shape;

/** What admits every value of its type. */
export const ANY_NUMBER: Numbers = { whole: false, min: -Infinity, max: Infinity };
export const ANY_STRING: Strings = { min: 0, max: Infinity, patterns: [] };
export const ANY_ARRAY: Arrays = { min: 0, max: Infinity, items: () => ANYTHING };
export const ANY_OBJECT: Objects = { members: new Map(), required: new Set(), others: () => ANYTHING };

/** Admits every value. */
export const ANYTHING: Shape = {
  null: true,
  boolean: [true, false],
  number: ANY_NUMBER,
  string: ANY_STRING,
  array: ANY_ARRAY,
  object: ANY_OBJECT,
};

/** Admits nothing. */
export const NOTHING: Shape = {};

/** Admits one string. */
export function onlyString(text: string): Shape {
  return { string: { ...ANY_STRING, among: [text] } };
}

/** Returns an object with this member, whatever else it has. */
export function withMember(name: string, member: Shape): Shape {
  return {
    object: { ...ANY_OBJECT, members: new Map([[name, () => member]]), required: new Set([name]) },
  };
}
/** Returns the shape of what both admit. */
export function both(a: Shape, b: Shape): Shape {
  if (a === ANYTHING) return b;
  if (b === ANYTHING || a === b) return a;
  const also = [...(a.also ?? []), ...(b.also ?? [])];
  return {
    ...(a.null && b.null && { null: true }),
    ...(a.boolean && b.boolean && { boolean: a.boolean.filter((one) => b.boolean?.includes(one)) }),
    ...(a.number && b.number && { number: bothNumbers(a.number, b.number) }),
    ...(a.string && b.string && { string: bothStrings(a.string, b.string) }),
    ...(a.array && b.array && { array: bothArrays(a.array, b.array) }),
    ...(a.object && b.object && { object: bothObjects(a.object, b.object) }),
    ...(also.length > 0 && { also }),
  };
}

function bothNumbers(a: Numbers, b: Numbers): Numbers {
  return { whole: a.whole || b.whole, min: Math.max(a.min, b.min), max: Math.min(a.max, b.max) };
}

function bothStrings(a: Strings, b: Strings): Strings {
  const among = a.among && b.among ? a.among.filter((text) => b.among?.includes(text)) : (a.among ?? b.among);
  const except = [...(a.except ?? []), ...(b.except ?? [])];
  return {
    min: Math.max(a.min, b.min),
    max: Math.min(a.max, b.max),
    patterns: [...a.patterns, ...b.patterns],
    ...(among && { among }),
    ...(except.length > 0 && { except }),
  };
}

function bothArrays(a: Arrays, b: Arrays): Arrays {
  return { min: Math.max(a.min, b.min), max: Math.min(a.max, b.max), items: bothLater(a.items, b.items) };
}

function bothObjects(a: Objects, b: Objects): Objects {
  const names = new Set([...a.members.keys(), ...b.members.keys()]);
  return {
    members: new Map(
      [...names].map((name) => [
        name,
        bothLater(a.members.get(name) ?? a.others, b.members.get(name) ?? b.others),
      ]),
    ),
    required: new Set([...a.required, ...b.required]),
    others: bothLater(a.others, b.others),
  };
}

function bothLater(a: Later, b: Later): Later {
  return () => both(a(), b());
}

/** Returns whether the shape admits a value that was parsed already. */
export function admits(shape: Shape, value: Json): boolean {
  return (
    isOfType(shape, value) && (shape.also ?? []).every((group) => group.some((one) => admits(one, value)))
  );
}

function isOfType({ null: nothing, boolean, number, string, array, object }: Shape, value: Json): boolean {
  if (value === null) return nothing === true;
  if (typeof value === "boolean") return boolean?.includes(value) === true;
  if (typeof value === "number") {
    if (number === undefined || (number.whole && !Number.isInteger(value))) return false;
    return number.min <= value && value <= number.max;
  }
  if (typeof value === "string") {
    if (string === undefined) return false;
    const { min, max, patterns, among, except = [] } = string;
    const { length } = [...value];
    const isListed = (among === undefined || among.includes(value)) && !except.includes(value);
    return isListed && min <= length && length <= max && patterns.every((pattern) => pattern.test(value));
  }
  if (!isObject(value)) {
    if (array === undefined || value.length < array.min || value.length > array.max) return false;
    const { items } = array;
    return value.every((item) => admits(items(), item));
  }
  if (object === undefined) return false;
  const { members, required, others } = object;
  for (const name of required) if (!Object.hasOwn(value, name)) return false;
  return Object.entries(value).every(([name, member]) => admits((members.get(name) ?? others)(), member));
}
