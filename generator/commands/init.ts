import { statSync } from "node:fs";
import path from "node:path";
import { Option } from "commander";
import { UsageError } from "../failure.js";
import { chooseScaffolding } from "../init/answers.js";
import { type InitFolders, initProject } from "../init/init-project.js";
import { PLACEMENTS } from "../init/scaffold.js";
import { summarizeInit } from "../init/summary.js";
import { EXIT, type Io, lstatIfExists } from "../io.js";
import type { CommandEntry } from "./command.js";
import { fixturesOption, outOption, type RawOptions, schemasOption } from "./options.js";
import { CONFIG_FILE, readConfig } from "./read-config.js";
import { resolveFolder } from "./read-options.js";

const FOLDER_OPTIONS = [schemasOption, fixturesOption, outOption];

/** Throws if `folder` is a file or would be below one. */
function refuseFile(folder: string): void {
  if (lstatIfExists(folder) && !statSync(folder).isDirectory())
    throw new UsageError(`${folder} is not a folder.`);
  if (!lstatIfExists(folder) && path.dirname(folder) !== folder) refuseFile(path.dirname(folder));
}

/**
 * Returns the root of the project, and its folders relative to the root, as the configuration states them. Throws if a
 * folder is given as a flag.
 */
export async function readInitFolders(folder: string, options: RawOptions, io: Io): Promise<InitFolders> {
  refuseFile(folder);
  const flag = FOLDER_OPTIONS.find((option) => options[option.attributeName()] !== undefined)?.long;
  if (flag)
    throw new UsageError(
      `init takes no ${flag}: write the folder into ${CONFIG_FILE}, where every command finds it.`,
    );
  const foundConfig = await readConfig(path.resolve(folder), io);
  // A folder below a configuration belongs to that project, except if it is a package itself.
  const isProject =
    foundConfig === undefined || lstatIfExists(path.join(folder, "package.json")) !== undefined;
  // The root keeps the path as the user wrote it, for messages.
  const root = isProject ? folder : path.join(folder, path.relative(folder, foundConfig.folder));
  const resolveBelow = (key: "schemas" | "fixtures" | "out", { defaultValue }: Option): string =>
    foundConfig ? path.relative(root, resolveFolder(foundConfig, key, defaultValue)) : defaultValue;
  return {
    root,
    schemas: resolveBelow("schemas", schemasOption),
    fixtures: resolveBelow("fixtures", fixturesOption),
    out: resolveBelow("out", outOption),
  };
}

/** The command `accrete init`. */
export const initCommand: CommandEntry = {
  name: "init",
  summary:
    "create a first protocol, with fixtures, scripts, a CI workflow and instructions for coding agents",
  operands: { syntax: "[dir]", description: "the folder of the project (default: the current folder)" },
  options: [
    new Option(
      "--name <name>",
      "name of the protocol (default: the command asks at a terminal, and otherwise uses the name of the folder)",
    ),
    new Option(
      "--placement <placement>",
      `where the payload is: ${Object.keys(PLACEMENTS).join(", ")} (default: the command asks at a terminal, and otherwise uses nested)`,
    ),
    new Option(
      "--discriminator <field>",
      "envelope field that holds the event type (default: the command asks at a terminal, and otherwise uses type)",
    ),
  ],
  writes: true,
  examples: [
    ["init", "in the current folder; asks at a terminal"],
    [
      "init events --name orders --placement inline --discriminator kind",
      "in the folder events, without questions",
    ],
  ],
  run: async ([root = "."], options, io) => {
    const folders = await readInitFolders(root, options, io);
    const result = initProject(folders, await chooseScaffolding(options, root, io), io);
    io.stdout(summarizeInit(folders.root, result));
    return EXIT.ok;
  },
};
