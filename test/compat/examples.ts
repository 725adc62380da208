/** Writes the examples of changes as folders of schemas, and compares them like `accrete compat`. */

import { readFileSync } from "node:fs";
import path from "node:path";
import type { ExpectedFinding, Rule } from "../../generator/compat/change.js";
import { type CheckResult, checkCompatibility } from "../../generator/compat/check.js";
import type { CompatFinding } from "../../generator/compat/create-finding.js";
import { createContainmentCache } from "../../generator/compat/proof/readings.js";
import { locateOnDisk } from "../../generator/load/baseline/locate-place.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createTemporaryFolder } from "../folders.js";
import { writeTea } from "./tea.js";

const cache = createContainmentCache();

/** Writes both sides of an example into folders that are removed after the test. */
export function writeExample({ before, after }: Rule["example"]): { before: string; after: string } {
  const root = createTemporaryFolder();
  const folders = { before: path.join(root, "before"), after: path.join(root, "after") };
  writeTea(folders.before, before);
  writeTea(folders.after, after);
  return folders;
}

/** Compares the two sides of an example. */
export async function checkExample(example: Rule["example"]): Promise<CheckResult> {
  const { before, after } = writeExample(example);
  return checkFolders(before, after);
}

/** Loads the only protocol below a folder. Throws if it has errors. */
export async function loadOnlyProtocol(folder: string): Promise<Protocol> {
  const { protocols, findings } = await loadSchemas(folder);
  const errors = findings.filter(({ severity }) => severity === "error");
  const [protocol] = protocols;
  if (!protocol || errors.length > 0) throw new Error(JSON.stringify(errors));
  return protocol;
}

/** Compares the protocols below two folders. */
export async function checkFolders(before: string, after: string): Promise<CheckResult> {
  const baseline = await loadOnlyProtocol(before);
  const current = await loadOnlyProtocol(after);
  const locate = locateOnDisk();
  return checkCompatibility({
    current: { protocol: current, locate },
    baselines: [{ label: "before", protocol: baseline, locate }],
    history: [],
    hasAllBaselines: true,
    cache,
  });
}

/** Returns the parts of a finding that cases state. */
export function toExpectedFinding(finding: CompatFinding): ExpectedFinding & { readonly rule: string } {
  const { rule, severity, at, baseline, witness, opposite, stream, affects } = finding;
  return {
    rule,
    verdict: severity,
    at: formatLocation(at),
    ...(baseline && { baseline: formatLocation(baseline) }),
    ...(affects.length > 0 && { affects }),
    ...(witness !== undefined && { witness }),
    ...(opposite !== undefined && { opposite }),
    ...(stream !== undefined && { stream }),
  };
}

/** Formats a location as its file, its pointer and the rest of its line. */
function formatLocation({ file, pointer, line = 0, column = 0 }: CompatFinding["at"]): string {
  const lines = readFileSync(file, "utf8").split("\n");
  const text = lines[line - 1]?.slice(column - 1) ?? "";
  const name = file
    .replace(/^.*\/(before|after)\/tea\/v\d\/(events\/)?/, "")
    .replace(/(\.schema)?\.json$/, "");
  return `${name}#${pointer} ${text.replace(/,$/, "")}`;
}
