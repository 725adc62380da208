import type { ExampleFiles } from "../../generator/compat/change.js";

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const createSharedReference = (name: string) => ({ $ref: `../shared/leaves.schema.json#/$defs/${name}` });
const createLocalReference = (name: string) => ({ $ref: `#/$defs/${name}` });

/** A protocol with alternatives, conditions, tuples, maps and recursion. The bundled protocols have few of them. */
export const UNIONS: ExampleFiles = {
  "shared/leaves.schema.json": {
    title: "Leaves",
    description: "Shared.",
    $defs: {
      Text: {
        type: "object",
        properties: { kind: { const: "text" }, text, lang: { ...text, pattern: "^[a-z]{2}$" } },
        required: ["kind", "text"],
      },
      Image: {
        type: "object",
        properties: { kind: { const: "image" }, at: { ...text, format: "date" }, size: count },
        required: ["kind", "at"],
      },
      Call: {
        type: "object",
        properties: {
          kind: { const: "call" },
          name: { ...text, minLength: 1 },
          args: { type: "object", additionalProperties: true },
        },
        required: ["kind", "name", "args"],
      },
      Block: {
        oneOf: [createLocalReference("Text"), createLocalReference("Image"), createLocalReference("Call")],
      },
      Node: {
        type: "object",
        properties: {
          label: text,
          children: { type: "array", items: createLocalReference("Node"), maxItems: 9 },
          block: createLocalReference("Block"),
        },
        required: ["label"],
      },
      Base: {
        type: "object",
        properties: {
          at: { ...text, format: "date-time" },
          by: { ...text, "x-extensible-enum": ["user", "system"] },
        },
        required: ["at"],
      },
      Result: {
        type: "object",
        properties: { status: { enum: ["ok", "failed"] }, error: { ...text, minLength: 1 }, value: {} },
        required: ["status"],
        if: { properties: { status: { const: "failed" } } },
        then: { required: ["error"] },
        else: { required: ["value"] },
      },
    },
  },
  "events/tea.served.schema.json": {
    allOf: [createSharedReference("Base")],
    properties: {
      blocks: { type: "array", items: createSharedReference("Block"), minItems: 1 },
      tree: createSharedReference("Node"),
      labels: { type: "object", additionalProperties: text, propertyNames: { pattern: "^[a-z]+$" } },
    },
    required: ["blocks"],
  },
  "events/tea.judged.schema.json": {
    allOf: [createSharedReference("Base"), createSharedReference("Result")],
    properties: {
      pair: { type: "array", prefixItems: [text, count], items: false, minItems: 2 },
      range: {
        type: "object",
        properties: { from: count, to: count },
        dependentRequired: { to: ["from"] },
      },
      either: { anyOf: [text, { type: "null" }, createSharedReference("Text")] },
    },
  },
  "events/tea.chosen.schema.json": {
    properties: { a: text, b: count },
    oneOf: [
      { required: ["a"], not: { required: ["b"] } },
      { required: ["b"], not: { required: ["a"] } },
    ],
  },
  "events/tea.timed.schema.json": {
    properties: {
      mode: { enum: ["fast", "slow"] },
      speed: { anyOf: [{ type: "integer", minimum: 1 }, { enum: ["max", "min"] }] },
      tags: { type: "array", items: text, contains: { const: "tea" }, uniqueItems: true },
    },
    allOf: [
      { if: { properties: { mode: { const: "fast" } }, required: ["mode"] }, then: { required: ["speed"] } },
    ],
  },
};
