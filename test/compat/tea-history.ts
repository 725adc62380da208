/** Small histories of a tea protocol: versions, some of them frozen, and the findings of `accrete compat` about the last one. */

import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { runAccrete } from "../cli/run-in-process.js";
import { freeze } from "./project.js";
import { writeTea } from "./tea.js";
import { createTemporaryFolder } from "./temporary-folder.js";

export const SERVED = "events/tea.served.schema.json";
export const POURED = "events/tea.poured.schema.json";
export const text = { type: "string", description: "Which." };
export const cups = { type: "integer", description: "How many." };

/** A tombstone of a field of tea.served. */
export const tombstone = (name: string, removedIn: string) => ({
  kind: "field",
  name,
  in: "tea.served",
  removedIn,
  reason: "Nobody reads it.",
});

/** A version with these fields of tea.served. */
export function at(
  version: string,
  properties: object,
  protocol: object = {},
  files: ExampleFiles = {},
): ExampleFiles {
  const head = { version, major: Number(version.split(".")[0]), ...protocol };
  return filesOf({ "protocol.json": head, [SERVED]: { properties }, ...files });
}

/** Schemas at the last version, with every version but the last `open` ones frozen. */
export async function history(versions: readonly ExampleFiles[], open = 1): Promise<string> {
  const schemas = createTemporaryFolder();
  for (const [index, files] of versions.entries()) {
    for (const kind of ["events", "resources", "shared"])
      rmSync(path.join(schemas, "tea/v1", kind), { recursive: true, force: true });
    const folder = writeTea(schemas, files);
    if (index < versions.length - open) await freeze(schemas, path.relative(schemas, folder));
  }
  return schemas;
}

/** A finding as the report has it. */
export interface Seen {
  readonly rule: string;
  readonly severity: string;
  readonly fingerprint: string;
  readonly at: { readonly file: string; readonly pointer: string; readonly line?: number };
  readonly [member: string]: unknown;
}

/** Returns a waiver of a finding, written by hand. */
export function waiverOf(finding: Partial<Seen> | undefined, expires = "1.2"): JsonObject {
  const { fingerprint = "", rule = "" } = finding ?? {};
  return { fingerprint, rule, reason: "Nobody reads it.", expires };
}

/** Returns files of a version that are written as plain objects. */
export function filesOf(files: object): ExampleFiles {
  return JSON.parse(JSON.stringify(files));
}

/** Runs `accrete compat` on the schemas. */
export async function compat(schemas: string, ...more: readonly string[]) {
  const outcome = await runAccrete(["compat", "--schemas", schemas, "--format", "json", ...more]);
  const report = outcome.stdout.startsWith("{") ? JSON.parse(outcome.stdout) : { findings: [] };
  const findings: Seen[] = report.findings;
  return { ...outcome, findings, rules: findings.map(({ rule }) => rule), summary: report.summary };
}

/** The same contract with a waiver for the only error. */
export async function waive(
  schemas: string,
  version: string,
  ...more: readonly string[]
): Promise<JsonObject[]> {
  const { findings } = await compat(schemas);
  const [error] = findings.filter(({ severity }) => severity === "error");
  const args = ["--waive", String(error?.fingerprint), "--reason", "Nobody reads it.", ...more];
  expect(await runAccrete(["compat", "--schemas", schemas, ...args])).toMatchObject({ exitCode: 0 });
  const file = path.join(schemas, `tea/v${version.split(".")[0]}/protocol.json`);
  return JSON.parse(readFileSync(file, "utf8")).waivers;
}
