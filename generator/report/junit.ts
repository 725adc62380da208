import type { Finding, Location } from "../finding.js";
import { printable } from "../text.js";
import type { ReportOptions } from "./reporter.js";
import { messageWithSubject } from "./shown.js";

/** Findings as a JUnit report: errors are failures, other findings are the output of passing tests. */
export function junitReport(findings: readonly Finding[], { summary }: ReportOptions = {}): string {
  const failures = findings.filter(({ severity }) => severity === "error").length;
  const cases =
    findings.length > 0
      ? findings.map(caseOf)
      : [`    <testcase classname="accrete" name="${attribute(summary?.text ?? "no findings")}"/>`];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="accrete" tests="${cases.length}" failures="${failures}">`,
    `  <testsuite name="accrete" tests="${cases.length}" failures="${failures}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function caseOf(finding: Finding): string {
  const { rule, severity, hint, at, witness, opposite, stream = [] } = finding;
  const message = messageWithSubject(finding);
  const head = `    <testcase classname="${attribute(rule)}" name="${attribute(`${place(at)} ${message}`)}"`;
  const lines = [message, ...(hint === undefined ? [] : [hint])];
  const events = [witness, opposite, ...stream].filter((event) => event !== undefined);
  lines.push(...events.map((event) => JSON.stringify(event)));
  const text = lines.map(printable).map(escaped).join("\n");
  return severity === "error"
    ? `${head}>\n      <failure type="${attribute(rule)}" message="${attribute(message)}">${text}</failure>\n    </testcase>`
    : `${head}>\n      <system-out>${severity}: ${text}</system-out>\n    </testcase>`;
}

function place({ file, line, column }: Location): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

function attribute(text: string): string {
  return escaped(printable(text));
}

/** Escapes text for XML 1.0. Most control characters cannot be written there, so `printable` comes first. */
function escaped(text: string): string {
  return text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/[\ufffe\uffff]/g, "\ufffd");
}
