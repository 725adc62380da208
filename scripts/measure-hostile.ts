/**
 * Runs commands on small schemas that are hard on tools, each in a process of its own. Prints the processor time, the memory
 * and the exit code of each command, and fails if one takes more than 20 seconds or 1 GB.
 *
 *   npm run build && npm run measure:hostile [-- --only "cycles"]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { getErrorMessage } from "../generator/text.js";
import {
  createHostileProtocol,
  createHostileRoot,
  createHostileUnion,
  HOSTILE_SCHEMAS,
  type HostileSchema,
} from "../test/hardening/hostile-schemas.js";
import { measureProcess, reportSlowCases } from "./measure-process.js";

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const CLI = path.resolve("dist/cli.js");
const MAX_SECONDS = 20;
const MAX_MEGABYTES = 1000;
/** A command is ended after this time. */
const TIMEOUT_MS = 60_000;

/** The commands, each with the schemas that the project has when it runs. */
const COMMANDS: readonly { readonly argv: readonly string[]; readonly project: keyof HostileSchema }[] = [
  { argv: ["lint"], project: "before" },
  { argv: ["generate", "--no-cache"], project: "before" },
  { argv: ["release", "1.0", "big/v1"], project: "before" },
  { argv: ["compat"], project: "after" },
  { argv: ["upcast", "big/v1@1.0", "big/v1"], project: "after" },
  { argv: ["diff", "a.json", "b.json"], project: "after" },
  { argv: ["subset", "a.json", "b.json"], project: "after" },
  { argv: ["rollout", "fleet.json"], project: "after" },
  {
    argv: ["import", "events.json", "--name", "imported", "--schemas", "new", "--fixtures", "new-fixtures"],
    project: "after",
  },
];

const FLEET = {
  versions: { "1": "a.json", "2": "b.json" },
  writers: { agent: ["1", "2"] },
  readers: { web: ["1", "2"] },
};

function writeFiles(files: { readonly [file: string]: string }): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const slow: string[] = [];
console.log(`| schema | bytes | ${COMMANDS.map(({ argv }) => argv[0]).join(" | ")} |`);
console.log(`|---|---:|${COMMANDS.map(() => "---|").join("")}`);
for (const [name, { before, after }] of Object.entries(HOSTILE_SCHEMAS)) {
  if (!name.includes(values.only)) continue;
  const folder = mkdtempSync(path.join(tmpdir(), "accrete-hostile-"));
  const home = process.cwd();
  try {
    process.chdir(folder);
    const root = createHostileRoot(before);
    writeFiles({
      "a.json": root,
      "b.json": createHostileRoot(after),
      "events.json": createHostileUnion(before),
      "fleet.json": JSON.stringify(FLEET),
    });
    const cells = COMMANDS.map(({ argv, project }) => {
      writeFiles(createHostileProtocol(project === "before" ? before : after));
      try {
        const { cpu, megabytes, exitCode } = measureProcess(folder, [CLI, ...argv], [0, 1, 2, 3], TIMEOUT_MS);
        if (cpu > MAX_SECONDS || megabytes > MAX_MEGABYTES)
          slow.push(`${name}: ${argv[0]} takes ${cpu.toFixed(1)} s and ${megabytes.toFixed(0)} MB`);
        return `${cpu.toFixed(1)} s, ${megabytes.toFixed(0)} MB → ${exitCode}`;
      } catch (error) {
        slow.push(`${name}: ${argv[0]} ${getErrorMessage(error).split("\n")[0]}`);
        return "failed";
      }
    });
    console.log(`| ${name} | ${root.length} | ${cells.join(" | ")} |`);
  } finally {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  }
}
reportSlowCases(slow);
