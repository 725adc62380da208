import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { protocolValidators } from "../../generator/conform/validators.js";
import { importSamples } from "../../generator/import/import-samples.js";
import { AROUND, protocolFiles } from "../../generator/import/protocol-files.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { folder, put, tree } from "../cli/folders.js";
import { accrete } from "../cli/run-in-process.js";

interface Judged {
  readonly refused: readonly string[];
  readonly types: number;
}

/** Imports samples as the command does, and judges each by both readings of the result. */
function judged(samples: readonly JsonObject[]): Judged {
  const all = samples.map((value) => ({ value, text: JSON.stringify(value) }));
  const { parts } = importSamples("x.jsonl", all, { name: "x", version: "1.0" });
  const root = mkdtempSync(path.join(tmpdir(), "accrete-samples-"));
  try {
    put(root, Object.fromEntries(protocolFiles(parts).map(({ path, content }) => [path, content])));
    const { protocols, findings } = loadSchemas(root);
    const [protocol] = protocols;
    if (!protocol) return { refused: findings.map(({ message }) => message), types: 0 };
    const { profiles } = protocolValidators(protocol);
    const names = [...new Set(samples.map(({ type }) => String(type)))].sort();
    const refused = samples.flatMap((value) => {
      const type = parts.events[names.indexOf(String(value.type))]?.type ?? "";
      const event = parts.layout === AROUND ? { type, payload: value } : value;
      return Object.entries(profiles).flatMap(([profile, { events }]) =>
        events.get(type)?.(event) ? [] : [`${profile}: ${JSON.stringify(value)}`],
      );
    });
    return { refused, types: protocol.events.length };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const HOSTILE = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "$ref",
  "a/b",
  "~1",
  "type",
  "payload",
  "data",
  "\ud800",
  "*/",
  "é",
  "\u202e",
];
const key = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 3 }));
const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.constantFrom(0, -0.5, 2 ** 53 + 2, 1e300, -1e-300, 1),
  fc.constantFrom("", "2020-01-01T00:00:00Z", "2020-01-01", "x", "http://a"),
);
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    entries(tie("value")),
  ),
}));
function entries(value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(key, value), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));
}
const sample = fc
  .tuple(fc.constantFrom("a", "b.c", "B.C", "d/e", "../f", "", "con\n"), entries(anyValue))
  .map(([type, rest]): JsonObject => ({ ...rest, type }));
const plain = fc
  .tuple(fc.constantFrom("a", "b.c"), entries(anyValue), entries(anyValue))
  .map(([type, rest, data]): JsonObject => ({ ...rest, data, type }));

for (const [name, one] of [
  ["samples of any shape", sample],
  ["samples that carry a payload", plain],
] as const)
  it(`accepts every one of ${name}, by the readings of readers and of writers`, () => {
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 8 }), (samples) => {
        const { refused, types } = judged(samples);
        expect(refused).toEqual([]);
        expect(types).toBe(new Set(samples.map(({ type }) => type)).size);
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 30) },
    );
  });

it("describes what the samples have, and guesses nothing", () => {
  const samples = [
    { type: "a", n: 1, when: "2020-01-01T00:00:00Z", l: [], s: "x", mixed: 1 },
    { type: "a", n: 2, when: "2021-01-01T00:00:00Z", l: [1, 2.5], mixed: "1" },
    { type: "a", n: 3, when: "2022-01-01T00:00:00Z", l: [null], s: "x", mixed: { k: true } },
  ];
  const all = samples.map((value) => ({ value, text: JSON.stringify(value) }));
  const { parts, fixtures } = importSamples("x.jsonl", all, { name: "x", version: "1.0" });
  expect(parts.stability).toBe("experimental");
  expect(parts.events[0]?.payload).toEqual({
    type: "object",
    properties: {
      n: { type: "integer" },
      when: { type: "string", description: "In every sample a date-time." },
      l: { type: "array", items: { type: ["null", "number"] } },
      s: { type: "string" },
      mixed: {
        anyOf: [
          { type: "integer" },
          { type: "object", properties: { k: { type: "boolean" } }, required: ["k"] },
          { type: "string" },
        ],
      },
    },
    required: ["n", "when", "l", "mixed"],
  });
  expect(fixtures.map(({ content }) => JSON.parse(content))).toEqual(samples);
});

it("takes an object of very many fields for a map", () => {
  const samples = Array.from({ length: 200 }, (_, i) => ({ type: "a", byId: { [`k${i}`]: { n: i } } }));
  const all = samples.map((value) => ({ value, text: JSON.stringify(value) }));
  const { parts, fixtures, notes } = importSamples("x.jsonl", all, { name: "x", version: "1.0" });
  expect(parts.events[0]?.payload.properties).toEqual({
    byId: {
      type: "object",
      additionalProperties: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    },
  });
  expect(notes.join()).toContain("taken for a map");
  expect(fixtures).toHaveLength(20);
  expect(judged(samples).refused).toEqual([]);
});

it("writes samples as fixtures with their numbers as they stand, and the result generates", async () => {
  const lines = ['{"type":"a/b","id":9007199254740993}', "", '{"type":"c","deep":{"x":null}}\r'];
  const root = folder({ "my.jsonl": lines.join("\n") });
  const [out, fixtures, generated] = ["schemas", "fixtures", "generated"].map((each) =>
    path.join(root, each),
  );
  const folders = ["--out", out ?? "", "--fixtures", fixtures ?? ""];
  const done = await accrete(["import", path.join(root, "my.jsonl"), ...folders]);
  expect(done).toMatchObject({ exitCode: 0, stderr: "" });
  expect(done.stdout).toContain('"a/b" is a.b');
  expect(tree(fixtures ?? "")).toEqual({
    "my/v1/valid/a.b/sample-1.json": '{"type": "a.b", "payload": {"type":"a/b","id":9007199254740993}}\n',
    "my/v1/valid/c/sample-1.json": '{"type": "c", "payload": {"type":"c","deep":{"x":null}}}\n',
  });
  const all = ["--schemas", out ?? "", "--fixtures", fixtures ?? ""];
  expect((await accrete(["generate", ...all, "--out", generated ?? ""])).exitCode).toBe(0);
  const judged = await accrete(["validate", "--profile", "writer", fixtures ?? "", "--schemas", out ?? ""]);
  expect(judged).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("2 events, 0 invalid") });
});

const REFUSED: readonly (readonly [lines: string, message: RegExp])[] = [
  ["", /holds no samples/],
  ['{"type":"a"}\n\n{"type":', /my\.jsonl:3:\d+: The file is not JSON/],
  ['{"type":"a"}\n[1]', /my\.jsonl:2:1: The sample is no JSON object/],
  ['{"type":"a"}\n{"kind":"a"}', /no field names the event type/],
  ['{"type":"a","n":1e400}', /my\.jsonl:1:17: The number is larger/],
  ['{"type":"a","type":"b"}', /my\.jsonl:1:13: The name "type" stands twice/],
  [`{"type":"a","d":${"[".repeat(300)}${"]".repeat(300)}}`, /nests deeper/],
];

for (const [lines, message] of REFUSED)
  it(`refuses ${JSON.stringify(lines).slice(0, 60)}`, async () => {
    const root = folder({ "my.jsonl": lines });
    const done = await accrete(["import", path.join(root, "my.jsonl"), "--out", path.join(root, "schemas")]);
    expect(done).toMatchObject({ exitCode: 2, stdout: "" });
    expect(done.stderr).toMatch(message);
    expect(Object.keys(tree(root))).toEqual(["my.jsonl"]);
  });
