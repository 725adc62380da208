import type { Finding } from "../finding.js";
import { printableJson } from "../text.js";
import type { ReportOptions } from "./reporter.js";

/** Formats findings as JSON for programs: `{ "summary": …, "findings": […] }`. */
export function formatJsonReport(findings: readonly Finding[], { summary }: ReportOptions = {}): string {
  return `${printableJson({ ...(summary && { summary: summary.data }), findings })}\n`;
}
