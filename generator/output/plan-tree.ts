import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import type { Finding, KnownFinding } from "../finding.js";
import { slashes } from "../io.js";
import type { OutputFile } from "../protocol/protocol.js";
import type { Change, Changes } from "./transaction.js";
import { generatedFiles, hasBanner, isInside, look, obstacle } from "./tree-paths.js";

/** What it takes to make a folder hold exactly the outputs. */
export interface TreePlan extends Changes {
  /** The output folder itself, links resolved. */
  readonly root: string;
  readonly unchanged: number;
  /** Reasons to leave everything as it is. */
  readonly conflicts: readonly Finding[];
}

/**
 * Compares `outputs` with the folder `out`; changes nothing. Superfluous files are looked for in the versions `ids`.
 */
export function planTree(out: string, outputs: readonly OutputFile[], ids: readonly string[]): TreePlan {
  const root = look(out) ? realpathSync(out) : path.resolve(out);
  const changes: Change[] = [];
  const conflicts: Finding[] = [];
  for (const output of checked(outputs)) {
    const found = compare(root, output);
    if (found === "same") continue;
    if (typeof found === "string") changes.push({ ...output, instead: found });
    else
      conflicts.push({
        severity: "error",
        ...found,
        at: { file: path.posix.join(slashes(out), output.path), pointer: "" },
      });
  }
  const wanted = new Set(outputs.map(({ path }) => path));
  return {
    root,
    changes,
    conflicts,
    superfluous: look(root) ? generatedFiles(root, ids).filter((file) => !wanted.has(file)) : [],
    unchanged: outputs.length - changes.length - conflicts.length,
  };
}

/** The outputs; it is a bug if one could not be replaced later, or stands there twice. */
function checked(outputs: readonly OutputFile[]): readonly OutputFile[] {
  const seen = new Set<string>();
  for (const { path, content } of outputs) {
    if (!hasBanner(Buffer.from(content.slice(0, 300))))
      throw new Error(`the output ${path} does not begin with the banner`);
    if (seen.has(path)) throw new Error(`there are two outputs ${path}`);
    seen.add(path);
  }
  return outputs;
}

type Conflict = Pick<KnownFinding, "rule" | "message" | "hint">;

function compare(
  root: string,
  { path: relative, content }: OutputFile,
): Change["instead"] | "same" | Conflict {
  if (!isInside(relative))
    return { rule: "output-escapes", message: "The output would stand outside of the output folder." };
  const blocked = obstacle(root, relative);
  if (blocked?.link)
    return {
      rule: "output-link",
      message: `The output would stand behind the symbolic link ${blocked.path}, which may lead anywhere.`,
      hint: "Replace the link by a folder, or let --out name the folder that it leads to.",
    };
  if (blocked) return foreign(`The file ${blocked.path} stands where a folder of outputs has to be.`);
  const file = path.join(root, relative);
  const stats = look(file);
  if (!stats) return "nothing";
  if (stats.isSymbolicLink()) return "link";
  if (!stats.isFile())
    return foreign("A folder, or something else that is no file, stands where this output has to be.");
  const present = readFileSync(file);
  if (holds(present, content)) return "same";
  return hasBanner(present)
    ? "file"
    : foreign("A file that accrete has not generated stands where this output has to be.");
}

/** Whether a file is up to date. Git may check text out with the line ends of Windows, which say nothing of it. */
function holds(present: Buffer, content: string): boolean {
  return present.equals(Buffer.from(content)) || present.toString().replaceAll("\r\n", "\n") === content;
}

function foreign(message: string): Conflict {
  return { rule: "output-foreign", message, hint: "Move it away, or choose another folder with --out." };
}
