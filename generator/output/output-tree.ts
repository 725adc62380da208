import { readFileSync } from "node:fs";
import path from "node:path";
import { createErrorFinding, type Finding, type RuleId } from "../finding.js";
import { lstatIfExists, toForwardSlashes } from "../io.js";
import type { OutputFile } from "../protocol/protocol.js";
import { sha256Hex } from "../sha256.js";
import { compareTexts, sanitizeText } from "../text.js";
import type { LockOwner } from "./lock.js";
import {
  BANNER_SEARCH_BYTES,
  findBlockingAncestor,
  hasBanner,
  isInside,
  listGeneratedFiles,
  resolveLinks,
} from "./paths.js";
import { changeFolder, type FileChange, listUnfinishedRuns } from "./transaction.js";

/** The files that were changed; none if there are findings. */
interface WrittenTree {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
  readonly findings: readonly Finding[];
}

/** The part of outputs that belongs to one folder. */
interface Tree<Output> {
  readonly root: string;
  readonly outputs: readonly Output[];
}

/** Returns the outputs of each folder, those of `out` first. Names of one folder are one. */
function listTrees<Output extends { readonly folder?: string | undefined }>(
  out: string,
  outputs: readonly Output[],
): readonly Tree<Output>[] {
  const trees = new Map<string, { readonly root: string; readonly outputs: Output[] }>();
  trees.set(resolveLinks(out), { root: out, outputs: [] });
  for (const output of outputs) {
    const root = output.folder ?? out;
    const tree = trees.get(resolveLinks(root)) ?? { root, outputs: [] };
    trees.set(resolveLinks(root), tree);
    tree.outputs.push(output);
  }
  return [...trees.values()];
}

/**
 * Makes `out`, and the folders of outputs that have one, hold the outputs and no other generated file of the versions `ids`:
 * all changes of a folder, or none. If a file may not be replaced, no folder is changed.
 */
export function writeTree(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
  owner: LockOwner,
): WrittenTree {
  const trees = listTrees(out, outputs);
  const plans = trees.length > 1 ? trees.map((tree) => planTree(tree.root, tree.outputs, ids)) : [];
  const findings = plans.flatMap(({ conflicts }) => conflicts);
  if (findings.length > 0) return { written: [], removed: [], unchanged: 0, findings };
  const results = trees.map((tree) => ({ ...tree, ...writeOneTree(tree.root, tree.outputs, ids, owner) }));
  const listPaths = (kind: "written" | "removed"): string[] =>
    results.flatMap((result) =>
      result[kind].map((file) =>
        result.root === out ? file : toForwardSlashes(path.relative(out, path.join(result.root, file))),
      ),
    );
  return {
    written: listPaths("written"),
    removed: listPaths("removed"),
    unchanged: results.reduce((sum, result) => sum + result.unchanged, 0),
    findings: results.flatMap((result) => result.findings),
  };
}

function writeOneTree(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
  owner: LockOwner,
): WrittenTree {
  let plan!: TreePlan;
  // `changeFolder` calls this function while no other process writes to the folder.
  const listChanges = (): readonly FileChange[] => {
    plan = planTree(out, outputs, ids);
    return plan.changes;
  };
  changeFolder(out, listChanges, owner);
  const { changes, conflicts: findings, unchanged } = plan;
  const listPaths = (isRemoved: boolean): string[] =>
    changes.filter(({ content }) => (content === undefined) === isRemoved).map(({ path }) => path);
  return { written: listPaths(false), removed: listPaths(true), unchanged, findings };
}

/** Returns how the folders of `writeTree` differ from the outputs, each file with its first difference, sorted by file. Writes nothing. */
export function checkTree(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
): { readonly findings: readonly Finding[]; readonly unchanged: number } {
  const plans = listTrees(out, outputs).map(({ root, outputs: own }) => ({
    ...planTree(root, own, ids),
    unfinished: listUnfinishedRuns(root).map((folder) =>
      createTreeFinding(root, folder, {
        rule: "generated-unfinished",
        message: "A run is writing here, or was interrupted.",
      }),
    ),
  }));
  const findings = plans.flatMap((plan) => [...plan.conflicts, ...plan.differences, ...plan.unfinished]);
  return {
    findings: findings.sort((a, b) => compareTexts(a.at.file, b.at.file)),
    unchanged: plans.reduce((sum, plan) => sum + plan.unchanged, 0),
  };
}

/** An output by the hash of its content. */
export interface OutputDigest extends Pick<OutputFile, "path" | "folder"> {
  /** The SHA-256 of the content, in hexadecimal. */
  readonly digest: string;
}

/** Returns the path and the hash of each output. */
export function digestOutputs(outputs: readonly OutputFile[]): OutputDigest[] {
  return outputs.map(({ content, ...place }) => ({ ...place, digest: sha256Hex(content) }));
}

/** Returns whether `checkTree` would find nothing. The contents of the outputs need not be known. */
export function matchesTree(out: string, outputs: readonly OutputDigest[], ids: readonly string[]): boolean {
  return listTrees(out, outputs).every((tree) => matchesOneTree(tree.root, tree.outputs, ids));
}

function matchesOneTree(out: string, outputs: readonly OutputDigest[], ids: readonly string[]): boolean {
  const root = resolveLinks(out);
  const paths = new Set(outputs.map(({ path }) => path));
  const isCurrent = ({ path: relative, digest }: OutputDigest): boolean => {
    const file = path.join(root, relative);
    if (findConflict(root, { path: relative }) || !lstatIfExists(file)?.isFile()) return false;
    const bytes = readFileSync(file);
    // Git may check text out with Windows line ends.
    const hasDigest = (content: string | Uint8Array): boolean => sha256Hex(content) === digest;
    return (
      hasDigest(bytes) || (bytes.includes("\r\n") && hasDigest(bytes.toString().replaceAll("\r\n", "\n")))
    );
  };
  return (
    listUnfinishedRuns(out).length === 0 &&
    listGeneratedFiles(root, ids).every((file) => paths.has(file)) &&
    outputs.every(isCurrent)
  );
}

/** The differences between a folder and the outputs. */
interface TreePlan {
  /** The changes after which there are no differences; none if there are conflicts. */
  readonly changes: readonly FileChange[];
  /** Files that may not be replaced. */
  readonly conflicts: readonly Finding[];
  readonly differences: readonly Finding[];
  readonly unchanged: number;
}

function planTree(out: string, outputs: readonly OutputFile[], ids: readonly string[]): TreePlan {
  const root = resolveLinks(out);
  const paths = new Set<string>();
  const changes: FileChange[] = [];
  const conflicts: Finding[] = [];
  const differences: Finding[] = [];
  for (const output of outputs) {
    if (!hasBanner(Buffer.from(output.content.slice(0, BANNER_SEARCH_BYTES))))
      throw new Error(
        `the emitter of ${output.path} must begin the file with the banner, createBanner() of generator/text.ts`,
      );
    if (paths.has(output.path)) throw new Error(`there are two outputs ${output.path}`);
    paths.add(output.path);
    const difference = findConflict(root, output) ?? findDifference(path.join(root, output.path), output);
    if (!difference) continue;
    const finding = createTreeFinding(out, output.path, difference);
    if (difference.exists === undefined) conflicts.push(finding);
    else {
      differences.push(finding);
      changes.push({ ...output, exists: difference.exists });
    }
  }
  const unchanged = outputs.length - differences.length - conflicts.length;
  for (const file of listGeneratedFiles(root, ids).filter((file) => !paths.has(file))) {
    differences.push(createTreeFinding(out, file, SUPERFLUOUS_FILE));
    changes.push({ path: file, content: undefined, exists: true });
  }
  return { changes: conflicts.length > 0 ? [] : changes, conflicts, differences, unchanged };
}

/** A difference between a file and its output. */
interface Difference {
  readonly rule: RuleId;
  readonly message: string;
  readonly hint?: string;
  readonly line?: number;
  /** True if something with the name of the file exists. Undefined for a conflict: that file may not be replaced. */
  readonly exists?: boolean;
}

const SUPERFLUOUS_FILE: Difference = {
  rule: "generated-superfluous",
  message: "No schema generates this file any more.",
  hint: 'Run `accrete generate`; outputs made with --emit belong in "emit" of the configuration.',
};

function createTreeFinding(
  out: string,
  file: string,
  { rule, message, line, hint = "Run `accrete generate`." }: Difference,
): Finding {
  const at = {
    file: path.posix.join(toForwardSlashes(out), file),
    pointer: "",
    ...(line !== undefined && { line }),
  };
  return createErrorFinding(rule, message, at, hint);
}

/** Returns why an output may not be written to its place; undefined if it may. */
function findConflict(root: string, { path: relative }: Pick<OutputFile, "path">): Difference | undefined {
  if (!isInside(relative))
    return {
      rule: "output-escapes",
      message: "The output would be outside of the output folder.",
      hint: "Rename the protocol or event type that gives the output its name.",
    };
  const blocking = findBlockingAncestor(root, relative);
  if (blocking?.isLink)
    return {
      rule: "output-link",
      message: `The output would be written through the symbolic link ${blocking.path}, which may lead anywhere.`,
      hint: "Replace the link by a folder, or let --out name the folder that it leads to.",
    };
  if (blocking)
    return describeForeignFile(`${blocking.path} is a file, but outputs need a folder of that name.`);
  const stats = lstatIfExists(path.join(root, relative));
  if (!stats || stats.isSymbolicLink() || stats.isFile()) return undefined;
  return describeForeignFile("A folder or a special file has the name of this output.");
}

function describeForeignFile(message: string): Difference {
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
  if (text === content || text.replaceAll("\r\n", "\n") === content) return undefined;
  if (!hasBanner(bytes))
    return describeForeignFile("A file that accrete did not generate has the name of this output.");
  return { rule: "generated-stale", ...findFirstDifference(text, content), exists: true };
}

/** Returns the first line in which two different texts differ, and a sentence about it. */
function findFirstDifference(actual: string, expected: string): Pick<Difference, "line" | "message"> {
  const expectedLines = expected.split("\n");
  const lines = actual.split("\n");
  let index = 0;
  while (index < expectedLines.length && expectedLines[index] === lines[index]) index++;
  const expectedLine = expectedLines[index];
  const line = lines[index];
  let column = 0;
  while (expectedLine?.[column] !== undefined && expectedLine[column] === line?.[column]) column++;
  const difference = `expected ${quoteExcerpt(expectedLine, column)}, found ${quoteExcerpt(line, column)}`;
  return { line: index + 1, message: `The first difference is here: ${difference}.` };
}

/** Returns up to 80 characters of a line around `column`, in quotation marks. */
function quoteExcerpt(line: string | undefined, column: number): string {
  if (line === undefined) return "the end of the file";
  const start = Math.max(0, Math.min(column - 30, line.length - 80));
  const end = start + 80 < line.length ? "…" : "";
  return `"${start > 0 ? "…" : ""}${sanitizeText(line.slice(start, start + 80))}${end}"`;
}
