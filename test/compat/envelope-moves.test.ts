/**
 * If this fails, a field that moves between payloads and the envelope breaks readers unnoticed, or is reported
 * twice.
 */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { checkExample } from "./examples.js";
import { cups, POURED, SERVED, text } from "./tea-history.js";

const user = { ...text, minLength: 3 };

interface Fields {
  readonly envelope?: object;
  readonly served?: object;
  readonly poured?: object;
  /** Whether `user` is required, in the envelope and in payloads. */
  readonly required?: readonly ("envelope" | "payload")[];
}

/** Two stable events, with these fields beside those that every version has. */
function contract({ envelope = {}, served = {}, poured = {}, required = [] }: Fields): ExampleFiles {
  const payload = (fields: object) => ({
    "x-stability": "stable",
    properties: { cups, ...fields },
    required: ["cups", ...(required.includes("payload") && "user" in fields ? ["user"] : [])],
  });
  return JSON.parse(
    JSON.stringify({
      [SERVED]: payload(served),
      [POURED]: payload(poured),
      "envelope.schema.json": {
        properties: {
          type: text,
          id: text,
          ...envelope,
          data: { type: "object", description: "The payload." },
        },
        required: ["type", "id", "data", ...(required.includes("envelope") ? ["user"] : [])],
      },
    }),
  );
}

interface Move {
  readonly name: string;
  readonly before: Fields;
  readonly after: Fields;
  readonly expected: readonly (readonly [rule: string, events: readonly string[]])[];
  readonly begins?: string;
}

const MOVES: readonly Move[] = [
  {
    name: "from every payload into the envelope",
    before: { served: { user }, poured: { user } },
    after: { envelope: { user } },
    expected: [["field-moved", ["tea.poured", "tea.served"]]],
    begins: 'the field "/data/user" has moved to "/user" in the envelope.',
  },
  {
    name: "from one payload into the envelope",
    before: { served: { user } },
    after: { envelope: { user } },
    expected: [["field-moved", ["tea.served"]]],
  },
  {
    name: "from every payload into the envelope, required before and after",
    before: { served: { user }, poured: { user }, required: ["payload"] },
    after: { envelope: { user }, required: ["envelope"] },
    expected: [["field-moved", ["tea.poured", "tea.served"]]],
  },
  {
    name: "from one payload into the envelope, required there of every event",
    before: { served: { user }, required: ["payload"] },
    after: { envelope: { user }, required: ["envelope"] },
    expected: [
      ["field-added-required", ["*"]],
      ["field-moved", ["tea.served"]],
    ],
  },
  {
    name: "from the envelope into every payload",
    before: { envelope: { user } },
    after: { served: { user }, poured: { user } },
    expected: [["field-moved", ["*"]]],
    begins: 'every event: the field "/user" has moved to "/data/user" in the payload.',
  },
  {
    name: "from the envelope into one payload, so that the other event loses it",
    before: { envelope: { user } },
    after: { served: { user } },
    expected: [
      ["field-added-optional", ["tea.served"]],
      ["field-removed-optional", ["*"]],
    ],
  },
  {
    name: "another meaning under the same name",
    before: { served: { user } },
    after: { envelope: { user: cups } },
    expected: [
      ["field-added-optional", ["*"]],
      ["field-removed-optional", ["tea.served"]],
    ],
  },
  {
    name: "still in one payload",
    before: { served: { user }, poured: { user } },
    after: { envelope: { user }, poured: { user } },
    expected: [["field-moved", ["tea.served"]]],
  },
];

describe("a field moves", () => {
  it.each(MOVES)("$name", async ({ before, after, expected, begins }) => {
    const example = { before: contract(before), after: contract(after) };
    const { findings, additions } = await checkExample(example);
    const outline = [...findings, ...additions].map(({ rule, events }) => [rule, events]);
    expect(outline.sort()).toEqual([...expected].sort());
    expect(findings.every(({ severity, witness }) => severity === "error" && witness !== undefined)).toBe(
      true,
    );
    if (begins !== undefined) expect(findings[0]?.message).toContain(begins);
  });
});
