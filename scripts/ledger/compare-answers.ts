/** Compares the answers of two commits. */
import { groupBy } from "../../generator/group-by.js";
import type { Answer } from "./entry.js";

/** A command that answers otherwise than before. */
export interface Difference {
  readonly name: string;
  readonly command: string;
  /** One line for each part of the answer that differs. */
  readonly lines: readonly string[];
}

/** Returns the commands of both lists that answer differently, and those that only one list has. */
export function compareAnswers(before: readonly Answer[], now: readonly Answer[]): Difference[] {
  const known = new Map(before.map((answer) => [answer.name, answer]));
  return now.flatMap((answer) => {
    const earlier = known.get(answer.name);
    const lines =
      earlier === undefined ? ["The earlier commit did not answer."] : listDifferences(earlier, answer);
    return lines.length === 0 ? [] : [{ name: answer.name, command: answer.command, lines }];
  });
}

function listDifferences(before: Answer, now: Answer): string[] {
  const changes = [
    ...(before.exitCode === now.exitCode ? [] : [`exit code ${before.exitCode} → ${now.exitCode}`]),
    ...subtract(before.findings, now.findings).map((finding) => `- ${finding}`),
    ...subtract(now.findings, before.findings).map((finding) => `+ ${finding}`),
    ...[...new Set([...Object.keys(before.files), ...Object.keys(now.files)])]
      .filter((file) => before.files[file] !== now.files[file])
      .map((file) => `file ${file}: ${describeFile(before.files[file], now.files[file])}`),
  ];
  return changes.length > 0 ? changes : describeText(before.printed, now.printed);
}

/** Shows the first line of two printed texts that differs. */
function describeText(before: string, now: string): string[] {
  if (before === now) return [];
  const [old, lines] = [before.split("\n"), now.split("\n")];
  const index = [...old, ""].findIndex((line, each) => line !== lines[each]);
  return ["printed text, first at", `- ${old[index] ?? ""}`, `+ ${lines[index] ?? ""}`];
}

function describeFile(before: string | undefined, now: string | undefined): string {
  if (before === undefined) return "written only now";
  return now === undefined ? "no longer written" : "other content";
}

/** Returns the texts that occur more often in the first list than in the second. */
function subtract(texts: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1);
  return texts.filter((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

/** The number of names that are shown for commands with the same differences. */
const SHOWN_NAMES = 3;

/** Formats differences. Commands that differ in the same way are shown once. */
export function formatDifferences(differences: readonly Difference[]): string {
  const groups = groupBy(differences, ({ lines }) => lines.join("\n"));
  return [...groups.values()]
    .map((group) => {
      const names = group.slice(0, SHOWN_NAMES).map(({ name }) => name);
      const more = group.length > SHOWN_NAMES ? ` and ${group.length - SHOWN_NAMES} more` : "";
      const lines = group[0]?.lines.map((line) => `  ${line}\n`) ?? [];
      return `${names.join("; ")}${more}\n${lines.join("")}`;
    })
    .join("\n");
}
