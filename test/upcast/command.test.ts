/** If this fails, `accrete upcast` or `accrete redact` overwrite recordings, write a part of them, or give scripts a wrong exit code. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { writeTea } from "../compat/tea.js";
import { createTemporaryFolder, readTree } from "../folders.js";

const SESSION = readFileSync("fixtures/frames/v1/streams/session.jsonl", "utf8");
const TASK = readFileSync("fixtures/frames/v1/streams/task.jsonl", "utf8");

/** Runs a command on files below a temporary folder, and returns the result and the files below `out`. */
async function runOn(files: { readonly [name: string]: string }, line: string) {
  const root = createTemporaryFolder(files);
  const { exitCode, stdout, stderr } = await runAccrete(
    line.split(" ").map((word) => word.replace(/^@/, root)),
  );
  const written = Object.entries(readTree(root)).filter(([name]) => name.startsWith("out/"));
  const text = (stdout + stderr).replaceAll(`${root}/`, "");
  return { exitCode, text, written: Object.fromEntries(written) };
}

const UPCAST = "upcast frames/v1 frames/v2";

describe("accrete upcast", () => {
  it("writes every recording under its name", async () => {
    const { exitCode, text, written } = await runOn(
      { "a.jsonl": SESSION, "b.jsonl": TASK },
      `${UPCAST} @/a.jsonl @/b.jsonl --out @/out`,
    );
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: "42 events carried over to frames/v2\n" });
    expect(Object.keys(written).sort()).toEqual(["out/a.jsonl", "out/b.jsonl"]);
    expect(written["out/b.jsonl"]).toContain('"stream_kind":"task"');
  });

  it("writes nothing if one event cannot be carried over, and names its place", async () => {
    const faulty = TASK.replace('"seq":1', '"stream_kind":"x","seq":1');
    const { exitCode, text, written } = await runOn(
      { "a.jsonl": SESSION, "b.jsonl": faulty },
      `${UPCAST} @/a.jsonl @/b.jsonl --out @/out`,
    );
    expect({ exitCode, written }).toEqual({ exitCode: 1, written: {} });
    expect(text).toMatch(
      /^b\.jsonl:2:\d+: error upcast-impossible \/stream_kind The value at \/stream_kind is in the way/,
    );
    expect(text).toContain("1 error; nothing was written");
  });

  it("prints a plan with its proof, and writes it as modules", async () => {
    const { exitCode, text, written } = await runOn({}, "upcast frames/v1@1.0 frames/v2@2.0 --out @/out");
    expect(exitCode).toBe(0);
    expect(text).toContain(
      '{"step":"move","from":"/session_id","to":"/stream_id"}   upcasts of protocol.json',
    );
    expect(text).toContain("frames/v1 1.0 to frames/v2 2.0: 20 of 20 event types proven");
    expect(Object.keys(written).sort()).toEqual([
      "out/upcast_frames_v1_to_v2.duckdb.sql",
      "out/upcast_frames_v1_to_v2.postgresql.sql",
      "out/upcast_frames_v1_to_v2.py",
      "out/upcast_frames_v1_to_v2.spark.sql",
      "out/upcast_frames_v1_to_v2.ts",
    ]);
  });

  it("shows an event that cannot be carried over, and writes nothing", async () => {
    const root = createTemporaryFolder();
    const event = "events/tea.served.schema.json";
    writeTea(root, { [event]: { properties: { cups_served: { type: "integer", description: "Cups." } } } });
    writeTea(root, {
      "protocol.json": { major: 2, version: "2.0" },
      [event]: {
        properties: { served_cups: { type: "integer", description: "Cups." } },
        required: ["served_cups"],
        "x-since": "2.0",
      },
    });
    const { exitCode, stdout, stderr } = await runAccrete([
      "upcast",
      "tea/v1",
      "tea/v2",
      "--schemas",
      root,
      "--out",
      path.join(root, "out"),
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('cannot be carried over: {"data":{},"id":"a","type":"tea.served"}\n');
    expect(stdout).toContain("cups_served of tea.served may be served_cups now");
    expect(stdout).toContain("tea/v1 1.0 to tea/v2 2.0: 0 of 1 event type proven, 1 impossible\n");
    expect(stderr).toContain("nothing was written");
    expect(existsSync(path.join(root, "out"))).toBe(false);
  });

  it("refuses steps of which the places lie in different items", async () => {
    const root = createTemporaryFolder();
    const steps = [
      { step: "move", from: "/data/cups/*/size", to: "/data/cups/*/litres", when: { "/data/late": [true] } },
      { step: "move", from: "/data/cups/*/size", to: "/data/size" },
      { step: "move", from: "/data/size", to: "/data/pots/*/size" },
      { step: "map", at: "/data/cups/*", values: { small: "s" }, when: { "/data/pots/*/size": [1] } },
      { step: "scale", at: "/data/cups/*/parts/*/ms", by: 0.001, when: { "/data/cups/*/size": [1] } },
    ];
    writeTea(root, { "protocol.json": { major: 2, version: "2.0", upcasts: [{ from: 1, steps }] } });
    const { exitCode, stdout } = await runAccrete(["lint", "--schemas", root]);
    expect(exitCode).toBe(1);
    expect(stdout.match(/error declared-field-unknown \S+ .*/g)).toEqual([
      'error declared-field-unknown /upcasts/0/steps/1/to "/data/size" does not lie in the items of "/data/cups/*/size".',
      'error declared-field-unknown /upcasts/0/steps/2/to "/data/pots/*/size" does not lie in the items of "/data/size".',
      'error declared-field-unknown /upcasts/0/steps/3/when/~1data~1pots~1*~1size "/data/pots/*/size" does not lie in the items of "/data/cups/*".',
    ]);
  });

  it.each<readonly [what: string, step: JsonObject, finding: RegExp]>([
    [
      "a place twice",
      { step: "template", at: "/data/name", text: "{/data/a} {/data/a}" },
      /declared-field-unknown \/upcasts\/0\/steps\/0\/text The step names "\/data\/a" twice/,
    ],
    [
      "other items",
      { step: "parse", at: "/data/l/*/t", text: "{/data/l/*/a} {/data/b}" },
      /declared-field-unknown \/upcasts\/0\/steps\/0\/text "\/data\/b" does not lie in the items of/,
    ],
    [
      "a field of no event",
      { step: "parse", at: "/data/t", text: "{/date/a}" },
      /No event has a field "date"/,
    ],
    [
      "nothing between places",
      { step: "parse", at: "/data/t", text: "{/data/a}{/data/b}" },
      /protocol-invalid/,
    ],
    ["no place", { step: "template", at: "/data/t", text: "a text" }, /protocol-invalid/],
    ["an unknown unit", { step: "number-to-time", at: "/data/t", unit: "days" }, /protocol-invalid/],
    ["no schema of results", { step: "function", at: "/data/t", name: "f" }, /protocol-invalid/],
    ["a name that is none", { step: "function", at: "/data/t", name: "f()", gives: {} }, /protocol-invalid/],
  ])("refuses steps with %s", async (_what, step, finding) => {
    const root = createTemporaryFolder();
    writeTea(root, {
      "protocol.json": { major: 2, version: "2.0", upcasts: [{ from: 1, steps: [step] }] },
    });
    const { exitCode, stdout } = await runAccrete(["lint", "--schemas", root]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(finding);
  });

  it("names the field that writers of the later version do not send", async () => {
    const root = createTemporaryFolder();
    const integer = { type: "integer", description: "A number." };
    for (const major of [1, 2])
      writeTea(root, {
        "protocol.json": { major, version: `${major}.0` },
        "events/tea.served.schema.json": { properties: major === 1 ? { a: integer } : {} },
      });
    const { stdout } = await runAccrete(["upcast", "tea/v1", "tea/v2", "--schemas", root]);
    expect(stdout).toMatch(/would not send some of tea\.served: .*: \/data\/a is not declared here\./);
  });

  it("names event types that the later version does not declare", async () => {
    const [first = ""] = SESSION.split("\n");
    const unknown = first.replace("session_started", "thought_shared");
    const { exitCode, text } = await runOn({ "a.jsonl": unknown }, `${UPCAST} @/a.jsonl --out @/out`);
    expect(exitCode).toBe(0);
    expect(text).toContain("frames/v2 does not declare thought_shared; these payloads are kept as they are");
  });

  it("composes the plans of the versions between two others, and of the way back", async () => {
    const root = createTemporaryFolder();
    const names = ["cups", "mugs", "bowls"];
    for (const [index, name] of names.entries()) {
      const former = index > 0 ? { "x-renamed-from": names[index - 1] ?? "" } : {};
      writeTea(root, {
        "protocol.json": { major: index + 1, version: `${index + 1}.0` },
        "events/tea.served.schema.json": {
          "x-since": `${index + 1}.0`,
          properties: { [name]: { type: "integer", description: "A number.", ...former } },
        },
      });
    }
    const run = async (...words: readonly string[]) => runAccrete(["upcast", ...words, "--schemas", root]);
    const there = await run("tea/v1", "tea/v3");
    expect(there).toMatchObject({ exitCode: 0 });
    expect(there.stdout).toContain("/data/cups: moved to /data/bowls");
    expect(there.stdout.split("\n").slice(-4)).toEqual([
      "The versions between them:",
      expect.stringMatching(/^ {2}tea\/v1 1\.0 to tea\/v2 2\.0: 1 of 1 event type proven/),
      expect.stringMatching(/^ {2}tea\/v2 2\.0 to tea\/v3 3\.0: 1 of 1 event type proven/),
      "",
    ]);
    const back = await run("tea/v3", "tea/v1", "--format", "json");
    expect(JSON.parse(back.stdout)).toMatchObject({
      from: "tea/v3 3.0",
      to: "tea/v1 1.0",
      verdict: "proven",
      links: [{ from: "tea/v3 3.0", to: "tea/v2 2.0" }, { to: "tea/v1 1.0" }],
    });
    const out = path.join(root, "out");
    const written = await run("tea/v3", "tea/v1", "--out", out);
    expect(written).toMatchObject({ exitCode: 0 });
    expect(written.stderr).toContain("no view for DuckDB was written: the views of the earlier version show");
    expect(Object.keys(readTree(out)).sort()).toEqual(["upcast_tea_v3_to_v1.py", "upcast_tea_v3_to_v1.ts"]);
  });

  it.each([
    ["upcast frames/v1", "Name two versions of a protocol"],
    ["upcast frames/v1 @/a.jsonl", 'There is no protocol "'],
    ["upcast hecate/v1 frames/v2 @/a.jsonl", "are not versions of one protocol"],
    ["upcast frames/v1@1.9 frames/v2", "There is no release 1.9 of frames"],
    ["upcast frames/v1@x frames/v2", "is not a release"],
    ["upcast frames/v1 frames/v3 @/a.jsonl", 'There is no protocol "frames/v3"'],
    [`${UPCAST} @/a.jsonl @/b/a.jsonl`, "--out DIR"],
  ])("refuses %s", async (line, message) => {
    const { exitCode, text } = await runOn({ "a.jsonl": SESSION, "b/a.jsonl": TASK }, line);
    expect(exitCode).toBe(2);
    expect(text).toContain(message);
  });
});

describe.each([UPCAST, "redact"])("accrete %s", (command) => {
  it.each([
    [
      "two recordings of one name",
      { "a.jsonl": SESSION, "b/a.jsonl": TASK },
      "@/a.jsonl @/b/a.jsonl",
      "Two recordings are named a.jsonl",
    ],
    ["a file that does not exist", {}, "@/none.jsonl", "none.jsonl: there is no such file or folder"],
    ["a feed", { "a.sse": "data: {}\n\n" }, "@/a.sse", "a.sse is an SSE feed"],
    [
      "broken JSON",
      { "a.jsonl": `${SESSION}{` },
      "@/a.jsonl",
      `a.jsonl:${SESSION.trimEnd().split("\n").length + 1}:`,
    ],
  ])("refuses %s and writes nothing", async (_what, files, operands, message) => {
    const { exitCode, text, written } = await runOn(
      files as { readonly [name: string]: string },
      `${command} ${operands} --out @/out`,
    );
    expect({ exitCode, written }).toEqual({ exitCode: 2, written: {} });
    expect(text).toContain(message);
  });
});
