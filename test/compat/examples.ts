/** Examples of changes as folders of schemas, compared as `accrete compat` compares them. */

import { readFileSync } from "node:fs";
import path from "node:path";
import type { ExpectedFinding, Rule } from "../../generator/compat/change.js";
import { type Checked, checkCompatibility } from "../../generator/compat/check.js";
import type { CompatFinding } from "../../generator/compat/describe.js";
import { createContainmentCache } from "../../generator/compat/proof/readings.js";
import { locateOnDisk } from "../../generator/load/baseline/locate-place.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { writeTea } from "./tea.js";
import { createTemporaryFolder } from "./temporary-folder.js";

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
export async function checkExample(example: Rule["example"]): Promise<Checked> {
  const { before, after } = writeExample(example);
  return checkFolders(before, after);
}

/** The one protocol below a folder; its errors end the test. */
export async function protocolBelow(folder: string): Promise<Protocol> {
  const { protocols, findings } = await loadSchemas(folder);
  const errors = findings.filter(({ severity }) => severity === "error");
  const [protocol] = protocols;
  if (!protocol || errors.length > 0) throw new Error(JSON.stringify(errors));
  return protocol;
}

/** Compares the protocols below two folders. */
export async function checkFolders(before: string, after: string): Promise<Checked> {
  const [old, now] = [await protocolBelow(before), await protocolBelow(after)];
  const locate = locateOnDisk();
  return checkCompatibility({
    current: { protocol: now, locate },
    baselines: [{ label: "before", protocol: old, locate }],
    history: [],
    complete: true,
    cache,
  });
}

/** Returns the parts of a finding that cases state. */
export function outcomeOf(finding: CompatFinding): ExpectedFinding & { readonly rule: string } {
  const { rule, severity, at, baseline, witness, opposite, stream, affects } = finding;
  return {
    rule,
    is: severity,
    at: textAt(at),
    ...(baseline && { baseline: textAt(baseline) }),
    ...(affects.length > 0 && { affects }),
    ...(witness !== undefined && { witness }),
    ...(opposite !== undefined && { opposite }),
    ...(stream !== undefined && { stream }),
  };
}

function textAt({ file, pointer, line = 0, column = 0 }: CompatFinding["at"]): string {
  const text =
    readFileSync(file, "utf8")
      .split("\n")
      [line - 1]?.slice(column - 1) ?? "";
  const name = file
    .replace(/^.*\/(before|after)\/tea\/v\d\/(events\/)?/, "")
    .replace(/(\.schema)?\.json$/, "");
  return `${name}#${pointer} ${text.replace(/,$/, "")}`;
}
