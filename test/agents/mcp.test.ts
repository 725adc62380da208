/** If this fails, a coding agent gets no answer, a wrong one, or one that fills its context. */
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { createSharedFolder, readTree } from "../folders.js";

const root = createSharedFolder();
const outside = createSharedFolder();
const schemas = path.join(root, "schemas");
const NOTE = "notes/v1/events/note.added.schema.json";
const client = new Client({ name: "test", version: "1" });

beforeAll(async () => {
  const folders = ["--schemas", schemas, "--fixtures", path.join(root, "fixtures")];
  const out = ["--out", path.join(root, "generated")];
  for (const line of ["generate", "release 1.0 notes/v1"]) {
    if (line === "generate") await runAccrete(["init", root, "--name", "notes"]);
    expect(await runAccrete([...line.split(" "), ...folders, ...out])).toMatchObject({ exitCode: 0 });
  }
  await runAccrete(["init", root, "--name", "drafts"]);
  mkdirSync(path.join(schemas, "drafts/v1/linked"));
  symlinkSync(outside, path.join(schemas, "drafts/v1/linked/away"));
  const args = ["--import", "tsx", path.resolve("generator/cli.ts"), "mcp", ...folders];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
});
afterAll(() => client.close());

/** Calls a tool, and returns its text with paths relative to the project. */
async function call(name: string, parameters: { readonly [name: string]: unknown }): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: parameters });
  const [part] = content;
  if (part?.type !== "text") throw new Error("the answer is no text");
  if (parameters.more !== true) expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(2048);
  return `${isError ? "failed: " : ""}${part.text.replaceAll(`${root}/`, "")}`;
}

/** Returns the proposal of one changed file. */
function replaceInNote(from: string, to: string): { readonly [file: string]: string } {
  return { [NOTE]: (readTree(schemas)[NOTE] ?? "").replaceAll(from, to) };
}

const EVENT = {
  ...{ type: "note.added", id: "n-1", session: "b", sequence: 0, time: "2026-01-01T09:00:00Z" },
  data: { text: "Buy milk" },
};

it("tells agents what it is for, and offers only tools that change nothing", async () => {
  expect(client.getInstructions()).toMatch(/check_change/);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    "check_change",
    "describe_event",
    "explain_rule",
    "find_event",
    "validate_events",
  ]);
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
});

it("refuses a proposed rename with an event that it breaks and what to do, and writes nothing", async () => {
  const before = readTree(root);
  const text = await call("check_change", { files: replaceInNote('"text"', '"note_text"') });
  expect(text).toMatch(
    /^No, not in this way\.\nschemas\/notes\/v1\/events\/note\.added\.schema\.json:9:5: error field-renamed /,
  );
  expect(text).toContain('    event {"data":{"text":"a"},');
  expect(text).toContain("Rename in three steps: ");
  expect(text).not.toContain("accrete-proposal");
  expect(readTree(root)).toEqual(before);
});

it.each([
  ["an added optional field", replaceOnly, /^Yes, this may be done\.\n[\s\S]*1 addition\)$/],
  ["the files on the disk", () => ({}), /^Yes, this may be done\.\n0 errors/],
  ["a deleted file", () => ({ [NOTE]: null }), /^No, not in this way\.\n.*error declared-type-unknown/],
  ["a file that is no JSON", () => ({ [NOTE]: "{" }), /^No, not in this way\.\n.*error json-syntax/],
] as const)("answers for %s", async (_name, propose, answer) => {
  expect(await call("check_change", { files: propose(), protocol: "notes/v1" })).toMatch(answer);
});

function replaceOnly(): { readonly [file: string]: string } {
  return replaceInNote('"properties": {', '"properties": { "size": { "type": "integer", "x-since": "1.1" },');
}

it("says that a contract without release may change, and how it changes", async () => {
  const file = "drafts/v1/events/note.added.schema.json";
  const text = readTree(schemas)[file]?.replaceAll('"text"', '"body"');
  const answer = await call("check_change", { files: { [file]: text }, protocol: "drafts/v1" });
  expect(answer).toMatch(/^Yes: nothing of this is released yet, .*\n.*error field-added-required/);
});

it.each([
  ["../x.json", /^failed: .*is not the path of a JSON file below/],
  ["/etc/x.json", /^failed: .*is not the path of a JSON file below/],
  ["notes/v1/x.txt", /^failed: .*is not the path of a JSON file below/],
  ["notes/v1/releases/1.0.json", /^failed: .* is a release, which never changes/],
])("refuses a proposal for %s", async (file, message) => {
  expect(await call("check_change", { files: { [file]: "{}" } })).toMatch(message);
});

it("writes nothing through a link that leads out of the schemas", async () => {
  await call("check_change", { files: { "drafts/v1/linked/away/x.json": "{}" } });
  expect(readTree(outside)).toEqual({});
});

it("explains a rule, and suggests the right name for a wrong one", async () => {
  expect(await call("explain_rule", { rule: "field-renamed" })).toMatch(/^field-renamed: [\s\S]*Fix: /);
  expect(await call("explain_rule", { rule: "field-renamd" })).toMatch(/^failed: .*"field-renamed"/);
});

it("validates events and the stream that they form", async () => {
  const protocol = "notes/v1";
  expect(await call("validate_events", { events: [EVENT], protocol })).toBe("Valid.\n1 event, 0 invalid");
  const skipping = [EVENT, { ...EVENT, id: "n-3", sequence: 2 }];
  expect(await call("validate_events", { events: skipping, protocol })).toMatch(
    /^Not valid\.\n.*error sequence-gap/,
  );
  const invalid = [{ ...EVENT, data: { text: 3 } }];
  expect(await call("validate_events", { events: invalid, protocol })).toMatch(
    /^Not valid\.\n.*\/data\/text/,
  );
});

it("shortens long answers, and gives all of one on demand", async () => {
  const events = Array.from({ length: 40 }, (_, index) => ({ ...EVENT, id: `n-${index}`, data: {} }));
  const short = await call("validate_events", { events, protocol: "notes/v1" });
  expect(short).toMatch(/… shortened: call the tool again with more: true for the rest\.$/);
  const long = await call("validate_events", { events, protocol: "notes/v1", more: true });
  expect(long.split("\n").length).toBeGreaterThan(40);
  expect(long).toMatch(/40 events, 40 invalid/);
});

it("finds the event type for a need, and describes it", async () => {
  expect(await call("find_event", { need: "somebody pins notes", protocol: "notes/v1" })).toMatch(
    /^notes\/v1 note\.added \(candidate\): A note was added\n {2}fields: text, color\n/,
  );
  expect(await call("find_event", { need: "zebra" })).toMatch(/^None of the 2 event types/);
  expect(await call("describe_event", { type: "note.added", protocol: "notes/v1" })).toMatch(
    /^notes\/v1\n\n### `note\.added`\n[\s\S]*Buy milk/,
  );
  expect(await call("describe_event", { type: "note.aded" })).toMatch(/^failed: .*"note\.added"/);
});

it("serves the catalogues as resources", async () => {
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    "accrete://catalog/drafts/v1",
    "accrete://catalog/notes/v1",
  ]);
  const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
  expect(await read("accrete://catalog/notes/v1")).toMatchObject({
    mimeType: "text/markdown",
    text: expect.stringMatching(/# Events of notes[\s\S]*## Events in detail/),
  });
  expect(await read("accrete://catalog/notes/v1/note.added")).toMatchObject({
    text: expect.stringMatching(/^notes\/v1\n\n### `note\.added`/),
  });
});

it("ignores lines that are not messages, and says so", async () => {
  const { exitCode, stdout, stderr } = await runAccrete(["mcp"], '{"jsonrpc":7}\nx\n');
  expect([exitCode, stdout, stderr]).toEqual([
    0,
    "",
    expect.stringMatching(/^accrete: A line of standard input is not a message of JSON-RPC 2\.0.*\n$/),
  ]);
});
