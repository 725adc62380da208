import { readFileSync } from "node:fs";
import path from "node:path";
import { errorFinding, type Finding, type RuleId } from "../finding.js";
import { slashes } from "../io.js";
import type { OutputFile } from "../protocol/protocol.js";
import { visible } from "../text.js";
import { unfinishedRuns } from "./transaction.js";
import { type DifferingOutput, planTree } from "./write-tree.js";

/** Returns how `out` differs from the outputs, each file with its first difference, sorted by file. Writes nothing. */
export function checkTree(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
): { readonly findings: readonly Finding[]; readonly unchanged: number } {
  const { root, differing, superfluous, conflicts, unchanged } = planTree(out, outputs, ids);
  const report = (rule: RuleId, message: string, relative: string, line?: number): Finding =>
    errorFinding(
      rule,
      message,
      { file: path.posix.join(slashes(out), relative), pointer: "", ...(line !== undefined && { line }) },
      `Run \`accrete generate\`${rule === "generated-superfluous" ? '; outputs made with --emit belong into "emit" of the configuration' : ""}.`,
    );
  const findings = [
    ...conflicts,
    ...differing.map((output) => {
      const [rule, message, line] = describeDifference(root, output);
      return report(rule, message, output.path, line);
    }),
    ...superfluous.map((file) =>
      report("generated-superfluous", "No schema generates this file any more.", file),
    ),
    ...unfinishedRuns(root).map((folder) =>
      report("generated-unfinished", "A run is writing here, or was interrupted.", folder),
    ),
  ];
  return { findings: findings.sort((a, b) => (a.at.file < b.at.file ? -1 : 1)), unchanged };
}

/** Returns rule, message and line of an output that differs. */
function describeDifference(
  root: string,
  { path: relative, content, found }: DifferingOutput,
): [RuleId, string, number?] {
  if (found === "nothing") return ["generated-missing", "The file is missing."];
  if (found === "link") return ["generated-stale", "This is a symbolic link, not a file."];
  const { line, message } = firstDifference(readFileSync(path.join(root, relative), "utf8"), content);
  return ["generated-stale", message, line];
}

/** Returns the first line in which two different texts differ, and a sentence about it. */
function firstDifference(
  actual: string,
  expected: string,
): { readonly line: number; readonly message: string } {
  const [wanted, found] = [expected.split("\n"), actual.split("\n")];
  const first = wanted.findIndex((line, index) => line !== found[index]);
  const at = first === -1 ? wanted.length : first;
  const [wantedLine = "", foundLine = ""] = [wanted[at], found[at]];
  let column = 0;
  while (column < wantedLine.length && wantedLine[column] === foundLine[column]) column++;
  return {
    line: at + 1,
    message: `The first difference is here: expected ${excerpt(wanted[at], column)}, found ${excerpt(found[at], column)}.`,
  };
}

/** Returns up to 80 characters of a line around `column`, in quotation marks. */
function excerpt(line: string | undefined, column: number): string {
  if (line === undefined) return "the end of the file";
  const start = line.length > 80 ? Math.max(0, Math.min(column - 30, line.length - 80)) : 0;
  return `"${start > 0 ? "…" : ""}${visible(line.slice(start, start + 80))}${start + 80 < line.length ? "…" : ""}"`;
}
