/** The findings that a project had when it adopted accrete. `accrete check` accepts them, and reports new ones. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import { lstatIfExists, toForwardSlashes } from "../io.js";
import { isObject, type Json } from "../json.js";
import { FIXTURE_RULES } from "../load/lint-fixtures.js";
import { readJsonFile } from "../load/read-bytes.js";
import { formatJson } from "../text.js";

/** The name of the file with the accepted findings, in the folder of the schemas. */
const ACCEPTED_FILE = "accepted-findings.json";

/** The findings that are not accepted, and the number of those that are. */
interface UnacceptedFindings {
  readonly findings: readonly Finding[];
  readonly accepted: number;
  /** The number of accepted findings that are gone. */
  readonly gone: number;
}

/** Accepts the findings that can be accepted. Returns how many there are, the file that lists them, and the other findings. */
export function acceptFindings(
  schemas: string,
  findings: readonly Finding[],
): { readonly accepted: number; readonly file: string; readonly findings: readonly Finding[] } {
  const accepted = findings.filter(isAcceptable);
  const file = path.join(schemas, ACCEPTED_FILE);
  const rows = accepted.map((finding) => describeFinding(schemas, finding));
  writeFileSync(file, `${formatJson({ findings: rows })}\n`);
  return {
    accepted: accepted.length,
    file: toForwardSlashes(file),
    findings: findings.filter((finding) => !isAcceptable(finding)),
  };
}

/** Returns the findings that the file in the folder of the schemas does not accept. A finding is the same on another line. */
export function leaveOutAccepted(schemas: string, findings: readonly Finding[]): UnacceptedFindings {
  const identify = (row: Json): string => JSON.stringify(row);
  const accepted = new Set(readAcceptedFindings(path.join(schemas, ACCEPTED_FILE)).map(identify));
  const isAccepted = (finding: Finding): boolean =>
    isAcceptable(finding) && accepted.has(identify(describeFinding(schemas, finding)));
  const found = findings.filter(isAccepted);
  const present = new Set(found.map((finding) => identify(describeFinding(schemas, finding))));
  return {
    findings: findings.filter((finding) => !isAccepted(finding)),
    accepted: found.length,
    gone: accepted.size - present.size,
  };
}

/**
 * Returns whether a finding can be accepted: a warning, a note, or an error in a fixture. Other errors keep the rest from being
 * checked, or are breaking changes, each of which needs a waiver with a reason.
 */
function isAcceptable({ severity, rule }: Finding): boolean {
  return severity !== "error" || Object.hasOwn(FIXTURE_RULES, rule);
}

/** Returns what identifies a finding. Its file is relative to the folder of the schemas. */
function describeFinding(schemas: string, { rule, at: { file, pointer }, message }: Finding): Json {
  return { rule, file: toForwardSlashes(path.relative(schemas, file)), pointer, message };
}

function readAcceptedFindings(file: string): readonly Json[] {
  if (lstatIfExists(file) === undefined) return [];
  const { document } = readJsonFile(file);
  if (isObject(document) && Array.isArray(document.findings)) return document.findings;
  throw new UsageError(`${file} is no list of accepted findings. \`accrete check --accept\` writes it.`);
}
