/**
 * Measures how the time and memory of `accrete compat` grow with the number of event types and of releases. The first
 * row is for the protocols of this repository, each with its present contract as its only release; the others are for
 * seeded protocols. Prints a table. Fails above the limits.
 *
 *     tsx scripts/measure-compat.ts [--types 150,600,2000] [--releases 1,5] [--runs 1] [--built] [--keep]
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { emitRelease } from "../generator/emit/release.js";
import { loadSchemas } from "../generator/load/load.js";
import type { Protocol } from "../generator/protocol/protocol.js";
import { type Measurement, measureMedian, measureProcess, reportSlowCases } from "./measure-process.js";
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
/** The number of events that lose a field in the case with breaks. */
const BROKEN = 20;

interface Case {
  readonly types: number;
  readonly releases: number;
  readonly change: string;
  readonly limit?: number | undefined;
  /** Writes the schemas folder. */
  readonly write: (folder: string) => Promise<void>;
}

interface Row extends Case, Measurement {
  readonly findings: number;
}

const getSchemasFolder = (folder: string): string => path.join(folder, "schemas");

function writeRelease(folder: string, protocol: Protocol): void {
  const { path: file, content } = emitRelease(protocol);
  const target = path.join(getSchemasFolder(folder), file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}

/** Writes the protocols of the repository, each with a release of its present contract. */
async function writeRepository(folder: string): Promise<void> {
  cpSync("schemas", getSchemasFolder(folder), { recursive: true, filter: (file) => !/releases$/.test(file) });
  for (const protocol of (await loadSchemas(getSchemasFolder(folder))).protocols)
    writeRelease(folder, protocol);
}

/** Writes the same with an event type that no longer ends a lifecycle of hecate/v1, which takes a long search. */
async function writeStreamChange(folder: string): Promise<void> {
  await writeRepository(folder);
  const file = path.join(getSchemasFolder(folder), "hecate/v1/protocol.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.stream.rules.lifecycles[0].end.shift();
  writeFileSync(file, JSON.stringify(manifest, null, 2));
}

/** Writes a protocol with `releases`: the first has four fifths of the event types, each later one some more. */
async function writeGrown(folder: string, types: number, releases: number): Promise<void> {
  writeProtocol(folder, types);
  const [protocol] = (await loadSchemas(getSchemasFolder(folder), [], { examples: false })).protocols;
  if (!protocol) throw new Error("the seeded protocol has errors");
  for (let i = 0; i < releases; i++) {
    const events = protocol.events.slice(0, Math.round(types * (0.8 + (0.2 * i) / releases)));
    writeRelease(folder, { ...protocol, events, version: `1.${i}` });
  }
  edit(folder, "protocol.json", (manifest) => ({ ...manifest, version: `1.${releases}` }));
}

/** Writes the same with a new required field in a definition that more than half of the events use. */
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

/** Writes the same with a field of the envelope narrowed, and without a field of some events. */
async function writeBroken(folder: string, types: number, releases: number): Promise<void> {
  await writeGrown(folder, types, releases);
  const [protocol] = (await loadSchemas(getSchemasFolder(folder), [], { examples: false })).protocols;
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
  const target = path.join(getSchemasFolder(folder), "scale/v1", file);
  writeFileSync(target, JSON.stringify(change(JSON.parse(readFileSync(target, "utf8"))), null, 2));
}

function measureCompat(folder: string, one: Case): Row {
  const program = options.built ? ["dist/cli.js"] : ["--import", "tsx", "generator/cli.ts"];
  const argv = ["compat", "--format", "json", "--schemas", getSchemasFolder(folder)];
  const measurement = measureProcess(folder, ["--max-semi-space-size=64", ...program, ...argv], [0, 1]);
  return { ...one, ...measurement, findings: JSON.parse(measurement.stdout).findings.length };
}

const parseNumbers = (list: string): number[] => list.split(",").map(Number);
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
  ...parseNumbers(options.types).flatMap((types) =>
    parseNumbers(options.releases).flatMap((releases) =>
      Object.entries(CHANGES).map(([change, write]) => ({
        ...{ types, releases, change, limit: LIMITS.get(types) },
        write: (folder: string) => write(folder, types, releases),
      })),
    ),
  ),
];
const rows: Row[] = [];
for (const each of cases)
  rows.push(await measureMedian(options, each.write, (folder) => measureCompat(folder, each)));
console.log(
  "| types | releases | change | findings | seconds | CPU seconds | peak memory, MB | limit, seconds |",
);
console.log("|---:|---:|---|---:|---:|---:|---:|---:|");
for (const { types, releases, change, findings, seconds, cpu, megabytes, limit } of rows) {
  const measured = [seconds.toFixed(1), cpu.toFixed(1), megabytes.toFixed(0), limit ?? ""];
  console.log(`| ${[types, releases, change, findings, ...measured].join(" | ")} |`);
}
const slow = rows.filter(({ seconds, limit }) => seconds > (limit ?? Number.POSITIVE_INFINITY));
reportSlowCases(slow.map(({ types, releases }) => `${types} types, ${releases} releases`));
