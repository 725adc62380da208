/**
 * How the time and memory of `accrete generate` grow with the number of event types. Writes seeded protocols into a
 * temporary folder, runs the command on each in a process of its own and prints a table. Fails above the limits.
 *
 *     tsx scripts/measure-scale.ts [--types 150,600,1500,6000] [--runs 1] [--keep]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
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
