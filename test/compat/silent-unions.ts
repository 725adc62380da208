import type { ExampleFiles, Rule } from "../../generator/compat/change.js";
import { createFieldExample } from "../../generator/compat/rules/rule.js";
import type { JsonObject } from "../../generator/json.js";
import { SERVED } from "./tea-history.js";

const text = { type: "string" };
const size = { type: "integer", minimum: 0 };
const pot = { type: "object", properties: { size, name: text }, required: ["size"] };
const createBranch = (value: string, more: JsonObject = {}) => ({
  type: "object",
  properties: { kind: { const: value }, ...more },
  required: ["kind"],
});
const node: JsonObject = { type: "object", properties: { label: text, next: { $ref: "#/$defs/Node" } } };

function createPayloadFile(schema: JsonObject): ExampleFiles {
  return { [SERVED]: schema };
}

function createSharedDefinitions($defs: JsonObject): ExampleFiles {
  return {
    [SERVED]: { properties: { sort: { $ref: "../shared/sorts.schema.json#/$defs/Node" } } },
    "shared/sorts.schema.json": { title: "Sorts", description: "Shared.", $defs },
  };
}

const createExample = (before: ExampleFiles, after: ExampleFiles): Rule["example"] => ({ before, after });
const pair = { sort: text, size };

/** Refactorings of alternatives, conditions and recursion that must give no finding in either direction. */
export const SILENT_UNIONS: { readonly [name: string]: Rule["example"] } = {
  "alternatives-of-one": createFieldExample({ oneOf: [pot] }, pot),
  "alternatives-of-constants": createFieldExample(
    { enum: ["green", "black"] },
    { anyOf: [{ const: "green" }, { const: "black" }] },
  ),
  "alternatives-flattened": createFieldExample(
    { anyOf: [text, { anyOf: [size, { type: "null" }] }] },
    { anyOf: [text, size, { type: "null" }] },
  ),
  "alternative-implied": createFieldExample({ anyOf: [text, { ...text, maxLength: 3 }] }, text),
  "alternative-that-accepts-nothing": createFieldExample(
    { anyOf: [text, size] },
    { anyOf: [text, size, false] },
  ),
  "null-beside-an-object": createFieldExample(
    { anyOf: [pot, { type: "null" }] },
    { ...pot, type: ["object", "null"] },
  ),
  "common-field-out-of-alternatives": createFieldExample(
    { anyOf: [createBranch("a", { name: text }), createBranch("b", { name: text })] },
    { properties: { name: text }, anyOf: [createBranch("a"), createBranch("b")] },
  ),
  "common-requirement-into-alternatives": createExample(
    createPayloadFile({
      properties: { ...pair, pot },
      required: ["pot"],
      anyOf: [{ required: ["sort"] }, { required: ["size"] }],
    }),
    createPayloadFile({
      properties: { ...pair, pot },
      anyOf: [{ required: ["sort", "pot"] }, { required: ["size", "pot"] }],
    }),
  ),
  "common-bound-into-alternatives": createFieldExample(
    { ...text, minLength: 1, anyOf: [{ maxLength: 3 }, { pattern: "^z" }] },
    {
      ...text,
      anyOf: [
        { minLength: 1, maxLength: 3 },
        { minLength: 1, pattern: "^z" },
      ],
    },
  ),
  "dependent-by-if": createExample(
    createPayloadFile({ properties: pair, dependentRequired: { sort: ["size"] } }),
    createPayloadFile({ properties: pair, if: { required: ["sort"] }, then: { required: ["size"] } }),
  ),
  "bound-by-not": createFieldExample({ ...text, maxLength: 3 }, { ...text, not: { minLength: 4 } }),
  "list-by-bounds": createFieldExample({ type: "integer", minimum: 1, maximum: 3 }, { enum: [1, 2, 3] }),
  "list-of-booleans": createFieldExample({ type: "boolean" }, { enum: [true, false] }),
  "lists-intersected": createFieldExample(
    { allOf: [{ enum: ["a", "b", "c"] }, { enum: ["b", "c", "d"] }] },
    { enum: ["b", "c"] },
  ),
  "value-excluded": createFieldExample({ enum: ["a", "b", "c"], not: { const: "c" } }, { enum: ["a", "b"] }),
  "names-by-pattern": createFieldExample(
    { type: "object", additionalProperties: text, propertyNames: { pattern: "^a" } },
    { type: "object", patternProperties: { "^a": text } },
  ),
  "items-by-length": createFieldExample(
    { type: "array", prefixItems: [text, size], items: false },
    { type: "array", prefixItems: [text, size], maxItems: 2 },
  ),
  "items-by-contains": createFieldExample(
    { type: "array", items: text, minItems: 1 },
    { type: "array", items: text, contains: true },
  ),
  "recursion-unrolled": createExample(
    createSharedDefinitions({ Node: node }),
    createSharedDefinitions({
      Node: { type: "object", properties: { label: text, next: { $ref: "#/$defs/Other" } } },
      Other: node,
    }),
  ),
  "recursion-renamed": createExample(
    createSharedDefinitions({
      Node: { $ref: "#/$defs/Link" },
      Link: { type: "object", properties: { label: text, next: { $ref: "#/$defs/Link" } } },
    }),
    createSharedDefinitions({ Node: node }),
  ),
};
