import type { Finding, Location } from "../finding.js";
import { printableJson } from "../text.js";
import type { ReportOptions } from "./reporter.js";
import { messageWithSubject } from "./shown.js";

/** Findings as SARIF 2.1.0, for code scanning. */
export function sarifReport(findings: readonly Finding[], _options: ReportOptions = {}): string {
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
  const run = {
    tool: { driver: { name: "accrete", rules: rules.map((id) => ({ id })) } },
    columnKind: "utf16CodeUnits",
    results: findings.map((finding) => resultOf(finding, rules)),
  };
  const schema = "https://json.schemastore.org/sarif-2.1.0.json";
  return `${printableJson({ $schema: schema, version: "2.1.0", runs: [run] })}\n`;
}

function resultOf(finding: Finding, rules: readonly string[]): object {
  const { rule, severity, hint, at, baseline, witness, opposite, stream, fingerprint } = finding;
  const properties = {
    ...(witness !== undefined && { witness }),
    ...(opposite !== undefined && { opposite }),
    ...(stream !== undefined && { stream }),
  };
  const message = messageWithSubject(finding);
  return {
    ruleId: rule,
    ruleIndex: rules.indexOf(rule),
    level: severity,
    message: { text: hint === undefined ? message : `${message}\n${hint}` },
    locations: [placeOf(at)],
    ...(baseline && { relatedLocations: [{ id: 1, message: { text: "baseline" }, ...placeOf(baseline) }] }),
    ...(fingerprint !== undefined && { partialFingerprints: { "accrete/v1": fingerprint } }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
}

function placeOf({ file, pointer, line, column }: Location): object {
  const region =
    line === undefined
      ? {}
      : { region: { startLine: line, ...(column !== undefined && { startColumn: column }) } };
  const logicalLocations = pointer === "" ? {} : { logicalLocations: [{ fullyQualifiedName: pointer }] };
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region }, ...logicalLocations };
}

/** Returns a path as a relative URI reference. */
function uriOf(file: string): string {
  const path = file.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return path.replace(/%40/g, "@");
}
