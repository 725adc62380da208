import type { Finding } from "../finding.js";
import { lintNumbers } from "../source/numbers.js";
import type { Source } from "../source/source.js";

/** What stands where a number may, with more digits than every double keeps, or with an exponent near the ends of their range. */
const DOUBTFUL = /[:,[]\s*-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/;

/** Whether a JSON text may hold a number that JavaScript reads as another one. */
export function mayRound(text: string): boolean {
  return DOUBTFUL.test(text);
}

/** Numbers of a document that JavaScript reads as other ones, each at its place. */
export function roundedNumbers(source: Source): Finding[] {
  return mayRound(source.textAt("") ?? "") ? lintNumbers(source, "", source.document) : [];
}

/** How many of them are told; more say nothing new. */
export const ENOUGH_ROUNDED = 5;

/** A sentence for each, with its place. */
export function sayRounded(findings: readonly Finding[]): string[] {
  const told = findings
    .slice(0, ENOUGH_ROUNDED)
    .map(({ at, message }) => `${at.file}:${at.line ?? 1}:${at.column ?? 1}: ${message}`);
  return findings.length > told.length ? [...told, "… and there are others"] : told;
}
