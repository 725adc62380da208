/**
 * If this fails, a field that moves between payloads and the envelope breaks readers unnoticed, or is reported
 * twice.
 */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { checkExample } from "./examples.js";
import { cups, POURED, SERVED, text, toExampleFiles } from "./tea-history.js";

const user = { ...text, minLength: 3 };

interface Fields {
  readonly envelope?: object;
  readonly served?: object;
  readonly poured?: object;
  /** The places where `user` is required. */
  readonly required?: readonly ("envelope" | "payload")[];
}

/** Creates a contract of two stable events with these additional fields. */
function createContract({ envelope = {}, served = {}, poured = {}, required = [] }: Fields): ExampleFiles {
  const createPayload = (fields: object) => ({
    "x-stability": "stable",
    properties: { cups, ...fields },
    required: ["cups", ...(required.includes("payload") && "user" in fields ? ["user"] : [])],
  });
  return toExampleFiles({
    [SERVED]: createPayload(served),
    [POURED]: createPayload(poured),
    "envelope.schema.json": {
      properties: {
        type: text,
        id: text,
        ...envelope,
        data: { type: "object", description: "The payload." },
      },
      required: ["type", "id", "data", ...(required.includes("envelope") ? ["user"] : [])],
    },
  });
}

type Expected = readonly (readonly [rule: string, events: readonly string[]])[];
type Move = readonly [before: Fields, after: Fields, expected: Expected, message?: string];

const MOVES: { readonly [name: string]: Move } = {
  "from every payload into the envelope": [
    { served: { user }, poured: { user } },
    { envelope: { user } },
    [["field-moved", ["tea.poured", "tea.served"]]],
    'the field "/data/user" was moved to "/user" in the envelope (suspected).',
  ],
  "from one payload into the envelope": [
    { served: { user } },
    { envelope: { user } },
    [["field-moved", ["tea.served"]]],
  ],
  "from every payload into the envelope, required before and after": [
    { served: { user }, poured: { user }, required: ["payload"] },
    { envelope: { user }, required: ["envelope"] },
    [["field-moved", ["tea.poured", "tea.served"]]],
  ],
  "from one payload into the envelope, required there of every event": [
    { served: { user }, required: ["payload"] },
    { envelope: { user }, required: ["envelope"] },
    [
      ["field-added-required", ["*"]],
      ["field-moved", ["tea.served"]],
    ],
  ],
  "from the envelope into every payload": [
    { envelope: { user } },
    { served: { user }, poured: { user } },
    [["field-moved", ["*"]]],
    'every event: the field "/user" was moved to "/data/user" in the payload (suspected).',
  ],
  "from the envelope into one payload, so that the other event loses it": [
    { envelope: { user } },
    { served: { user } },
    [
      ["field-added-optional", ["tea.served"]],
      ["field-removed-optional", ["*"]],
    ],
  ],
  "into the envelope with another type, which is a removal and an addition": [
    { served: { user } },
    { envelope: { user: cups } },
    [
      ["field-added-optional", ["*"]],
      ["field-removed-optional", ["tea.served"]],
    ],
  ],
  "from one of two payloads into the envelope": [
    { served: { user }, poured: { user } },
    { envelope: { user }, poured: { user } },
    [["field-moved", ["tea.served"]]],
  ],
};

describe("a field moves", () => {
  it.each(Object.entries(MOVES))("%s", async (_name, [before, after, expected, message]) => {
    const example = { before: createContract(before), after: createContract(after) };
    const { findings, additions } = await checkExample(example);
    const outline = [...findings, ...additions].map(({ rule, events }) => [rule, events]);
    expect(outline.sort()).toEqual([...expected].sort());
    expect(findings.every(({ severity, witness }) => severity === "error" && witness !== undefined)).toBe(
      true,
    );
    if (message !== undefined) expect(findings[0]?.message).toContain(message);
  });
});
