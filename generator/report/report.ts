import { githubReport } from "./github.js";
import { jsonReport } from "./json.js";
import { junitReport } from "./junit.js";
import { markdownReport } from "./markdown.js";
import type { Reporter } from "./reporter.js";
import { sarifReport } from "./sarif.js";
import { textReport } from "./text.js";

/** All reporters, by the values of `--format`. */
export const REPORTERS = {
  text: textReport,
  json: jsonReport,
  github: githubReport,
  sarif: sarifReport,
  junit: junitReport,
  markdown: markdownReport,
} satisfies { readonly [format: string]: Reporter };

/** A value of `--format`. */
export type ReportFormat = keyof typeof REPORTERS;

/** The values of `--format`. */
export const REPORT_FORMATS = Object.keys(REPORTERS) as readonly ReportFormat[];
