/**
 * How the time and memory of `accrete compat` grow with the number of event types and of releases. The first rows are
 * the protocols of this repository, each with its present contract as its only release; then come seeded protocols in a temporary
 * folder. Runs the command in a process of its own and prints a table. Fails above the limits.
 *
 *     tsx scripts/measure-compat.ts [--types 150,600,2000] [--releases 1,5] [--runs 1] [--built] [--keep]
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { emitRelease } from "../generator/emit/release.js";
import { loadSchemas } from "../generator/load/load.js";
import type { Protocol } from "../generator/protocol/protocol.js";
import { writeProtocol } from "./scale-protocol.js";

const { values: options } = parseArgs({
  options: {
    types: { type: "string", default: "150,600,2000" },
    releases: { type: "string", default: "1,5" },
    runs: { type: "string", default: "1" },
    built: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});

/** Seconds of wall time that a run may take. */
const REPOSITORY_LIMIT = 1.5;
const STREAM_LIMIT = 3;
const LIMITS: ReadonlyMap<number, number> = new Map([[2000, 30]]);
/** Events that lose a field in the case with breaks. */
const BROKEN = 20;

interface Case {
  readonly types: number;
  readonly releases: number;
  readonly change: string;
  readonly limit?: number | undefined;
  /** Writes the schemas folder. */
  readonly write: (folder: string) => Promise<void>;
}

interface Row extends Case {
  readonly seconds: number;
  readonly cpu: number;
  readonly megabytes: number;
  readonly findings: number;
}

const schemasOf = (folder: string): string => path.join(folder, "schemas");

function freeze(folder: string, protocol: Protocol): void {
  const { path: file, content } = emitRelease(protocol);
  const target = path.join(schemasOf(folder), file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}

/** The protocols of the repository as they stand, released. */
async function writeRepository(folder: string): Promise<void> {
  cpSync("schemas", schemasOf(folder), { recursive: true, filter: (file) => !/releases$/.test(file) });
  for (const protocol of (await loadSchemas(schemasOf(folder))).protocols) freeze(folder, protocol);
}

/** The same with an event type that no longer ends a lifecycle of hecate/v1, which takes a long search. */
async function writeStreamChange(folder: string): Promise<void> {
  await writeRepository(folder);
  const file = path.join(schemasOf(folder), "hecate/v1/protocol.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.stream.rules.lifecycles[0].end.shift();
  writeFileSync(file, JSON.stringify(manifest, null, 2));
}

/** A protocol with `releases`: the first has four fifths of the event types, each later one some more. */
async function writeGrown(folder: string, types: number, releases: number): Promise<void> {
  writeProtocol(folder, types);
  const [protocol] = (await loadSchemas(schemasOf(folder), [], { examples: false })).protocols;
  if (!protocol) throw new Error("the seeded protocol has errors");
  for (let i = 0; i < releases; i++) {
    const events = protocol.events.slice(0, Math.round(types * (0.8 + (0.2 * i) / releases)));
    freeze(folder, { ...protocol, events, version: `1.${i}` });
  }
  edit(folder, "protocol.json", (manifest) => ({ ...manifest, version: `1.${releases}` }));
}

/** The same with a new required field in a definition that more than half of the events use. */
async function writeShared(folder: string, types: number, releases: number): Promise<void> {
  await writeGrown(folder, types, releases);
  edit(folder, "shared/common.schema.json", ({ $defs: { Usage, ...$defs } }) => ({
    $defs: {
      ...$defs,
      Usage: {
        ...Usage,
        properties: { ...Usage.properties, total: { type: "integer", description: "Tokens in all." } },
        required: [...Usage.required, "total"],
      },
    },
  }));
}

/** The same with a field of the envelope narrowed, and a field gone from some events. */
async function writeBroken(folder: string, types: number, releases: number): Promise<void> {
  await writeGrown(folder, types, releases);
  const [protocol] = (await loadSchemas(schemasOf(folder), [], { examples: false })).protocols;
  edit(folder, "shared/common.schema.json", ({ $defs }) => ({
    $defs: { ...$defs, RunId: { ...$defs.RunId, maxLength: 32 } },
  }));
  for (const { type } of protocol?.events.slice(0, BROKEN) ?? [])
    edit(
      folder,
      `events/${type}.schema.json`,
      ({ properties: { field_7: _gone, ...properties }, ...rest }) => ({
        ...rest,
        properties,
      }),
    );
}

// biome-ignore lint/suspicious/noExplicitAny: the script wrote the document
function edit(folder: string, file: string, change: (document: any) => object): void {
  const target = path.join(schemasOf(folder), "scale/v1", file);
  writeFileSync(target, JSON.stringify(change(JSON.parse(readFileSync(target, "utf8"))), null, 2));
}

/** One run of the command; its own process reports CPU time and peak memory when it ends. */
function run(folder: string, one: Case): Row {
  const report = path.join(folder, "usage.json");
  const hook = path.join(folder, "usage.mjs");
  writeFileSync(
    hook,
    `import { writeFileSync } from "node:fs";
process.on("exit", () => writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.resourceUsage())));`,
  );
  const program = options.built ? ["dist/cli.js"] : ["--import", "tsx", "generator/cli.ts"];
  const args = ["--max-semi-space-size=64", "--import", hook, ...program, "compat", "--format", "json"];
  const begin = performance.now();
  const { status, stderr, stdout } = spawnSync(process.execPath, [...args, "--schemas", schemasOf(folder)], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  const seconds = (performance.now() - begin) / 1000;
  if (status !== 0 && status !== 1) throw new Error(`compat failed with ${status}: ${stderr}`.slice(0, 2000));
  const usage = JSON.parse(readFileSync(report, "utf8"));
  return {
    ...one,
    seconds,
    cpu: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
    megabytes: usage.maxRSS / 1024,
    findings: JSON.parse(stdout).findings.length,
  };
}

async function measure(one: Case): Promise<Row> {
  const folder = mkdtempSync(path.join(tmpdir(), "accrete-compat-scale-"));
  try {
    await one.write(folder);
    const rows = Array.from({ length: Number(options.runs) }, () => run(folder, one));
    return rows.sort((a, b) => a.seconds - b.seconds)[Math.floor(rows.length / 2)] as Row;
  } finally {
    if (options.keep) console.log(`kept ${folder}`);
    else rmSync(folder, { recursive: true });
  }
}

const numbers = (list: string): number[] => list.split(",").map(Number);
const CHANGES = {
  "a fifth of the types added": writeGrown,
  "the same, and a shared definition breaks": writeShared,
  [`the same, and the envelope and ${BROKEN} types break`]: writeBroken,
};
const cases: Case[] = [
  {
    types: 135,
    releases: 1,
    change: "none (this repository)",
    limit: REPOSITORY_LIMIT,
    write: writeRepository,
  },
  {
    types: 135,
    releases: 1,
    change: "an event no longer ends a lifecycle (this repository)",
    limit: STREAM_LIMIT,
    write: writeStreamChange,
  },
  ...numbers(options.types).flatMap((types) =>
    numbers(options.releases).flatMap((releases) =>
      Object.entries(CHANGES).map(([change, write]) => ({
        ...{ types, releases, change, limit: LIMITS.get(types) },
        write: (folder: string) => write(folder, types, releases),
      })),
    ),
  ),
];
const rows: Row[] = [];
for (const each of cases) rows.push(await measure(each));
console.log(
  "| types | releases | change | findings | seconds | CPU seconds | peak memory, MB | limit, seconds |",
);
console.log("|---:|---:|---|---:|---:|---:|---:|---:|");
for (const { types, releases, change, findings, seconds, cpu, megabytes, limit } of rows) {
  const measured = [seconds.toFixed(1), cpu.toFixed(1), megabytes.toFixed(0), limit ?? ""];
  console.log(`| ${[types, releases, change, findings, ...measured].join(" | ")} |`);
}
const slow = rows.filter(({ seconds, limit }) => seconds > (limit ?? Number.POSITIVE_INFINITY));
if (slow.length > 0) {
  console.error(
    `Too slow: ${slow.map(({ types, releases }) => `${types} types, ${releases} releases`).join("; ")}`,
  );
  process.exitCode = 1;
}
