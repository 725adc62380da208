/**
 * How the time and memory of `accrete generate` grow with the number of event types. Writes seeded protocols into a
 * temporary folder, runs the command on each in a process of its own and prints a table. Fails above the limits.
 *
 *     tsx scripts/measure-scale.ts [--types 150,600,1500,6000] [--runs 1] [--keep]
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

/** Seconds of wall time that a run may take, by number of event types. */
const LIMITS: ReadonlyMap<number, number> = new Map([
  [600, 12],
  [6000, 120],
]);

const { values: options } = parseArgs({
  options: {
    types: { type: "string", default: "150,600,1500,6000" },
    runs: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
  },
});

interface Row {
  readonly types: number;
  readonly seconds: number;
  readonly cpu: number;
  readonly megabytes: number;
  readonly output: number;
}

/** Mulberry32: the same numbers on every machine. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const AREAS = ["run", "tool", "file", "turn", "model", "task", "cost", "gate", "note", "net"];
const PARTS = ["started", "ended", "failed", "changed", "queued", "moved", "read", "sent", "lost", "found"];

const shared = (name: string): object => ({ $ref: `../shared/common.schema.json#/$defs/${name}` });

/** The kinds of fields, in the mix that the protocols of this repository have. */
const FIELDS: readonly ((n: number) => object)[] = [
  (n) => ({ type: "string", description: `Text number ${n}, shown to the user as it is.`, maxLength: 4000 }),
  (n) => ({ type: "integer", description: `Count number ${n}.`, minimum: 0, maximum: 9007199254740991 }),
  (n) => ({ type: "boolean", description: `Whether case ${n} holds.` }),
  () => shared("RunId"),
  () => shared("Timestamp"),
  () => shared("Usage"),
  (n) => ({ type: "string", description: "How it went.", enum: ["ok", "failed", `case_${n % 7}`] }),
  (n) => ({
    type: "string",
    description: "Open list.",
    "x-extensible-enum": ["shell", "git", `kind_${n % 5}`],
  }),
  (n) => ({ type: "array", description: `Paths, list ${n}.`, items: { type: "string" }, maxItems: 100 }),
  (n) => ({
    type: "object",
    description: `Details number ${n}.`,
    properties: {
      name: { type: "string", description: "A name." },
      size: { type: ["integer", "null"], description: "A size, null when unknown.", minimum: 0 },
      by: shared("RunId"),
    },
    required: ["name", "size"],
  }),
];

/** Writes a protocol of `count` event types and one fixture for each below `folder`. */
function writeProtocol(folder: string, count: number): void {
  const next = random(count);
  const write = (file: string, value: object): void => {
    const target = path.join(folder, "schemas/scale/v1", file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, JSON.stringify(value, null, 2));
  };
  write("protocol.json", {
    ...{ name: "scale", major: 1, version: "1.0", title: "Scale", description: "A protocol of many types." },
    naming: { event: "dotted.snake_case", field: "snake_case" },
    envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
    stream: { key: ["run_id"], sequence: "sequence", first: 0 },
  });
  write("envelope.schema.json", {
    ...{ title: "One event", description: "What every event carries.", type: "object" },
    properties: {
      type: { type: "string", description: "The kind.", pattern: "^[a-z][a-z0-9_.]*$" },
      run_id: { $ref: "shared/common.schema.json#/$defs/RunId", description: "The run." },
      sequence: { type: "integer", description: "The place in the run.", minimum: 0 },
      occurred_at: { $ref: "shared/common.schema.json#/$defs/Timestamp", description: "When it happened." },
      data: { type: "object", description: "The payload." },
    },
    required: ["type", "run_id", "sequence", "occurred_at", "data"],
  });
  write("shared/common.schema.json", {
    $defs: {
      RunId: { type: "string", description: "Identifier of a run.", minLength: 1, maxLength: 64 },
      Timestamp: { type: "string", description: "A point in time.", format: "date-time" },
      Usage: {
        ...{ type: "object", description: "Tokens used.", required: ["input", "output"] },
        properties: {
          input: { type: "integer", description: "Tokens read.", minimum: 0 },
          output: { type: "integer", description: "Tokens written.", minimum: 0 },
        },
      },
    },
  });
  for (let i = 0; i < count; i++) {
    const area = AREAS[Math.floor(i / 100) % 10];
    const type = `${area}_${Math.floor(i / 1000)}.step_${i}.${PARTS[i % 10]}`;
    const size = 8 + Math.floor(next() * 5);
    const fields = Array.from({ length: size }, (_, f) => {
      const make = FIELDS[Math.floor(next() * FIELDS.length)] as (n: number) => object;
      return [`field_${f}`, make(i * 16 + f)] as const;
    });
    write(`events/${type}.schema.json`, {
      title: `Step ${i} ${PARTS[i % 10]}`,
      description: `Sent when step ${i} was ${PARTS[i % 10]}; the run goes on after it.`,
      "x-stability": "stable",
      "x-since": "1.0",
      type: "object",
      properties: Object.fromEntries(fields),
      required: fields.slice(0, Math.ceil(size / 2)).map(([name]) => name),
    });
  }
}

function folderSize(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

/** One run of the command; its own process reports CPU time and peak memory when it ends. */
function run(folder: string, types: number): Row {
  const report = path.join(folder, "usage.json");
  const hook = path.join(folder, "usage.mjs");
  writeFileSync(
    hook,
    `import { writeFileSync } from "node:fs";
process.on("exit", () => writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.resourceUsage())));`,
  );
  rmSync(path.join(folder, "generated"), { recursive: true, force: true });
  const folders = ["schemas", "fixtures"].map((name) => [`--${name}`, path.join(folder, name)]);
  const args = ["--import", "tsx", "--import", hook, "generator/cli.ts", "generate", ...folders.flat()];
  const begin = performance.now();
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [...args, "--out", path.join(folder, "generated")],
    { encoding: "utf8" },
  );
  const seconds = (performance.now() - begin) / 1000;
  if (status !== 0) throw new Error(`generate failed with ${status}: ${stderr || stdout}`.slice(0, 2000));
  const usage = JSON.parse(readFileSync(report, "utf8"));
  return {
    types,
    seconds,
    cpu: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
    megabytes: usage.maxRSS / 1024,
    output: folderSize(path.join(folder, "generated")),
  };
}

function median(rows: readonly Row[]): Row {
  const sorted = [...rows].sort((a, b) => a.seconds - b.seconds);
  return sorted[Math.floor(sorted.length / 2)] as Row;
}

function measure(types: number): Row {
  const folder = mkdtempSync(path.join(tmpdir(), `accrete-scale-${types}-`));
  try {
    writeProtocol(folder, types);
    return median(Array.from({ length: Number(options.runs) }, () => run(folder, types)));
  } finally {
    if (options.keep) console.log(`kept ${folder}`);
    else rmSync(folder, { recursive: true });
  }
}

const rows = options.types.split(",").map((types) => measure(Number(types)));
const base = rows.find(({ types }) => types === 600) ?? rows[0];
console.log(
  "| types | seconds | CPU seconds | CPU per type, 600 = 1 | peak memory, MB | output, KB | limit, seconds |",
);
console.log("|---:|---:|---:|---:|---:|---:|---:|");
for (const { types, seconds, cpu, megabytes, output } of rows) {
  const relative = base === undefined ? 1 : cpu / types / (base.cpu / base.types);
  const cells = [
    ...[types, seconds.toFixed(1), cpu.toFixed(1), relative.toFixed(2)],
    ...[megabytes.toFixed(0), (output / 1024).toFixed(0), LIMITS.get(types) ?? ""],
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
const slow = rows.filter(({ types, seconds }) => seconds > (LIMITS.get(types) ?? Number.POSITIVE_INFINITY));
if (slow.length > 0) {
  console.error(
    `Too slow: ${slow.map(({ types, seconds }) => `${types} types in ${seconds.toFixed(1)} s`).join(", ")}`,
  );
  process.exitCode = 1;
}
