/** If this fails, recordings in some file format are not read, or their errors are reported in the wrong place. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { validateOperands } from "./operands.js";

const LINES = readFileSync("fixtures/hecate/v1/streams/two-runs.jsonl", "utf8").trimEnd().split("\n");
const EVENTS: unknown[] = LINES.map((line) => JSON.parse(line));
const JSONL = `${LINES.join("\n")}\n`;

const formatFrame = (line: string, index: number): string => `id: ${index}\ndata: ${line}\n\n`;

const [FIRST = "", SECOND = ""] = LINES;

/** The same events in every supported file format. */
const FORMS: { readonly [file: string]: string | Uint8Array } = {
  "a.jsonl": JSONL,
  "crlf.jsonl": JSONL.replaceAll("\n", "\r\n"),
  "bom.jsonl": `\uFEFF${JSONL}`,
  "lines-by-content.json": JSONL,
  "array.json": JSON.stringify(EVENTS),
  "array-by-content.jsonl": JSON.stringify(EVENTS, null, 2),
  "list.json": JSON.stringify({ object: "list", data: EVENTS, next_after_sequence: 27 }, null, 1),
  "lists.jsonl": [EVENTS.slice(0, 9), EVENTS.slice(9)]
    .map((data) => `${JSON.stringify({ object: "list", data })}\n`)
    .join(""),
  "wrapped.jsonl": EVENTS.map((data) => `${JSON.stringify({ object: "event", data })}\n`).join(""),
  "bare.sse": LINES.map(formatFrame).join(""),
  "named.sse": `: hello\n\nretry: 5\n\n${LINES.map((line, index) => `event: event\n${formatFrame(line, index)}`).join("")}`,
  "named-by-type.sse": LINES.map(
    (line, index) => `event: ${JSON.parse(line).type}\n${formatFrame(line, index)}: beat\n\n`,
  ).join(""),
  "wrapped.sse": EVENTS.map((data, index) =>
    formatFrame(JSON.stringify({ object: "event", data }), index),
  ).join(""),
  "multi-line.sse": EVENTS.map(
    (data) => `data: ${JSON.stringify(data, null, 2).replaceAll("\n", "\ndata: ")}\n\n`,
  ).join(""),
  "crlf.sse": LINES.map(formatFrame).join("").replaceAll("\n", "\r\n"),
  "sse-by-content.txt": LINES.map(formatFrame).join(""),
  "a.jsonl.gz": gzipSync(JSONL),
  "gzip-by-content.jsonl": gzipSync(LINES.map(formatFrame).join("")),
  "two-members.gz": Buffer.concat([
    gzipSync(LINES.slice(0, 5).join("\n")),
    gzipSync(`\n${LINES.slice(5).join("\n")}`),
  ]),
};

const formatList = (...lines: readonly string[]): string => `{"object":"list","data":[${lines.join(",")}]}`;
/** Inputs in which an event comes twice, and whether both stand in one list. */
const REPETITIONS: readonly (readonly [about: string, file: string, content: string, isError: boolean])[] = [
  ["twice in a row in a list", "a.json", formatList(FIRST, FIRST, SECOND), true],
  ["again at the end of a list", "a.json", formatList(...LINES, FIRST), true],
  ["twice in a plain array", "a.json", `[${FIRST},${SECOND},${FIRST}]`, true],
  ["twice in the list of a line", "a.jsonl", `${SECOND}\n${formatList(FIRST, FIRST)}\n`, true],
  ["in two lists of one file", "a.jsonl", `${formatList(FIRST, SECOND)}\n${formatList(SECOND)}\n`, false],
  ["on two lines", "a.jsonl", `${FIRST}\n${FIRST}\n`, false],
  ["wrapped on two lines", "a.jsonl", `{"object":"event","data":${FIRST}}\n`.repeat(2), false],
  ["in two frames of a feed", "a.sse", formatFrame(FIRST, 0).repeat(2), false],
];

it.each(REPETITIONS)("an event that comes %s", async (_about, name, content, isError) => {
  const file = path.join(createTemporaryFolder(), name);
  writeFileSync(file, content);
  for (const profile of ["reader", "writer"]) {
    const got = await runAccrete(["validate", file, "--profile", profile, "--protocol", "hecate/v1"]);
    expect(got.stdout.match(/ error event-listed-twice /g) ?? []).toHaveLength(isError ? 1 : 0);
    if (isError)
      expect(got.stdout).toMatch(/: error event-listed-twice \/\S+ \S+ #0 occurs twice in one list\.\n/);
    if (isError) expect(got.stdout).not.toContain("event-repeated");
  }
});

describe("validate reads", () => {
  it.each(Object.keys(FORMS))("%s, as a file and as standard input", async (name) => {
    const content = FORMS[name] ?? "";
    const file = path.join(createTemporaryFolder(), name);
    writeFileSync(file, content);
    const want = { findings: [], events: LINES.length, invalid: 0, unreadable: [] };
    expect(await validateOperands([file], "")).toEqual(want);
    expect(await validateOperands(["-"], content)).toEqual(want);
  });

  it("the files of a folder in the order of their paths, so that runs continue in the next file", async () => {
    const root = createTemporaryFolder();
    mkdirSync(path.join(root, "b"));
    writeFileSync(path.join(root, "a.jsonl"), LINES.slice(0, 10).join("\n"));
    writeFileSync(path.join(root, "b", "1.jsonl.gz"), gzipSync(LINES.slice(10, 20).join("\n")));
    writeFileSync(path.join(root, "b", "2.sse"), LINES.slice(20).map(formatFrame).join(""));
    writeFileSync(path.join(root, "notes.txt"), "not events");
    const got = await runAccrete(["validate", "--profile", "writer", root]);
    expect(got).toEqual({ exitCode: 0, stdout: `${LINES.length} events, 0 invalid\n`, stderr: "" });
  });

  it("the files that links lead to, each file once", async () => {
    const others = createTemporaryFolder({
      "b.jsonl": SECOND,
      "deep/c.jsonl": LINES[2] ?? "",
      d: LINES[3] ?? "",
    });
    const root = createTemporaryFolder({ "a.jsonl": FIRST });
    symlinkSync("a.jsonl", path.join(root, "latest.jsonl"));
    symlinkSync("..", path.join(root, "parent"));
    symlinkSync("nowhere", path.join(root, "nowhere.txt"));
    symlinkSync(others, path.join(root, "others"));
    symlinkSync(path.join(others, "deep"), path.join(root, "others again"));
    symlinkSync(root, path.join(others, "back"));
    symlinkSync(path.join(others, "d"), path.join(root, "d.jsonl"));
    expect(await validateOperands([root], "")).toMatchObject({ events: 4, unreadable: [] });
    symlinkSync("nowhere", path.join(root, "lost.jsonl"));
    expect(await validateOperands([root], "")).toMatchObject({
      events: 4,
      unreadable: [`cannot read ${path.join(root, "lost.jsonl")}: there is no such file or folder`],
    });
  });

  it("all folders but those that it may not read", async () => {
    const root = createTemporaryFolder({ "a.jsonl": FIRST, "b/c.jsonl": SECOND });
    const closed = path.join(root, "b");
    chmodSync(closed, 0);
    const { events, unreadable } = await validateOperands([root], "");
    chmodSync(closed, 0o700);
    // The administrator may read every folder.
    const isRefused = process.getuid?.() !== 0 && process.platform !== "win32";
    expect(unreadable).toEqual(isRefused ? [`cannot read ${closed}: permission denied`] : []);
    expect(events).toBe(isRefused ? 1 : 2);
  });

  it("the files and the folders that a pattern matches, each file once", async () => {
    const root = createTemporaryFolder({
      "2026-01/a.jsonl": FIRST,
      "2026-01/notes.txt": "not events",
      "2026-02.jsonl": SECOND,
    });
    for (const pattern of ["2026-*", "**", "*/*.jsonl"]) {
      const { events, unreadable } = await validateOperands([path.join(root, pattern)], "");
      expect({ pattern, events, unreadable }).toEqual({
        pattern,
        events: pattern === "*/*.jsonl" ? 1 : 2,
        unreadable: [],
      });
    }
  });

  it.each([
    ["fixtures", LINES.length, 0],
    ["fixtures/tea/v1", LINES.length, 0],
    ["fixtures/tea/v1/invalid", 1, 1],
    ["invalid", 1, 1],
  ])("invalid fixtures only if their own folder is the operand: %s", async (named, events, invalid) => {
    const root = createTemporaryFolder({
      "fixtures/tea/v1/streams/a.jsonl": JSONL,
      "fixtures/tea/v1/invalid/run.created/b.json": "{}",
      "fixtures/consumers.json": "{}",
      "invalid/c.json": "{}",
    });
    const { stdout } = await runAccrete(["validate", "--format", "json", path.join(root, named)]);
    expect(JSON.parse(stdout).summary).toMatchObject({ events, invalid });
  });

  it("no file of a folder without events, and refuses it", async () => {
    const root = createTemporaryFolder({ "a.txt": "x" });
    const { exitCode, stderr } = await runAccrete(["validate", root]);
    const message = `accrete: cannot read ${root}: no file in it ends in .json, .jsonl, .ndjson or .sse\n`;
    expect([exitCode, stderr]).toEqual([2, message]);
  });

  it("events of several protocols in one input", async () => {
    const others = [
      "frames/v1/streams/session",
      "frames/v2/streams/task",
      "evva/v0/streams/subagent-run",
    ].map((name) => readFileSync(`fixtures/${name}.jsonl`, "utf8").trimEnd().split("\n"));
    const all = [LINES, ...others];
    const mixed: string[] = [];
    for (let i = 0; i < Math.max(...all.map(({ length }) => length)); i++)
      for (const lines of all) if (i < lines.length) mixed.push(lines[i] as string);
    const { stdout, exitCode } = await runAccrete(
      ["validate", "-", "--profile", "writer", "--format", "json"],
      mixed.join("\n"),
    );
    expect(exitCode).toBe(0);
    const counts = Object.fromEntries(
      ["hecate/v1", "frames/v1", "frames/v2", "evva/v0"].map((id, index) => [id, all[index]?.length]),
    );
    expect(JSON.parse(stdout).summary.protocols).toEqual(counts);
  });
});

/** Inputs with the lines that are printed, without hints, as texts or patterns. */
const FAULTS: readonly (readonly [
  name: string,
  file: string,
  content: string | Uint8Array,
  want: readonly (string | RegExp)[],
])[] = [
  [
    "a line that is not JSON",
    "a.jsonl",
    `${FIRST}\n{"broken": nope}\n${SECOND}\n`,
    [
      `a.jsonl:2:12: error json-syntax The line is not JSON: invalid symbol (byte ${Buffer.byteLength(FIRST) + 12}: {"broken": nope}).`,
      "3 events, 1 invalid",
    ],
  ],
  [
    "an escape sequence of a terminal",
    "a.jsonl",
    `${FIRST}\n\u001b[2J\n`,
    [
      `a.jsonl:2:1: error json-syntax The line is not JSON: invalid symbol (byte ${Buffer.byteLength(FIRST) + 1}: \\u001b[2J).`,
      "2 events, 1 invalid",
    ],
  ],
  [
    "bytes that are not UTF-8",
    "a.jsonl",
    Buffer.concat([Buffer.from(`${FIRST}\n{"äö":"`), Buffer.from([0xff]), Buffer.from('"}\n')]),
    [
      `a.jsonl:2:8: error json-encoding The line is not valid UTF-8 (byte ${Buffer.byteLength(FIRST) + 10}: {"äö":"\uFFFD"}).`,
      "2 events, 1 invalid",
    ],
  ],
  [
    "NUL bytes",
    "a.jsonl",
    `${FIRST}\n\0\0\0\0{"a":1}\n`,
    [
      `a.jsonl:2:1: error json-syntax The line holds a NUL byte, which JSON does not allow (byte ${Buffer.byteLength(FIRST) + 1}: \\u0000\\u0000\\u0000\\u0000{"a":1}).`,
      "2 events, 1 invalid",
    ],
  ],
  [
    "a repeated name in a nested object",
    "a.jsonl",
    `${FIRST}\n${SECOND.replace('"data":{', '"data":{"a":{"b":1,"b":2}')}\n`,
    [
      /^a\.jsonl:2:\d+: error json-duplicate-key \/data\/a\/b The line has the name "b" twice in one object/,
      "2 events, 1 invalid",
    ],
  ],
  [
    "an infinite number",
    "a.jsonl",
    `${FIRST.replace('"data":{', '"data":{"a":[1,1e999]')}\n`,
    [
      /^a\.jsonl:1:\d+: error json-number \/data\/a\/1 The line holds a number larger than any/,
      "1 event, 1 invalid",
    ],
  ],
  [
    "too deep nesting",
    "a.jsonl",
    `${FIRST}\n${"[".repeat(100_000)}\n`,
    [
      /^a\.jsonl:2:257: error json-depth The line nests deeper than 256 levels \(byte \d+: …\[+…\)\.$/,
      "2 events, 1 invalid",
    ],
  ],
  [
    "a number beyond 2^53 - 1, as it is written",
    "a.jsonl",
    `${FIRST.replace('"sequence":0', '"sequence":18446744073709551615')}\n`,
    [
      /sequence-unsafe \/sequence sequence is 18446744073709551615, which is beyond 2\^53 - 1: JavaScript reads it as 18446744073709552000\.$/,
      "1 event, 1 invalid",
    ],
  ],
  [
    "a number that is rounded to 2^53 - 1",
    "a.jsonl",
    `${FIRST.replace('"sequence":0', '"sequence":9007199254740991.4')}\n`,
    [/sequence is 9007199254740991\.4, which is beyond/, "1 event, 1 invalid"],
  ],
  [
    "no finding for 2^53 - 1 itself, in any spelling",
    "a.jsonl",
    `${FIRST.replace('"sequence":0', '"sequence":9007199254740990')}\n${FIRST.replace('"sequence":0', '"sequence":9007199254740991.0').replace("evt_01", "evt_02")}\n`,
    ["2 events, 0 invalid"],
  ],
  [
    "a frame that is not JSON, with its line in the feed",
    "a.sse",
    `id: 1\r\ndata: {\r\ndata:  "a": nope\r\ndata: }\r\n\r\ndata: ${FIRST}\r\n\r\n`,
    [
      'a.sse:3:13: error json-syntax The frame is not JSON: invalid symbol (byte 28: {\\n "a": nope\\n}).',
      "2 events, 1 invalid",
    ],
  ],
  [
    "a frame that is cut",
    "a.sse",
    `data: ${FIRST}\n\ndata: ${SECOND.slice(0, 30)}`,
    [
      /^a\.sse:3:37: warning sse-cut The frame is cut: no empty line ends it, so clients drop it \(byte \d+: …/,
      "1 event, 0 invalid",
    ],
  ],
  [
    "a feed without events",
    "a.sse",
    ": hello\n\n: hello\n\n",
    ["a.sse: warning events-missing There are no events here.", "0 events, 0 invalid"],
  ],
  ["truncated gzip data", "a.gz", gzipSync(JSONL).subarray(0, 400), [/^\d+ events?, 0 invalid$/]],
];

it.each(FAULTS)("reports %s", async (_name, name, content, want) => {
  const root = createTemporaryFolder();
  writeFileSync(path.join(root, name), content);
  const { stdout, stderr } = await runAccrete(["validate", path.join(root, name), "--protocol", "hecate/v1"]);
  const lines = stdout.replaceAll(`${root}/`, "").trimEnd().split("\n");
  expect(lines.filter((line) => !line.startsWith("    "))).toEqual(
    want.map((line) => (typeof line === "string" ? line : expect.stringMatching(line))),
  );
  expect(stderr).toBe(
    name === "a.gz" ? `accrete: cannot read ${root}/a.gz: its compressed data is cut off\n` : "",
  );
});

it("skips a line of 100 MB with little memory", async () => {
  const piece = Buffer.alloc(2 ** 20, "x");
  let read = 0;
  const stdin = (async function* () {
    yield Buffer.from(`${FIRST}\n{"a":"`);
    for (; read < 100; read++) yield piece;
    yield Buffer.from(`"}\n${SECOND}\n`);
  })();
  const { stdout, exitCode } = await runAccrete(["validate", "-"], "", { stdin });
  expect([exitCode, read]).toEqual([1, 100]);
  expect(stdout).toBe(
    "<stdin>:2: error json-size The line is larger than 64 MiB and was not read.\n3 events, 1 invalid\n",
  );
});

it("checks a single event without its stream, and with --events-only every event", async () => {
  const late = LINES.slice(0, 2).reverse().join("\n");
  const argv = ["validate", "-", "--profile", "writer"];
  expect((await runAccrete(argv, LINES[9])).exitCode).toBe(0);
  expect((await runAccrete(argv, LINES.slice(5, 9).join("\n"))).exitCode).toBe(1);
  expect((await runAccrete([...argv, "--events-only"], late)).stdout).toBe("2 events, 0 invalid\n");
});

it("shows its progress at a terminal, and removes it at the end", async () => {
  const slow = (async function* () {
    for (const line of LINES.slice(0, 4)) {
      await new Promise((resolve) => setTimeout(resolve, 120));
      yield Buffer.from(`${line}\n`);
    }
  })();
  const { stderr } = await runAccrete(["validate", "-"], "", { stdin: slow, showsProgress: true });
  expect(stderr.replaceAll("\r\u001b[K", "<")).toMatch(/^(<\d events?, \d+ MB\/s, 0 findings)+<$/);
});

describe("--stats", () => {
  const content = [
    ...LINES.slice(0, 9),
    LINES[4],
    LINES[11],
    LINES[0]?.replace('"type":"run.created"', '"type":"run.imagined"').replace("evt_01", "evt_02"),
  ].join("\n");

  it("prints counts by stream and by type", async () => {
    const { stdout } = await runAccrete(["validate", "-", "--stats", "--protocol", "hecate/v1"], content);
    const lines = stdout.split("\n").filter((line) => line.startsWith("hecate/v1"));
    expect(lines).toMatchInlineSnapshot(`
      [
        "hecate/v1 run_01KQQ9BT2REWQP88EW94DYHAZ3: 6 events, sequence 0 to 5, 1 gap of 1 number, 1 redelivered, 1 late, 1 of unknown type, 0.15 s",
        "hecate/v1 run_01KQQ9BT2RKSJ7N1FD64NNDTXK: 5 events, sequence 0 to 4, 0.117 s",
        "hecate/v1 run.started: 3 events",
        "hecate/v1 run.created: 2 events",
        "hecate/v1 run.queued: 2 events",
        "hecate/v1 assistant.tool_call_proposed: 1 event",
        "hecate/v1 run.imagined: 1 event, unknown type",
        "hecate/v1 tool.invoked: 1 event",
        "hecate/v1 tool.started: 1 event",
        "hecate/v1 turn.started: 1 event",
      ]
    `);
  });

  it("prints the counts as JSON", async () => {
    const { stdout } = await runAccrete(["validate", "-", "--stats", "--format", "json"], JSONL);
    const { streams, types } = JSON.parse(stdout).summary.stats;
    expect(streams[0]).toMatchInlineSnapshot(`
      {
        "begin": "2026-05-03T16:05:00.000Z",
        "conflicting": 0,
        "end": "2026-05-03T16:05:02.674Z",
        "events": 28,
        "first": 0,
        "gaps": 0,
        "last": 27,
        "late": 0,
        "missing": 0,
        "protocol": "hecate/v1",
        "redelivered": 0,
        "seconds": 2.674,
        "stream": "run_01KQQ9BT2REWQP88EW94DYHAZ3",
        "unknown": 0,
      }
    `);
    expect(types.reduce((sum: number, { events }: { events: number }) => sum + events, 0)).toBe(LINES.length);
  });
});
