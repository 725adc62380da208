/**
 * A schema in the reading of a writer, flattened into one list of demands: references followed, one branch of each choice
 * taken. What comes out is a guess that validators judge; a wrong one is made again with the next numbers.
 */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { type Random, seededRandom } from "../random.js";
import type { Schema } from "../schema/json-schema.js";
import { listedValues } from "../schema/listed-values.js";

/** All that must hold of one value. */
export interface Demands {
  readonly types: readonly string[] | undefined;
  /** Allowed values; undefined if any may come. */
  readonly values: readonly Json[] | undefined;
  readonly properties: ReadonlyMap<string, readonly Schema[]>;
  readonly required: ReadonlySet<string>;
  /** All names of fields, declared or required. */
  readonly names: readonly string[];
  /** What is demanded of each item. */
  readonly items: readonly Schema[];
  readonly parts: readonly JsonObject[];
}

/** Looks up the definition that a `$ref` names. */
type Find = (reference: string) => Schema;

/** Says what is demanded of a value; `random` decides where a schema leaves a choice. */
export type ReadDemands = (schemas: readonly Schema[], random: Random) => Demands;

/** Reads demands; what has no choice in it is read once for each list of schemas, so hand over the same list. */
export function demandsReader(find: Find): ReadDemands {
  const known = new WeakMap<readonly Schema[], Demands>();
  return (schemas, random) => {
    const before = known.get(schemas);
    if (before) return before;
    const walk: Walk = { find, random, chosen: false };
    const demands = merged(schemas.flatMap((schema) => partsOf(schema, walk, 0)));
    if (!walk.chosen) known.set(schemas, demands);
    return demands;
  };
}

/** The demands of one schema where all choices fall the same way each time. */
export function firstDemands(schemas: readonly Schema[], find: Find): Demands {
  return demandsReader(find)(schemas, seededRandom(1));
}

function merged(parts: readonly JsonObject[]): Demands {
  const properties = new Map<string, Schema[]>();
  for (const { properties: declared } of parts)
    if (isObject(declared))
      for (const [name, schema] of Object.entries(declared))
        properties.set(name, [...(properties.get(name) ?? []), schema as Schema]);
  const required = new Set(
    parts.flatMap(({ required: names }) => (Array.isArray(names) ? names.map(String) : [])),
  );
  const names = [...new Set([...properties.keys(), ...required])];
  const items = parts.flatMap(({ items: each }) => (each === undefined ? [] : [each as Schema]));
  return { types: typesOf(parts), values: valuesOf(parts), properties, required, names, items, parts };
}

interface Walk {
  readonly find: Find;
  readonly random: Random;
  /** Whether anything was left to chance. */
  chosen: boolean;
}

const MAX_DEPTH = 16;

function partsOf(schema: Schema, walk: Walk, depth: number): JsonObject[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const follow = (each: Json | undefined): JsonObject[] =>
    each === undefined ? [] : partsOf(each as Schema, walk, depth + 1);
  const choose = (choices: Json | undefined): Json | undefined => {
    if (!Array.isArray(choices) || choices.length === 0) return undefined;
    walk.chosen = true;
    return choices[walk.random.below(choices.length)] as Json;
  };
  const conditional = (): JsonObject[] => {
    if (schema.if === undefined) return [];
    walk.chosen = true;
    return walk.random.chance(0.5) ? [...follow(schema.if), ...follow(schema.then)] : follow(schema.else);
  };
  const all = Array.isArray(schema.allOf) ? (schema.allOf as readonly Json[]) : [];
  const chances = conditional();
  return [
    schema,
    ...(typeof schema.$ref === "string" ? partsOf(walk.find(schema.$ref), walk, depth + 1) : []),
    ...all.flatMap(follow),
    ...follow(choose(schema.anyOf)),
    ...follow(choose(schema.oneOf)),
    ...chances,
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
  const lists = parts.flatMap(listedValues).map(({ values }) => values);
  const [first, ...rest] = lists;
  const same = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);
  return first?.filter((value) => rest.every((list) => list.some((other) => same(value, other))));
}
