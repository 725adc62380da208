import { type Finding, lineOf } from "../finding.js";
import { lintNumbers } from "../source/numbers.js";
import type { Source } from "../source/source.js";

/** Matches numbers with more digits than every double keeps, or with an exponent near the ends of their range. */
const LONG_NUMBER = /[:,[]\s*-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/;

/** Whether a JSON text may hold a number that JavaScript reads as a different one. */
export function mayRound(text: string): boolean {
  return LONG_NUMBER.test(text);
}

/** Returns a finding for each number of a document that JavaScript reads as a different one. */
export function findRoundedNumbers(source: Source): Finding[] {
  return mayRound(source.textAt("") ?? "") ? lintNumbers(source, "", source.document) : [];
}

/** How many of them are printed. */
export const MOST_ROUNDED = 5;

/** Returns a line for each, with its place. */
export function describeRounded(findings: readonly Finding[]): string[] {
  const lines = findings.slice(0, MOST_ROUNDED).map(lineOf);
  return findings.length > lines.length ? [...lines, "… and there are others"] : lines;
}
