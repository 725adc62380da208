import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Checked, check } from "../../generator/compat/check.js";
import type { CompatFinding } from "../../generator/compat/describe.js";
import { openOracle } from "../../generator/compat/proof/readings.js";
import { locateOnDisk } from "../../generator/load/baseline/locate-place.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";

/** Where the cases are: a folder each, named for the rule it is about, `silent-…` for those that must stay silent. */
export const CASES = path.join(import.meta.dirname, "../cases/compat");

const oracle = openOracle();

/** The names of all cases, sorted. */
export function caseNames(): string[] {
  return readdirSync(CASES)
    .filter((name) => existsSync(path.join(CASES, name, "before")))
    .sort();
}

/** The one protocol below a folder; its errors end the test. */
export function protocolBelow(folder: string): Protocol {
  const { protocols, findings } = loadSchemas(folder);
  const errors = findings.filter(({ severity }) => severity === "error");
  const [protocol] = protocols;
  if (!protocol || errors.length > 0) throw new Error(JSON.stringify(errors));
  return protocol;
}

/** Compares the two sides of a case. */
export async function checkFolders(before: string, after: string): Promise<Checked> {
  const [old, now] = [protocolBelow(before), protocolBelow(after)];
  const locate = locateOnDisk();
  return check({
    current: { protocol: now, locate },
    baselines: [{ label: "before", protocol: old, locate }],
    history: [],
    complete: true,
    oracle,
  });
}

/** What a case states about a finding. */
export function outline(finding: CompatFinding): object {
  const { rule, severity, at, baseline, witness, opposite, stream, affects } = finding;
  const place = ({ file, line, column }: CompatFinding["at"]) =>
    `${file.replace(/^.*\/(before|after)\/tea\/v\d\//, "$1/")}:${line}:${column}`;
  return {
    ...{ rule, severity, at: place(at) },
    ...(baseline && { baseline: place(baseline) }),
    ...(affects.length > 0 && { affects }),
    ...(witness !== undefined && { witness }),
    ...(opposite !== undefined && { opposite }),
    ...(stream !== undefined && { stream }),
  };
}

/** What a case expects. */
export function expectedOf(name: string): { findings: object[]; additions: object[] } {
  return JSON.parse(readFileSync(path.join(CASES, name, "expected.json"), "utf8"));
}

/** A file of a case. */
export function readCase(name: string, side: "before" | "after", file: string): unknown {
  return JSON.parse(readFileSync(path.join(CASES, name, side, file), "utf8"));
}
