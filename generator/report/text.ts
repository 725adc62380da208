import pico from "picocolors";
import type { Finding, Location } from "../finding.js";
import { printable } from "./printable.js";
import type { ReportOptions } from "./reporter.js";

/** Findings for people: one line each, a line for what to do below the first of those that ask for the same, the summary last. */
export function textReport(
  findings: readonly Finding[],
  { color = false, summary }: ReportOptions = {},
): string {
  const colors = pico.createColors(color);
  const paint = { error: colors.red, warning: colors.yellow, note: colors.cyan };
  const lines = findings.flatMap((finding, index) => {
    const { severity, rule, message, at, baseline, witness, stream = [], fingerprint } = finding;
    const hint = repeats(finding, findings[index - 1]) ? undefined : finding.hint;
    const pointer = at.pointer === "" ? "" : `${colors.bold(printable(at.pointer))} `;
    return [
      `${place(at)}: ${paint[severity](severity)} ${colors.dim(rule)} ${pointer}${printable(message)}`,
      ...(baseline === undefined ? [] : [`    was ${place(baseline)}`]),
      ...(witness === undefined ? [] : [`    event ${shown(JSON.stringify(witness))}`]),
      ...stream.map(
        (event, place) => `    ${place === 0 ? "stream" : "      "} ${shown(JSON.stringify(event))}`,
      ),
      ...(hint === undefined ? [] : [`    ${colors.dim(printable(hint))}`]),
      ...(fingerprint === undefined || severity !== "error" ? [] : [`    fingerprint ${fingerprint}`]),
    ];
  });
  if (summary) lines.push(summary.text);
  return lines.map((line) => `${line}\n`).join("");
}

/** How much of an event fits a screen. */
const MOST = 1000;

function shown(event: string): string {
  if (event.length <= MOST) return printable(event);
  return `${printable(event.slice(0, MOST))}… (${event.length} characters; --format json prints all)`;
}

/** Whether the finding before says already what to do: it is of the same rule, and so is the advice. */
function repeats({ rule, hint }: Finding, before: Finding | undefined): boolean {
  return before?.rule === rule && before.hint === hint;
}

/** `file:line:column`, as far as it is known: what editors and terminals make a link of. */
function place({ file, line, column }: Location): string {
  return [printable(file), line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
}
