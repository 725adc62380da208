/** If this fails, messages that hold an event at a path have to be unwrapped before they are validated, or faults in them are missed. */
import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import { createTemporaryProject } from "../commands/temporary-project.js";

const createUpdate = (kind: string, more: JsonObject): JsonObject => ({
  type: "object",
  required: ["kind", ...Object.keys(more)],
  properties: { kind: { const: kind }, ...more },
});

/** A notification, whose event is behind a reference, an `allOf` and one of several alternatives. */
const NOTIFICATIONS = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  oneOf: [{ $ref: "#/$defs/Request" }, { $ref: "#/$defs/Update" }],
  $defs: {
    Request: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
    Update: {
      type: "object",
      required: ["rpc", "params"],
      properties: { rpc: { const: "2.0" }, params: { $ref: "#/$defs/Params" } },
    },
    Params: {
      type: "object",
      required: ["session", "update"],
      properties: {
        session: { type: "string" },
        update: { description: "The event.", allOf: [{ $ref: "#/$defs/Kinds" }], "x-side": "agent" },
      },
    },
    Kinds: {
      oneOf: [
        createUpdate("text", { text: { type: "string" } }),
        {
          anyOf: [
            createUpdate("call", { tool: { type: "string" } }),
            createUpdate("call", { group: { type: "string" } }),
          ],
        },
      ],
    },
  },
};

const createNotification = (update: Json, more: JsonObject = {}): JsonObject => ({
  rpc: "2.0",
  params: { session: "s", update },
  ...more,
});

const CASES: readonly (readonly [name: string, message: JsonObject, findings: readonly string[]])[] = [
  ["a text", createNotification({ kind: "text", text: "a" }), []],
  ["both forms of a call", createNotification({ kind: "call", group: "g" }), []],
  [
    "a fault in the event",
    createNotification({ kind: "text", text: 1 }),
    ["event-invalid /params/update/text"],
  ],
  [
    "a fault around the event",
    createNotification({ kind: "text", text: "a" }, { rpc: "1.0" }),
    ["event-invalid /rpc"],
  ],
  [
    "an undeclared field around it",
    createNotification({ kind: "text", text: "a" }, { x: 1 }),
    ["event-invalid /x"],
  ],
  ["an unknown type", createNotification({ kind: "image" }), ["event-type-unknown /params/update/kind"]],
  ["no event", { id: 1 }, ["event-invalid"]],
  ["an event alone", { kind: "text", text: "a" }, []],
];

it("imports the events at a path, and validates whole messages", async () => {
  const project = createTemporaryProject({
    "rpc.json": JSON.stringify(NOTIFICATIONS),
    "messages.jsonl": CASES.map(([, message]) => `${JSON.stringify(message)}\n`).join(""),
  });
  const imported = await project.run("import @/rpc.json --name rpc --discriminator params.update.kind");
  expect(imported.stdout).toContain("rpc.json: 2 events, distinguished by the field kind");
  expect(imported.stdout).toContain("each event is at /params/update of a document");
  expect(imported.stdout).toContain("x-side was left out");
  expect(imported.stdout).toContain("formats ignored: 2 of 2 events");
  const validated = await project.run("validate @/messages.jsonl --profile writer --format json");
  const found = JSON.parse(validated.stdout).findings as {
    rule: string;
    at: { line: number; pointer: string };
  }[];
  for (const [index, [name, , expected]] of CASES.entries()) {
    const findings = found.filter(({ at }) => at.line === index + 1);
    const list = findings.map(({ rule, at }) => `${rule} ${at.pointer}`.trim());
    if (expected.length === 0) expect([name, list]).toEqual([name, []]);
    else expect([name, list]).toEqual([name, expect.arrayContaining([...expected])]);
  }
});

it("refuses to redact and to upcast messages, whose events it would not find", async () => {
  const project = createTemporaryProject({
    "rpc.json": JSON.stringify(NOTIFICATIONS),
    "message.json": JSON.stringify(createNotification({ kind: "text", text: "a" })),
    "event.json": JSON.stringify({ kind: "text", text: "a" }),
  });
  await project.run("import @/rpc.json --name rpc --discriminator params.update.kind");
  for (const command of ["redact", "upcast rpc/v1 rpc/v1"]) {
    expect(await project.run(`${command} @/message.json`)).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining("message.json: the event 1 stands inside of a message"),
    });
    expect(await project.run(`${command} @/event.json`)).toMatchObject({ exitCode: 0 });
  }
});

it("reports a new place of the event as a new layout", async () => {
  const project = createTemporaryProject({ "rpc.json": JSON.stringify(NOTIFICATIONS) });
  await project.run("import @/rpc.json --name rpc --discriminator params.update.kind");
  const moved = project.read("schemas/rpc/v1/protocol.json").replace("/params/update", "/params/change");
  const current = createTemporaryProject({
    ...project.readFiles(),
    "schemas/rpc/v1/protocol.json": moved,
  });
  const compared = await current.run(`compat --against dir:${project.locateFile("schemas")} --format json`);
  const rules = (JSON.parse(compared.stdout).findings as { rule: string }[]).map(({ rule }) => rule);
  expect(rules).toEqual(["layout-changed"]);
});

it("creates a protocol from samples of messages", async () => {
  const events = [
    { kind: "text", text: "a" },
    { kind: "call", tool: "t" },
  ];
  const samples = events.map((event) => `${JSON.stringify(createNotification(event))}\n`).join("");
  const project = createTemporaryProject({ "samples.jsonl": samples });
  const imported = await project.run("import @/samples.jsonl --name rpc --discriminator params.update.kind");
  expect(imported.stdout).toContain("2 samples of 2 event types, distinguished by the field kind");
  expect(await project.run("validate @/samples.jsonl --profile writer")).toMatchObject({ exitCode: 0 });
  expect(project.read("fixtures/rpc/v1/valid/text/sample-1.json")).toBe('{"kind":"text","text":"a"}\n');
  const missing = await project.run("import @/samples.jsonl --name other --discriminator params.change.kind");
  expect(missing).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("params.change is not an object in each sample"),
  });
});
