/** Fuzz cases: a project with hostile contents, and a command line. */
import { PLACEMENTS } from "../../generator/init/scaffold.js";
import type { Placement } from "../../generator/protocol/protocol.js";
import { seededRandom } from "../../generator/random.js";
import { commandLine } from "./command-lines.js";
import { hostile, type Next, pick } from "./hostile.js";
import { type Files, project } from "./project.js";

/** A project and a command line. */
export interface FuzzCase {
  readonly files: { readonly [file: string]: string | Buffer };
  /** The files that were changed, for reports. */
  readonly changed: readonly string[];
  readonly argv: readonly string[];
}

const CONFIGS = ['{"schemas":"schemas","out":"generated","fixtures":"fixtures","emit":["go"]}', "{}"];

let bases: Promise<Files[]> | undefined;

async function allProjects(): Promise<Files[]> {
  const made: Files[] = [];
  for (const placement of Object.keys(PLACEMENTS) as Placement[]) made.push(await project(placement));
  return made;
}

/** The case of that number, the same for the same seed. */
export async function fuzzCase(seed: number, number: number): Promise<FuzzCase> {
  bases ??= allProjects();
  const next = seededRandom(seed * 1_000_003 + number).below;
  // The first numbers of near seeds are near each other.
  for (let skipped = 0; skipped < 8; skipped++) next(2);
  const base = pick(await bases, next);
  const argv = await commandLine(next);
  const files: { [file: string]: string | Buffer } = { ...base };
  if (next(8) === 0) {
    const { accrete: _member, ...rest } = JSON.parse(base["package.json"] ?? "");
    files["package.json"] = JSON.stringify(rest);
    files["accrete.config.json"] = pick(CONFIGS, next);
  }
  const changed =
    next(10) === 0 ? [] : Array.from({ length: 1 + next(2) }, () => chooseFile(files, argv, next));
  for (const file of changed) files[file] = hostile(String(files[file]), next);
  return { files, changed, argv };
}

/** A file to be changed: mostly one that the command is about. */
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
