import type { Json } from "./json.js";

/** A place in a file. Lines and columns count from 1; a column counts UTF-16 code units. */
export interface Location {
  /** Path as the user would write it, with forward slashes. */
  readonly file: string;
  /** JSON pointer (RFC 6901) into the file's document; "" is the whole document. */
  readonly pointer: string;
  readonly line?: number;
  readonly column?: number;
  /** The number of bytes before the place. Set for files that are too long for editors. */
  readonly offset?: number;
}

/** The severity of a finding. Errors make a command fail. */
export type Severity = "error" | "warning" | "note";

/** The severities, the highest first. */
export const SEVERITIES: readonly Severity[] = ["error", "warning", "note"];

/** The lowest severity with which a command fails; `never` if it only reports. */
export const FAILURE_LEVELS = [...SEVERITIES, "never"] as const;
export type FailureLevel = (typeof FAILURE_LEVELS)[number];

/** A diagnostic about a contract, a fixture or a stream. */
export interface Finding {
  /** Kebab-case id of the rule, stable for ever. */
  readonly rule: string;
  readonly severity: Severity;
  /** One sentence, plain text. May quote text from schemas: reporters treat it as untrusted. */
  readonly message: string;
  readonly at: Location;
  /** The other side of a comparison. */
  readonly baseline?: Location;
  /** A concrete value that proves the finding. */
  readonly witness?: Json;
  /** A second value, which proves the other direction of a comparison. */
  readonly opposite?: Json;
  /** Phrases for all values that prove the finding, for the witness and for the opposite: `every event without data.ms`. */
  readonly breaks?: readonly string[];
  /** Schemas of all values that prove the finding, or other findings about the same messages. */
  readonly differences?: readonly Json[];
  /** A stream that proves the finding: events in their order. */
  readonly stream?: readonly Json[];
  /** A sentence that says what to do. */
  readonly hint?: string;
  /** Identifies the finding across runs. It depends on the rule and the place, not on the message. */
  readonly fingerprint?: string;
}

/** The texts that explain a rule. */
export interface RuleText {
  /** A clause that says what is wrong, without a full stop. */
  readonly summary: string;
  /** Sentences that say why it matters, and what is checked. */
  readonly explanation: string;
  /** Sentences that say what to do. */
  readonly hint: string;
}

/** The texts of rules by their ids. */
export type RuleTexts = { readonly [rule: string]: RuleText };

/** The ids of rules. Each table of rules adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: the tables of rules add its members
export interface RuleIds {}

/** The id of a rule in one of the tables. A misspelt id does not compile. */
export type RuleId = keyof RuleIds;

/** A finding whose rule the compiler checks. Findings about streams take their ids from the objects of their rules. */
export type KnownFinding = Finding & { readonly rule: RuleId };

/** Returns a finding without the schemas of all values that prove it, which are long. */
export function omitDifferences<T extends Finding>({
  differences: _schemas,
  ...finding
}: T): Omit<T, "differences"> {
  return finding;
}

/** Creates a finding of severity error. */
export function createErrorFinding(rule: RuleId, message: string, at: Location, hint?: string): KnownFinding {
  return { rule, severity: "error", message, at, ...(hint !== undefined && { hint }) };
}

/** Returns how many findings are errors, and how many are warnings. */
export function countSeverities(findings: readonly Finding[]): {
  readonly errors: number;
  readonly warnings: number;
} {
  const countSeverity = (wanted: Severity): number =>
    findings.filter(({ severity }) => severity === wanted).length;
  return { errors: countSeverity("error"), warnings: countSeverity("warning") };
}

/** Returns whether a finding has the severity `level` or a higher one. */
export function hasFailure(findings: readonly Finding[], level: FailureLevel): boolean {
  return (
    level !== "never" &&
    findings.some(({ severity }) => SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(level))
  );
}

/** Returns `file:line:column: message`. Editors turn the location into a link. */
export function formatLocatedMessage({ at, message }: Pick<Finding, "at" | "message">): string {
  return `${at.file}:${at.line ?? 1}:${at.column ?? 1}: ${message}`;
}
