import type { Finding } from "../finding.js";
import { formatJson } from "../text.js";
import type { ReportOptions } from "./reporter.js";

/** Formats findings as JSON for programs: `{ "summary": …, "findings": […] }`. */
export function formatJsonReport(findings: readonly Finding[], { summary }: ReportOptions = {}): string {
  return `${formatJson({ ...(summary && { summary: summary.data }), findings })}\n`;
}
