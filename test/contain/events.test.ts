/** If this fails, `accrete compat` gives a wrong verdict on real events. */
import { describe, expect, it } from "vitest";
import { checkContainment } from "../../generator/contain/contain.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { buildDocument, readAs } from "../../generator/schema/readings.js";
import { chooseCases, quick } from "../depth.js";

const events = (await loadSchemas("schemas")).protocols.flatMap(({ name, version, events, definitions }) =>
  events.map(({ type, payload }) => ({
    name: `${name} ${version} ${type}`,
    writer: buildDocument(readAs("writer", payload, definitions)),
    reader: buildDocument(readAs("reader", payload, definitions)),
  })),
);

/** Fields to which all changes can be applied. They are added to the properties of the event. */
const FIELD = {
  closed: { type: "string", enum: ["red", "green"] },
  count: { type: "integer", minimum: 0, maximum: 10 },
  code: { type: "string", pattern: "^[a-z]{2,8}$" },
  note: { type: "string" },
};

/** The verdicts for each effect: whether the old schema is contained in the new one, and the new one in the old one. */
const EFFECTS = {
  widens: ["contained", "not-contained"],
  narrows: ["not-contained", "contained"],
  replaces: ["not-contained", "not-contained"],
} as const;
type Effect = keyof typeof EFFECTS;

/** Changes with their effect on open objects, and on closed objects if that differs. */
const CHANGES: readonly (readonly [
  name: string,
  change: (before: JsonObject) => JsonObject,
  open: Effect,
  closed?: Effect,
])[] = [
  ["field removed", createFieldRemoval("note"), "widens", "narrows"],
  ["field added", createFieldChange("extra", { type: "string" }), "narrows", "widens"],
  [
    "field renamed",
    (before) => createFieldChange("remark", FIELD.note)(createFieldRemoval("note")(before)),
    "replaces",
  ],
  ["made required", (before) => ({ ...before, required: [...getRequired(before), "note"] }), "narrows"],
  [
    "made optional",
    (before) => ({ ...before, required: getRequired(before).filter((key) => key !== "code") }),
    "widens",
  ],
  ["type widened", createFieldChange("count", { ...FIELD.count, type: "number" }), "widens"],
  ["type narrowed", createFieldChange("note", { type: "string", maxLength: 5 }), "narrows"],
  ["type changed", createFieldChange("count", { type: "string" }), "replaces"],
  ["bound raised", createFieldChange("count", { ...FIELD.count, maximum: 11 }), "widens"],
  ["bound lowered", createFieldChange("count", { ...FIELD.count, minimum: 1 }), "narrows"],
  [
    "enum value added",
    createFieldChange("closed", { type: "string", enum: ["red", "green", "blue"] }),
    "widens",
  ],
  ["enum value removed", createFieldChange("closed", { type: "string", enum: ["red"] }), "narrows"],
  ["pattern widened", createFieldChange("code", { type: "string", pattern: "^[a-z]{2,9}$" }), "widens"],
  ["pattern changed", createFieldChange("code", { type: "string", pattern: "^[a-y]{2,9}$" }), "replaces"],
  ["nullable added", createFieldChange("note", { type: ["string", "null"] }), "widens"],
];

describe.each(chooseCases(events, 16))("$name", ({ writer, reader }) => {
  it("has readings that are contained in themselves, and a reader that accepts everything a writer may send", async () => {
    expect(await checkContainment(writer, reader)).toEqual({ verdict: "contained" });
    expect(await checkContainment(writer, structuredClone(writer))).toEqual({ verdict: "contained" });
    expect(await checkContainment(reader, structuredClone(reader))).toEqual({ verdict: "contained" });
  });

  it.runIf(isObject(reader))("gets the correct verdict in both directions after each change", async () => {
    const base = isObject(reader) ? reader : {};
    for (const [name, change, ...effects] of CHANGES) {
      for (const [index, effect] of effects.entries()) {
        if (effect === undefined) continue;
        const before = addFields(base, index === 1);
        const after = change(before);
        const forward = (await checkContainment(before, after)).verdict;
        const backward = (await checkContainment(after, before)).verdict;
        expect([name, effect, forward, backward]).toEqual([name, effect, ...EFFECTS[effect]]);
      }
    }
  });
});

quick.it("uses at least the 135 event types of this repository", () => {
  expect(events.length).toBeGreaterThanOrEqual(135);
});

function addFields(schema: JsonObject, isClosed: boolean): JsonObject {
  const fields = { ...getProperties(schema), ...FIELD };
  const keys = [...new Set([...getRequired(schema), "code", "closed"])];
  const { additionalProperties: _, ...rest } = schema;
  const open = { ...rest, type: "object", properties: fields, required: keys };
  return isClosed ? { ...open, unevaluatedProperties: false } : open;
}

function getProperties(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

function getRequired(schema: JsonObject): readonly string[] {
  return Array.isArray(schema.required) ? (schema.required as string[]) : [];
}

function createFieldChange(key: string, value: Json): (schema: JsonObject) => JsonObject {
  return (schema) => ({ ...schema, properties: { ...getProperties(schema), [key]: value } });
}

function createFieldRemoval(key: string): (schema: JsonObject) => JsonObject {
  return (schema) => ({
    ...schema,
    properties: Object.fromEntries(Object.entries(getProperties(schema)).filter(([name]) => name !== key)),
  });
}
