/** If this fails, the findings of `accrete validate` depend on the number of threads. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { createRandom } from "../../generator/random.js";
import { generateCorpus } from "../../scripts/corpus/corpus.js";
import { injectFaults } from "../../scripts/corpus/faults.js";
import { runAccrete } from "../commands/run-in-process.js";
import { thinCases } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";

const FOLDER = "fixtures/hecate/v1/streams";
const STREAMS = readdirSync(FOLDER)
  .sort()
  .map((name) => readFileSync(path.join(FOLDER, name), "utf8").trimEnd().split("\n"));
const OTHERS = readFileSync("fixtures/frames/v1/streams/session.jsonl", "utf8").trimEnd().split("\n");

/** Returns the lines of `runs` runs that are made of the fixtures. Up to four runs are interleaved. */
function interleaveRuns(runs: number, next: (below: number) => number): string[] {
  const startRun = (run: number): string[] =>
    (STREAMS[run % STREAMS.length] ?? []).map((line) =>
      line
        .replace(/run_[0-9A-Z]{20}/g, (id) => `${id.slice(0, -4)}${String(run).padStart(4, "0")}`)
        .replace(/evt_[0-9A-Z]{20}/, (id) => `${id.slice(0, -4)}${String(run).padStart(4, "0")}`),
    );
  const openRuns = [startRun(0), startRun(1), startRun(2), startRun(3)];
  const lines: string[] = [];
  for (let run = 4; openRuns.length > 0; ) {
    const at = next(openRuns.length);
    const line = openRuns[at]?.shift();
    if (line !== undefined) lines.push(line);
    else if (run < runs) openRuns[at] = startRun(run++);
    else openRuns.splice(at, 1);
  }
  return lines;
}

/** Faults that replace a line by other lines. */
const FAULTS: readonly ((line: string, lines: readonly string[], at: number) => readonly string[])[] = [
  () => [],
  (line) => [line, line],
  (line) => [line, line.replace('"data":{', '"data":{"more":1,')],
  (line, lines, at) => [lines[at + 3] ?? line, line],
  (line) => [line.slice(0, -20)],
  (line) => [line.slice(150)],
  () => ["", "nonsense", "[1]", "{}"],
  (line) => [line.replace(/"sequence":\d+/, '"sequence":-1')],
  (line) => [line.replace(/"sequence":\d+/, '"sequence":18446744073709551616')],
  (line) => [line.replace(/"type":"[^"]*"/, '"type":"made.up"')],
  (line) => [line.replace('"data":{', '"data":{"a":1,"a":1,')],
  (line) => [line.replace(/"run_id":"run_/, '"run_id":"run\\u005f')],
  (line) => [line.replace(/("schema_version":"1"),(.*?),"data"/, '$2,$1,"data"')],
  (line) => [line.replace(/"occurred_at":"[^"]*"/, '"occurred_at":7')],
  (line) => [line.replace('"run_id":', '"run_id" : ').replace(/"occurred_at":"[^"]*"/, '"occurred_at":7')],
  (line) => [`{"object":"event","data":${line}}`],
  () => [`{"object":"list","data":[${OTHERS.slice(0, 3).join(",")}]}`],
  (line) => [line, OTHERS[5] ?? ""],
];

function injectLineFaults(lines: readonly string[], next: (below: number) => number): string {
  return lines
    .flatMap((line, at) =>
      at > 150 && next(12) === 0 ? (FAULTS[next(FAULTS.length)]?.(line, lines, at) ?? []) : [line],
    )
    .join("\n");
}

const CASES = [
  ["reader", 1],
  ["writer", 2],
] as const;

it.each(thinCases(CASES, 2))(
  "several threads find what one thread finds: %s, seed %i",
  async (profile, seed) => {
    const root = createTemporaryFolder();
    const next = createRandom(seed).below;
    const files = [8, 40, 3].map((runs, index) => {
      const file = path.join(root, `${index}.jsonl`);
      writeFileSync(file, injectLineFaults(interleaveRuns(runs, next), next));
      return file;
    });
    const run = (...more: string[]) => runAccrete(["validate", ...files, "--profile", profile, ...more]);
    const one = await run("--limit", "0", "--stats");
    expect(one.stdout.split("\n").length).toBeGreaterThan(150);
    for (const threads of ["2", "3"])
      expect(await run("--limit", "0", "--stats", "--threads", threads)).toEqual(one);
    expect(await run("--format", "json", "--threads", "2")).toEqual(await run("--format", "json"));
  },
);

it("several threads keep the order of findings for streams that are evicted", async () => {
  const lines = injectFaults(generateCorpus(1), ["drop"], 1, new Map(), 1 / 200);
  const text: string[] = [];
  for (let bytes = 0; bytes < 10e6; bytes += (text.at(-1)?.length ?? 0) + 1)
    text.push(lines.next().value ?? "");
  const file = path.join(createTemporaryFolder(), "large.jsonl");
  writeFileSync(file, text.join("\n"));
  const run = (...more: string[]) =>
    runAccrete(["validate", file, "--profile", "writer", "--limit", "0", ...more]);
  const one = await run();
  expect(one.stdout).toContain("sequence-gap");
  expect(await run("--threads", "2")).toEqual(one);
});

/** Returns lines of the corpus until they have this number of bytes. */
function takeCorpusLines(bytes: number): string[] {
  const lines: string[] = [];
  const source = generateCorpus(2);
  for (let size = 0; size < bytes; size += (lines.at(-1)?.length ?? 0) + 1)
    lines.push(source.next().value ?? "");
  return lines;
}

/** Returns the text of a string field of an event. */
const readField = (line: string, name: string): string =>
  new RegExp(`"${name}":"([^"]*)"`).exec(line)?.[1] ?? "";

it.each([
  ["the next line of another run", 1, 5],
  ["a line of another run more than 8 MiB later", 24_000, 0],
])("several threads find an id that is used again in %s", async (_where, distance, found) => {
  const lines = takeCorpusLines(distance > 1 ? 12e6 : 1e6);
  for (const at of [10, 200, 400, 600, 800]) {
    const [from, id] = [lines[at] ?? "", readField(lines[at] ?? "", "event_id")];
    const other = lines.findIndex(
      (line, index) => index >= at + distance && readField(line, "run_id") !== readField(from, "run_id"),
    );
    lines[other] = (lines[other] ?? "").replace(/"event_id":"[^"]*"/, `"event_id":"${id}"`);
  }
  const file = path.join(createTemporaryFolder(), "ids.jsonl");
  writeFileSync(file, lines.join("\n"));
  const run = (...more: string[]) => runAccrete(["validate", file, "--limit", "0", "--threads", ...more]);
  const one = await run("1");
  expect(one.stdout.match(/event-conflict/g) ?? []).toHaveLength(found);
  for (const threads of ["2", "3"]) expect(await run(threads)).toEqual(one);
});

it("uses one thread for rules that compare the events of different streams", async () => {
  const [line = ""] = readFileSync("fixtures/evva/v0/streams/subagent-run.jsonl", "utf8").split("\n");
  const event = (id: string, parent: string): string =>
    JSON.stringify({ ...JSON.parse(line), AgentID: id, ParentID: parent });
  const lines = Array.from({ length: 12 }, (_, index) => [
    event(`root-${index}`, ""),
    event(`sub-${index}`, `root-${index}`),
    event(`below-${index}`, `sub-${index}`),
  ]);
  const file = path.join(createTemporaryFolder(), "agents.jsonl");
  writeFileSync(file, lines.flat().join("\n"));
  const run = (...more: string[]) => runAccrete(["validate", file, "--protocol", "evva/v0", ...more]);
  const one = await run("--threads", "1");
  expect(one.stdout.match(/hierarchy-broken/g)).toHaveLength(12);
  expect(await run("--threads", "2")).toEqual(one);
});

it("does not report a file as empty because other threads read its streams", async () => {
  const root = createTemporaryFolder({ "blank.jsonl": "\n \r\n" });
  for (const [index, lines] of STREAMS.entries())
    writeFileSync(path.join(root, `${index}.jsonl`), lines.join("\n"));
  const run = (...more: string[]) => runAccrete(["validate", root, "--protocol", "hecate/v1", ...more]);
  const one = await run();
  expect(one.stdout.match(/events-missing/g)).toHaveLength(1);
  expect(await run("--threads", "2")).toEqual(one);
});

it("uses one thread for inputs that cannot be split: a nested key before the real one, a list, a pipe", async () => {
  const lines = interleaveRuns(9, createRandom(1).below);
  const nested = lines.map((line, at) =>
    at % 7 === 0 ? `{"about":{"run_id":"run_${at}"},${line.slice(1)}` : line,
  );
  const root = createTemporaryFolder();
  const contents = { "nested.jsonl": nested.join("\n"), "list.json": `[${lines.join(",")}]` };
  for (const [name, content] of Object.entries(contents)) {
    writeFileSync(path.join(root, name), content);
    const argv = ["validate", path.join(root, name), "--stats"];
    expect(await runAccrete([...argv, "--threads", "2"])).toEqual(await runAccrete(argv));
  }
  const piped = await runAccrete(["validate", "-", "--threads", "2"], lines.join("\n"));
  expect(piped.stdout).toBe(`${lines.length} events, 0 invalid\n`);
});

it("several threads report the findings of ended streams in the same order as one thread", async () => {
  const formatEvent = (run: string, sequence: number, type: string, data: object): string =>
    JSON.stringify({
      schema_version: "1",
      event_id: `evt_${`0${run}${sequence}`.padEnd(26, "Z")}`,
      run_id: `run_${`0${run}`.padEnd(26, "0")}`,
      sequence,
      occurred_at: "2026-05-03T10:00:00.000Z",
      type,
      data,
    });
  const createEndedRun = (run: string): string[] => [
    formatEvent(run, 0, "run.created", {}),
    formatEvent(run, 5, "run.finished", { final_status: "completed", turns: 0, cost_micros_usd: 0 }),
  ];
  const long = { turn_index: 1, block_index: 0, delta: "x".repeat(100_000) };
  const formatLong = (sequence: number): string => formatEvent("D", sequence, "assistant.text_delta", long);
  // A finding after 4 or 8 MiB, but before the next event, is reported after the findings of streams that ended there.
  const strange = ["nonsense", formatEvent("D", 900, "made.up", {}), '{"run_id":"run_D"}'];
  const root = createTemporaryFolder();
  for (const [index, odd] of strange.entries()) {
    const lines = [...["A", "B", "C"].flatMap(createEndedRun), formatEvent("D", 0, "run.created", {})];
    for (let sequence = 1; sequence <= 95; sequence++) {
      lines.push(formatLong(sequence));
      if (sequence % 42 === 0) lines.push(odd);
    }
    const file = path.join(root, `${index}.jsonl`);
    writeFileSync(file, [...lines, odd].join("\n"));
    const run = (...more: string[]) =>
      runAccrete(["validate", file, "--protocol", "hecate/v1", "--profile", "writer", ...more]);
    const one = await run();
    expect(one.stdout).toContain("sequence-gap");
    expect(await run("--threads", "2")).toEqual(one);
  }
});

it("counts streams in the order in which they begin, also if their events are wrapped or listed", async () => {
  const runs = ["b", "a", "d", "c", "f", "e"].map((letter) =>
    (STREAMS[0]?.[0] ?? "").replace(/"run_id":"run_/, `"run_id": "run_${letter}`),
  );
  const [first, second, third, ...listed] = runs;
  const lines = [`[${listed.join(",")}]`, first, `{"object":"event","data":${second}}`, third];
  const file = path.join(createTemporaryFolder(), "wrapped.jsonl");
  writeFileSync(file, lines.join("\n"));
  const run = (...more: string[]) =>
    runAccrete(["validate", file, "--protocol", "hecate/v1", "--stats", "--format", "json", ...more]);
  const one = await run();
  const letters = [...one.stdout.matchAll(/"stream": ?"run_(.)/g)].map(([, letter]) => letter);
  expect(letters).toEqual(["c", "f", "e", "b", "a", "d"]);
  for (const threads of ["2", "3"]) expect(await run("--threads", threads)).toEqual(one);
});
