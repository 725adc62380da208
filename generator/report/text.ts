import pico from "picocolors";
import type { Finding, Location } from "../finding.js";
import { printable } from "./printable.js";
import type { ReportOptions } from "./reporter.js";

/** Findings for people: one line each, a line below it for what to do, the summary last. */
export function textReport(
  findings: readonly Finding[],
  { color = false, summary }: ReportOptions = {},
): string {
  const colors = pico.createColors(color);
  const paint = { error: colors.red, warning: colors.yellow, note: colors.cyan };
  const lines = findings.flatMap(({ severity, rule, message, at, baseline, witness, hint, fingerprint }) => {
    const pointer = at.pointer === "" ? "" : `${colors.bold(printable(at.pointer))} `;
    return [
      `${place(at)}: ${paint[severity](severity)} ${colors.dim(rule)} ${pointer}${printable(message)}`,
      ...(baseline === undefined ? [] : [`    was ${place(baseline)}`]),
      ...(witness === undefined ? [] : [`    event ${printable(JSON.stringify(witness))}`]),
      ...(hint === undefined ? [] : [`    ${colors.dim(printable(hint))}`]),
      ...(fingerprint === undefined || severity !== "error" ? [] : [`    fingerprint ${fingerprint}`]),
    ];
  });
  if (summary) lines.push(summary.text);
  return lines.map((line) => `${line}\n`).join("");
}

/** `file:line:column`, as far as it is known: what editors and terminals make a link of. */
function place({ file, line, column }: Location): string {
  return [printable(file), line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
}
