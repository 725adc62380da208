import type { Finding, Location } from "../finding.js";
import { formatJson } from "../text.js";
import { formatMessageWithPointer } from "./format-parts.js";
import type { ReportOptions } from "./reporter.js";

/** Formats findings as SARIF 2.1.0, for code scanning. */
export function formatSarifReport(findings: readonly Finding[], _options: ReportOptions = {}): string {
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
  const run = {
    tool: { driver: { name: "accrete", rules: rules.map((id) => ({ id })) } },
    columnKind: "utf16CodeUnits",
    results: findings.map((finding) => createResult(finding, rules)),
  };
  const schema = "https://json.schemastore.org/sarif-2.1.0.json";
  return `${formatJson({ $schema: schema, version: "2.1.0", runs: [run] })}\n`;
}

function createResult(finding: Finding, rules: readonly string[]): object {
  const { rule, severity, hint, at, baseline, witness, opposite, breaks, stream, fingerprint } = finding;
  const properties = {
    ...(witness !== undefined && { witness }),
    ...(opposite !== undefined && { opposite }),
    ...(breaks !== undefined && { breaks }),
    ...(stream !== undefined && { stream }),
  };
  const message = formatMessageWithPointer(finding);
  return {
    ruleId: rule,
    ruleIndex: rules.indexOf(rule),
    level: severity,
    message: { text: hint === undefined ? message : `${message}\n${hint}` },
    locations: [createLocation(at)],
    ...(baseline && {
      relatedLocations: [{ id: 1, message: { text: "baseline" }, ...createLocation(baseline) }],
    }),
    ...(fingerprint !== undefined && { partialFingerprints: { "accrete/v1": fingerprint } }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
}

function createLocation({ file, pointer, line, column }: Location): object {
  const region =
    line === undefined
      ? {}
      : { region: { startLine: line, ...(column !== undefined && { startColumn: column }) } };
  const logicalLocations = pointer === "" ? {} : { logicalLocations: [{ fullyQualifiedName: pointer }] };
  return { physicalLocation: { artifactLocation: { uri: encodeUri(file) }, ...region }, ...logicalLocations };
}

/** Returns a path as a relative URI reference. */
function encodeUri(file: string): string {
  const path = file.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return path.replace(/%40/g, "@");
}
