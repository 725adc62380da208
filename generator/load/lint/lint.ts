import type { Finding } from "../../finding.js";
import type { LintInput } from "./input.js";
import { lintEnvelope, lintPlacement } from "./layout.js";
import { lintCases, lintDuplicates, lintTypeNames } from "./names.js";
import { lintRequired } from "./required.js";
import { lintTexts } from "./texts.js";
import { lintTombstones } from "./tombstones.js";

/** Checks a protocol as a whole: names, texts, placement, required fields, tombstones. */
export function lintProtocol(input: LintInput): Finding[] {
  return [
    ...lintTexts(input),
    ...lintCases(input),
    ...lintDuplicates(input),
    ...lintTypeNames(input),
    ...lintEnvelope(input),
    ...lintPlacement(input),
    ...lintTombstones(input),
    ...lintRequired(input),
  ];
}
