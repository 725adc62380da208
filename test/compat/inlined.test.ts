/** If this fails, equal schemas with other definitions count as different, or many references take very long to compare. */
import { expect, it } from "vitest";
import { inlineReferences } from "../../generator/compat/diff/view.js";
import { formatCanonicalJson, type Json, type JsonObject } from "../../generator/json.js";
import type { Definitions } from "../../generator/schema/reference.js";

const LOCATION = { file: "", pointer: "" };
const createReference = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const createDefinitions = (schemas: { readonly [name: string]: JsonObject }): Definitions =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, { schema, at: LOCATION }]));

/** Creates definitions that each refer twice to the next one. The last one is `last`. */
function createChain(length: number, last: JsonObject): Definitions {
  const names = Array.from({ length }, (_, i) => `D${i}`);
  return createDefinitions({
    ...Object.fromEntries(names.map((name, i) => [name, createPair(createReference(`D${i + 1}`))])),
    [`D${length}`]: last,
  });
}

const createPair = (schema: Json): JsonObject => ({ type: "object", properties: { a: schema, b: schema } });
const formatInlined = (schema: Json, definitions: Definitions): string =>
  formatCanonicalJson(inlineReferences(schema, definitions));

it("inlines 60 definitions that each refer twice to the next in less than two seconds", () => {
  const start = performance.now();
  const short = formatInlined(createReference("D0"), createChain(60, { type: "string", maxLength: 3 }));
  expect(short).toBe(
    formatInlined(
      createReference("D0"),
      createChain(60, { type: "string", maxLength: 3, title: "Titles do not count" }),
    ),
  );
  expect(short).not.toBe(
    formatInlined(createReference("D0"), createChain(60, { type: "string", maxLength: 4 })),
  );
  expect(performance.now() - start).toBeLessThan(2_000);
});

it.each([3, 12])("gives the same schema for %i levels of definitions and of inline schemas", (levels) => {
  const last = { type: "string" };
  const inPlace = Array.from({ length: levels }).reduce<JsonObject>((schema) => createPair(schema), last);
  expect(formatInlined(inPlace, {})).toBe(formatInlined(createReference("D0"), createChain(levels, last)));
});

it("stops at recursion, and distinguishes recursive definitions", () => {
  const createList = (item: JsonObject) =>
    createDefinitions({
      List: { properties: { next: createReference("Node") } },
      Node: { properties: { list: createReference("List"), item } },
    });
  expect(inlineReferences(createReference("List"), createList({ type: "string" }))).toEqual({
    properties: {
      next: { properties: { list: { $ref: "List" }, item: { type: "string" } } },
    },
  });
  expect(formatInlined(createReference("Node"), createList({ type: "string" }))).not.toBe(
    formatInlined(createReference("Node"), createList({ type: "integer" })),
  );
});
