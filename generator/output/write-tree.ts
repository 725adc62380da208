import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { errorFinding, type Finding, type KnownFinding } from "../finding.js";
import { lstatIfExists, slashes } from "../io.js";
import type { OutputFile } from "../protocol/protocol.js";
import type { LockOwner } from "./lock.js";
import { blockingAncestor, generatedFiles, hasBanner, isInside } from "./paths.js";
import { changeFolders } from "./transaction.js";

/** What was written. If there are findings, nothing was. */
interface WrittenTree {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
  readonly findings: readonly Finding[];
}

/** Makes `out` hold the outputs and no other generated file of the versions `ids`: all changes, or none. */
export function writeTree(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
  owner: LockOwner,
): WrittenTree {
  const plan = () => {
    const { differing, superfluous, conflicts, unchanged } = planTree(out, outputs, ids);
    const changes = [
      ...differing.map(({ path, content, found }) => ({ path, content, exists: found !== "nothing" })),
      ...superfluous.map((path) => ({ path, content: undefined, exists: true })),
    ];
    const removed = conflicts.length > 0 ? [] : superfluous;
    const written = conflicts.length > 0 ? [] : differing.map(({ path }) => path);
    return {
      changes: [conflicts.length > 0 ? [] : changes],
      written,
      removed,
      unchanged,
      findings: conflicts,
    };
  };
  const { changes: _changes, ...result } = changeFolders([out], plan, owner);
  return result;
}

/** An output that does not exist as it should, and what was found in its place. */
export interface DifferingOutput extends OutputFile {
  readonly found: "nothing" | "file" | "link";
}

/** How a folder differs from the outputs. */
interface TreePlan {
  /** The folder, links resolved. */
  readonly root: string;
  readonly differing: readonly DifferingOutput[];
  /** Generated files that are not among the outputs. */
  readonly superfluous: readonly string[];
  readonly unchanged: number;
  /** Files that may not be replaced, as findings. */
  readonly conflicts: readonly Finding[];
}

/** Compares `outputs` with the folder `out` and changes nothing. Superfluous files are searched in the versions `ids`. */
export function planTree(out: string, outputs: readonly OutputFile[], ids: readonly string[]): TreePlan {
  const root = lstatIfExists(out) ? realpathSync(out) : path.resolve(out);
  const differing: DifferingOutput[] = [];
  const conflicts: Finding[] = [];
  const wanted = new Set<string>();
  for (const output of outputs) {
    if (!hasBanner(Buffer.from(output.content.slice(0, 300))))
      throw new Error(`the output ${output.path} does not begin with the banner`);
    if (wanted.has(output.path)) throw new Error(`there are two outputs ${output.path}`);
    wanted.add(output.path);
    const found = compareOutput(root, output);
    if (found === "same") continue;
    if (typeof found === "string") differing.push({ ...output, found });
    else
      conflicts.push(
        errorFinding(
          found.rule,
          found.message,
          { file: path.posix.join(slashes(out), output.path), pointer: "" },
          found.hint,
        ),
      );
  }
  return {
    root,
    differing,
    conflicts,
    superfluous: lstatIfExists(root) ? generatedFiles(root, ids).filter((file) => !wanted.has(file)) : [],
    unchanged: outputs.length - differing.length - conflicts.length,
  };
}

type Conflict = Pick<KnownFinding, "rule" | "message" | "hint">;

function compareOutput(
  root: string,
  { path: relative, content }: OutputFile,
): DifferingOutput["found"] | "same" | Conflict {
  if (!isInside(relative))
    return { rule: "output-escapes", message: "The output would be outside of the output folder." };
  const blocking = blockingAncestor(root, relative);
  if (blocking?.isLink)
    return {
      rule: "output-link",
      message: `The output would be written through the symbolic link ${blocking.path}, which may lead anywhere.`,
      hint: "Replace the link by a folder, or let --out name the folder that it leads to.",
    };
  if (blocking) return foreignFile(`${blocking.path} is a file, but outputs need a folder of that name.`);
  const file = path.join(root, relative);
  const stats = lstatIfExists(file);
  if (!stats) return "nothing";
  if (stats.isSymbolicLink()) return "link";
  if (!stats.isFile()) return foreignFile("A folder or a special file has the name of this output.");
  const present = readFileSync(file);
  // Git may check text out with Windows line ends.
  if (present.equals(Buffer.from(content)) || present.toString().replaceAll("\r\n", "\n") === content)
    return "same";
  return hasBanner(present)
    ? "file"
    : foreignFile("A file that accrete did not generate has the name of this output.");
}

function foreignFile(message: string): Conflict {
  return { rule: "output-foreign", message, hint: "Move it away, or choose another folder with --out." };
}
