import type { Finding, Location } from "../finding.js";
import { sanitizeLine } from "../text.js";
import { formatMessageWithPointer } from "./format-parts.js";
import type { ReportOptions } from "./reporter.js";

/** The symbols of severities. */
export const MARKS = { error: "❌", warning: "⚠️", note: "ℹ️" } as const;

/** Formats findings as Markdown for a comment on a pull request. Markup in texts from schemas has no effect. */
export function formatMarkdownReport(findings: readonly Finding[], { summary }: ReportOptions = {}): string {
  const parts = findings.map((finding) => formatItem(finding));
  const head = summary ? [`**${escapeMarkdown(summary.text)}**`] : [];
  return `${[...head, ...parts].join("\n\n")}\n`;
}

/** Formats a finding as an item of a list, with its events and what to do. */
export function formatItem(finding: Finding): string {
  const { severity, rule, hint, at, baseline, witness, opposite, breaks = [], stream, fingerprint } = finding;
  const lines = [
    `- ${MARKS[severity]} \`${rule}\` ${escapeMarkdown(formatMessageWithPointer(finding))}`,
    `  ${formatCode(formatFileAndLine(at))}${baseline ? `, was ${formatCode(formatFileAndLine(baseline))}` : ""}`,
  ];
  if (hint !== undefined) lines.push(`  *${escapeMarkdown(hint)}*`);
  for (const event of [witness, opposite])
    if (event !== undefined) lines.push("", formatCodeBlock(JSON.stringify(event, null, 2)));
  for (const phrase of breaks) lines.push("", `  breaks ${escapeMarkdown(phrase)}`);
  if (stream !== undefined)
    lines.push("", formatCodeBlock(stream.map((event) => JSON.stringify(event)).join("\n"), "jsonl"));
  if (fingerprint !== undefined && severity === "error")
    lines.push("", `  fingerprint ${formatCode(fingerprint)}`);
  return lines.join("\n");
}

function formatFileAndLine({ file, line }: Location): string {
  return line === undefined ? file : `${file}:${line}`;
}

/**
 * Escapes all characters that have a meaning to Markdown, HTML, or GitHub's mentions and references, also at the beginning
 * of a line. Characters without a meaning in their place stay unchanged, such as an underscore within a word.
 */
export function escapeMarkdown(text: string): string {
  // U+2060 is an invisible character. After @ and GH- and inside of ://, it prevents mentions, references and links.
  return sanitizeLine(text)
    .replace(/[\\`*[\]<>#|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\$&")
    .replace(/^(\s*)([-+=])/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/, "$1\\$2")
    .replace(/@|\bGH-(?=\d)/gi, "$&\u2060")
    .replace(/:\/\//g, ":\u2060//");
}

/** Formats code between more backticks than the text holds in a row. */
function formatCode(text: string): string {
  const code = sanitizeLine(text);
  const longest = countBackticksInRow(code);
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${code}${fence}` : `${fence} ${code} ${fence}`;
}

/** Returns the length of the longest sequence of backticks in a text. */
function countBackticksInRow(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

/** Formats lines as a block of code within a list item, between more backticks than the lines hold in a row. */
function formatCodeBlock(json: string, language = "json"): string {
  const lines = json.split("\n").map(sanitizeLine);
  const fence = "`".repeat(Math.max(3, countBackticksInRow(lines.join("\n")) + 1));
  return [`${fence}${language}`, ...lines, fence].map((line) => `  ${line}`).join("\n");
}
