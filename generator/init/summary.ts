import path from "node:path";
import { lstatIfExists, toForwardSlashes } from "../io.js";
import type { InitResult } from "./init-project.js";
import type { PackageScripts } from "./package-scripts.js";
import { WORKFLOW } from "./workflow.js";

/** Returns the text that lists what init wrote and the commands that come next. */
export function summarizeInit(
  root: string,
  { files, unchanged, extended, scripts, isNew }: InitResult,
): string {
  const formatPath = (file: string): string => toForwardSlashes(path.join(root, file));
  const renamed = Object.entries(scripts.names).filter(([name, newName]) => name !== newName);
  const repository = files.some((file) => file.path === WORKFLOW)
    ? findRepositoryAbove(path.resolve(root))
    : undefined;
  const lines = [
    ...files.map((file) => `made ${formatPath(file.path)}`),
    `${isNew ? "made" : "changed"} ${formatPath("package.json")}`,
    ...extended.map((file) => `changed ${formatPath(file.path)}`),
    ...unchanged.map((file) => `kept ${formatPath(file.path)}, which existed`),
    ...renamed.map(([name, newName]) => `the script is called ${newName}: ${name} existed already`),
  ];
  if (scripts.unchecked !== undefined)
    lines.push(`the script ${scripts.names.check} does not validate ${scripts.unchecked} yet; add it there`);
  if (repository !== undefined)
    lines.push(`GitHub reads workflows in ${toForwardSlashes(repository)}/.github only; move it there`);
  lines.push("", "Next:", ...listNextSteps(root, scripts));
  return `${lines.join("\n")}\n`;
}

/** Returns the root of the repository that contains `project`; undefined if `project` is that root or not in a repository. */
function findRepositoryAbove(project: string, folder = project): string | undefined {
  if (lstatIfExists(path.join(folder, ".git"))) return folder === project ? undefined : folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findRepositoryAbove(project, parent);
}

function listNextSteps(root: string, { names, added }: PackageScripts): string[] {
  const steps: (readonly [command: string, meaning: string])[] = [
    ["npm install", added.join(" and ") || "if that is not done yet"],
    [`npm run ${names.generate}`, "types, validators, catalogue and tests from the schemas"],
    [`npm run ${names.test}`, "the generated tests"],
    ["npx accrete-cli release 1.0", "from here on the contract may only grow"],
    [`npm run ${names.check}`, "sound, up to date, and nothing broken"],
  ];
  if (path.resolve(root) !== path.resolve())
    steps.unshift([`cd ${JSON.stringify(toForwardSlashes(root))}`, "the project"]);
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`);
}
