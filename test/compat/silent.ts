import type { ExampleFiles, Rule } from "../../generator/compat/change.js";
import { createFieldExample, createPayloadExample } from "../../generator/compat/rules/rule.js";
import type { ChangeKind } from "../../generator/compat/rules/rules.js";
import type { JsonObject } from "../../generator/json.js";
import { POURED, SERVED } from "./tea-history.js";

const SHARED = "shared/sorts.schema.json";
const ENVELOPE = "envelope.schema.json";
const text = { type: "string" };
const cups = { type: "integer", minimum: 0 };
const sort = { type: "string", enum: ["green", "black"] };
const pot = { type: "object", properties: { size: cups, sort }, required: ["size"] };
const createReference = (name: string, more: JsonObject = {}) => ({
  $ref: `../shared/sorts.schema.json#/$defs/${name}`,
  ...more,
});

/** A change, and the rules of the notes that it must give. */
type Example = Rule["example"] & { readonly notes?: readonly ChangeKind[] };

/** Creates files with this payload of tea.served and, if given, with shared definitions. */
function createServed(
  payload: JsonObject,
  sharedDefinitions?: JsonObject,
  more: ExampleFiles = {},
): ExampleFiles {
  const definitions = sharedDefinitions && {
    [SHARED]: { title: "Sorts", description: "Shared.", $defs: sharedDefinitions },
  };
  return { ...more, [SERVED]: payload, ...definitions };
}

function createExample(before: ExampleFiles, after: ExampleFiles, ...notes: ChangeKind[]): Example {
  return { before, after, notes };
}

const plainFields = createServed({ properties: { sort, cups }, required: ["cups"] });
const createSuggestions = (...values: string[]) => ({ ...text, "x-known-values": values });
const experimental = { "x-stability": "experimental" };
const shared = createServed(
  { properties: { sort: createReference("Sort"), pot: createReference("Pot") } },
  { Sort: sort, Pot: pot },
);

/** Changes that must give no error and no warning: refactorings, additions, experimental changes. */
export const SILENT: { readonly [name: string]: Example } = {
  "definition-extracted": createExample(
    plainFields,
    createServed({ properties: { sort: createReference("Sort"), cups }, required: ["cups"] }, { Sort: sort }),
  ),
  "definition-inlined": createExample(shared, createServed({ properties: { sort, pot } })),
  "definition-renamed": createExample(
    shared,
    createServed(
      { properties: { sort: createReference("Kind"), pot: createReference("Jug") } },
      { Kind: sort, Jug: pot },
    ),
  ),
  "definition-split": createExample(
    shared,
    createServed(
      { properties: { sort: createReference("Sort"), pot: createReference("Pot") } },
      {
        Sort: sort,
        Size: cups,
        Pot: { ...pot, properties: { size: { $ref: "#/$defs/Size" }, sort: { $ref: "#/$defs/Sort" } } },
      },
    ),
  ),
  "definition-merged-by-all-of": createExample(
    plainFields,
    createServed({ allOf: [{ properties: { sort } }, { properties: { cups }, required: ["cups"] }] }),
  ),
  "all-of-flattened": createExample(
    createServed({ properties: { sort: { allOf: [text, { minLength: 1 }] } } }),
    createServed({ properties: { sort: { ...text, minLength: 1 } } }),
  ),
  "definition-moved-to-another-file": createExample(shared, {
    [SERVED]: { properties: { sort: { $ref: "../shared/other.schema.json#/$defs/Sort" }, pot } },
    "shared/other.schema.json": { title: "Other", description: "Shared.", $defs: { Sort: sort } },
  }),
  "fields-reordered": createExample(
    plainFields,
    createServed({ required: ["cups"], properties: { cups, sort } }),
  ),
  "required-reordered": createExample(
    createPayloadExample({ sort, cups }, {}, { before: ["sort", "cups"] }).before,
    createPayloadExample({ sort, cups }, {}, { before: ["cups", "sort"] }).before,
  ),
  "enum-reordered": createFieldExample(sort, { ...sort, enum: ["black", "green"] }),
  "types-reordered": createFieldExample({ type: ["string", "null"] }, { type: ["null", "string"] }),
  "branches-reordered": createFieldExample({ anyOf: [text, cups] }, { anyOf: [cups, text] }),
  "const-for-one-value": createFieldExample({ type: "string", enum: ["green"] }, { const: "green" }),
  "type-left-out-beside-const": createFieldExample({ type: "string", const: "green" }, { const: "green" }),
  reworded: createFieldExample({ ...sort, description: "Which." }, { ...sort, description: "What kind." }),
  "title-and-examples": createExample(
    plainFields,
    createServed({ title: "Tea!", properties: { sort, cups }, required: ["cups"], examples: [{ cups: 1 }] }),
  ),
  "annotation-format": createFieldExample(
    { type: "integer", minimum: 0 },
    { type: "integer", minimum: 0, format: "uint64" },
  ),
  "exclusive-bound-of-integers": createFieldExample(
    { type: "integer", exclusiveMinimum: 0 },
    { type: "integer", minimum: 1 },
  ),
  "pattern-written-in-another-way": createFieldExample(
    { ...text, pattern: "^[a-c]$" },
    { ...text, pattern: "^(?:a|b|c)$" },
  ),
  "nullable-by-any-of": createFieldExample({ type: ["string", "null"] }, { anyOf: [text, { type: "null" }] }),
  "integer-by-multiple-of": createFieldExample({ type: "integer" }, { type: "number", multipleOf: 1 }),
  "one-of-for-any-of": createFieldExample({ anyOf: [text, cups] }, { oneOf: [text, cups] }),
  "bound-implied": createFieldExample(sort, { ...sort, maxLength: 5 }),
  "if-written-as-any-of": createExample(
    createServed({ properties: { sort, cups }, if: { required: ["sort"] }, else: { required: ["cups"] } }),
    createServed({ properties: { sort, cups }, anyOf: [{ required: ["sort"] }, { required: ["cups"] }] }),
  ),
  "field-added": { ...createPayloadExample({ cups }, { cups, sort }), notes: ["field-added-optional"] },
  "field-added-in-an-object": {
    ...createFieldExample(
      { type: "object", properties: { size: cups } },
      { type: "object", properties: { size: cups, sort } },
    ),
    notes: ["field-added-optional"],
  },
  "field-added-in-items": {
    ...createFieldExample(
      { type: "array", items: { type: "object", properties: { size: cups } } },
      { type: "array", items: { type: "object", properties: { size: cups, sort } } },
    ),
    notes: ["field-added-optional"],
  },
  "event-added": createExample(
    {},
    { "events/tea.ordered.schema.json": { properties: { cups } } },
    "event-added",
  ),
  "envelope-field-added": createExample(
    {},
    {
      [ENVELOPE]: {
        properties: {
          type: { type: "string", description: "What happened." },
          id: { type: "string", minLength: 1, description: "Identifier." },
          room: { type: "string", description: "Where." },
          data: { type: "object", description: "The payload." },
        },
      },
    },
    "field-added-optional",
  ),
  "enum-value-added": {
    ...createFieldExample(
      { ...text, "x-extensible-enum": ["green"] },
      { ...text, "x-extensible-enum": ["green", "black"] },
    ),
    notes: ["enum-value-added"],
  },
  "enum-opened": {
    ...createFieldExample(sort, { ...text, "x-extensible-enum": ["green", "black"] }),
    notes: ["enum-opened"],
  },
  "known-values-in-another-order": createFieldExample(
    createSuggestions("green", "black"),
    createSuggestions("black", "green"),
  ),
  "extensible-enum-becomes-known-values": createFieldExample(
    { ...text, "x-extensible-enum": ["green", "black"] },
    createSuggestions("green", "black"),
  ),
  "known-values-split-over-two-schemas": createFieldExample(createSuggestions("green", "black"), {
    allOf: [createSuggestions("green"), createSuggestions("black")],
  }),
  "known-value-removed-from-an-experimental-event": createExample(
    createServed({ ...experimental, properties: { sort: createSuggestions("green", "black") } }),
    createServed({ ...experimental, properties: { sort: createSuggestions("green") } }),
    "known-value-removed",
  ),
  "not-sensitive-is-stated": createFieldExample(text, { ...text, "x-sensitive": false }),
  "sensitive-mark-moves-into-a-definition": createExample(
    createServed({ properties: { sort: { ...text, "x-sensitive": true } } }),
    createServed(
      { properties: { sort: createReference("Sort") } },
      { Sort: { ...text, "x-sensitive": true } },
    ),
  ),
  "writer-rule-removed": createFieldExample({ ...text, "x-writer": { minLength: 1 } }, text),
  "experimental-field-retyped": createExample(
    createServed({ ...experimental, properties: { cups } }),
    createServed({ ...experimental, properties: { cups: text } }),
    "type-changed",
  ),
  "experimental-field-removed-with-tombstone": createExample(
    createServed({ ...experimental, properties: { cups, sort } }),
    {
      ...createServed({ ...experimental, properties: { cups } }),
      "protocol.json": {
        version: "1.1",
        tombstones: [
          { kind: "field", name: "sort", in: "tea.served", removedIn: "1.1", reason: "Tea is tea." },
        ],
      },
    },
    "field-removed-optional",
  ),
  "deprecated-with-replacement": createPayloadExample(
    { cups, sort },
    { cups, sort: { ...sort, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": "cups" } },
  ),
  "deprecated-without-successor": createPayloadExample(
    { cups, sort },
    { cups, sort: { ...sort, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": null } },
  ),
  "deprecated-event-without-successor": createExample(
    { ...plainFields, [POURED]: createServed({ properties: { cups } })[SERVED] ?? null },
    { ...plainFields, [POURED]: { properties: { cups }, deprecated: true, "x-replaced-by": null } },
  ),
  "deprecated-definition-without-successor": createExample(
    shared,
    createServed(
      {
        properties: {
          sort: createReference("Sort", { deprecated: true, "x-replaced-by": null }),
          pot: createReference("Pot"),
        },
      },
      { Sort: { ...sort, "x-replaced-by": "leaf" }, Pot: pot },
    ),
  ),
  "rename-with-deprecated-old-name": {
    ...createPayloadExample(
      { tea_sort: sort },
      {
        tea_sort: { ...sort, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": "sort" },
        sort: { ...sort, "x-renamed-from": "tea_sort" },
      },
    ),
    notes: ["field-added-optional"],
  },
};
