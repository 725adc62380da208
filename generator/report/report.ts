import { listKeys } from "../json.js";
import { formatGithubReport } from "./github.js";
import { formatGitlabReport } from "./gitlab.js";
import { formatJsonReport } from "./json.js";
import { formatJunitReport } from "./junit.js";
import { formatMarkdownReport } from "./markdown.js";
import type { Reporter } from "./reporter.js";
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

/** The values of `--format`. */
export const REPORT_FORMATS = listKeys(REPORTERS);
