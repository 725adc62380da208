/** What a view says about single values: its types, its lists of values, its bounds. */
import { canonical, type Json, jsonType } from "../../json.js";
import type { Spot } from "../side.js";
import { type View, valuesOf } from "./view.js";

const ALL = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Types that the view allows; `number` includes `integer`. */
export interface Types {
  readonly set: ReadonlySet<string>;
  readonly stated: boolean;
  readonly spot?: Spot;
}

/** The types that the view states, or those of its listed values. */
export function typesOf(view: View): Types {
  const stated = valuesOf(view, "type");
  const lists = stated.map(({ value }) => spread([value].flat() as string[]));
  const list = listOf(view, "closed") ?? listOf(view, "open");
  const [first] = stated;
  if (first) return { set: both(lists), stated: true, spot: first.spot };
  if (!list) return { set: new Set(ALL), stated: false };
  return { set: new Set(spread(list.values.map(jsonType))), stated: true, spot: list.spot };
}

function spread(types: readonly string[]): string[] {
  return types.flatMap((type) => (type === "number" ? ["number", "integer"] : [type]));
}

function both(lists: readonly string[][]): Set<string> {
  const [first = [], ...others] = lists;
  return new Set(first.filter((type) => others.every((list) => list.includes(type))));
}

/** A list of allowed values: `closed` by enum or const, `open` by x-extensible-enum. */
export interface ValueList {
  /** Without null, which is a matter of types. */
  readonly values: readonly Json[];
  readonly spot: Spot;
}

/** The values that a view lists, where several lists apply those in all of them. */
export function listOf(view: View, kind: "closed" | "open"): ValueList | undefined {
  const found =
    kind === "open"
      ? valuesOf(view, "x-extensible-enum")
      : [
          ...valuesOf(view, "enum"),
          ...valuesOf(view, "const").map(({ value, spot }) => ({ value: [value], spot })),
        ];
  const [first, ...others] = found;
  if (!first || !Array.isArray(first.value)) return undefined;
  const inAll = (value: Json): boolean =>
    others.every((other) => Array.isArray(other.value) && has(other.value, value));
  return { values: first.value.filter((value) => value !== null && inAll(value)), spot: first.spot };
}

/** Whether a list holds a value. */
export function has(list: readonly Json[], value: Json): boolean {
  const wanted = canonical(value);
  return list.some((each) => canonical(each) === wanted);
}

/** A limit on a size or number. */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
  readonly spot: Spot;
}

/** The bounds that a contract can tighten: lower ones, and upper ones. */
export const BOUNDS: readonly {
  readonly name: string;
  readonly exclusive?: string;
  readonly upper: boolean;
}[] = [
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

/** The highestStability of the view's bounds of one kind. */
export function boundOf(view: View, { name, exclusive, upper }: (typeof BOUNDS)[number]): Bound | undefined {
  const all = [
    ...valuesOf(view, name).map(({ value, spot }) => ({ value, exclusive: false, spot })),
    ...(exclusive === undefined ? [] : valuesOf(view, exclusive)).map(({ value, spot }) => ({
      value,
      exclusive: true,
      spot,
    })),
  ].filter((bound): bound is Bound => typeof bound.value === "number");
  return all.sort((a, b) => stricter(a, b, upper))[0];
}

/** Negative if `a` allows less than `b`. */
export function stricter(a: Bound, b: Bound, upper: boolean): number {
  return (upper ? a.value - b.value : b.value - a.value) || Number(b.exclusive) - Number(a.exclusive);
}
