import type { Finding, Severity } from "../finding.js";
import { sha256Hex } from "../sha256.js";
import { formatJson } from "../text.js";
import { formatMessageWithPointer } from "./format-parts.js";

/** The severities of GitLab. */
const SEVERITY: { readonly [severity in Severity]: string } = {
  error: "critical",
  warning: "minor",
  note: "info",
};

/** Formats findings as a report of GitLab Code Quality, which merge requests show beside the lines. */
export function formatGitlabReport(findings: readonly Finding[]): string {
  const items = findings.map((finding) => {
    const { rule, severity, hint, at, fingerprint } = finding;
    const message = formatMessageWithPointer(finding);
    return {
      description: hint === undefined ? message : `${message} ${hint}`,
      check_name: rule,
      // GitLab compares the fingerprints of two branches to tell which findings are new.
      fingerprint: fingerprint ?? sha256Hex(`${rule} ${at.file} ${at.pointer} ${message}`),
      severity: SEVERITY[severity],
      location: { path: at.file, lines: { begin: at.line ?? 1 } },
    };
  });
  return `${formatJson(items)}\n`;
}
