/** If this fails, compat proves an inclusion from the parts of two schemas although the whole schemas break it. */
import { describe, expect, it } from "vitest";
import { type Question, splitQuestion } from "../../generator/compat/proof/split-question.js";
import { checkContainment } from "../../generator/contain/contain.js";
import type { Json, JsonObject } from "../../generator/json.js";
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

const closeDefinition = (name: string): JsonObject => ({
  allOf: [{ $ref: `#/$defs/${name}` }],
  unevaluatedProperties: false,
});

const createClosedUnion = (...alternatives: readonly JsonObject[]): Json => ({
  anyOf: alternatives.map((properties) => ({ properties })),
  unevaluatedProperties: false,
});

/** Returns the definition Q, which has a field P and is P itself, or P, which is Q. */
const createCircle = (keywords: JsonObject, root: "P" | "Q" = "Q"): Json => {
  const P = { allOf: [{ $ref: "#/$defs/Q" }], ...keywords };
  const Q = { properties: { x: { $ref: "#/$defs/P" } }, allOf: [{ $ref: "#/$defs/P" }] };
  return { ...(root === "P" ? P : { $ref: "#/$defs/Q" }), $defs: { P, Q } };
};

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
    about: "schemas that refer to themselves for a field and for the same value",
    a: createCircle({}),
    b: createCircle({ required: [] }),
    parts: [[createCircle({}, "P"), createCircle({ required: [] }, "P")]],
  },
  {
    about: "a definition inside and outside of an object that is asked about as a whole",
    a: {
      properties: {
        x: { properties: { p: { $ref: "#/$defs/P" } }, not: { required: ["p"] } },
        y: { properties: { z: { $ref: "#/$defs/P" } } },
      },
      $defs: { P: text },
    },
    b: {
      properties: {
        x: { properties: { p: { $ref: "#/$defs/P" } }, not: { required: ["p", "q"] } },
        y: { properties: { z: { $ref: "#/$defs/P" } } },
      },
      $defs: { P: short },
    },
    parts: [
      [
        { properties: { p: { $ref: "#/$defs/P" } }, not: { required: ["p"] }, $defs: { P: text } },
        { properties: { p: { $ref: "#/$defs/P" } }, not: { required: ["p", "q"] }, $defs: { P: short } },
      ],
      [text, short],
    ],
  },
  {
    about: "definitions that refer to another definition",
    a: {
      properties: { x: { $ref: "#/$defs/P" } },
      $defs: { P: { properties: { y: { $ref: "#/$defs/Q" } } }, Q: text },
    },
    b: {
      properties: { x: { $ref: "#/$defs/P" } },
      $defs: { P: { properties: { y: { $ref: "#/$defs/Q" } } }, Q: short },
    },
    parts: [[text, short]],
  },
  {
    about: "undeclared fields",
    a: { properties: { x: text }, additionalProperties: text },
    b: { properties: { x: text }, additionalProperties: short },
    parts: [[text, short]],
  },
  {
    about: "a field that only one side declares within a closed object",
    a: { allOf: [{ properties: { x: text, y: text } }], unevaluatedProperties: false },
    b: { allOf: [{ properties: { x: text } }], unevaluatedProperties: false },
  },
  {
    about: "undeclared fields that only one side allows within a closed object",
    a: { allOf: [{ properties: { x: text }, additionalProperties: text }], unevaluatedProperties: false },
    b: { allOf: [{ properties: { x: text } }], unevaluatedProperties: false },
  },
  {
    about: "a part of a closed object that only one side has",
    a: { allOf: [{ properties: { x: text } }, { properties: { y: text } }], unevaluatedProperties: false },
    b: { allOf: [{ properties: { x: text } }], unevaluatedProperties: false },
  },
  {
    about: "a definition within a closed object and alone",
    a: {
      properties: { x: closeDefinition("P"), y: { $ref: "#/$defs/P" } },
      $defs: { P: { properties: { p: text } } },
    },
    b: {
      properties: { x: { allOf: [{ $ref: "#/$defs/P" }] }, y: { $ref: "#/$defs/P" } },
      $defs: { P: { properties: { p: text, q: short } } },
    },
    parts: [[{ properties: { p: text } }, { properties: { p: text, q: short } }]],
  },
  {
    about: "a definition that need not and that must declare a field",
    a: {
      properties: { x: closeDefinition("P"), y: closeDefinition("P") },
      $defs: { P: { properties: { p: text } } },
    },
    b: {
      properties: { x: { allOf: [{ $ref: "#/$defs/P" }] }, y: closeDefinition("P") },
      $defs: { P: { properties: {} } },
    },
    parts: [
      [
        {
          ...closeDefinition("P"),
          $defs: { P: { properties: { p: text } } },
        },
        { ...closeDefinition("P"), $defs: { P: { properties: {} } } },
      ],
    ],
  },
  {
    about: "alternatives of which several may accept the same value",
    a: createClosedUnion({ x: text }, { y: text }),
    b: createClosedUnion({ x: text, y: short }, { y: text }),
    parts: [
      [
        { properties: { x: text }, propertyNames: { enum: ["x", "y"] } },
        { properties: { x: text, y: short } },
      ],
    ],
  },
  {
    about: "alternatives whose tags are not required",
    a: createClosedUnion({ t: { const: "p" }, x: text }, { t: { const: "q" }, y: text }),
    b: createClosedUnion({ t: { const: "p" }, x: text, y: short }, { t: { const: "q" }, y: text }),
    parts: [
      [
        { properties: { t: { const: "p" }, x: text }, propertyNames: { enum: ["t", "x", "y"] } },
        { properties: { t: { const: "p" }, x: text, y: short } },
      ],
    ],
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
