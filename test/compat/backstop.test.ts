/** If this fails, a break of a stable event passes because of a label, a waiver, or a change that no rule knows. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import {
  checkHistory,
  createObjectSchema,
  createVersion,
  createWaiver,
  cups,
  SERVED,
  text,
} from "./tea-history.js";

const EXPERIMENTAL = { "x-stability": "experimental" };
const STABLE = { "x-stability": "stable" };

/** The parts of a version that a case states: keywords of tea.served, the envelope, and further files. */
type EventContract = {
  readonly fields?: object;
  readonly required?: readonly string[];
  readonly payload?: object;
  readonly envelope?: object;
  readonly files?: object;
};

/** Returns the files of a version in which tea.served is stable. */
function createStableVersion(
  version: string,
  { fields: properties = {}, required, payload, envelope = {}, files }: EventContract,
): ExampleFiles {
  const served = { ...STABLE, properties, ...payload, required };
  return createVersion(version, {}, {}, { ...files, "envelope.schema.json": envelope, [SERVED]: served });
}

const ENVELOPE_FIELDS = { type: text, id: text, data: { type: "object", description: "The payload." } };
const createSharedCup = (properties: object, more: object = {}): object => ({
  "shared/parts.schema.json": {
    title: "Parts",
    description: "Shared.",
    $defs: { Cup: createObjectSchema(properties, more) },
  },
});
const CUP_REFERENCE = { $ref: "../shared/parts.schema.json#/$defs/Cup" };
const tenant = { ...text, ...EXPERIMENTAL };

/** Changes that break messages of a stable event, although parts of them are labelled experimental or candidate. */
const BREAKS: readonly (readonly [about: string, before: EventContract, after: EventContract])[] = [
  [
    "a new required experimental field",
    { fields: { cups } },
    { fields: { cups, tenant }, required: ["tenant"] },
  ],
  [
    "a new required experimental field of the envelope",
    {},
    { envelope: { properties: { ...ENVELOPE_FIELDS, tenant }, required: ["type", "id", "data", "tenant"] } },
  ],
  [
    "a new required experimental field of a nested object",
    { fields: { pot: createObjectSchema({ cups }) } },
    { fields: { pot: createObjectSchema({ cups, tenant }, { required: ["tenant"] }) } },
  ],
  [
    "a new required experimental field of an item",
    { fields: { pots: { type: "array", description: "All.", items: createObjectSchema({ cups }) } } },
    {
      fields: {
        pots: {
          type: "array",
          description: "All.",
          items: createObjectSchema({ cups, tenant }, { required: ["tenant"] }),
        },
      },
    },
  ],
  [
    "a new required experimental field of a shared definition",
    { fields: { cup: CUP_REFERENCE }, files: createSharedCup({ cups }) },
    { fields: { cup: CUP_REFERENCE }, files: createSharedCup({ cups, tenant }, { required: ["tenant"] }) },
  ],
  [
    "a new typed experimental field in an open object",
    { fields: { pot: createObjectSchema({ cups }, { additionalProperties: true }) } },
    { fields: { pot: createObjectSchema({ cups, tenant }, { additionalProperties: true }) } },
  ],
  [
    "an experimental field that becomes required",
    { fields: { cups, tenant } },
    { fields: { cups, tenant }, required: ["tenant"] },
  ],
  [
    "an experimental field that is no longer required",
    { fields: { cups, tenant }, required: ["tenant"] },
    { fields: { cups, tenant } },
  ],
  [
    "a break of the envelope that is labelled experimental",
    { envelope: { ...EXPERIMENTAL, properties: { ...ENVELOPE_FIELDS, id: { ...text, maxLength: 5 } } } },
    { envelope: { ...EXPERIMENTAL, properties: { ...ENVELOPE_FIELDS, id: text } } },
  ],
  [
    "a field that is labelled experimental in the same change",
    { fields: { tenant: text } },
    { fields: { tenant: { ...cups, ...EXPERIMENTAL } } },
  ],
  [
    "a hidden break beside an experimental field that changes its type",
    { fields: { tenant, cups: { ...cups, allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] } } },
    {
      fields: {
        tenant: { ...cups, ...EXPERIMENTAL },
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
        tenant: { ...cups, ...EXPERIMENTAL },
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
        allOf: [{ properties: { tenant } }, { properties: { tenant: { ...text, ...STABLE } } }],
      },
    },
    {
      payload: {
        allOf: [
          { properties: { tenant: { ...cups, ...EXPERIMENTAL } } },
          { properties: { tenant: { ...cups, ...STABLE } } },
        ],
      },
    },
  ],
  [
    "a new event type that the envelope does not allow, beside an experimental field that changes its type",
    {
      envelope: {
        properties: {
          ...ENVELOPE_FIELDS,
          data: { ...ENVELOPE_FIELDS.data, maxProperties: 1 },
          tenant,
        },
      },
      fields: { cups },
    },
    {
      envelope: { properties: { ...ENVELOPE_FIELDS, tenant: { ...cups, ...EXPERIMENTAL } } },
      fields: { cups },
      files: { "events/tea.poured.schema.json": { properties: { a: text, b: text } } },
    },
  ],
  [
    "a new experimental event type that the envelope does not allow",
    { envelope: { properties: { ...ENVELOPE_FIELDS, type: { ...text, maxLength: 10 } } } },
    {
      envelope: { properties: { ...ENVELOPE_FIELDS, type: text } },
      files: { "events/tea.served_again.schema.json": { ...EXPERIMENTAL, properties: {} } },
    },
  ],
];

/** Changes of experimental parts that do not affect messages without these parts. */
const EXPERIMENTAL_CHANGES: readonly (readonly [
  about: string,
  before: EventContract,
  after: EventContract,
])[] = [
  [
    "the field changes its type",
    { fields: { cups, tenant } },
    { fields: { cups, tenant: { ...cups, ...EXPERIMENTAL } } },
  ],
  [
    "the field is required and changes its type",
    { fields: { tenant }, required: ["tenant"] },
    { fields: { tenant: { ...cups, ...EXPERIMENTAL } }, required: ["tenant"] },
  ],
  [
    "the field changes its type in a shared definition",
    { fields: { cup: CUP_REFERENCE }, files: createSharedCup({ tenant }) },
    { fields: { cup: CUP_REFERENCE }, files: createSharedCup({ tenant: { ...cups, ...EXPERIMENTAL } }) },
  ],
  [
    "the field changes its type in the envelope",
    { envelope: { properties: { ...ENVELOPE_FIELDS, tenant } } },
    { envelope: { properties: { ...ENVELOPE_FIELDS, tenant: { ...cups, ...EXPERIMENTAL } } } },
  ],
  [
    "the field changes its type in every payload",
    { envelope: { properties: { ...ENVELOPE_FIELDS, data: createObjectSchema({ tenant }) } } },
    {
      envelope: {
        properties: {
          ...ENVELOPE_FIELDS,
          data: createObjectSchema({ tenant: { ...cups, ...EXPERIMENTAL } }),
        },
      },
    },
  ],
  [
    "the field changes its type in a recursive definition",
    { fields: { cup: CUP_REFERENCE }, files: createSharedCup({ tenant, inner: { $ref: "#/$defs/Cup" } }) },
    {
      fields: { cup: CUP_REFERENCE },
      files: createSharedCup({ tenant: { ...cups, ...EXPERIMENTAL }, inner: { $ref: "#/$defs/Cup" } }),
    },
  ],
  [
    "the field requires another field of its object",
    { fields: { pot: { ...createObjectSchema({ cups }), ...EXPERIMENTAL } } },
    { fields: { pot: { ...createObjectSchema({ cups }, { required: ["cups"] }), ...EXPERIMENTAL } } },
  ],
];

describe("a break of a stable event is an error", () => {
  it.each(BREAKS)("%s", async (_about, before, after) => {
    const { exitCode, errors } = await checkHistory([
      createStableVersion("1.0", before),
      createStableVersion("1.1", after),
    ]);
    const breaks = errors.filter(({ rule }) => !rule.includes("tombstone"));
    expect(breaks.map(({ witness }) => witness)).not.toContain(undefined);
    expect(breaks.length).toBeGreaterThan(0);
    expect(exitCode).toBe(1);
  });
});

describe("a change of an experimental field of a stable event is a note if", () => {
  it.each(EXPERIMENTAL_CHANGES)("%s", async (_about, before, after) => {
    const { exitCode, findings } = await checkHistory([
      createStableVersion("1.0", before),
      createStableVersion("1.1", after),
    ]);
    expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
    expect(findings.length).toBeGreaterThan(0);
    expect(exitCode).toBe(0);
  });
});

const createSortField = (schema: object): object => ({ sort: { description: "Which.", ...schema } });

/** A schema of a field, another one whose break is reviewed and waived, and a third one that breaks as well. */
const WAIVED_BREAKS: readonly (readonly [about: string, before: object, reviewed: object, other: object])[] =
  [
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

describe("a waiver covers only the reviewed break", () => {
  it.each(WAIVED_BREAKS)("%s", async (_about, before, reviewed, other) => {
    const first = createVersion("1.0", createSortField(before));
    const { findings } = await checkHistory([first, createVersion("1.1", createSortField(reviewed))]);
    const waivers = findings.map((finding) => createWaiver(finding));
    const checkWithWaivers = (schema: object) =>
      checkHistory([first, createVersion("1.1", createSortField(schema), { waivers })]);
    expect((await checkWithWaivers(reviewed)).findings).toEqual([]);
    const { errors } = await checkWithWaivers(other);
    expect(errors.filter(({ rule }) => rule !== "waiver-unused").length).toBeGreaterThan(0);
  });
});
