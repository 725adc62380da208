import pico from "picocolors";
import type { Finding } from "../finding.js";
import { printable } from "../text.js";
import type { ReportOptions } from "./reporter.js";
import { shownPlace, witnessLines } from "./shown.js";

/** Findings for people: one line each, a line for what to do below the first of those that ask for the same, the summary last. */
export function textReport(
  findings: readonly Finding[],
  { color = false, summary }: ReportOptions = {},
): string {
  const colors = pico.createColors(color);
  const paint = { error: colors.red, warning: colors.yellow, note: colors.cyan };
  const lines = findings.flatMap((finding, index) => {
    const { severity, rule, message, at, baseline, fingerprint } = finding;
    const hint = repeats(finding, findings[index - 1]) ? undefined : finding.hint;
    const pointer = at.pointer === "" ? "" : `${colors.bold(printable(at.pointer))} `;
    return [
      `${shownPlace(at)}: ${paint[severity](severity)} ${colors.dim(rule)} ${pointer}${printable(message)}`,
      ...(baseline === undefined ? [] : [`    was ${shownPlace(baseline)}`]),
      ...witnessLines(finding).map((line) => `    ${line}`),
      ...(hint === undefined ? [] : [`    ${colors.dim(printable(hint))}`]),
      ...(fingerprint === undefined || severity !== "error" ? [] : [`    fingerprint ${fingerprint}`]),
    ];
  });
  if (summary) lines.push(summary.text);
  return lines.map((line) => `${line}\n`).join("");
}

/** Whether the finding before says already what to do: it is of the same rule, and so is the advice. */
function repeats({ rule, hint }: Finding, before: Finding | undefined): boolean {
  return before?.rule === rule && before.hint === hint;
}
