import path from "node:path";
import { toForwardSlashes } from "../io.js";
import type { InitResult } from "./init-project.js";
import type { PackageScripts } from "./package-scripts.js";
import type { Surroundings } from "./workflow.js";

/** Returns the text that lists what init wrote and the commands that come next. */
export function summarizeInit(
  root: string,
  { files, unchanged, extended, scripts, surroundings, isNew }: InitResult,
): string {
  const formatPath = (file: string): string => toForwardSlashes(path.join(root, file));
  const renamed = Object.entries(scripts.names).filter(([name, newName]) => name !== newName);
  const lines = [
    ...files.map((file) => `made ${formatPath(file.path)}`),
    `${isNew ? "made" : "changed"} ${formatPath("package.json")}`,
    ...extended.map((file) => `changed ${formatPath(file.path)}`),
    ...unchanged.map((file) => `kept ${formatPath(file.path)}, which existed`),
    ...renamed.map(([name, newName]) => `the script is called ${newName}: ${name} existed already`),
  ];
  if (scripts.unchecked !== undefined)
    lines.push(`the script ${scripts.names.check} does not validate ${scripts.unchecked} yet; add it there`);
  lines.push("", "Next:", ...listNextSteps(root, scripts, surroundings));
  return `${lines.join("\n")}\n`;
}

function listNextSteps(
  root: string,
  { names, added }: PackageScripts,
  { packageManager: { name, execute } }: Surroundings,
): string[] {
  const steps: (readonly [command: string, meaning: string])[] = [
    [`${name} install`, added.join(" and ") || "if that is not done yet"],
    [`${name} run ${names.generate}`, "types, validators, catalogue and tests from the schemas"],
    [`${name} run ${names.test}`, "the generated tests"],
    [`${execute} release 1.0`, "from here on the contract may only grow"],
    [`${name} run ${names.check}`, "sound, up to date, and nothing broken"],
  ];
  if (path.resolve(root) !== path.resolve())
    steps.unshift([`cd ${JSON.stringify(toForwardSlashes(root))}`, "the project"]);
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`);
}
