import type { Finding } from "../finding.js";

/** What a run as a whole came to: a sentence for people and the same as data. */
export interface Summary {
  readonly text: string;
  readonly data: { readonly [name: string]: unknown };
}

/** What a reporter may be told besides the findings. */
export interface ReportOptions {
  /** Whether the output may hold ANSI colours; only a terminal shows them. */
  readonly color?: boolean;
  readonly summary?: Summary;
}

/** Findings as text in one format, ending with a line feed unless it is empty. */
export type Reporter = (findings: readonly Finding[], options?: ReportOptions) => string;
