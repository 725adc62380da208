import { readFileSync } from "node:fs";
import path from "node:path";
import { errorFinding, type Finding, type RuleId } from "../finding.js";
import { lstatIfExists, slashes } from "../io.js";
import type { OutputFile } from "../protocol/protocol.js";
import { visible } from "../text.js";
import type { LockOwner } from "./lock.js";
import { blockingAncestor, generatedFiles, hasBanner, isInside, realPath } from "./paths.js";
import { changeFolder, type FileChange, unfinishedRuns } from "./transaction.js";

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
  let plan!: TreePlan;
  const listChanges = (): readonly FileChange[] => {
    plan = planTree(out, outputs, ids);
    return plan.changes;
  };
  changeFolder(out, listChanges, owner);
  const { changes, conflicts, unchanged } = plan;
  const isRemoved = ({ content }: FileChange): boolean => content === undefined;
  return {
    written: changes.filter((change) => !isRemoved(change)).map((change) => change.path),
    removed: changes.filter(isRemoved).map((change) => change.path),
    unchanged,
    findings: conflicts,
  };
}

/** Returns how `out` differs from the outputs, each file with its first difference, sorted by file. Writes nothing. */
export function checkTree(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
): { readonly findings: readonly Finding[]; readonly unchanged: number } {
  const { conflicts, differences, unchanged } = planTree(out, outputs, ids);
  const unfinished = unfinishedRuns(out).map((folder) =>
    treeFinding(out, folder, {
      rule: "generated-unfinished",
      message: "A run is writing here, or was interrupted.",
    }),
  );
  const findings = [...conflicts, ...differences, ...unfinished];
  return { findings: findings.sort((a, b) => (a.at.file < b.at.file ? -1 : 1)), unchanged };
}

/** How a folder differs from the outputs. */
interface TreePlan {
  /** The changes after which there are no differences; none if there are conflicts. */
  readonly changes: readonly FileChange[];
  /** Files that may not be replaced. */
  readonly conflicts: readonly Finding[];
  readonly differences: readonly Finding[];
  readonly unchanged: number;
}

function planTree(out: string, outputs: readonly OutputFile[], ids: readonly string[]): TreePlan {
  const root = realPath(out);
  const paths = new Set<string>();
  const [changes, conflicts, differences]: [FileChange[], Finding[], Finding[]] = [[], [], []];
  for (const output of outputs) {
    if (!hasBanner(Buffer.from(output.content)))
      throw new Error(
        `the emitter of ${output.path} must write bannerText() of generator/text.ts at the beginning of the file`,
      );
    if (paths.has(output.path)) throw new Error(`there are two outputs ${output.path}`);
    paths.add(output.path);
    const difference = findConflict(root, output) ?? findDifference(path.join(root, output.path), output);
    if (!difference) continue;
    const finding = treeFinding(out, output.path, difference);
    if (difference.exists === undefined) conflicts.push(finding);
    else {
      differences.push(finding);
      changes.push({ ...output, exists: difference.exists });
    }
  }
  const unchanged = outputs.length - differences.length - conflicts.length;
  for (const file of generatedFiles(root, ids).filter((file) => !paths.has(file))) {
    differences.push(treeFinding(out, file, SUPERFLUOUS));
    changes.push({ path: file, content: undefined, exists: true });
  }
  return { changes: conflicts.length > 0 ? [] : changes, conflicts, differences, unchanged };
}

interface Difference {
  readonly rule: RuleId;
  readonly message: string;
  readonly hint?: string;
  readonly line?: number;
  /** Whether something with this name exists; undefined if it may not be replaced. */
  readonly exists?: boolean;
}

const SUPERFLUOUS: Difference = {
  rule: "generated-superfluous",
  message: "No schema generates this file any more.",
  hint: 'Run `accrete generate`; outputs made with --emit belong in "emit" of the configuration.',
};

function treeFinding(
  out: string,
  file: string,
  { rule, message, line, hint = "Run `accrete generate`." }: Difference,
): Finding {
  const at = { file: path.posix.join(slashes(out), file), pointer: "", ...(line !== undefined && { line }) };
  return errorFinding(rule, message, at, hint);
}

/** Returns why an output may not be written to its place; undefined if it may. */
function findConflict(root: string, { path: relative }: OutputFile): Difference | undefined {
  if (!isInside(relative))
    return {
      rule: "output-escapes",
      message: "The output would be outside of the output folder.",
      hint: "Rename the protocol or event type that gives the output its name.",
    };
  const blocking = blockingAncestor(root, relative);
  if (blocking?.isLink)
    return {
      rule: "output-link",
      message: `The output would be written through the symbolic link ${blocking.path}, which may lead anywhere.`,
      hint: "Replace the link by a folder, or let --out name the folder that it leads to.",
    };
  if (blocking) return foreignFile(`${blocking.path} is a file, but outputs need a folder of that name.`);
  const stats = lstatIfExists(path.join(root, relative));
  if (!stats || stats.isSymbolicLink()) return undefined;
  if (!stats.isFile()) return foreignFile("A folder or a special file has the name of this output.");
  return undefined;
}

function foreignFile(message: string): Difference {
  return { rule: "output-foreign", message, hint: "Move it away, or choose another folder with --out." };
}

/** Returns how a file differs from its output; undefined if it does not. */
function findDifference(file: string, { content }: OutputFile): Difference | undefined {
  const stats = lstatIfExists(file);
  if (!stats) return { rule: "generated-missing", message: "The file is missing.", exists: false };
  if (stats.isSymbolicLink())
    return { rule: "generated-stale", message: "This is a symbolic link, not a file.", exists: true };
  const bytes = readFileSync(file);
  const text = bytes.toString();
  // Git may check text out with Windows line ends.
  if (bytes.equals(Buffer.from(content)) || text.replaceAll("\r\n", "\n") === content) return undefined;
  if (!hasBanner(bytes))
    return foreignFile("A file that accrete did not generate has the name of this output.");
  return { rule: "generated-stale", ...firstDifference(text, content), exists: true };
}

/** Returns the first line in which two different texts differ, and a sentence about it. */
function firstDifference(actual: string, expected: string): Pick<Difference, "line" | "message"> {
  const [wanted, found] = [expected.split("\n"), actual.split("\n")];
  let line = 0;
  while (line < wanted.length && wanted[line] === found[line]) line++;
  let column = 0;
  while (wanted[line]?.[column] !== undefined && wanted[line]?.[column] === found[line]?.[column]) column++;
  const [expectedText, foundText] = [excerpt(wanted[line], column), excerpt(found[line], column)];
  return {
    line: line + 1,
    message: `The first difference is here: expected ${expectedText}, found ${foundText}.`,
  };
}

/** Returns up to 80 characters of a line around `column`, in quotation marks. */
function excerpt(line: string | undefined, column: number): string {
  if (line === undefined) return "the end of the file";
  const start = Math.max(0, Math.min(column - 30, line.length - 80));
  const end = start + 80 < line.length ? "…" : "";
  return `"${start > 0 ? "…" : ""}${visible(line.slice(start, start + 80))}${end}"`;
}
