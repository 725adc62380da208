/**
 * Measures `accrete validate` on a large file of hecate/v1 events, as a whole process. Compares it with a process that only
 * reads and parses, and with the command line of Sourcemeta's jsonschema on an equivalent `anyOf`. The processes take turns;
 * the ratios are medians over the rounds. Needs `npm run build` before, and GNU time (/usr/bin/time) for the memory.
 *
 *     npm run bench:validate [-- --mb 1000 --rounds 1]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { loadSchemas } from "../generator/load/load.js";
import { createEventSchemas } from "./bench/event-schemas.js";

const { values } = parseArgs({
  options: { mb: { type: "string", default: "100" }, rounds: { type: "string", default: "5" } },
});

/** The largest file in MB that jsonschema gets, because it holds the whole file in memory several times. */
const JSONSCHEMA_LIMIT = 200;

/** One run of a process. */
interface Run {
  /** Wall and processor time in seconds. */
  readonly wall: number;
  readonly cpu: number;
  /** The peak of its memory, in MB. */
  readonly memory: number;
}

const folder = mkdtempSync(path.join(tmpdir(), "accrete-bench-"));
try {
  const events = path.join(folder, "events.jsonl");
  const schema = path.join(folder, "schema.json");
  run(["node", "--import", "tsx", "scripts/make-corpus.ts", "--mb", values.mb, "--out", events]);
  writeFileSync(schema, JSON.stringify(await createUnion()));
  const validate = ["node", "dist/cli.js", "validate", "--protocol", "hecate/v1"];
  const jsonschema = ["node_modules/.bin/jsonschema", "validate", "--fast", "--format-assertion"];
  const jsonschemaEntry = ["jsonschema validate --fast, anyOf", [...jsonschema, schema, events]] as const;
  compare(
    new Map<string, readonly string[]>([
      ["read and parse alone", ["node", "scripts/bench/read-and-parse.mjs", events]],
      ["accrete validate", [...validate, events]],
      ["accrete validate --threads 2", [...validate, "--threads", "2", events]],
      ["accrete validate --events-only", [...validate, "--events-only", events]],
      ...(Number(values.mb) > JSONSCHEMA_LIMIT ? [] : [jsonschemaEntry]),
    ]),
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** Prints one row for each command, its ratios to the first one's. */
function compare(commands: ReadonlyMap<string, readonly string[]>): void {
  const runs = [...commands.values()].map((): Run[] => []);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [i, command] of [...commands.values()].entries()) runs[i]?.push(run(command));
  const [base = []] = runs;
  console.log(`${values.mb} MB, ${values.rounds} rounds; Node ${process.versions.node}\n`);
  console.log("| | × wall | × processor | seconds | peak MB |\n|---|---:|---:|---:|---:|");
  for (const [i, name] of [...commands.keys()].entries()) {
    const own = runs[i] ?? [];
    const getRatio = (of: "wall" | "cpu"): string =>
      getMedian(own.map((one, round) => one[of] / (base[round]?.[of] ?? Number.NaN))).toFixed(2);
    const memory = Math.max(...own.map((one) => one.memory));
    console.log(
      `| ${name} | ${getRatio("wall")} | ${getRatio("cpu")} | ${getMedian(own.map(({ wall }) => wall)).toFixed(2)} | ${Math.round(memory)} |`,
    );
  }
}

/** Runs a command to its end. Throws if it fails: the events are valid for everyone. */
function run(command: readonly string[]): Run {
  const timed = ["/usr/bin/time", "-f", "%e %U %S %M", ...command] as const;
  const [program, ...args] = timed;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
    maxBuffer: 2 ** 28,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command.join(" ")}\n${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  const [wall = 0, user = 0, system = 0, kilobytes = 0] = (stderr.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map(Number);
  return { wall, cpu: user + system, memory: kilobytes / 1000 };
}

/** Creates one schema for all events, as authors write it without a discriminator. */
async function createUnion(): Promise<unknown> {
  const [hecate] = (await loadSchemas("schemas", ["hecate/v1"])).protocols;
  if (hecate === undefined) throw new Error("schemas/hecate/v1 cannot be loaded");
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return { $schema, anyOf: [...createEventSchemas(hecate).values()] };
}

function getMedian(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
}
