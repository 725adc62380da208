import { type Finding, formatLocatedMessage } from "../finding.js";
import { lintNumbers } from "../source/numbers.js";
import type { Source } from "../source/source.js";

/** Matches numbers that a double may not hold exactly: with more than 15 digits or an exponent of three digits. */
const LONG_NUMBER = /[:,[]\s*-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/;

/** Returns whether a JSON text may hold a number that a double cannot hold exactly. */
export function mayHoldRoundedNumber(text: string): boolean {
  return LONG_NUMBER.test(text);
}

/** Returns a finding for each number of a document that a double cannot hold exactly. */
export function findRoundedNumbers(source: Source): Finding[] {
  return mayHoldRoundedNumber(source.getText("") ?? "") ? lintNumbers(source, "", source.document) : [];
}

/** The maximum number of findings about rounded numbers that are printed. */
export const MAX_PRINTED = 5;

/** Describes findings about rounded numbers, one line each, with their places. */
export function describeRoundedNumbers(findings: readonly Finding[]): string[] {
  const lines = findings.slice(0, MAX_PRINTED).map(formatLocatedMessage);
  return findings.length > lines.length ? [...lines, "… and there are others"] : lines;
}
