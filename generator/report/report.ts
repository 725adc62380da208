import { githubReport } from "./github.js";
import { jsonReport } from "./json.js";
import { junitReport } from "./junit.js";
import { markdownReport } from "./markdown.js";
import type { Reporter } from "./reporter.js";
import { sarifReport } from "./sarif.js";
import { textReport } from "./text.js";

/** Every reporter by the name that `--format` takes. */
export const REPORTERS = {
  text: textReport,
  json: jsonReport,
  github: githubReport,
  sarif: sarifReport,
  junit: junitReport,
  markdown: markdownReport,
} satisfies { readonly [format: string]: Reporter };

/** The name of a format. */
export type Format = keyof typeof REPORTERS;

/** The names of the formats. */
export const FORMATS = Object.keys(REPORTERS) as readonly Format[];
