import type { Finding } from "../../finding.js";
import type { Protocol } from "../../model/protocol.js";
import type { SchemaFile } from "../folder.js";
import type { Manifest } from "../manifest.js";
import type { Source } from "../source.js";
import { lintEnvelope, lintPlacement } from "./layout.js";
import { lintCases, lintDuplicates, lintTypeNames } from "./names.js";
import { lintRequired } from "./required.js";
import { lintTexts } from "./texts.js";
import { lintTombstones } from "./tombstones.js";

/** A loaded protocol with the files it came from, for checks that need both. */
export interface LintInput {
  readonly manifest: Manifest;
  readonly manifestSource: Source;
  readonly files: readonly SchemaFile[];
  readonly protocol: Protocol;
}

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
