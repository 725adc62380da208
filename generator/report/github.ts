import type { Finding } from "../finding.js";
import { sanitizeLine } from "../text.js";
import { formatLocation, formatMessageWithPointer, formatWitnesses } from "./format-parts.js";
import type { ReportOptions } from "./reporter.js";

const LEVELS = { error: "error", warning: "warning", note: "notice" } as const;

/** Formats findings as workflow commands of GitHub Actions, which shows them beside the lines of a pull request. */
export function formatGithubReport(findings: readonly Finding[], { summary }: ReportOptions = {}): string {
  const lines = findings.map((finding) => {
    const { severity, rule, hint, baseline, fingerprint } = finding;
    const { file, line, column } = finding.at;
    const properties = [
      `file=${escapeProperty(file)}`,
      ...(line === undefined ? [] : [`line=${line}`]),
      ...(line === undefined || column === undefined ? [] : [`col=${column}`]),
      `title=${escapeProperty(rule)}`,
    ];
    const message = [
      sanitizeLine(formatMessageWithPointer(finding)),
      ...(baseline === undefined ? [] : [`was ${formatLocation(baseline)}`]),
      ...formatWitnesses(finding),
      ...(hint === undefined ? [] : [sanitizeLine(hint)]),
      ...(fingerprint === undefined || severity !== "error" ? [] : [`fingerprint ${fingerprint}`]),
    ];
    return `::${LEVELS[severity]} ${properties.join(",")}::${escapeMessage(message.join("\n"))}`;
  });
  if (summary) lines.push(...summary.text.split("\n").map(sanitizeLine));
  return lines.map((line) => `${line}\n`).join("");
}

/** Escapes a message. Percent signs and line ends have a meaning for the runner. */
function escapeMessage(text: string): string {
  return text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}

/** Escapes the value of a property, in which colons and commas have a meaning, too. */
function escapeProperty(text: string): string {
  return escapeMessage(sanitizeLine(text)).replace(/:/g, "%3A").replace(/,/g, "%2C");
}
