import { readFileSync } from "node:fs";
import path from "node:path";
import type { Finding, RuleId } from "../finding.js";
import { slashes } from "../io.js";
import type { OutputFile } from "../protocol/protocol.js";
import { visible } from "../text.js";
import { planTree } from "./plan-tree.js";
import { type Change, unfinished } from "./transaction.js";

/** How `out` differs from the outputs, each file with its first difference; nothing is written. */
export function checkTree(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
): { readonly findings: readonly Finding[]; readonly unchanged: number } {
  const { root, changes, superfluous, conflicts, unchanged } = planTree(out, outputs, ids);
  const error = (rule: RuleId, message: string, relative: string, line?: number): Finding => ({
    rule,
    severity: "error",
    message,
    at: { file: path.posix.join(slashes(out), relative), pointer: "", ...(line !== undefined && { line }) },
    hint: `Run \`accrete generate\`${rule === "generated-superfluous" ? '; outputs made with --emit belong into "emit" of the configuration' : ""}.`,
  });
  const changed = (change: Change): Finding => {
    const [rule, message, line] = describe(root, change);
    return error(rule, message, change.path, line);
  };
  const gone = (file: string): Finding =>
    error("generated-superfluous", "Nothing generates this file any more.", file);
  const busy = (folder: string): Finding =>
    error("generated-unfinished", "A run is writing here, or was interrupted.", folder);
  const findings = [
    ...conflicts,
    ...changes.map(changed),
    ...superfluous.map(gone),
    ...unfinished(root).map(busy),
  ];
  return { findings: findings.sort((a, b) => (a.at.file < b.at.file ? -1 : 1)), unchanged };
}

/** Rule, sentence and line of a file that is not as it should be. */
function describe(root: string, { path: relative, content, instead }: Change): [RuleId, string, number?] {
  switch (instead) {
    case "nothing":
      return ["generated-missing", "The file is missing."];
    case "link":
      return ["generated-stale", "A symbolic link stands here instead of the file."];
    case "file": {
      const { line, message } = firstDifference(readFileSync(path.join(root, relative), "utf8"), content);
      return ["generated-stale", message, line];
    }
  }
}

/** The first line in which two different texts differ, and a sentence about it. */
export function firstDifference(
  actual: string,
  expected: string,
): { readonly line: number; readonly message: string } {
  const [ours, theirs] = [expected.split("\n"), actual.split("\n")];
  const index = ours.findIndex((line, i) => line !== theirs[i]);
  const at = index === -1 ? ours.length : index;
  const [wanted, found] = [ours[at], theirs[at]];
  const from = commonStart(wanted ?? "", found ?? "");
  return {
    line: at + 1,
    message: `The first difference is here: expected ${shown(wanted, from)}, found ${shown(found, from)}.`,
  };
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** The part of a line around `from`, shortened. */
function shown(line: string | undefined, from: number): string {
  if (line === undefined) return "the end of the file";
  const start = line.length > 80 ? Math.max(0, Math.min(from - 30, line.length - 80)) : 0;
  const part = line.slice(start, start + 80);
  return `"${start > 0 ? "…" : ""}${visible(part)}${start + 80 < line.length ? "…" : ""}"`;
}
