import pico from "picocolors";
import type { Finding } from "../finding.js";
import { sanitizeLine } from "../text.js";
import { formatLocation, formatWitnesses } from "./format-parts.js";
import type { ReportOptions } from "./reporter.js";

/** Formats findings for people: one line each, the hint below the first of several findings that share it, and the summary at the end. */
export function formatTextReport(
  findings: readonly Finding[],
  { color = false, summary }: ReportOptions = {},
): string {
  const colors = pico.createColors(color);
  const paint = { error: colors.red, warning: colors.yellow, note: colors.cyan };
  const lines = findings.flatMap((finding, index) => {
    const { severity, rule, message, at, baseline, fingerprint } = finding;
    const hint = repeatsHint(finding, findings[index - 1]) ? undefined : finding.hint;
    const pointer = at.pointer === "" ? "" : `${colors.bold(sanitizeLine(at.pointer))} `;
    return [
      `${formatLocation(at)}: ${paint[severity](severity)} ${colors.dim(rule)} ${pointer}${sanitizeLine(message)}`,
      ...(baseline === undefined ? [] : [`    was ${formatLocation(baseline)}`]),
      ...formatWitnesses(finding).map((line) => `    ${line}`),
      ...(hint === undefined ? [] : [`    ${colors.dim(sanitizeLine(hint))}`]),
      ...(fingerprint === undefined || severity !== "error" ? [] : [`    fingerprint ${fingerprint}`]),
    ];
  });
  if (summary) lines.push(summary.text);
  return lines.map((line) => `${line}\n`).join("");
}

/** Returns whether the finding before has the same rule and hint. */
function repeatsHint({ rule, hint }: Finding, before: Finding | undefined): boolean {
  return before?.rule === rule && before.hint === hint;
}
