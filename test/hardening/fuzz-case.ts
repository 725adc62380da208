/** Fuzz cases: a project with hostile contents, and a command line. */
import { PLACEMENTS } from "../../generator/init/scaffold.js";
import type { Placement } from "../../generator/protocol/protocol.js";
import { createRandom } from "../../generator/random.js";
import { createCommandLine } from "./command-lines.js";
import { applyHostileChanges, type Next, pick } from "./hostile.js";
import { createProject, type Files } from "./project.js";

/** A project and a command line. */
export interface FuzzCase {
  readonly files: { readonly [file: string]: string | Buffer };
  /** The files that were changed, for reports. */
  readonly changed: readonly string[];
  readonly argv: readonly string[];
}

const CONFIGS = ['{"schemas":"schemas","out":"generated","fixtures":"fixtures","emit":["go"]}', "{}"];

let bases: Promise<Files[]> | undefined;

async function createProjects(): Promise<Files[]> {
  const made: Files[] = [];
  for (const placement of Object.keys(PLACEMENTS) as Placement[]) made.push(await createProject(placement));
  return made;
}

/** Creates case `number`, which depends only on the seed and the number. */
export async function createFuzzCase(seed: number, number: number): Promise<FuzzCase> {
  bases ??= createProjects();
  const next = createRandom(seed * 1_000_003 + number).below;
  // The first random numbers of neighbouring seeds are similar, so they are skipped.
  for (let skipped = 0; skipped < 8; skipped++) next(2);
  const base = pick(await bases, next);
  const argv = await createCommandLine(next);
  const files: { [file: string]: string | Buffer } = { ...base };
  if (next(8) === 0) {
    const { accrete: _member, ...rest } = JSON.parse(base["package.json"] ?? "");
    files["package.json"] = JSON.stringify(rest);
    files["accrete.config.json"] = pick(CONFIGS, next);
  }
  const changed =
    next(10) === 0 ? [] : Array.from({ length: 1 + next(2) }, () => chooseFile(files, argv, next));
  for (const file of changed) files[file] = applyHostileChanges(String(files[file]), next);
  return { files, changed, argv };
}

/** Returns a file to change. In most cases the command reads it. */
function chooseFile(files: FuzzCase["files"], argv: readonly string[], next: Next): string {
  const all = Object.keys(files);
  const named = all.filter((file) => argv.includes(file));
  if (named.length > 0 && next(2) === 0) return pick(named, next);
  const kinds = [
    /^schemas\/.*events/,
    /^schemas\//,
    /protocol\.json/,
    /releases/,
    /^fixtures\//,
    /^(package|accrete)/,
    /./,
  ];
  return (
    pick(
      all.filter((file) => pick(kinds, next).test(file)),
      next,
    ) ?? pick(all, next)
  );
}
