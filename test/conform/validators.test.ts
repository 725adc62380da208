/** If this fails, a field or event type with the name of an inherited member is accepted or refused wrongly. */
import { expect, it } from "vitest";
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
