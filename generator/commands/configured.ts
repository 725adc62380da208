import path from "node:path";
import type { Command } from "commander";
import type { Io } from "../io.js";
import { lstatIfExists, slashes } from "../io.js";
import { OWN_PACKAGE } from "../load/own-package.js";
import type { CommandEntry } from "./command.js";
import {
  emitOption,
  fixturesOption,
  newSchemasOption,
  outOption,
  type RawOptions,
  schemasOption,
  schemasOrOwnOption,
} from "./options.js";
import { type FoundConfig, readConfig } from "./read-config.js";

/** The options that name folders, each with its key in a configuration. */
const FOLDERS = [
  [schemasOption, "schemas"],
  [schemasOrOwnOption, "schemas"],
  [newSchemasOption, "schemas"],
  [outOption, "out"],
  [fixturesOption, "fixtures"],
] as const;

/** What a command is run with. */
export interface Configured {
  readonly options: RawOptions;
  /** Set where accrete's own protocols take the place of those that a project has not: a line for stderr. */
  readonly note?: string;
}

/** A command's options: the command line counts before the configuration, and that before the defaults. */
export async function configured(
  command: Pick<Command, "opts" | "getOptionValueSource">,
  entry: Pick<CommandEntry, "options">,
  io: Io,
): Promise<Configured> {
  const options: { [name: string]: unknown } = { ...command.opts() };
  const said = (name: string): boolean => command.getOptionValueSource(name) === "cli";
  const folders = FOLDERS.filter(([option]) => entry.options.includes(option));
  const open = folders.filter(([option]) => !said(option.attributeName()));
  const emits = entry.options.includes(emitOption) && !said(emitOption.attributeName());
  if (open.length === 0 && !emits) return { options };
  const found = await readConfig(path.resolve(), io);
  for (const [option, key] of open)
    options[option.attributeName()] = folderOf(found, key, String(option.defaultValue));
  if (emits) options[emitOption.attributeName()] = found?.config.emit ?? [];
  const schemas = open.find(([option]) => option === schemasOrOwnOption);
  if (!schemas || found?.config.schemas !== undefined || lstatIfExists(String(options.schemas)))
    return { options };
  const note = `accrete: note: there is no folder ${options.schemas}; the protocols of accrete itself are used\n`;
  for (const [option, key] of open)
    if (found?.config[key] === undefined)
      options[option.attributeName()] = path.join(OWN_PACKAGE, String(option.defaultValue));
  return { options, note };
}

/** A folder as the configuration names it, else its default beside the configuration, as seen from the current folder. */
export function folderOf(
  found: FoundConfig | undefined,
  key: "schemas" | "out" | "fixtures",
  otherwise: string,
): string {
  if (!found) return otherwise;
  return slashes(path.relative("", path.resolve(found.folder, found.config[key] ?? otherwise))) || ".";
}
