import type { Finding, Location } from "../finding.js";
import { printable } from "../text.js";
import type { ReportOptions } from "./reporter.js";
import { messageWithSubject } from "./shown.js";

const MARKS = { error: "❌", warning: "⚠️", note: "ℹ️" } as const;

/** Findings for a comment on a pull request. Text from schemas is shown and never obeyed. */
export function markdownReport(findings: readonly Finding[], { summary }: ReportOptions = {}): string {
  const parts = findings.map((finding) => item(finding));
  const head = summary ? [`**${plain(summary.text)}**`] : [];
  return `${[...head, ...parts].join("\n\n")}\n`;
}

function item(finding: Finding): string {
  const { severity, rule, hint, at, baseline, witness, opposite, stream, fingerprint } = finding;
  const lines = [
    `- ${MARKS[severity]} \`${rule}\` ${plain(messageWithSubject(finding))}`,
    `  ${code(place(at))}${baseline ? `, was ${code(place(baseline))}` : ""}`,
  ];
  if (hint !== undefined) lines.push(`  *${plain(hint)}*`);
  for (const event of [witness, opposite])
    if (event !== undefined) lines.push("", fenced(JSON.stringify(event, null, 2)));
  if (stream !== undefined)
    lines.push("", fenced(stream.map((event) => JSON.stringify(event)).join("\n"), "jsonl"));
  if (fingerprint !== undefined && severity === "error") lines.push("", `  fingerprint ${code(fingerprint)}`);
  return lines.join("\n");
}

function place({ file, line }: Location): string {
  return line === undefined ? file : `${file}:${line}`;
}

/**
 * Text without any meaning to Markdown, HTML or GitHub's mentions and references, also at the beginning of a line. What
 * has no meaning in its place is left as it is: an underscore within a word, a hyphen behind another character.
 */
export function plain(text: string): string {
  return printable(text)
    .replace(/[\\`*[\]<>#|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\$&")
    .replace(/^(\s*)([-+=])/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/, "$1\\$2")
    .replace(/@|\bGH-(?=\d)/gi, "$&\u2060")
    .replace(/:\/\//g, ":\u2060//");
}

function code(text: string): string {
  const shown = printable(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}

function fenced(json: string, language = "json"): string {
  const lines = json.split("\n").map(printable);
  const longest = Math.max(
    2,
    ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)),
  );
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...lines, fence].map((line) => `  ${line}`).join("\n");
}
