/** If this fails, a user of `accrete serve` gets a stack trace, or a server that serves something else. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished } from "vitest";
import { FAULTS } from "../../generator/serve/fault.js";
import { PROBLEM_STATUS } from "../../generator/serve/problem.js";
import { readFaults } from "../../generator/serve/read-faults.js";
import { type Outcome, runAccrete } from "../commands/run-in-process.js";
import { deep, quick } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";
import { parseBody, parseFrames, readLines, sendRequest } from "./start.js";

const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
const RUN = "/hecate/v1/tasks/task_01KQPNTT1GTJ3AC5ZEVH35HMX1/runs/run_01KQPNTT2RZW040CA11XDDDE4M";
const LINE = readLines(SHELL)[0] ?? "";

/** Runs the command, calls `visit` when it serves, and then stops it. */
async function runServer(
  args: readonly string[],
  visit: (url: string) => Promise<void>,
  stdin = "",
): Promise<Outcome> {
  let printed = "";
  const stdout = (text: string): void => {
    printed += text;
  };
  const waitForStopSignal = (): Promise<void> => visit(/http:\/\/\S+/.exec(printed)?.[0] ?? "");
  const outcome = await runAccrete(["serve", "--port", "0", ...args], stdin, { stdout, waitForStopSignal });
  return { ...outcome, stdout: printed };
}

function writeTemporaryFile(content: string | Uint8Array, name = "run.jsonl"): string {
  const at = path.join(createTemporaryFolder(), name);
  writeFileSync(at, content);
  return at;
}

/** A path that even root cannot read: a link to itself. */
function createLinkLoop(): string {
  const at = path.join(createTemporaryFolder(), "loop");
  symlinkSync(at, at);
  return at;
}

describe("accrete serve", () => {
  quick.it("serves the fixtures", async () => {
    const got = await runServer([], async (url) => {
      const { data } = parseBody(await sendRequest(`${url}/runs`));
      const protocols = new Set(data.map((run: { protocol: string }) => run.protocol));
      expect([...protocols].sort()).toEqual(["evva/v0", "frames/v1", "frames/v2", "hecate/v1"]);
      expect((await sendRequest(`${url}${RUN}/events`)).body.toString()).toContain(
        `[${readLines(SHELL).join(",")}]`,
      );
    });
    expect(got).toMatchObject({ exitCode: 0, stderr: "" });
    expect(got.stdout).toMatch(/^Serving \d+ runs of 4 protocols at http:\/\/127\.0\.0\.1:\d+\n$/);
  });

  const expectEvents = (count: number) => async (url: string) => {
    expect(parseBody(await sendRequest(`${url}${RUN}/events`)).data).toHaveLength(count);
  };
  quick.it.each<[string, () => readonly string[], (url: string) => Promise<void>, stdin?: string]>([
    ["a file", () => [SHELL], expectEvents(30)],
    ["a folder", () => [path.dirname(SHELL)], expectEvents(30)],
    ["standard input", () => ["-"], expectEvents(1), `${LINE}\n`],
    [
      "a file with a byte order mark, CR LF and empty lines",
      () => [writeTemporaryFile(`\ufeff\r\n${LINE}\r\n\r\n \t\r\n`)],
      expectEvents(1),
    ],
    ["a compressed file", () => [writeTemporaryFile(gzipSync(`${LINE}\n`), "run.jsonl.gz")], expectEvents(1)],
    [
      "a captured feed",
      () => [writeTemporaryFile(`id: 0\ndata: {"object":"event","data":${LINE}}\n\n`, "run.sse")],
      expectEvents(1),
    ],
    [
      "a saved page",
      () => [writeTemporaryFile(`{"object": "list",\n "data": [${LINE}]}`, "page.json")],
      expectEvents(1),
    ],
    [
      "the wire format of the runtime",
      () => [SHELL, "--wire-format", "runtime"],
      async (url) => expect(parseBody(await sendRequest(`${url}${RUN}/events`)).object).toBe("run_events"),
    ],
    ["events that wait for /step", () => [SHELL, "--step"], expectEvents(0)],
    [
      "a run at a thousandth of its recorded speed, of which only the first event is due",
      () => [SHELL, "--speed", "0.001"],
      expectEvents(1),
    ],
    [
      "faults by name",
      () => [SHELL, "--faults", "drop, unknown-type", "--seed", "3"],
      async (url) =>
        expect((await sendRequest(`${url}${RUN}/events`)).body.toString()).toContain('"future_event"'),
    ],
    [
      "faults of a file",
      () => [
        SHELL,
        "--faults",
        writeTemporaryFile('{"seed": 2, "faults": [{"fault": "drop", "at": [0, 1]}]}', "bad-day.json"),
      ],
      expectEvents(28),
    ],
    [
      "another address",
      () => [SHELL, "--host", "localhost"],
      async (url) => expect((await sendRequest(`${url}/health`)).status).toBe(200),
    ],
  ])("serves %s", async (_, args, visit, stdin) => {
    let visited = false;
    const got = await runServer(
      args(),
      async (url) => {
        await visit(url);
        visited = true;
      },
      stdin,
    );
    expect(got).toMatchObject({ exitCode: 0, stderr: "" });
    expect(visited).toBe(true);
  });

  quick.it("keeps the bytes of a line, but replaces a carriage return between tokens", async () => {
    const odd = LINE.replace('"sequence":0', ' "sequence" :\r0.0e1').replace(
      '"data":{}',
      '"data":{"n":1e400,"big":12345678901234567890,"t":"\\u00e9é"}',
    );
    await runServer([writeTemporaryFile(`${odd}\n`)], async (url) => {
      const frame = parseFrames((await sendRequest(`${url}${RUN}/stream`)).body)[0];
      expect(frame?.data).toBe(odd.replace("\r", " "));
    });
  });

  quick.it.each<[string, () => readonly string[], stderr: RegExp]>([
    ["a missing file", () => ["no.jsonl"], /no\.jsonl: there is no such file/],
    ["an empty file", () => [writeTemporaryFile("\n")], /no event/],
    ["a folder without streams", () => ["--fixtures", createTemporaryFolder()], /contains no streams/],
    ["a missing folder", () => ["--fixtures", "nowhere"], /^accrete: nowhere does not exist; name files/],
    ["a file instead of a folder", () => ["--fixtures", SHELL], /shell\.jsonl is not a folder; name files/],
    ["a folder that cannot be read", () => ["--fixtures", createLinkLoop()], /loop: too many symbolic links/],
    ["two standard inputs", () => ["-", "-"], /only once/],
    [
      "a broken line",
      () => [writeTemporaryFile(`${LINE}\n{"a":\n`)],
      /run\.jsonl:2:\d+: error json-syntax The line is not JSON/,
    ],
    [
      "a line that is not an event",
      () => [writeTemporaryFile(`${LINE}\n[1]\n`)],
      /run\.jsonl:2:2: error event-unservable \/0 Not an event of/,
    ],
    [
      "a line of no protocol",
      () => [writeTemporaryFile('{"tea": 1}\n')],
      /run\.jsonl:1:1: error event-unservable Not an event of/,
    ],
    [
      "an event without its run",
      () => [writeTemporaryFile(`${LINE.replace(/"run_id":"[^"]*",/, "")}\n`)],
      /run\.jsonl:1:1: .*run_id is not a text/,
    ],
    [
      "a number that no client can read exactly",
      () => [writeTemporaryFile(`${LINE.replace('"sequence":0', '"sequence":9007199254740993')}\n`)],
      /run\.jsonl:1:1: .*sequence is not a whole number/,
    ],
    [
      "bytes that are not UTF-8",
      () => [writeTemporaryFile(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))],
      /run\.jsonl:1:\d+: error json-encoding The line is not valid UTF-8/,
    ],
    [
      "an unknown fault",
      () => [SHELL, "--faults", "dorp"],
      /Unknown fault "dorp"; did you mean "drop"\?.*cut/,
    ],
    ["a missing file of faults", () => [SHELL, "--faults", "bad.json"], /File not found: bad\.json/],
    ["a port out of range", () => [SHELL, "--port", "70000"], /0 to 65535/],
    ["the speed 0", () => [SHELL, "--speed", "0"], /above 0/],
    ["speed and step", () => [SHELL, "--speed", "1", "--step"], /cannot be used with/],
    [
      "an address of another machine",
      () => [SHELL, "--host", "192.0.2.1"],
      /192\.0\.2\.1 is not an address of this machine/,
    ],
    ["an unknown wire format", () => [SHELL, "--wire-format", "reader"], /spec, runtime/],
  ])("refuses %s", async (_, args, stderr) => {
    const got = await runAccrete(["serve", "--port", "0", ...args()]);
    expect(got).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringMatching(stderr) });
    for (const line of got.stderr.trimEnd().split("\n")) expect(line).not.toBe("");
    expect(got.stderr).not.toMatch(/\n\s+at /);
  });

  quick.it("reports a port that is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const got = await runAccrete(["serve", SHELL, "--port", String(port)]);
    expect(got).toMatchObject({
      exitCode: 2,
      stderr: `accrete: Port ${port} of 127.0.0.1 is in use; --port 0 chooses a free one.\n`,
    });
  });

  quick.it("notes faults that change nothing", async () => {
    const plan = writeTemporaryFile(
      '{"faults": [{"fault": "late-gap"}, {"fault": "cut", "run": "run_x"}]}',
      "plan.json",
    );
    const got = await runServer(
      ["fixtures/frames/v1/streams/task.jsonl", "--faults", plan],
      async () => undefined,
    );
    expect(got.stderr).toBe(
      "accrete: note: the fault late-gap changes none of the runs\naccrete: note: no run has the key run_x (cut)\n",
    );
  });
});

describe("a file of faults", () => {
  quick.it.each<[string, unknown, RegExp]>([
    [
      "an unknown fault",
      '{"faults":\n [{"fault": "dropp"}]}',
      /^2:13 Unknown fault "dropp"; did you mean "drop"\?$/,
    ],
    ["an unknown key", '{"faults": [], "sed": 1}', /^1:16 The plan has no key "sed"; did you mean "seed"\?$/],
    [
      "an unknown option",
      '{"faults": [{"fault": "drop", "evry": 3}]}',
      /^1:31 There is no key "evry"; did you mean "every"\?$/,
    ],
    [
      "an option of another type",
      '{"faults": [{"fault": "cut", "every": "x"}]}',
      /^1:39 "every" must be integer\.$/,
    ],
    [
      "an option of another fault",
      '{"faults": [{"fault": "cut",\n"ms": 3}]}',
      /2:1 cut takes run, at, every, not ms/,
    ],
    ["no faults", "{}", /faults/],
    ["a place before the first", '{"faults": [{"fault": "drop", "at": [-1]}]}', /^1:38 It must be >= 0\.$/],
    ["no JSON", '{"faults": [}', /1:\d+ .*not JSON/],
    ["a list", "[]", /must be object/],
    ["a name twice", '{"faults": [], "faults": []}', /faults/],
  ])("reports %s with line and column", (_, text, want) => {
    const findings = readFaults(writeTemporaryFile(String(text), "f.json"), undefined);
    if ("faults" in findings) throw new Error("accepted");
    expect(findings.map(({ at, message }) => `${at.line}:${at.column} ${message}`).join("\n")).toMatch(want);
  });

  const schema = JSON.parse(readFileSync("generator/serve/faults.schema.json", "utf8"));
  quick.it("has a valid schema with exactly the faults and options of the table", () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    expect(() => ajv.compile(schema)).not.toThrow();
    const { properties } = schema.$defs.setting;
    expect(properties.fault.enum).toEqual(Object.keys(FAULTS));
    const options = Object.values(FAULTS).flatMap((defaults) => Object.keys(defaults));
    expect(Object.keys(properties).sort()).toEqual([...new Set(["fault", "run", ...options])].sort());
  });

  quick.it("means the same as a list of names if it has no options", () => {
    const all = Object.keys(FAULTS);
    const plan = writeTemporaryFile(JSON.stringify({ faults: all.map((fault) => ({ fault })) }), "all.json");
    expect(readFaults(plan, undefined)).toEqual(readFaults(all.join(","), undefined));
    expect(readFaults(plan, 9)).toMatchObject({ seed: 9 });
  });
});

describe("docs/serving.md", () => {
  const page = readFileSync("docs/serving.md", "utf8");
  quick.it("lists the faults in their order, each with its options and defaults", () => {
    const [, section = ""] = page.split("\n## Faults\n");
    const rows = [...section.matchAll(/^\| `([a-z0-9-]+)` \| [^|]+ \| ([^|]*)\|$/gm)];
    const listed = rows.map(([, name = "", options = ""]) => [name, options.trim()]);
    const formatDefault = (number: number | undefined): string => {
      if (number === undefined) return "";
      if (number === 2 ** 20) return " (1 MiB)";
      return ` (${number})`;
    };
    const wanted = Object.entries(FAULTS).map(([name, defaults]) => [
      name,
      Object.entries(defaults)
        .map(([option, number]) => `\`${option}\`${formatDefault(number)}`)
        .join(", "),
    ]);
    expect(listed).toEqual(wanted);
  });

  quick.it("lists all codes of problems with their status", () => {
    const [, section = ""] = page.split("\n## Problems\n");
    const rows = [...section.matchAll(/^\| (`[a-z0-9-]+`(?:, `[a-z0-9-]+`)*) \| ([\d, ]+) \|/gm)];
    const listed = rows.flatMap(([, codes = "", statuses = ""]) => {
      const numbers = statuses.split(", ").map(Number);
      return codes.split(", ").map((code, index) => [code.slice(1, -1), numbers[index] ?? numbers[0]]);
    });
    expect(Object.fromEntries(listed)).toEqual(PROBLEM_STATUS);
  });

  quick.it("shows a valid plan", () => {
    const [, plan = ""] = /```json\n(\{\s*"seed"[\s\S]*?)```/.exec(page) ?? [];
    expect(readFaults(writeTemporaryFile(plan, "plan.json"), undefined)).toMatchObject({ seed: 7 });
  });
});

describe("the real process", () => {
  deep.it.each(["SIGINT", "SIGTERM"] as const)(
    "ends streams cleanly and exits with 0 on %s",
    async (signal) => {
      const args = ["--import", "tsx", "generator/cli.ts", "serve", SHELL, "--port", "0"];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      const [first] = await once(child.stdout, "data");
      const url = /http:\/\/\S+/.exec(String(first))?.[0] ?? "";
      const live = sendRequest(`${url}/hecate/v1/events/stream`);
      await sendRequest(`${url}${RUN}/stream`);
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([0, null]);
      const got = await live;
      expect(got.complete).toBe(true);
      expect(parseFrames(got.body)).toHaveLength(30);
    },
  );
});
