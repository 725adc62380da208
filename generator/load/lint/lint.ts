import type { Finding } from "../../finding.js";
import type { SchemaFile } from "../folder.js";
import { lintBranches } from "./branches.js";
import type { LintInput } from "./input.js";
import { lintKnownValues } from "./known-values.js";
import { lintEnvelope, lintPlacement } from "./layout.js";
import { lintCases, lintDuplicates, lintTypeNames } from "./names.js";
import { lintRequired } from "./required.js";
import { lintReserved } from "./reserved.js";
import { lintTexts } from "./texts.js";
import { lintTombstones } from "./tombstones.js";

/** Checks the files of a protocol by themselves: texts, and one file for each event type. */
export function lintFiles(files: readonly SchemaFile[]): Finding[] {
  return [...lintTexts({ files }), ...lintDuplicates({ files })];
}

/** Checks a protocol as a whole: names, placement, required fields, alternatives, extensible enums, tombstones. */
export function lintProtocol(input: LintInput): Finding[] {
  return [
    ...lintCases(input),
    ...lintTypeNames(input),
    ...lintEnvelope(input),
    ...lintPlacement(input),
    ...lintReserved(input),
    ...lintTombstones(input),
    ...lintRequired(input),
    ...lintBranches(input),
    ...lintKnownValues(input),
  ];
}
