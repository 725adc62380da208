/**
 * Measures how the time and memory of `accrete generate` grow with the number of event types of seeded protocols.
 * Prints a table. Fails above the limits.
 *
 *     tsx scripts/measure-scale.ts [--types 150,600,1500,6000] [--runs 1] [--examples] [--keep]
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Measurement, measureMedian, measureProcess, reportSlowCases } from "./measure-process.js";
import { writeProtocol } from "./scale-protocol.js";

/** Seconds of wall time that a run may take, by number of event types. */
const LIMITS: ReadonlyMap<number, number> = new Map([
  [600, 12],
  [6000, 120],
]);

const { values: options } = parseArgs({
  options: {
    types: { type: "string", default: "150,600,1500,6000" },
    runs: { type: "string", default: "1" },
    examples: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});

interface Row extends Measurement {
  readonly types: number;
  readonly output: number;
}

function measureFolder(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

function measureGenerate(folder: string, types: number): Row {
  const out = path.join(folder, "generated");
  rmSync(out, { recursive: true, force: true });
  const folders = ["schemas", "fixtures"].flatMap((name) => [`--${name}`, path.join(folder, name)]);
  const argv = ["--import", "tsx", "generator/cli.ts", "generate", "--no-cache", ...folders, "--out", out];
  return { types, ...measureProcess(folder, argv), output: measureFolder(out) };
}

const rows: Row[] = [];
for (const types of options.types.split(",").map(Number))
  rows.push(
    await measureMedian(
      options,
      (folder) => writeProtocol(folder, types, options.examples),
      (folder) => measureGenerate(folder, types),
    ),
  );
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
reportSlowCases(slow.map(({ types, seconds }) => `${types} types in ${seconds.toFixed(1)} s`));
