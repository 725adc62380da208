import type { Finding, Location } from "../finding.js";
import { escapeXml, sanitizeLine } from "../text.js";
import { formatMessageWithPointer } from "./format-parts.js";
import type { ReportOptions } from "./reporter.js";

/** Formats findings as a JUnit report: errors are failures, other findings are the output of passing tests. */
export function formatJunitReport(findings: readonly Finding[], { summary }: ReportOptions = {}): string {
  const failures = findings.filter(({ severity }) => severity === "error").length;
  const cases =
    findings.length > 0
      ? findings.map(formatCase)
      : [`    <testcase classname="accrete" name="${formatAttribute(summary?.text ?? "no findings")}"/>`];
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

function formatCase(finding: Finding): string {
  const { rule, severity, hint, at, witness, opposite, breaks = [], stream = [] } = finding;
  const message = formatMessageWithPointer(finding);
  const head = `    <testcase classname="${formatAttribute(rule)}" name="${formatAttribute(`${formatLocation(at)} ${message}`)}"`;
  const lines = [message, ...(hint === undefined ? [] : [hint])];
  const events = [witness, opposite, ...stream].filter((event) => event !== undefined);
  lines.push(...events.map((event) => JSON.stringify(event)), ...breaks.map((phrase) => `breaks ${phrase}`));
  const text = lines.map(sanitizeLine).map(escapeXml).join("\n");
  return severity === "error"
    ? `${head}>\n      <failure type="${formatAttribute(rule)}" message="${formatAttribute(message)}">${text}</failure>\n    </testcase>`
    : `${head}>\n      <system-out>${severity}: ${text}</system-out>\n    </testcase>`;
}

function formatLocation({ file, line, column }: Location): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** Escapes a text for an attribute. */
export function formatAttribute(text: string): string {
  return escapeXml(sanitizeLine(text));
}
