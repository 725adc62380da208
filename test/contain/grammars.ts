/** Creates random recursive schemas, which describe trees, mutations of these schemas, and random trees. */

import { isObject, type Json, type JsonObject, objectFrom } from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { type Dialect, isAtLeast } from "../../generator/schema/dialects.js";

/** Creates a random tree grammar: a few definitions that refer to each other, often some that accept no value. */
export function createRandomGrammar(random: Random, dialect: Dialect): Json {
  const names = ["p", "q", "r", "s"].slice(0, 2 + random.below(3));
  const reference = (): Json => ({ $ref: `#/definitions/${random.pick(names)}` });
  const production = (): Json => {
    if (random.chance(0.15)) return { type: random.pick(["null", "string", "integer"]) };
    if (random.chance(0.2)) return { type: "object", maxProperties: 0 };
    if (random.chance(0.2)) return { allOf: [node(), node()] };
    if (random.chance(0.1)) return { allOf: [node(), { not: node() }] };
    return node();
  };
  const node = (): Json => {
    if (random.chance(0.25))
      return { type: "array", items: reference(), minItems: random.below(2), maxItems: 2 };
    const properties = objectFrom(["a", "b"].slice(random.below(2)).map((key) => [key, reference()]));
    const closed = random.chance(0.6) ? { additionalProperties: false } : {};
    const required = Object.keys(properties).slice(random.below(2));
    return { type: "object", properties, ...(required.length > 0 && { required }), ...closed };
  };
  const branches = () => Array.from({ length: 1 + random.below(2) }, production);
  const definitions = objectFrom(names.map((name) => [name, { anyOf: branches() }]));
  const both = { type: "object", properties: { a: reference(), b: reference() }, required: ["a", "b"] };
  const root = random.chance(0.5) ? both : { allOf: [{ $ref: "#/definitions/p" }] };
  return isAtLeast(dialect, "2019-09")
    ? { ...root, $comment: "a grammar", definitions }
    : { ...root, definitions };
}

/** Replaces one definition of the grammar. */
export function mutateGrammar(random: Random, grammar: Json, dialect: Dialect): Json {
  const definitions = isObject(grammar) && isObject(grammar.definitions) ? grammar.definitions : {};
  const name = random.pick(Object.keys(definitions));
  const fresh = createRandomGrammar(random, dialect);
  const donor = isObject(fresh) && isObject(fresh.definitions) ? fresh.definitions : {};
  const text = JSON.stringify(donor[random.pick(Object.keys(donor))]);
  const replaced = JSON.parse(text.replace(/definitions\/[qrs]/g, `definitions/${name}`)) as Json;
  return { ...(grammar as JsonObject), definitions: { ...definitions, [name]: replaced } };
}

/** A random tree over the words of `randomGrammar`. */
export function createRandomTree(random: Random, depth: number): Json {
  if (depth === 0 || random.chance(0.25)) return random.pick([null, "", 0, [], {}]);
  const sub = () => createRandomTree(random, depth - 1);
  if (random.chance(0.25)) return Array.from({ length: random.below(3) }, sub);
  return objectFrom(["a", "b"].filter(() => random.chance(0.75)).map((key) => [key, sub()]));
}
