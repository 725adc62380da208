/**
 * A schema as a comparison sees it: references followed and in-place allOf merged, so that inlining, extracting,
 * splitting and reordering make no difference. Every part remembers where it stands.
 */
import { isObject, type Json, type JsonObject, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Definition } from "../../schema/json-schema.js";
import { targetName, targetOf } from "../../schema/reference.js";
import { mapSubschemas } from "../../schema/walk.js";
import { below, type Spot } from "../side.js";

/** One object schema that applies to the value. */
export interface Part extends Spot {
  readonly schema: JsonObject;
}

/** All object schemas that apply to one value in place. */
export interface View {
  /** What was looked at, before references were followed. */
  readonly spots: readonly Spot[];
  readonly parts: readonly Part[];
  /** One of them is `false`: no value is allowed. */
  readonly never: boolean;
}

/** A field of an object. */
export interface Field {
  readonly name: string;
  readonly spots: readonly Spot[];
  readonly required: boolean;
  /** Where it is required. */
  readonly requiredAt?: Spot;
  readonly index: number;
}

type Definitions = { readonly [name: string]: Definition };

/** The view of several schemas that all apply to one value. */
export function viewOf(spots: readonly Spot[], { definitions }: Protocol): View {
  const parts: Part[] = [];
  let never = false;
  const add = (spot: Spot): void => {
    const { schema } = spot;
    if (schema === false) never = true;
    if (!isObject(schema) || parts.some((part) => part.schema === schema)) return;
    parts.push({ ...spot, schema });
    const target = targetOf(schema, definitions);
    if (target) add({ schema: target.schema, file: target.at.file, pointer: target.at.pointer });
    if (Array.isArray(schema.allOf))
      for (const [i, each] of schema.allOf.entries()) add(below(spot, each, "allOf", i));
  };
  for (const spot of spots) add(spot);
  return { spots, parts, never };
}

/** The values of `keyword` with the parts that hold it. */
export function valuesOf(view: View, keyword: string): { value: Json; spot: Spot }[] {
  const found: { value: Json; spot: Spot }[] = [];
  for (const part of view.parts) {
    const value = own(part.schema, keyword);
    if (value !== undefined) found.push({ value, spot: below(part, value, keyword) });
  }
  return found;
}

/** The first value of an annotation: the part that refers to a definition overrides it. */
export function annotation(view: View, keyword: string): Json | undefined {
  for (const { schema } of view.parts) {
    const value = own(schema, keyword);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The declared fields by name, in order. */
export function fieldsOf(view: View): Map<string, Field> {
  const spots = new Map<string, Spot[]>();
  for (const { value, spot } of valuesOf(view, "properties"))
    if (isObject(value))
      for (const [name, schema] of Object.entries(value)) {
        const known = spots.get(name) ?? [];
        known.push(below(spot, schema, name));
        spots.set(name, known);
      }
  const required = requiredOf(view);
  return new Map(
    [...spots].map(([name, places], index) => {
      const requiredAt = required.get(name);
      const field = { name, spots: places, required: requiredAt !== undefined, index };
      return [name, requiredAt ? { ...field, requiredAt } : field];
    }),
  );
}

/** Where each of the required names is required. */
export function requiredOf(view: View): Map<string, Spot> {
  const required = new Map<string, Spot>();
  for (const { value, spot } of valuesOf(view, "required"))
    if (Array.isArray(value))
      for (const [i, name] of value.entries())
        if (typeof name === "string") required.set(name, below(spot, name, i));
  return required;
}

const BRANCHES = ["anyOf", "oneOf", "then", "else", "dependentSchemas"];

/** The names of fields that alternatives of the value declare, in place and at any depth. */
export function branchFields(view: View, protocol: Protocol, open: readonly Json[] = []): Set<string> {
  const spots = BRANCHES.flatMap((keyword) =>
    valuesOf(view, keyword).flatMap(({ value, spot }) => {
      const held = Array.isArray(value)
        ? value
        : keyword === "dependentSchemas"
          ? Object.values(value ?? {})
          : [value];
      return held.filter((schema) => !open.includes(schema)).map((schema) => ({ ...spot, schema }));
    }),
  );
  const inside = [...open, ...spots.map(({ schema }) => schema)];
  return new Set(
    spots.flatMap((spot) => {
      const branch = viewOf([spot], protocol);
      return [...fieldsOf(branch).keys(), ...branchFields(branch, protocol, inside)];
    }),
  );
}

/** `schema` with its references replaced by what they refer to and without texts: the same contract, the same JSON. */
export function inlined(schema: Json, definitions: Definitions, open: readonly string[] = []): Json {
  if (!isObject(schema)) return schema;
  const { $ref: _r, title: _t, description: _d, examples: _e, $comment: _c, ...rest } = schema;
  const plain = mapSubschemas(rest, (sub) => inlined(sub, definitions, open));
  const name = targetName(schema);
  if (name === undefined) return plain;
  if (open.includes(name)) return { ...plain, $ref: name };
  const target = inlined(own(definitions, name)?.schema ?? true, definitions, [...open, name]);
  if (!isObject(target)) return target === true ? plain : false;
  return Object.keys(plain).length === 0 ? target : { allOf: [plain, target] };
}
