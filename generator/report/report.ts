import { formatGithubReport } from "./github.js";
import { formatJsonReport } from "./json.js";
import { formatJunitReport } from "./junit.js";
import { formatMarkdownReport } from "./markdown.js";
import type { Reporter } from "./reporter.js";
import { formatSarifReport } from "./sarif.js";
import { formatTextReport } from "./text.js";

/** Every reporter by the name that `--format` takes. */
export const REPORTERS = {
  text: formatTextReport,
  json: formatJsonReport,
  github: formatGithubReport,
  sarif: formatSarifReport,
  junit: formatJunitReport,
  markdown: formatMarkdownReport,
} satisfies { readonly [format: string]: Reporter };

/** The name of a format. */
export type Format = keyof typeof REPORTERS;

/** The names of the formats. */
export const FORMATS = Object.keys(REPORTERS) as readonly Format[];
