/** If this fails, compat proves an inclusion from the parts of two schemas although the whole schemas break it. */
import { describe, expect, it } from "vitest";
import { type Question, splitQuestion } from "../../generator/compat/proof/split-question.js";
import { checkContainment } from "../../generator/contain/contain.js";
import type { Json } from "../../generator/json.js";
import { createRandom, type Random } from "../../generator/random.js";
import { createRandomSchema, mutateSchema } from "../contain/random.js";

const text = { type: "string" };
const short = { type: "string", maxLength: 3 };
const createClosedSchema = (properties: { readonly [name: string]: Json }): Json => ({
  properties,
  additionalProperties: false,
});

const createTagged = (tag: string, x: Json): Json => ({
  properties: { tag: { const: tag }, x },
  required: ["tag"],
});

interface Case {
  readonly about: string;
  readonly a: Json;
  readonly b: Json;
  /** The smaller questions; undefined if the question cannot be split. */
  readonly parts?: readonly Question[];
}

const CASES: readonly Case[] = [
  {
    about: "equal schemas",
    a: createClosedSchema({ x: text }),
    b: createClosedSchema({ x: text }),
    parts: [],
  },
  {
    about: "a wider field",
    a: createClosedSchema({ x: short }),
    b: createClosedSchema({ x: text }),
    parts: [],
  },
  {
    about: "a field",
    a: createClosedSchema({ x: text }),
    b: createClosedSchema({ x: short }),
    parts: [[text, short]],
  },
  {
    about: "a new field",
    a: createClosedSchema({ x: text }),
    b: createClosedSchema({ x: text, y: text }),
    parts: [],
  },
  {
    about: "a removed field",
    a: createClosedSchema({ x: text, y: text }),
    b: createClosedSchema({ x: text }),
  },
  { about: "an open object", a: { properties: { x: text } }, b: { properties: { x: text, y: text } } },
  {
    about: "an object that additionalProperties opens",
    a: { additionalProperties: true, unevaluatedProperties: false },
    b: { properties: { y: text } },
    parts: [[true, text]],
  },
  {
    about: "a closed object whose fields are declared in allOf",
    a: { allOf: [{ properties: { y: true } }], unevaluatedProperties: false },
    b: { allOf: [true], unevaluatedProperties: false },
  },
  { about: "required fields", a: { required: ["x", "y"] }, b: { required: ["y"] }, parts: [] },
  { about: "types", a: { type: "integer" }, b: { type: ["number", "null"] }, parts: [] },
  { about: "items", a: { items: text }, b: { items: short }, parts: [[text, short]] },
  { about: "items after others", a: { prefixItems: [true], items: short }, b: { items: text } },
  {
    about: "items that only one side evaluates",
    a: { allOf: [{ items: text }], unevaluatedItems: false },
    b: { allOf: [true], unevaluatedItems: false },
  },
  {
    about: "references to other definitions of one name",
    a: { properties: { x: { $ref: "#/$defs/X" } }, $defs: { X: text } },
    b: { properties: { x: { $ref: "#/$defs/X" } }, $defs: { X: short } },
    parts: [[text, short]],
  },
  {
    about: "a reference among other keywords",
    a: { $ref: "#/$defs/X", minLength: 1, $defs: { X: text } },
    b: { $ref: "#/$defs/X", minLength: 1, $defs: { X: short } },
    parts: [[text, short]],
  },
  {
    about: "schemas that refer to themselves",
    a: { $ref: "#/$defs/X", $defs: { X: { properties: { x: { $ref: "#/$defs/X" } } } } },
    b: { $ref: "#/$defs/X", $defs: { X: { properties: { x: { $ref: "#/$defs/X" } }, required: [] } } },
    parts: [],
  },
  {
    about: "schemas that refer to themselves for the same value",
    a: { $ref: "#/$defs/X", $defs: { X: { allOf: [{ $ref: "#/$defs/X" }] } } },
    b: { $ref: "#/$defs/X", $defs: { X: { allOf: [{ $ref: "#/$defs/X" }], required: [] } } },
  },
  {
    about: "alternatives in another order",
    a: { anyOf: [createTagged("p", text), createTagged("q", text)] },
    b: { anyOf: [{ type: "null" }, createTagged("q", text), createTagged("p", short)] },
    parts: [[text, short]],
  },
  {
    about: "a reference below a negation",
    a: { not: { $ref: "#/$defs/X" }, $defs: { X: text } },
    b: { not: { $ref: "#/$defs/X" }, $defs: { X: short } },
  },
];

describe("the parts of a question", () => {
  it.each(CASES)("$about", ({ a, b, parts }) => expect(splitQuestion(a, b)).toEqual(parts));

  it("prove no wrong inclusion", async () => {
    const random = createRandom(20_261_121);
    let proven = 0;
    for (let i = 0; i < 600; i++) {
      const a = createRandomSchema(random, 3, "2020-12");
      const b = mutateSchema(random, a, "2020-12", 3);
      const old = addDefinition(random, a);
      const current = addDefinition(random, b);
      const parts = splitQuestion(old, current);
      if (!parts) continue;
      const answers = await Promise.all(parts.map(([x, y]) => checkContainment(x, y)));
      if (answers.some(({ verdict }) => verdict !== "contained")) continue;
      proven++;
      const { verdict } = await checkContainment(old, current);
      expect(verdict, JSON.stringify([old, current])).not.toBe("not-contained");
    }
    expect(proven).toBeGreaterThan(50);
  });
});

/** Adds a random definition for the references of the schema. */
function addDefinition(random: Random, schema: Json): Json {
  const text = JSON.stringify(schema).replaceAll("#/definitions/r", "#/$defs/r");
  if (!text.includes("$ref")) return schema;
  return {
    ...JSON.parse(text),
    $defs: { r: random.pick([{ maximum: 3 }, { maximum: 5 }, { properties: { a: true } }]) },
  };
}
