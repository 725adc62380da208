/**
 * Every event of this repository, in both readings: the reader's contains the writer's, each contains itself, and a
 * set of small changes to a payload is decided rightly in both directions.
 */
import { describe, expect, it } from "vitest";
import { checkContainment } from "../../generator/contain/contain.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { document, readAs } from "../../generator/schema/readings.js";

const events = (await loadSchemas("schemas")).protocols.flatMap(({ name, version, events, definitions }) =>
  events.map(({ type, payload }) => ({
    name: `${name} ${version} ${type}`,
    writer: document(readAs("writer", payload, definitions)),
    reader: document(readAs("reader", payload, definitions)),
  })),
);

/** An object that every change of the set can be made to; it stands beside the properties of the event. */
const FIELD = {
  closed: { type: "string", enum: ["red", "green"] },
  count: { type: "integer", minimum: 0, maximum: 10 },
  code: { type: "string", pattern: "^[a-z]{2,8}$" },
  note: { type: "string" },
};

/** What a change does: whether the schema before is inside the one after, and the other way round. */
interface Change {
  readonly name: string;
  readonly change: (before: JsonObject) => JsonObject;
  /** For open objects; `closed` where the answer is another one for closed objects. */
  readonly open: readonly [forward: boolean, backward: boolean];
  readonly closed?: readonly [forward: boolean, backward: boolean];
}

const CHANGES: readonly Change[] = [
  { name: "field removed", change: without("note"), open: [true, false], closed: [false, true] },
  {
    name: "field added",
    change: withField("extra", { type: "string" }),
    open: [false, true],
    closed: [true, false],
  },
  {
    name: "field renamed",
    change: (s) => withField("remark", FIELD.note)(without("note")(s)),
    open: [false, false],
  },
  {
    name: "made required",
    change: (s) => ({ ...s, required: [...required(s), "note"] }),
    open: [false, true],
  },
  {
    name: "made optional",
    change: (s) => ({ ...s, required: required(s).filter((key) => key !== "code") }),
    open: [true, false],
  },
  {
    name: "type widened",
    change: withField("count", { ...FIELD.count, type: "number" }),
    open: [true, false],
  },
  { name: "type narrowed", change: withField("note", { type: "string", maxLength: 5 }), open: [false, true] },
  { name: "type changed", change: withField("count", { type: "string" }), open: [false, false] },
  { name: "bound raised", change: withField("count", { ...FIELD.count, maximum: 11 }), open: [true, false] },
  { name: "bound lowered", change: withField("count", { ...FIELD.count, minimum: 1 }), open: [false, true] },
  {
    name: "enum value added",
    change: withField("closed", { type: "string", enum: ["red", "green", "blue"] }),
    open: [true, false],
  },
  {
    name: "enum value removed",
    change: withField("closed", { type: "string", enum: ["red"] }),
    open: [false, true],
  },
  {
    name: "pattern widened",
    change: withField("code", { type: "string", pattern: "^[a-z]{2,9}$" }),
    open: [true, false],
  },
  {
    name: "pattern changed",
    change: withField("code", { type: "string", pattern: "^[a-y]{2,9}$" }),
    open: [false, false],
  },
  { name: "nullable added", change: withField("note", { type: ["string", "null"] }), open: [true, false] },
];

describe.each(events)("$name", ({ writer, reader }) => {
  it("has a reader that accepts all that its writer may say, and contains itself", async () => {
    expect(await checkContainment(writer, reader)).toEqual({ verdict: "contained" });
    expect(await checkContainment(writer, structuredClone(writer))).toEqual({ verdict: "contained" });
    expect(await checkContainment(reader, structuredClone(reader))).toEqual({ verdict: "contained" });
  });

  it.runIf(isObject(reader))("has every change decided in both directions", async () => {
    const base = isObject(reader) ? reader : {};
    for (const { name, change, open, closed } of CHANGES) {
      for (const [isClosed, expected] of [
        [false, open] as const,
        ...(closed ? [[true, closed] as const] : []),
      ]) {
        const before = seeded(base, isClosed);
        const after = change(before);
        const forward = (await checkContainment(before, after)).verdict;
        const backward = (await checkContainment(after, before)).verdict;
        const verdicts = expected.map((contained) => (contained ? "contained" : "not-contained"));
        expect({ name, isClosed, verdicts: [forward, backward] }).toEqual({ name, isClosed, verdicts });
      }
    }
  });
});

it("reads at least the 135 event schemas", () => {
  expect(events.length).toBeGreaterThanOrEqual(135);
});

function seeded(schema: JsonObject, isClosed: boolean): JsonObject {
  const fields = { ...properties(schema), ...FIELD };
  const keys = [...new Set([...required(schema), "code", "closed"])];
  const { additionalProperties: _, ...rest } = schema;
  const open = { ...rest, type: "object", properties: fields, required: keys };
  return isClosed ? { ...open, unevaluatedProperties: false } : open;
}

function properties(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

function required(schema: JsonObject): readonly string[] {
  return Array.isArray(schema.required) ? (schema.required as string[]) : [];
}

function withField(key: string, value: Json): (schema: JsonObject) => JsonObject {
  return (schema) => ({ ...schema, properties: { ...properties(schema), [key]: value } });
}

function without(key: string): (schema: JsonObject) => JsonObject {
  return (schema) => ({
    ...schema,
    properties: Object.fromEntries(Object.entries(properties(schema)).filter(([name]) => name !== key)),
  });
}
