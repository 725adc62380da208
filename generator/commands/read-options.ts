import path from "node:path";
import type { Command } from "commander";
import { UsageError } from "../failure.js";
import { type Io, lstatIfExists, toForwardSlashes } from "../io.js";
import { OWN_PACKAGE } from "../load/own-package.js";
import type { CommandEntry } from "./command.js";
import {
  emitOption,
  fixturesOption,
  newSchemasOption,
  outOption,
  type RawOptions,
  schemasOption,
  schemasOrBundledOption,
} from "./options.js";
import { type FoundConfig, readConfig } from "./read-config.js";

/** The options that name folders, each with its key in a configuration. */
const FOLDER_OPTIONS = [
  [schemasOption, "schemas"],
  [schemasOrBundledOption, "schemas"],
  [newSchemasOption, "schemas"],
  [outOption, "out"],
  [fixturesOption, "fixtures"],
] as const;

/** The options of a command after the configuration and the defaults were applied. */
export interface EffectiveOptions {
  readonly options: RawOptions;
  /** A line for stderr if the project has no protocols and those that come with accrete are used. */
  readonly note?: string;
}

/** Returns the options of a command: from the command line, else from the configuration, else the defaults. */
export async function readOptions(
  command: Pick<Command, "opts" | "getOptionValueSource">,
  entry: Pick<CommandEntry, "options" | "readsFolders">,
  operands: readonly string[],
  io: Io,
): Promise<EffectiveOptions> {
  const options: { [name: string]: unknown } = { ...command.opts() };
  if (entry.readsFolders?.(operands, options) === false) return { options };
  const isGiven = (name: string): boolean => command.getOptionValueSource(name) === "cli";
  const folders = FOLDER_OPTIONS.filter(([option]) => entry.options.includes(option));
  const unset = folders.filter(([option]) => !isGiven(option.attributeName()));
  const needsEmit = entry.options.includes(emitOption) && !isGiven(emitOption.attributeName());
  if (unset.length === 0 && !needsEmit) return { options };
  const foundConfig = await readConfig(path.resolve(), io);
  for (const [option, key] of unset)
    options[option.attributeName()] = resolveFolder(foundConfig, key, String(option.defaultValue));
  if (needsEmit)
    options[emitOption.attributeName()] = foundConfig === undefined ? [] : listOutputs(foundConfig);
  const mayUseBundled = unset.some(([option]) => option === schemasOrBundledOption);
  const hasOwnSchemas = foundConfig?.config.schemas !== undefined || lstatIfExists(String(options.schemas));
  if (!mayUseBundled || hasOwnSchemas) return { options };
  const note = `accrete: note: the folder ${options.schemas} does not exist; the protocols that come with accrete are used\n`;
  for (const [option, key] of unset)
    if (foundConfig?.config[key] === undefined)
      options[option.attributeName()] = path.join(OWN_PACKAGE, String(option.defaultValue));
  return { options, note };
}

/** Returns the outputs that a configuration requests, as values of `--emit`. */
function listOutputs({ config: { emit = [], folders = {} }, folder }: FoundConfig): readonly string[] {
  const unused = Object.keys(folders).find((name) => !emit.includes(name));
  if (unused !== undefined)
    throw new UsageError(`"folders" of the configuration names "${unused}", which "emit" does not list.`);
  return emit.map((name) => {
    const own = folders[name];
    return own === undefined ? name : `${name}=${formatRelativePath(path.resolve(folder, own))}`;
  });
}

function formatRelativePath(absolute: string): string {
  return toForwardSlashes(path.relative("", absolute)) || ".";
}

/**
 * Returns the path, relative to the current folder, of the folder that the configuration names. The default is
 * `defaultFolder` next to the configuration file, or in the current folder if there is no configuration.
 */
export function resolveFolder(
  found: FoundConfig | undefined,
  key: "schemas" | "out" | "fixtures",
  defaultFolder: string,
): string {
  if (!found) return defaultFolder;
  return formatRelativePath(path.resolve(found.folder, found.config[key] ?? defaultFolder));
}
