/** Shows findings as diagnostics of the Language Server Protocol. */
import { type Diagnostic, DiagnosticSeverity, type Range } from "vscode-languageserver";
import type { Finding, Severity } from "../finding.js";
import { formatMessageWithPointer, formatWitnesses } from "../report/format-parts.js";
import { sanitizeLine } from "../text.js";
import { readText } from "./texts.js";

const SEVERITIES: { readonly [severity in Severity]: DiagnosticSeverity } = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  note: DiagnosticSeverity.Information,
};

/** Returns the diagnostic of a finding. `toUri` returns the URI of a file. */
export function createDiagnostic(finding: Finding, toUri: (file: string) => string): Diagnostic {
  const { rule, severity, at, baseline, hint, fingerprint } = finding;
  const lines = [formatMessageWithPointer(finding), ...formatWitnesses(finding), ...(hint ? [hint] : [])];
  return {
    range: findRange(at),
    severity: SEVERITIES[severity],
    source: "accrete",
    code: rule,
    message: lines.map(sanitizeLine).join("\n"),
    ...(fingerprint !== undefined && { data: { fingerprint } }),
    ...(baseline && {
      relatedInformation: [
        { location: { uri: toUri(baseline.file), range: findRange(baseline) }, message: "the baseline" },
      ],
    }),
  };
}

/** Returns the range of the token at a location. */
function findRange({ file, line = 1, column = 1 }: Finding["at"]): Range {
  const rest = ((readText(file) ?? "").split("\n")[line - 1] ?? "").slice(column - 1);
  const [token = ""] = /^(?:"(?:[^"\\]|\\.)*"|[^\s",:[\]{}]+|.)/.exec(rest) ?? [];
  const start = { line: line - 1, character: column - 1 };
  return { start, end: { line: start.line, character: start.character + token.length } };
}
