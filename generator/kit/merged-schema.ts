/**
 * A schema in the reading of a writer, flattened into one list of demands: references followed, one branch of each choice
 * taken. What comes out is a guess that validators judge; a wrong one is made again with the next numbers.
 */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import type { Schema } from "../model/protocol.js";
import type { Random } from "./random.js";

/** All that must hold of one value. */
export interface Demands {
  readonly types: readonly string[] | undefined;
  /** Allowed values; undefined if any may come. */
  readonly values: readonly Json[] | undefined;
  readonly properties: ReadonlyMap<string, readonly Schema[]>;
  readonly required: ReadonlySet<string>;
  readonly parts: readonly JsonObject[];
}

/** Looks up the definition that a `$ref` names. */
export type Find = (reference: string) => Schema;

/** The demands of `schemas` together. */
export function demandsOf(schemas: readonly Schema[], find: Find, random: Random): Demands {
  const parts = schemas.flatMap((schema) => partsOf(schema, find, random, 0));
  const properties = new Map<string, Schema[]>();
  for (const { properties: declared } of parts)
    if (isObject(declared))
      for (const [name, schema] of Object.entries(declared))
        properties.set(name, [...(properties.get(name) ?? []), schema as Schema]);
  const required = parts.flatMap(({ required: names }) => (Array.isArray(names) ? names.map(String) : []));
  return { types: typesOf(parts), values: valuesOf(parts), properties, required: new Set(required), parts };
}

const MAX_DEPTH = 16;

function partsOf(schema: Schema, find: Find, random: Random, depth: number): JsonObject[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const follow = (each: Json | undefined): JsonObject[] =>
    each === undefined ? [] : partsOf(each as Schema, find, random, depth + 1);
  const choose = (choices: Json | undefined): Json | undefined =>
    Array.isArray(choices) && choices.length > 0
      ? (choices[random.below(choices.length)] as Json)
      : undefined;
  const all = Array.isArray(schema.allOf) ? (schema.allOf as readonly Json[]) : [];
  const conditional =
    schema.if === undefined
      ? []
      : random.chance(0.5)
        ? [...follow(schema.if), ...follow(schema.then)]
        : follow(schema.else);
  return [
    schema,
    ...(typeof schema.$ref === "string" ? partsOf(find(schema.$ref), find, random, depth + 1) : []),
    ...all.flatMap(follow),
    ...follow(choose(schema.anyOf)),
    ...follow(choose(schema.oneOf)),
    ...conditional,
    ...follow(own(schema, "x-writer")),
  ];
}

function typesOf(parts: readonly JsonObject[]): readonly string[] | undefined {
  const lists = parts.flatMap(({ type }) => (type === undefined ? [] : [[type].flat() as string[]]));
  const [first, ...rest] = lists;
  return first?.filter((type) =>
    rest.every((list) => list.includes(type) || (type === "integer" && list.includes("number"))),
  );
}

function valuesOf(parts: readonly JsonObject[]): readonly Json[] | undefined {
  const lists = parts.flatMap((part): (readonly Json[])[] => [
    ...(Object.hasOwn(part, "const") ? [[part.const as Json]] : []),
    ...["enum", "x-extensible-enum"].flatMap((keyword) => {
      const list = own(part, keyword);
      return Array.isArray(list) ? [list as readonly Json[]] : [];
    }),
  ]);
  const [first, ...rest] = lists;
  const same = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);
  return first?.filter((value) => rest.every((list) => list.some((other) => same(value, other))));
}
