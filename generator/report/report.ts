import type { Finding } from "../finding.js";
import { listKeys } from "../json.js";
import { formatGithubReport } from "./github.js";
import { formatGitlabReport } from "./gitlab.js";
import { formatJsonReport } from "./json.js";
import { formatJunitReport } from "./junit.js";
import { formatMarkdownReport } from "./markdown.js";
import { moveFindingsBelow } from "./move-findings.js";
import type { Reporter, ReportOptions } from "./reporter.js";
import { formatSarifReport } from "./sarif.js";
import { formatTextReport } from "./text.js";

/** All reporters, by the values of `--format`. */
export const REPORTERS = {
  text: formatTextReport,
  json: formatJsonReport,
  github: formatGithubReport,
  gitlab: formatGitlabReport,
  sarif: formatSarifReport,
  junit: formatJunitReport,
  markdown: formatMarkdownReport,
} satisfies { readonly [format: string]: Reporter };

/** A value of `--format`. */
export type ReportFormat = keyof typeof REPORTERS;

/** The formats that forges read. They show findings at paths from the root of the repository. */
const FORGE_FORMATS: ReadonlySet<ReportFormat> = new Set(["github", "gitlab", "sarif"]);

/**
 * Returns a report about findings whose places are relative to the current folder. `folder` is its path from the root of the
 * repository.
 */
export function formatReport(
  format: ReportFormat,
  findings: readonly Finding[],
  { folder, ...options }: ReportOptions & { readonly folder: string },
): string {
  const moved = FORGE_FORMATS.has(format) ? moveFindingsBelow(folder, findings) : findings;
  return REPORTERS[format](moved, options);
}

/** The values of `--format`. */
export const REPORT_FORMATS = listKeys(REPORTERS);
