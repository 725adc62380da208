import type { Finding } from "../finding.js";
import { printableJson } from "../text.js";
import type { ReportOptions } from "./reporter.js";

/** Findings as they are, for programs: `{ "summary": …, "findings": […] }`. */
export function formatJsonReport(findings: readonly Finding[], { summary }: ReportOptions = {}): string {
  return `${printableJson({ ...(summary && { summary: summary.data }), findings })}\n`;
}
