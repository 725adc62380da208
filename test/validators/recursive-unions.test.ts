/** If this fails, a validator of a recursive union differs from Ajv, or takes a time that is multiplied with each level. */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import { buildDocument, PROFILES, readAs } from "../../generator/schema/readings.js";
import { createDefinitions } from "../../generator/schema/reference.js";
import { createLazyCheck } from "../../generator/validators/check.js";
import { markRecursiveUnions, TAG } from "../../generator/validators/recursive-unions.js";

const REF = { $ref: "#/$defs/Node" };
const LIST = { type: "array", items: REF };

function object(properties: JsonObject, ...required: string[]): JsonObject {
  return { type: "object", properties, required };
}

const LEAF = object({ kind: { enum: ["leaf", "end"] }, value: { type: "number" } }, "kind");
const BRANCH = object({ kind: { const: "branch" }, left: REF, right: REF }, "kind", "left");
const MANY = object({ kind: { const: "many" }, parts: LIST, next: REF }, "kind");
const NUMBERED = [1, 2].map((version) => object({ v: { const: version }, next: REF }, "v"));

/** Definitions of `Node`, and whether the union is marked. */
const UNIONS: { readonly [name: string]: readonly [$defs: JsonObject, isMarked: boolean] } = {
  "alternatives in place": [{ Node: { anyOf: [LEAF, BRANCH, MANY] } }, true],
  "alternatives of oneOf": [{ Node: { oneOf: [LEAF, BRANCH, MANY] } }, true],
  "alternatives with names": [
    {
      Node: { description: "D.", anyOf: [{ $ref: "#/$defs/Leaf" }, { $ref: "#/$defs/Branch" }] },
      Leaf: LEAF,
      Branch: BRANCH,
    },
    true,
  ],
  "keywords beside the union": [
    { Node: { ...object({ id: { type: "string" } }, "id"), anyOf: [LEAF, BRANCH] } },
    true,
  ],
  "numbers as tags": [{ Node: { oneOf: NUMBERED } }, true],
  "a name that objects inherit": [
    {
      Node: {
        anyOf: ["a", "b"].map((tag) => object({ toString: { const: tag }, next: REF }, "toString")),
      },
    },
    true,
  ],
  "an alternative without a tag": [{ Node: { anyOf: [LEAF, BRANCH, object({ next: REF })] } }, false],
  "an alternative that is no object": [{ Node: { anyOf: [LEAF, BRANCH, { type: "string" }] } }, false],
  "two alternatives with one tag": [{ Node: { anyOf: [LEAF, BRANCH, BRANCH] } }, false],
  "a tag that is not required": [{ Node: { anyOf: [LEAF, { ...BRANCH, required: [] }] } }, false],
  "an alternative that accepts other types": [
    { Node: { anyOf: [LEAF, { properties: BRANCH.properties ?? {}, required: ["kind"] }] } },
    false,
  ],
};

/** Small values of the words of the unions. */
const { node: values } = fc.letrec<{ node: Json; object: Json }>((tie) => ({
  node: fc.oneof({ maxDepth: 4 }, fc.constantFrom(1, "leaf", null, [], true), tie("object")),
  object: fc
    .record(
      {
        kind: fc.constantFrom("leaf", "end", "branch", "many", "other", 1),
        v: fc.constantFrom(1, 2, 3, "1"),
        toString: fc.constantFrom("a", "b", "c"),
        id: fc.constantFrom("x", 1),
        value: fc.constantFrom(1, "x"),
        left: tie("node"),
        right: tie("node"),
        next: tie("node"),
        parts: fc.array(tie("node"), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    )
    .map((each) => each as JsonObject),
}));

describe.each(Object.entries(UNIONS))("%s", (_name, [$defs, isMarked]) => {
  const definitions = createDefinitions($defs);

  it.each(PROFILES)("has the verdicts of Ajv as %s", (profile) => {
    const reading = readAs(profile, REF, definitions);
    expect(JSON.stringify(markRecursiveUnions(reading)).includes(TAG)).toBe(isMarked);
    const accepts = createLazyCheck(() => reading);
    const ajv = new Ajv2020({ strict: false, ownProperties: true }).compile(buildDocument(reading));
    fc.assert(
      fc.property(values, (value) => {
        expect(accepts(value)).toBe(ajv(value));
        expect(accepts.errors === null).toBe(ajv(value));
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});

it.each(PROFILES)("a value of 100 levels with a mistake in the last one is refused by the %s", (profile) => {
  const definitions = createDefinitions({ Node: { oneOf: [LEAF, BRANCH, MANY] } });
  const accepts = createLazyCheck(() => readAs(profile, REF, definitions));
  const nest = (depth: number, leaf: Json): Json =>
    depth === 0 ? leaf : { kind: "many", next: nest(depth - 1, leaf) };
  expect(accepts(nest(100, { kind: "leaf" }))).toBe(true);
  expect(accepts(nest(100, { kind: "twig" }))).toBe(false);
  expect(accepts.errors).toContainEqual(
    expect.objectContaining({ message: 'must have "leaf", "end", "branch" or "many" in the field kind' }),
  );
});
