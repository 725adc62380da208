/** Creates random recursive schemas that describe trees, mutations of such schemas, and random trees. */

import { createObject, isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { type Dialect, isAtLeast } from "../../generator/schema/dialects.js";

/** Creates a random tree grammar: a few definitions that refer to each other, often some that accept no value. */
export function createRandomGrammar(random: Random, dialect: Dialect): Json {
  const names = ["p", "q", "r", "s"].slice(0, 2 + random.below(3));
  const createReference = (): Json => ({ $ref: `#/definitions/${random.pick(names)}` });
  const createProduction = (): Json => {
    if (random.chance(0.15)) return { type: random.pick(["null", "string", "integer"]) };
    if (random.chance(0.2)) return { type: "object", maxProperties: 0 };
    if (random.chance(0.2)) return { allOf: [createNode(), createNode()] };
    if (random.chance(0.1)) return { allOf: [createNode(), { not: createNode() }] };
    return createNode();
  };
  const createNode = (): Json => {
    if (random.chance(0.25))
      return { type: "array", items: createReference(), minItems: random.below(2), maxItems: 2 };
    const properties = createObject(["a", "b"].slice(random.below(2)).map((key) => [key, createReference()]));
    const closed = random.chance(0.6) ? { additionalProperties: false } : {};
    const required = Object.keys(properties).slice(random.below(2));
    return { type: "object", properties, ...(required.length > 0 && { required }), ...closed };
  };
  const createBranches = () => Array.from({ length: 1 + random.below(2) }, createProduction);
  const definitions = createObject(names.map((name) => [name, { anyOf: createBranches() }]));
  const both = {
    type: "object",
    properties: { a: createReference(), b: createReference() },
    required: ["a", "b"],
  };
  const root = random.chance(0.5) ? both : { allOf: [{ $ref: "#/definitions/p" }] };
  return isAtLeast(dialect, "2019-09")
    ? { ...root, $comment: "a grammar", definitions }
    : { ...root, definitions };
}

/** Replaces one definition of the grammar. */
export function mutateGrammar(random: Random, grammar: Json, dialect: Dialect): Json {
  const definitions = isObject(grammar) && isObject(grammar.definitions) ? grammar.definitions : {};
  const name = random.pick(Object.keys(definitions));
  const other = createRandomGrammar(random, dialect);
  const others = isObject(other) && isObject(other.definitions) ? other.definitions : {};
  const text = JSON.stringify(others[random.pick(Object.keys(others))]);
  const replaced = JSON.parse(text.replace(/definitions\/[qrs]/g, `definitions/${name}`)) as Json;
  return { ...(grammar as JsonObject), definitions: { ...definitions, [name]: replaced } };
}

/** Creates a random tree of the words that `createRandomGrammar` uses. */
export function createRandomTree(random: Random, depth: number): Json {
  if (depth === 0 || random.chance(0.25)) return random.pick([null, "", 0, [], {}]);
  const createSubtree = () => createRandomTree(random, depth - 1);
  if (random.chance(0.25)) return Array.from({ length: random.below(3) }, createSubtree);
  return createObject(["a", "b"].filter(() => random.chance(0.75)).map((key) => [key, createSubtree()]));
}
