/** If this fails, a protocol that was imported from recorded events refuses these events. */
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { importSamples } from "../../generator/import/import-samples.js";
import { createProtocolFiles } from "../../generator/import/protocol-files.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { createTemporaryProject } from "../commands/temporary-project.js";
import { writeOutputs } from "../emit/emit-all.js";
import { readTree, withTemporaryFolder } from "../folders.js";

/** Imports samples as the command does. Returns the samples that the result refuses, and its number of event types. */
async function importAndValidate(
  samples: readonly JsonObject[],
): Promise<{ readonly refused: readonly string[]; readonly types: number }> {
  const all = samples.map((value) => ({ value, text: JSON.stringify(value) }));
  const { parts } = importSamples("x.jsonl", all, { name: "x", version: "1.0" });
  return withTemporaryFolder(async (root) => {
    writeOutputs(root, createProtocolFiles(parts));
    const { protocols, findings } = await loadSchemas(root);
    const [protocol] = protocols;
    if (!protocol) return { refused: findings.map(({ message }) => message), types: 0 };
    const { profiles } = createValidators(protocol);
    const refused = samples.flatMap((value) =>
      Object.entries(profiles).flatMap(([profile, { events }]) =>
        events.get(String(value.type))?.(value) ? [] : [`${profile}: ${JSON.stringify(value)}`],
      ),
    );
    return { refused, types: protocol.events.length };
  });
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
    createObjectArbitrary(tie("value")),
  ),
}));
function createObjectArbitrary(value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(key, value), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));
}
const anySample = fc
  .tuple(
    fc.constantFrom("a", "b.c", "B.C", "b_c", "d/e", "../f", " ", "con\n", "__proto__", '"', "é\u202e"),
    createObjectArbitrary(anyValue),
  )
  .map(([type, rest]): JsonObject => ({ ...rest, type }));
const payloadSample = fc
  .tuple(fc.constantFrom("a", "b.c"), createObjectArbitrary(anyValue), createObjectArbitrary(anyValue))
  .map(([type, rest, data]): JsonObject => ({ ...rest, data, type }));

for (const [name, one] of [
  ["samples of any shape", anySample],
  ["samples that carry a payload", payloadSample],
] as const)
  it(`accepts every one of ${name}, by the readings of readers and of writers`, () => {
    return fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 8 }), async (samples) => {
        const { refused, types } = await importAndValidate(samples);
        expect(refused).toEqual([]);
        expect(types).toBe(new Set(samples.map(({ type }) => type)).size);
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 30) },
    );
  });

/** Creates events from texts of the form "RUN NUMBER". */
const createNumberedEvents = (...events: readonly string[]): JsonObject[] =>
  events.map((event, i) => {
    const [run = "", seq] = event.split(" ");
    const [day, hour] = [`2026-01-01T00:00:0${i % 10}Z`, i];
    return { type: "a", run_id: run, seq: Number(seq), event_id: `e${i}`, at: day, data: { hour } };
  });
const STREAM = { key: ["run_id"], sequence: "seq", first: 0, id: "event_id", time: "at" };
const STREAMS: readonly (readonly [what: string, samples: readonly JsonObject[], found: unknown])[] = [
  ["two runs", createNumberedEvents("x 0", "x 1", "y 0", "x 2", "y 1"), STREAM],
  ["one run", createNumberedEvents("x 0", "x 1", "x 2", "x 3"), STREAM],
  ["numbers from 1", createNumberedEvents("x 1", "x 2", "x 3", "x 4"), { ...STREAM, first: 1 }],
  [
    "payloads beside",
    createNumberedEvents("x 0", "x 1", "y 0", "x 2", "y 1").map(({ data, ...rest }) => rest),
    STREAM,
  ],
  [
    "a stream that is called run",
    [0, 1, 2, 3].map((seq) => ({ type: "a", run: "x", tries: 1, seq })),
    { key: ["run"], sequence: "seq", first: 0 },
  ],
  ["a gap", createNumberedEvents("x 0", "x 1", "x 2", "x 4", "x 5"), undefined],
  ["a number twice", createNumberedEvents("x 0", "x 1", "x 2", "x 2", "x 3"), undefined],
  ["a beginning in the middle", createNumberedEvents("x 5", "x 6", "x 7", "x 8", "x 9"), undefined],
  ["beginnings that differ", createNumberedEvents("x 0", "x 1", "x 2", "y 1", "y 2"), undefined],
  ["too few", createNumberedEvents("x 0", "x 1", "x 2"), undefined],
  ["names of no identity", [0, 1, 2, 3].map((seq) => ({ type: "a", who: "me", seq })), undefined],
  [
    "numbers of only some",
    [...createNumberedEvents("x 0", "x 1", "x 2", "x 3"), { type: "b", run_id: "x" }],
    undefined,
  ],
  [
    "numbers that are texts",
    createNumberedEvents("x 0", "x 1", "x 2", "x 3").map((e) => ({ ...e, seq: `${e.seq}` })),
    undefined,
  ],
];

for (const [what, samples, found] of STREAMS)
  it(`finds in ${what} ${found ? "a" : "no"} stream`, async () => {
    const lines = samples.map((sample) => JSON.stringify(sample)).join("\n");
    const { locateFile, read, run } = createTemporaryProject({ "my.jsonl": lines });
    const { stdout } = await run("import @/my.jsonl");
    const [, line] = /protocol\.json to have it checked.*\n {2}("stream": .*),\n/.exec(stdout) ?? [];
    expect(line && JSON.parse(`{${line}}`).stream).toEqual(found);
    if (line === undefined) return;
    const manifest = "schemas/my/v1/protocol.json";
    writeFileSync(locateFile(manifest), read(manifest).replace("{", `{ ${line},`));
    const validated = await run("validate --profile writer @/my.jsonl");
    expect(validated).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("0 invalid") });
    writeFileSync(locateFile("my.jsonl"), lines.replace(/"seq":2/, '"seq":7'));
    expect((await run("validate --profile writer @/my.jsonl")).exitCode).toBe(1);
  });

it("keeps event types that cannot be names of files", async () => {
  const recording = '{"type":"order placed"}\n{"type":"tools\\/call"}\n{"type":"Tools.call"}\n';
  const { run, read } = createTemporaryProject({ "my.jsonl": recording });
  const { stdout } = await run("import @/my.jsonl");
  expect(stdout).toContain(
    '"order placed" is in order.placed.schema.json, "tools/call" is in tools.call.2.schema.json',
  );
  expect(JSON.parse(read("schemas/my/v1/events/tools.call.2.schema.json"))["x-type"]).toBe("tools/call");
  expect(await run("validate --profile writer @/my.jsonl")).toMatchObject({ exitCode: 0, stderr: "" });
});

it("refuses half of a surrogate pair as an event type", async () => {
  const { run } = createTemporaryProject({ "my.jsonl": '{"type":"\\ud800"}' });
  const { exitCode, stdout, stderr } = await run("import @/my.jsonl");
  expect(exitCode).toBe(1);
  expect(stdout + stderr).toContain("has half of a surrogate pair");
});

it("describes only the fields and values of the samples", () => {
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
      when: { type: "string", description: "A date-time in every sample." },
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

it("imports an object of very many fields as a map", async () => {
  const samples = Array.from({ length: 200 }, (_, i) => ({ type: "a", byId: { [`k${i}`]: { n: i } } }));
  const all = samples.map((value) => ({ value, text: JSON.stringify(value) }));
  const { parts, fixtures, notes } = importSamples("x.jsonl", all, { name: "x", version: "1.0" });
  expect(parts.events[0]?.payload.properties).toEqual({
    byId: {
      type: "object",
      additionalProperties: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    },
  });
  expect(notes.join()).toContain("became a map");
  expect(fixtures).toHaveLength(20);
  expect((await importAndValidate(samples)).refused).toEqual([]);
});

it("writes samples as fixtures with the digits of their numbers, and the result generates", async () => {
  const lines = ['{"type":"a/b","id":9007199254740993}', "", '{"type":"c","deep":{"x":null}}\r'];
  const { locateFile, run } = createTemporaryProject({ "my.jsonl": lines.join("\n") });
  const done = await run("import @/my.jsonl");
  expect(done).toMatchObject({ exitCode: 0, stderr: "" });
  expect(done.stdout).toContain('"a/b" is in a.b.schema.json');
  expect(done.stdout).toContain(
    `next: accrete generate --schemas schemas --fixtures fixtures; the generated tests read fixtures/my/v1\n`,
  );
  expect(readTree(locateFile("fixtures"))).toEqual({
    "my/v1/invalid/a.b/made.json": expect.stringContaining('"keyword": "required"'),
    "my/v1/invalid/c/made.json": expect.stringContaining('"keyword": "required"'),
    "my/v1/valid/a.b/sample-1.json": '{"type":"a/b","id":9007199254740993}\n',
    "my/v1/valid/c/sample-1.json": '{"type":"c","deep":{"x":null}}\n',
  });
  expect((await run("generate")).exitCode).toBe(0);
  const validated = await run("validate --profile writer @/fixtures");
  expect(validated).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("2 events, 0 invalid") });
});

it("reports the first numbers that JavaScript reads as other ones", async () => {
  const long = (n: number): string =>
    `{"type":"a","t":"1234567890123456789",\n"n":[0.5,1.50,${n}9007199254740993]}`;
  const { run } = createTemporaryProject({
    "few.json": `[${long(1)},{"type":"a"}]`,
    "many.json": `[${[1, 2, 3, 4, 5, 6].map(long)}]`,
  });
  const notes = async (file: string): Promise<readonly string[]> => {
    const { stdout } = await run(`import @/${file}.json`);
    return stdout.split("\n").filter((line) => /is read as|there are others/.test(line));
  };
  expect(await notes("few")).toEqual([
    expect.stringMatching(
      /few\.json:2:15: The number 19007199254740993 is read as 19007199254740990?[0-9]*, in JavaScript/,
    ),
  ]);
  expect(await notes("many")).toHaveLength(6);
});

const LINE = '{"type":"a.b","n":1}';
const INPUTS: readonly (readonly [what: string, file: string, content: string | Uint8Array])[] = [
  ["a list", "arr.json", `[\n ${LINE},\n ${LINE} ]`],
  ["a list on one line", "arr.json", `[${LINE},${LINE}]`],
  ["a page", "page.json", `{"object": "list",\n "data": [${LINE}, {"object": "event", "data": ${LINE}}]}`],
  ["lines that are called .json", "log.json", `${LINE}\n${LINE}\n`],
  ["one event", "event.json", LINE],
  ["an SSE feed", "feed.sse", `id: 1\ndata: ${LINE}\n\n`],
  ["packed lines", "log.jsonl.gz", gzipSync(`${LINE}\n`)],
  ["packed lines of another name", "log.gz", gzipSync(`${LINE}\n`)],
  ["standard input", "-", `${LINE}\n`],
  ["packed standard input", "-", gzipSync(`${LINE}\n`)],
];

for (const [what, file, content] of INPUTS)
  it(`reads ${what} as samples`, async () => {
    const { locateFile, read, run } = createTemporaryProject();
    if (file !== "-") writeFileSync(locateFile(file), content);
    const done = await run(
      `import ${file === "-" ? "-" : `@/${file}`} --name x`,
      file === "-" ? content : "",
    );
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect(done.stdout).toMatch(/samples? of 1 event type.*distinguished by the field type/);
    expect(read("fixtures/x/v1/valid/a.b/sample-1.json")).toBe(`${LINE}\n`);
  });

it("reads a folder of events, one in each file, as samples", async () => {
  const files = { "all/one.json": LINE, "all/deep/two.json": `[${LINE}]`, "all/log.jsonl": LINE };
  const { stdout } = await createTemporaryProject(files).run("import @/all");
  expect(stdout).toContain("all: 3 samples of 1 event type,");
});

it.each([
  ["-", /^accrete: Standard input has no name. Name the protocol with --name/],
  ["@/9.json", /^accrete: "9" cannot name a protocol; --name gives another/],
  ["@/log.csv", /log\.csv:1:1: The file is not JSON/],
  ["@/log.csv --name A", /^accrete: "A" cannot name a protocol/],
])("refuses import %s and advises what to do", async (operands, message) => {
  const done = await createTemporaryProject({ "log.csv": "a,b\n1,2\n", "9.json": "[]" }).run(
    `import ${operands}`,
  );
  expect(done).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringMatching(message) });
});

const REFUSED: readonly (readonly [lines: string, message: RegExp])[] = [
  ["", /holds no samples/],
  ["[1]", /my\.jsonl:1:2: The sample is not a JSON object/],
  ['{"type":"a"}\n\n{"type":', /my\.jsonl:3:9: The line is not JSON/],
  ['{"type":"a"}\n[1]', /my\.jsonl:2:2: The sample is not a JSON object/],
  ['{"type":"a"}\n{"kind":"a"}', /no field names the event type/],
  ['{"type":"a","n":1e400}', /my\.jsonl:1:17: The line holds a number larger/],
  ['{"type":"a","type":"b"}', /my\.jsonl:1:13: The line has the name "type" twice/],
  [`{"type":"a","d":${"[".repeat(300)}${"]".repeat(300)}}`, /nests deeper/],
];

for (const [lines, message] of REFUSED)
  it(`refuses ${JSON.stringify(lines).slice(0, 60)}`, async () => {
    const { run, readFiles } = createTemporaryProject({ "my.jsonl": lines });
    const done = await run("import @/my.jsonl");
    expect(done).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringMatching(message) });
    expect(Object.keys(readFiles())).toEqual(["my.jsonl"]);
  });

it("suggests roles for pieces of texts and for calls, which lint accepts", async () => {
  const events = [
    { type: "answer.delta", data: { text: "Hel" } },
    { type: "reasoning.delta", data: { delta: "hm" } },
    { type: "tool.started", data: { tool_call_id: "c1", name: "bash" } },
    { type: "tool.output", data: { tool_call_id: "c1", chunk: "a\n" } },
    { type: "run.done", data: { text: "no piece" } },
  ];
  const lines = events.map((event) => JSON.stringify(event)).join("\n");
  const { locateFile, read, run } = createTemporaryProject({ "talk.jsonl": lines });
  const { stdout, exitCode } = await run("import @/talk.jsonl");
  expect(exitCode).toBe(0);
  const line = stdout.split("\n").find((one) => one.includes('"view": ')) ?? "";
  const { view } = JSON.parse(`{${line.trim().replace(/,$/, "")}}`);
  expect(view.roles).toEqual({
    "answer.delta": { as: "text", speaker: "assistant", field: "text", part: true },
    "reasoning.delta": { as: "text", speaker: "thinking", field: "delta", part: true },
    "tool.output": { as: "tool", key: "tool_call_id", output: "chunk" },
    "tool.started": { as: "tool", key: "tool_call_id", name: "name" },
  });
  const file = "schemas/talk/v1/protocol.json";
  writeFileSync(locateFile(file), JSON.stringify({ ...JSON.parse(read(file)), view }));
  const { findings } = await loadSchemas(locateFile("schemas"));
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
});

it.each([
  {
    what: "externally tagged samples, with a field that all of them have",
    lines: ['{"at": 1.50, "started": {"by": "x"}}', '{"at": 2, "stopped": {}}'],
    line: "",
    fixture: ["valid/started/sample-1.json", '{"type": "started", "at": 1.50, "started": {"by": "x"}}\n'],
    valid: [
      { type: "started", at: 3, started: { by: "y" } },
      { type: "stopped", at: 3, stopped: {} },
    ],
    invalid: { type: "stopped", at: 3, started: { by: "y" } },
  },
  {
    what: "samples whose type is a number",
    lines: ['{"type": 0, "x": 1}', '{"type": 4, "y": 1}', '{"type": 0, "x": 2}', '{"type": 4, "y": 2}'],
    line: "",
    fixture: ["valid/type.0/sample-1.json", '{"type": "type.0", "payload": {"type": 0, "x": 1}}\n'],
    valid: [{ type: "type.4", payload: { type: 4, y: 1 } }],
    invalid: { type: "type.4", payload: { type: 4 } },
  },
  {
    what: "samples whose type is a boolean that a person names",
    lines: ['{"ok": true}', '{"ok": false, "why": ""}'],
    line: "--discriminator ok",
    fixture: ["valid/ok.true/sample-1.json", '{"type": "ok.true", "payload": {"ok": true}}\n'],
    valid: [{ type: "ok.false", payload: { ok: false, why: "" } }],
    invalid: { type: "ok.false", payload: { ok: false } },
  },
])("imports $what", async ({ lines, line, fixture, valid, invalid }) => {
  const project = createTemporaryProject({
    "log.jsonl": lines.join("\n"),
    "events.jsonl": [...valid, invalid].map((event) => JSON.stringify(event)).join("\n"),
  });
  const imported = await project.run(`import @/log.jsonl ${line}`.trim());
  expect(imported).toMatchObject({ exitCode: 0, stderr: "" });
  expect(imported.stdout).toContain("recordings are not valid in their current form");
  expect(project.read(`fixtures/log/v1/${fixture[0]}`)).toBe(fixture[1]);
  const { stdout } = await project.run("validate @/events.jsonl --profile writer");
  expect(stdout).toContain(`${valid.length + 1} events, 1 invalid`);
});

it.each([
  ["a number that counts", '{"event": 1, "x": 1}\n{"event": 2, "x": 2}\n{"event": 3, "x": 3}'],
  ["several fields that not all samples have", '{"a": {}, "b": {}}\n{"a": {}}\n{"c": {}}'],
  ["a field of its own that is no object", '{"a": 1}\n{"b": 2}'],
])("does not take %s for the event type", async (_what, lines) => {
  const { exitCode, stderr } = await createTemporaryProject({ "log.jsonl": lines }).run("import @/log.jsonl");
  expect(stderr).toContain("no field names the event type");
  expect(exitCode).toBe(2);
});
