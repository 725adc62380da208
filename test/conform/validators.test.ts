/** If this fails, a field or event type with the name of an inherited member is accepted or refused wrongly. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";

const NOWHERE = { file: "", pointer: "" };

/** A protocol whose one event type requires fields that every JavaScript object inherits. */
const protocol: Protocol = {
  name: "odd",
  major: 1,
  id: "odd/v1",
  version: "1.0",
  title: "",
  description: "",
  guarantees: [],
  evolution: [],
  groups: {},
  envelope: {
    discriminator: "type",
    placement: "nested",
    property: "data",
    schema: {
      type: "object",
      properties: { type: { type: "string" }, data: { type: "object", additionalProperties: true } },
      required: ["type", "data"],
    },
    payloadFields: [],
    at: NOWHERE,
  },
  events: [
    {
      type: "constructor",
      group: "",
      summary: "",
      description: "",
      stability: "stable",
      since: "1.0",
      payload: { type: "object", properties: { toString: { type: "string" } }, required: ["toString"] },
      examples: [],
      at: NOWHERE,
    },
  ],
  resources: [],
  definitions: {},
  tombstones: [],
  waivers: [],
  at: NOWHERE,
};

const { decodeEvent } = createValidators(protocol);
const matchIssue = (pointer: string, keyword: string) => expect.objectContaining({ pointer, keyword });

const CASES: readonly (readonly [name: string, json: string, profile: "reader" | "writer", want: object])[] =
  [
    ["a known event", '{"type":"constructor","data":{"toString":"x"}}', "writer", { kind: "known" }],
    [
      "an inherited field for a missing one",
      '{"type":"constructor","data":{}}',
      "reader",
      { kind: "invalid", issues: [matchIssue("/data", "required")] },
    ],
    ["an inherited type", '{"type":"toString","data":{}}', "reader", { kind: "unknown" }],
    [
      "an undeclared field",
      '{"type":"constructor","data":{"toString":"x","a/b":1}}',
      "reader",
      { kind: "known" },
    ],
    [
      "a writer's undeclared field",
      '{"type":"constructor","data":{"toString":"x","a/b":1}}',
      "writer",
      { kind: "invalid", issues: [matchIssue("/data/a~1b", "additionalProperties")] },
    ],
    [
      "a writer's field __proto__",
      '{"type":"constructor","data":{"toString":"x","__proto__":1}}',
      "writer",
      { kind: "invalid", issues: [matchIssue("/data/__proto__", "additionalProperties")] },
    ],
    ["no object", "3", "reader", { kind: "invalid", issues: [matchIssue("", "type")] }],
  ];

it.each(CASES)("decodes %s", (_name, json, profile, want) => {
  expect(decodeEvent(JSON.parse(json), { profile })).toMatchObject(want);
});

/** Ways to forbid a field, and the issues of an event that has it. */
const FORBIDDEN: readonly (readonly [schema: JsonObject, data: JsonObject, issues: readonly string[]])[] = [
  [
    { propertyNames: { not: { enum: ["a", "b"] } } },
    { b: 1 },
    [
      '/data has the field b, whose name must not be "a" or "b"',
      "/data/b is a field whose name is not allowed",
    ],
  ],
  [
    { propertyNames: { pattern: "^[a-z]$" } },
    { "a/b": 1 },
    [
      "/data has the field a/b, whose name must match ^[a-z]$",
      "/data/a~1b is a field whose name is not allowed",
    ],
  ],
  [
    { propertyNames: { not: { const: "__proto__" } } },
    JSON.parse('{"__proto__":1}'),
    [
      '/data has the field __proto__, whose name must not be "__proto__"',
      "/data/__proto__ is a field whose name is not allowed",
    ],
  ],
  [{ properties: { b: false } }, { b: 1 }, ["/data/b is not allowed here"]],
  [{ patternProperties: { "^b": false } }, { bc: 1 }, ["/data/bc is not allowed here"]],
  [{ not: { required: ["b"] } }, { b: 1 }, ["/data must not have the field b"]],
  [{ not: { required: ["a", "b"] } }, { a: 1, b: 1 }, ["/data must not have the fields a and b"]],
  [
    { not: { anyOf: [{ required: ["a"] }, { required: ["b"] }] } },
    { b: 1 },
    ["/data must not have the field a or b"],
  ],
  [{ properties: { b: { not: { enum: [1, 2] } } } }, { b: 1 }, ["/data/b must not be 1 or 2"]],
  [
    { not: { properties: { b: { const: 1 } }, required: ["b"] } },
    { b: 1 },
    ["/data must not fit the schema below `not`"],
  ],
];

it.each(FORBIDDEN)("an issue names the forbidden field: %j", (schema, data, expected) => {
  const [event] = protocol.events;
  if (event === undefined) throw new Error("no event");
  const payload = { type: "object", ...schema };
  const { decodeEvent } = createValidators({ ...protocol, events: [{ ...event, payload }] });
  const result = decodeEvent({ type: "constructor", data }, { profile: "reader" });
  const issues = result.kind === "invalid" ? result.issues : [];
  expect(issues.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual(expected);
  const { kind } = decodeEvent({ type: "constructor", data: { c: 1 } }, { profile: "reader" });
  expect(kind).toBe("known");
});
