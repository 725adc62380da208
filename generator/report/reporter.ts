import type { Finding } from "../finding.js";

/** The result of a whole run: text for people and the same as data. */
export interface Summary {
  readonly text: string;
  readonly data: { readonly [name: string]: unknown };
}

/** Options of a reporter. */
export interface ReportOptions {
  /** True to use ANSI colours. */
  readonly color?: boolean;
  readonly summary?: Summary;
}

/** Returns findings as text in one format. The text ends with a line feed if it is not empty. */
export type Reporter = (findings: readonly Finding[], options?: ReportOptions) => string;
