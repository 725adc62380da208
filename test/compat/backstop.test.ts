/** Without these, a break of a stable event would pass because of a label, a waiver, or a change that no rule knows. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { at, compat, cups, filesOf, history, SERVED, text, waiverOf } from "./tea-history.js";

const wild = { "x-stability": "experimental" };
const stable = { "x-stability": "stable" };
const closed = (properties: object, more: object = {}) => ({
  type: "object",
  description: "A thing.",
  properties,
  ...more,
});

type Given = {
  /** The payload, or what the files say beside it. */
  readonly fields?: object;
  readonly required?: readonly string[];
  readonly payload?: object;
  readonly envelope?: object;
  readonly files?: ExampleFiles;
};

function release(
  version: string,
  { fields = {}, required, payload = {}, envelope, files = {} }: Given,
): ExampleFiles {
  const more: Record<string, unknown> = { ...files };
  if (envelope !== undefined) more["envelope.schema.json"] = envelope;
  const base = at(version, fields, {}, more as ExampleFiles);
  const served = { ...base[SERVED], ...stable, ...payload, ...(required && { required }) };
  return filesOf({ ...base, [SERVED]: served });
}

const message = { type: text, id: text, data: { type: "object", description: "The payload." } };
const shared = (properties: object, more: object = {}): ExampleFiles =>
  filesOf({
    "shared/parts.schema.json": {
      title: "Parts",
      description: "Shared.",
      $defs: { Cup: closed(properties, more) },
    },
  });
const cup = { $ref: "../shared/parts.schema.json#/$defs/Cup" };
const tenant = { ...text, ...wild };

/** Changes that break messages of a stable event, whatever the labels on the parts say. */
const BREAKS: readonly (readonly [about: string, before: Given, after: Given])[] = [
  [
    "a new required experimental field",
    { fields: { cups } },
    { fields: { cups, tenant }, required: ["tenant"] },
  ],
  [
    "a new required experimental field of the envelope",
    {},
    { envelope: { properties: { ...message, tenant }, required: ["type", "id", "data", "tenant"] } },
  ],
  [
    "a new required experimental field of a nested object",
    { fields: { pot: closed({ cups }) } },
    { fields: { pot: closed({ cups, tenant }, { required: ["tenant"] }) } },
  ],
  [
    "a new required experimental field of an item",
    { fields: { pots: { type: "array", description: "All.", items: closed({ cups }) } } },
    {
      fields: {
        pots: {
          type: "array",
          description: "All.",
          items: closed({ cups, tenant }, { required: ["tenant"] }),
        },
      },
    },
  ],
  [
    "a new required experimental field of a shared definition",
    { fields: { cup }, files: shared({ cups }) },
    { fields: { cup }, files: shared({ cups, tenant }, { required: ["tenant"] }) },
  ],
  [
    "a new typed experimental field in an open object",
    { fields: { pot: closed({ cups }, { additionalProperties: true }) } },
    { fields: { pot: closed({ cups, tenant }, { additionalProperties: true }) } },
  ],
  [
    "an experimental field that becomes required",
    { fields: { cups, tenant } },
    { fields: { cups, tenant }, required: ["tenant"] },
  ],
  [
    "an experimental field that is required no more",
    { fields: { cups, tenant }, required: ["tenant"] },
    { fields: { cups, tenant } },
  ],
  [
    "a break of the envelope that is labelled experimental",
    { envelope: { ...wild, properties: { ...message, id: { ...text, maxLength: 5 } } } },
    { envelope: { ...wild, properties: { ...message, id: text } } },
  ],
  [
    "a field that is labelled experimental in the same change",
    { fields: { tenant: text } },
    { fields: { tenant: { ...cups, ...wild } } },
  ],
  [
    "a hidden break beside an experimental field that changes its type",
    { fields: { tenant, cups: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] } } },
    {
      fields: {
        tenant: { ...cups, ...wild },
        cups: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 5 }] },
      },
    },
  ],
  [
    "a hidden break beside a required experimental field that changes its type",
    {
      fields: { tenant, cups: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] } },
      required: ["tenant"],
    },
    {
      fields: {
        tenant: { ...cups, ...wild },
        cups: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 5 }] },
      },
      required: ["tenant"],
    },
  ],
  [
    "a hidden break in a field that is labelled candidate",
    { fields: { tags: { description: "All.", "x-stability": "candidate" } } },
    {
      fields: {
        tags: {
          description: "All.",
          "x-stability": "candidate",
          additionalProperties: { type: "integer", description: "One." },
        },
      },
    },
  ],
  [
    "a condition on an experimental field",
    { fields: { cups, tenant } },
    { fields: { cups, tenant }, payload: { dependentRequired: { tenant: ["cups"] } } },
  ],
  [
    "a field that only one of two definitions labels experimental",
    {
      payload: {
        allOf: [{ properties: { tenant } }, { properties: { tenant: { ...text, ...stable } } }],
      },
    },
    {
      payload: {
        allOf: [
          { properties: { tenant: { ...cups, ...wild } } },
          { properties: { tenant: { ...cups, ...stable } } },
        ],
      },
    },
  ],
  [
    "a new event type that the envelope does not allow, beside an experimental field that changes its type",
    {
      envelope: {
        properties: {
          ...message,
          data: { ...message.data, maxProperties: 1 },
          tenant,
        },
      },
      fields: { cups },
    },
    {
      envelope: { properties: { ...message, tenant: { ...cups, ...wild } } },
      fields: { cups },
      files: { "events/tea.poured.schema.json": { properties: { a: text, b: text } } },
    },
  ],
  [
    "a new experimental event type that the envelope does not allow",
    { envelope: { properties: { ...message, type: { ...text, maxLength: 10 } } } },
    {
      envelope: { properties: { ...message, type: text } },
      files: { "events/tea.served_again.schema.json": { ...wild, properties: {} } },
    },
  ],
];

/** Changes of experimental parts that leave the messages without them as they were. */
const LOWERED: readonly (readonly [about: string, before: Given, after: Given])[] = [
  ["changes its type", { fields: { cups, tenant } }, { fields: { cups, tenant: { ...cups, ...wild } } }],
  [
    "changes its type where it is required",
    { fields: { tenant }, required: ["tenant"] },
    { fields: { tenant: { ...cups, ...wild } }, required: ["tenant"] },
  ],
  [
    "changes its type in a shared definition",
    { fields: { cup }, files: shared({ tenant }) },
    { fields: { cup }, files: shared({ tenant: { ...cups, ...wild } }) },
  ],
  [
    "changes its type in the envelope",
    { envelope: { properties: { ...message, tenant } } },
    { envelope: { properties: { ...message, tenant: { ...cups, ...wild } } } },
  ],
  [
    "changes its type in every payload",
    { envelope: { properties: { ...message, data: closed({ tenant }) } } },
    { envelope: { properties: { ...message, data: closed({ tenant: { ...cups, ...wild } }) } } },
  ],
  [
    "changes its type in a recursive definition",
    { fields: { cup }, files: shared({ tenant, inner: { $ref: "#/$defs/Cup" } }) },
    { fields: { cup }, files: shared({ tenant: { ...cups, ...wild }, inner: { $ref: "#/$defs/Cup" } }) },
  ],
  [
    "requires another field of its object",
    { fields: { pot: { ...closed({ cups }), ...wild } } },
    { fields: { pot: { ...closed({ cups }, { required: ["cups"] }), ...wild } } },
  ],
];

describe("a break of a stable event is an error", () => {
  it.each(BREAKS)("%s", async (_about, before, after) => {
    const { exitCode, findings } = await compat(
      await history([release("1.0", before), release("1.1", after)]),
    );
    const errors = findings.filter(
      ({ severity, rule }) => severity === "error" && !rule.includes("tombstone"),
    );
    expect(errors.map(({ witness }) => witness)).not.toContain(undefined);
    expect(errors.length).toBeGreaterThan(0);
    expect(exitCode).toBe(1);
  });
});

describe("a change of an experimental field of a stable event is a note where it", () => {
  it.each(LOWERED)("%s", async (_about, before, after) => {
    const { exitCode, findings } = await compat(
      await history([release("1.0", before), release("1.1", after)]),
    );
    expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
    expect(findings.length).toBeGreaterThan(0);
    expect(exitCode).toBe(0);
  });
});

const sorted = (schema: object): object => ({ sort: { description: "Which.", ...schema } });

/** A candidate contract, a change that is reviewed and waived as a whole, and another change. */
const WAIVED: readonly (readonly [about: string, before: object, reviewed: object, other: object])[] = [
  [
    "a bound beside a new type",
    { type: "string", maxLength: 2 },
    { oneOf: [{ type: "number" }] },
    { type: "string" },
  ],
  [
    "a bound, and then any type",
    { type: "string", maxLength: 2 },
    { anyOf: [{ type: "string" }] },
    { anyOf: [{ minLength: 0 }] },
  ],
  ["a condition beside new alternatives", { not: {} }, { oneOf: [{ type: "string" }] }, { minimum: 0 }],
  ["alternatives instead of a value", { const: "y" }, { oneOf: [{ type: "integer" }] }, { minimum: 0 }],
  [
    "a new type with a bound",
    { type: "string" },
    { type: ["string", "integer"], maximum: 5 },
    { type: ["string", "integer"] },
  ],
  [
    "another alternative",
    { anyOf: [{ const: "a" }, { const: "b" }, { const: "c" }] },
    { anyOf: [{ const: "a" }, { const: "b" }] },
    { anyOf: [{ const: "b" }, { const: "c" }] },
  ],
];

describe("a waiver covers the reviewed break alone", () => {
  it.each(WAIVED)("%s", async (_about, before, reviewed, other) => {
    const first = at("1.0", sorted(before));
    const { findings } = await compat(await history([first, at("1.1", sorted(reviewed))]));
    const waivers = findings.map((finding) => waiverOf(finding));
    const same = await compat(await history([first, at("1.1", sorted(reviewed), { waivers })]));
    expect(same.findings).toEqual([]);
    const { findings: rest } = await compat(await history([first, at("1.1", sorted(other), { waivers })]));
    const errors = rest.filter(({ severity, rule }) => severity === "error" && rule !== "waiver-unused");
    expect(errors.length).toBeGreaterThan(0);
  });
});
