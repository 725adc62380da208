import { jsonReport } from "./json.js";
import type { Reporter } from "./reporter.js";
import { textReport } from "./text.js";

/** Every reporter by the name that `--format` takes. */
export const REPORTERS = { text: textReport, json: jsonReport } satisfies {
  readonly [format: string]: Reporter;
};

/** The name of a format. */
export type Format = keyof typeof REPORTERS;

/** The names of the formats. */
export const FORMATS = Object.keys(REPORTERS) as readonly Format[];
