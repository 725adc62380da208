/** Creates small histories of a tea protocol with frozen versions, and runs `accrete compat` on the last version. */

import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { freezeContract } from "./project.js";
import { SERVED, writeTea } from "./tea.js";

export { SERVED } from "./tea.js";

export const POURED = "events/tea.poured.schema.json";
export const text = { type: "string", description: "Which." };
export const cups = { type: "integer", description: "How many." };

/** Creates a tombstone of a field of tea.served. */
export const createTombstone = (name: string, removedIn: string) => ({
  kind: "field",
  name,
  in: "tea.served",
  removedIn,
  reason: "Nobody reads it.",
});

/** Returns the schema of an object with these fields and these further keywords. */
export const createObjectSchema = (properties: object, more: object = {}) => ({
  type: "object",
  description: "A thing.",
  properties,
  ...more,
});

/** Returns the field `cup`, an object with these fields. */
export const createCupField = (properties: object) => ({ cup: createObjectSchema(properties) });

/** The parts of a version: the fields of tea.served, members of protocol.json, and further files. */
export interface VersionParts {
  readonly fields?: object;
  readonly protocol?: object;
  readonly files?: object;
}

/** Returns the files of a version with these parts. */
export function createVersionFromParts(version: string, parts: VersionParts): ExampleFiles {
  return createVersion(version, parts.fields ?? {}, parts.protocol, parts.files);
}

/** Returns the files of a version with these fields of tea.served, these members of protocol.json, and these further files. */
export function createVersion(
  version: string,
  properties: object,
  protocol: object = {},
  files: object = {},
): ExampleFiles {
  const manifest = { version, major: Number(version.split(".")[0]), ...protocol };
  return toExampleFiles({ "protocol.json": manifest, [SERVED]: { properties }, ...files });
}

/** Writes the versions one after the other, and freezes all but the last `unfrozenCount` ones. Returns the schemas folder. */
export async function createHistory(versions: readonly ExampleFiles[], unfrozenCount = 1): Promise<string> {
  const schemas = createTemporaryFolder();
  for (const [index, files] of versions.entries()) {
    for (const kind of ["events", "resources", "shared"])
      rmSync(path.join(schemas, "tea/v1", kind), { recursive: true, force: true });
    const folder = writeTea(schemas, files);
    if (index < versions.length - unfrozenCount)
      await freezeContract(schemas, path.relative(schemas, folder));
  }
  return schemas;
}

/** A finding of the JSON report. */
export interface ReportedFinding {
  readonly rule: string;
  readonly severity: string;
  readonly fingerprint: string;
  readonly events: readonly string[];
  readonly at: { readonly file: string; readonly pointer: string; readonly line?: number };
  readonly [member: string]: unknown;
}

/** Creates a waiver for a finding. */
export function createWaiver(finding: Partial<ReportedFinding> | undefined, expires = "1.2"): JsonObject {
  const { fingerprint = "", rule = "" } = finding ?? {};
  return { fingerprint, rule, reason: "Nobody reads it.", expires };
}

/** Converts plain objects to the files of a version. */
export function toExampleFiles(files: object): ExampleFiles {
  return JSON.parse(JSON.stringify(files));
}

/** Runs `accrete compat` on the schemas. */
export async function runCompat(schemas: string, ...more: readonly string[]) {
  const outcome = await runAccrete(["compat", "--schemas", schemas, "--format", "json", ...more]);
  const report = outcome.stdout.startsWith("{") ? JSON.parse(outcome.stdout) : { findings: [] };
  const findings: ReportedFinding[] = report.findings;
  const errors = findings.filter(({ severity }) => severity === "error");
  return { ...outcome, findings, errors, rules: findings.map(({ rule }) => rule), summary: report.summary };
}

/** Creates a history, and runs `accrete compat` on its last version. */
export async function checkHistory(versions: readonly ExampleFiles[], ...more: readonly string[]) {
  return await runCompat(await createHistory(versions), ...more);
}

/** Waives the only error with `accrete compat --waive`. Returns the waivers of protocol.json. */
export async function waiveOnlyError(
  schemas: string,
  version: string,
  ...more: readonly string[]
): Promise<JsonObject[]> {
  const [error] = (await runCompat(schemas)).errors;
  const args = ["--waive", String(error?.fingerprint), "--reason", "Nobody reads it.", ...more];
  expect(await runAccrete(["compat", "--schemas", schemas, ...args])).toMatchObject({ exitCode: 0 });
  const file = path.join(schemas, `tea/v${version.split(".")[0]}/protocol.json`);
  return JSON.parse(readFileSync(file, "utf8")).waivers;
}

/** Returns the renames that compat reports, as `old → new`, with the number of members for a family. */
export async function findReportedRenames(before: ExampleFiles, after: ExampleFiles): Promise<string[]> {
  const { findings } = await checkHistory([before, after]);
  return findings.flatMap(({ rule, message }) => {
    if (!/^(event-renamed|field-renamed|field-moved)$/.test(rule)) return [];
    const [, from, to, members] =
      /"([^"]+)" was (?:renamed|moved) to "([^"]+)"(?: \((\d+) )?/.exec(String(message)) ?? [];
    return members === undefined ? [`${from} → ${to}`] : [`${from} → ${to}, ${members}`];
  });
}
