/** If this fails, a consumer in another language is not held to the same laws as one in JavaScript. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect } from "vitest";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { runAccrete } from "../commands/run-in-process.js";
import { deep, quick, whole } from "../depth.js";
import { createSharedFolder, createTemporaryFolder } from "../folders.js";
import { BUGS } from "../kit/bugs.js";
import { checkLaws, listBrokenLaws, listUnkeptLaws } from "./check-laws.js";
import { buildAdapter } from "./serve-adapter.js";

const folder = createSharedFolder();
const LYING = path.join(import.meta.dirname, "lying-adapter.mjs");

/** Runs `accrete kit` with one random stream per law. */
function runKit(command: string, protocol: string, ...options: string[]) {
  return runAccrete(["kit", "--command", command, "--protocol", protocol, "--runs", "1", ...options]);
}

/** Returns the outcome of each law. */
async function listOutcomes(command: string, protocol: string, ...options: string[]) {
  const { stdout } = await runKit(command, protocol, "--format", "json", ...options);
  const { laws } = JSON.parse(stdout).summary as { laws: { id: string; outcome: string }[] };
  return Object.fromEntries(laws.map(({ id, outcome }) => [id, outcome]));
}

describe("a correct consumer", () => {
  whole.it("in Node keeps all laws that need no original events", async () => {
    const outcomes = await listOutcomes(await buildAdapter(folder, { in: "reducer" }), "hecate/v1");
    const others = Object.entries(outcomes).filter(([, outcome]) => outcome !== "kept");
    expect(others).toEqual([
      ["input-untouched", "skipped"],
      ["claims-shown", "skipped"],
      ["linear-cost", "skipped"],
      ["previous-version", "skipped"],
    ]);
  });
});

quick.it("claims are tested, and a score is reported, for a consumer in another process", async () => {
  const command = await buildAdapter(createTemporaryFolder(), { in: "rebuilder" }, "evva/v0");
  const claims = ["--law", "claims-shown", "--claims", "text,tools,usage/Turn"];
  const { exitCode, stdout } = await runKit(command, "evva/v0", ...claims, "--score");
  expect(stdout).toMatch(/^Score: the snapshot shows \d+ of \d+ facts /m);
  expect(stdout).toContain("evva/v0: 1 law: 1 kept");
  expect(exitCode).toBe(0);
  const wrong = await runKit(command, "evva/v0", "--claims", "tool");
  expect(wrong.stderr).toContain('did you mean "tools"?');
  expect(wrong.exitCode).toBe(2);
  const unknown = await runKit(command, "evva/v0", "--only", "tool_use_start/Nam=grep");
  expect(unknown.stderr).toContain('`only` lists "tool_use_start/Nam", which evva/v0 does not have');
  expect(unknown.exitCode).toBe(2);
});

describe("a planted bug", () => {
  deep.it.each([
    "appends redeliveries",
    "drops unknown types",
    "waits until a gap is filled",
    "decodes each chunk of bytes separately",
    "returns the cursor of the newest stream",
  ])("is caught by the law that catches it in JavaScript: %s", async (name) => {
    const bug = BUGS.find((each) => each.name === name);
    if (bug === undefined) throw new Error("no such bug");
    const command = await buildAdapter(createTemporaryFolder(), bug, bug.protocol);
    for (const law of bug.breaks) {
      const { exitCode, stdout } = await runKit(
        command,
        bug.protocol ?? "hecate/v1",
        "--law",
        law,
        "--runs",
        "20",
      );
      expect(stdout).toContain(`${law}: `);
      expect(stdout).toContain("The smallest stream that shows it");
      expect(exitCode).toBe(1);
    }
  });
});

describe("a planted bug that is not seen in another process", () => {
  quick.it.each([
    ["marks the payload as shown", "input-untouched"],
    ["adds to a list of the event", "input-untouched"],
    ["searches all events for each event", "linear-cost"],
  ])("skips its law with the reason: %s", async (name, law) => {
    const bug = BUGS.find((each) => each.name === name);
    if (bug === undefined) throw new Error("no such bug");
    const command = await buildAdapter(createTemporaryFolder(), bug);
    const [result] = await checkLaws(command, hecate, { runs: 1, laws: [law] });
    expect(result?.outcome).toBe("skipped");
    expect(result?.reason).toBe("the consumer receives copies of the events");
  });

  deep.it("is caught by another law if it shows events in a microtask", async () => {
    const bug = BUGS.find(({ breaks }) => breaks.includes("complete-after-push"));
    if (bug === undefined) throw new Error("no such bug");
    const command = await buildAdapter(createTemporaryFolder(), bug);
    const results = await checkLaws(command, hecate, { runs: 1, laws: ["bulk-equals-stream"] });
    expect(listBrokenLaws(results)).toEqual(["bulk-equals-stream"]);
  });
});

describe("the report", () => {
  const command = `node ${LYING} none`;
  const LAW = ["--law", "unknown-fields"];

  quick.it.each([
    ["text", /^evva\/v0: 1 law: 1 kept \(seed 1, 1 run\)\n$/],
    ["json", /"outcome": "kept"/],
    ["tap", /^TAP version 14\n1\.\.1\nok 1 - unknown-fields: Unknown fields make no difference\.\n$/],
    ["junit", /<testcase classname="[^"]+lying-adapter.mjs, evva\/v0" name="unknown-fields: [^"]+"\/>/],
    ["github", /^evva\/v0: 1 law: 1 kept/],
  ])("names a kept law as %s", async (format, expected) => {
    const { exitCode, stdout } = await runKit(command, "evva/v0", "--format", format, ...LAW);
    expect(stdout).toMatch(expected);
    expect(exitCode).toBe(0);
  });

  quick.it.each([
    ["json", /"rule": "never-throws",\n\s+"severity": "error"/],
    ["tap", /\nnot ok 1 - never-throws: [^\n]+\n {2}---\n {2}message: \|\n {4}never-throws: /],
    ["junit", /failures="1" skipped="0">\n[^\n]+\n\s+<failure message="never-throws: /],
    ["github", /^::error file=[^,]+lying-adapter\.mjs,title=never-throws::never-throws: .*%0Astream \{/],
  ])("shows a broken law with its stream as %s", async (format, expected) => {
    const broken = `node ${LYING} 'error at a type'`;
    const { exitCode, stdout } = await runKit(broken, "evva/v0", "--format", format, "--law", "never-throws");
    expect(stdout).toMatch(expected);
    expect(stdout).toContain("KeyError: 'name'");
    expect(exitCode).toBe(1);
  });

  quick.it("skips a law without its method in TAP and JUnit", async () => {
    const { stdout } = await runKit(command, "hecate/v1", "--format", "tap", "--law", "cursor");
    expect(stdout).toMatch(/^ok 1 - cursor: .* # SKIP the adapter has no cursor\(\)$/m);
    const junit = await runKit(command, "hecate/v1", "--format", "junit", "--law", "cursor");
    expect(junit.stdout).toContain('<skipped message="the adapter has no cursor()"/>');
  });
});

describe("laws that are known to be broken", () => {
  const command = `node ${LYING} 'error at a type'`;
  const run = (knownBroken: string, law = "never-throws") => {
    const root = createTemporaryFolder({ "known.json": knownBroken });
    return runKit(command, "evva/v0", "--law", law, "--known-broken", path.join(root, "known.json"));
  };

  quick.it("give the reason, and the exit code 0", async () => {
    const { exitCode, stdout } = await run('{ "never-throws": "see #12" }');
    expect(stdout).toContain("never-throws: known to be broken: see #12\n");
    expect(exitCode).toBe(0);
  });

  quick.it.each([
    ["a law that is not a law", '{ "never-throw": "x" }', 2, 'Did you mean "never-throws"?'],
    ["a reason that is empty", '{ "never-throws": "" }', 2, "gives no reason for never-throws"],
    ["a list", "[]", 2, "It must be an object with a reason for each broken law."],
    ["broken JSON", "{", 2, "known.json:1:2: "],
  ])("are refused: %s", async (_name, text, code, message) => {
    const { exitCode, stderr } = await run(text);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(code);
  });

  quick.it("fail if the law is kept", async () => {
    const kept = `node ${LYING} none`;
    const root = createTemporaryFolder({ "known.json": '{ "unknown-fields": "old" }' });
    const options = ["--law", "unknown-fields", "--known-broken", path.join(root, "known.json")];
    const { exitCode, stdout } = await runKit(kept, "evva/v0", ...options);
    expect(stdout).toContain("The consumer keeps unknown-fields, but knownBroken lists it");
    expect(exitCode).toBe(1);
  });
});

describe("--record", () => {
  deep.it("stores a consumer that keeps all laws for accrete status", async () => {
    const file = path.join(createTemporaryFolder(), "consumers.json");
    const options = ["--record", "list", "--kinds", "cli,web", "--consumers", file];
    const { exitCode } = await runKit(`node ${LYING} none`, "evva/v0", ...options);
    expect(exitCode).toBe(0);
    const { list } = JSON.parse(readFileSync(file, "utf8"))["evva/v0"];
    expect(list.kinds).toEqual(["cli", "web"]);
    expect(list.events).toContain("run_start");
  });

  quick.it("stores nothing if only one law was checked", async () => {
    const root = createTemporaryFolder();
    const options = ["--record", "list", "--consumers", path.join(root, "c.json"), "--law", "unknown-fields"];
    const { exitCode } = await runKit(`node ${LYING} none`, "evva/v0", ...options);
    expect(exitCode).toBe(0);
    expect(() => readFileSync(path.join(root, "c.json"))).toThrow("ENOENT");
  });
});

describe("--check-adapter", () => {
  quick.it.each([
    ["none", "", 0, "The adapter answers 10 of 10 requests as it must."],
    ["none", "gaps", 2, "wrong: The answer must be a result."],
    ["no answer", "", 2, "wrong: The adapter did not answer snapshot (id 5) and"],
    ["no hooks", "", 2, "wrong: The result must be object."],
    ["logs to stdout", "", 2, "not JSON: `INFO received events"],
    ["crash at start", "", 2, "wrong: The adapter exited with code 1 before it answered hello (id 1)."],
  ])("of an adapter with %s %s", async (fault, hooks, code, says) => {
    const command = `node ${LYING} '${fault}' '${hooks}'`;
    const { exitCode, stdout } = await runKit(command, "evva/v0", "--check-adapter", "--timeout", "1");
    expect(stdout).toContain(says);
    expect(exitCode).toBe(code);
  });
});

/** Reads the complete lines of a file. The last answers may be missing, because the kit does not wait for them. */
function readMessages(file: string): { id: number; method: string; result: unknown }[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe("the schema of the messages", () => {
  const schema = JSON.parse(readFileSync("generator/kit-process/messages.schema.json", "utf8"));
  const ajv = new Ajv2020({ strict: false });
  const isMessage = ajv.compile(schema);

  deep.it("accepts every message of a session with all methods", async () => {
    const root = createTemporaryFolder();
    const adapter = await buildAdapter(root, { in: "reducer" });
    const [requestFile, answerFile] = [path.join(root, "requests.jsonl"), path.join(root, "answers.jsonl")];
    const command = `tee ${requestFile} | ${adapter} | tee ${answerFile}`;
    const laws = ["unknown-type-opaque", "gaps-listed", "cursor", "run-view", "sse-framing", "reconnect"];
    const results = await checkLaws(command, hecate, { runs: 1, laws });
    expect(listUnkeptLaws(results)).toEqual([]);
    const requests = readMessages(requestFile);
    const methods = schema.$defs.request.properties.method.enum;
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(methods));
    const requestOf = new Map(requests.map((request) => [request.id, request]));
    ajv.addSchema(schema, "messages");
    for (const answer of readMessages(answerFile)) {
      const request = requestOf.get(answer.id);
      const isResult = ajv.getSchema(`messages#/$defs/results/$defs/${request?.method}`);
      expect([isMessage(request), isMessage(answer), isResult?.(answer.result)]).toEqual([true, true, true]);
    }
  });

  quick.it.each([
    [true, { jsonrpc: "2.0", id: 1, method: "hello", params: { protocol: "a/v1", version: 1 } }],
    [true, { jsonrpc: "2.0", id: 1, method: "push", params: { consumer: "c1", events: [{}] } }],
    [true, { jsonrpc: "2.0", id: 1, result: null }],
    [true, { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "" } }],
    [false, { jsonrpc: "2.0", id: 1, method: "push", params: { consumer: "c1" } }],
    [false, { jsonrpc: "2.0", id: 1, method: "cursor", params: { consumer: "c1" } }],
    [false, { jsonrpc: "2.0", id: 1, method: "snapshot", params: {} }],
    [false, { jsonrpc: "2.0", id: 1, method: "hello", params: { consumer: "c1" } }],
    [false, { jsonrpc: "2.0", id: 1, result: null, error: { code: 1, message: "" } }],
    [false, { id: 1, result: null }],
  ])("says %s to %j", (expected, message) => {
    expect(isMessage(message)).toBe(expected);
  });
});

quick.it.each([
  [["--command", "x"], "--protocol is needed"],
  [
    ["--command", "x", "--protocol", "evva/v0", "--law", "curser"],
    '"curser" is not a law; did you mean "cursor"?',
  ],
  [["--command", "x", "--protocol", "evva/v9"], 'There is no protocol "evva/v9"'],
  [
    ["--command", "no-such-command-7", "--protocol", "evva/v0"],
    "exited with code 127 before it answered hello",
  ],
])("refuses %j", async (options, message) => {
  const { exitCode, stderr } = await runAccrete(["kit", ...options]);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});
