import { existsSync } from "node:fs";
import path from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { OMISSIONS, OUTPUT_NAMES, parseRequestedOutput } from "../emit/optional-emitters.js";
import { UsageError } from "../failure.js";
import { FAILURE_LEVELS, type FailureLevel } from "../finding.js";
import { REPORT_FORMATS, type ReportFormat } from "../report/report.js";
import { PROFILES } from "../schema/readings.js";
import { formatLiteral } from "../text.js";

/** The option values as commander returns them. */
export type RawOptions = { readonly [name: string]: unknown };

/**
 * Parses a name. Refuses an empty one, which results from an unset shell variable: an empty folder would mean the
 * current folder, an empty host all network interfaces.
 */
export function parseNonEmpty(value: string): string {
  if (value === "") throw new InvalidArgumentError("It must not be empty.");
  return value;
}

/** Creates an option that names a folder. */
function createFolderOption(flags: string, description: string, defaultFolder: string): Option {
  return new Option(flags, description).default(defaultFolder).argParser(parseNonEmpty);
}

/** The option `--schemas`. */
export const schemasOption = createFolderOption("--schemas <dir>", "folder of the protocols", "schemas");

/** The option `--schemas` of commands that only read. If the folder does not exist, they use the protocols that come with accrete. */
export const schemasOrBundledOption = createFolderOption(
  "--schemas <dir>",
  "folder of the protocols; if it does not exist, those that come with accrete",
  "schemas",
);

/** The option `--schemas` of commands that create protocols. */
export const newSchemasOption = createFolderOption(
  "--schemas <dir>",
  "folder of the protocols; the new one is written into it",
  "schemas",
);

/** The option `--out`. */
export const outOption = createFolderOption("--out <dir>", "folder of the generated code", "generated");

/** The option `--fixtures`. */
export const fixturesOption = createFolderOption(
  "--fixtures <dir>",
  "folder of the example events",
  "fixtures",
);

/** The option `--consumers`. */
export const consumersOption = new Option(
  "--consumers <file>",
  "the file in which contract tests record the frontends that passed (default: consumers.json in the fixtures)",
).argParser(parseNonEmpty);

/** The option `--difference`. */
export const differenceOption = new Option(
  "--difference",
  "add JSON Schemas of all messages that break to the findings",
);

/** Returns the value of `--consumers`. A file that was named must exist. */
export function readConsumersFile(options: RawOptions): string {
  const file = options.consumers;
  if (file === undefined) return path.join(readText(options, "fixtures"), "consumers.json");
  if (!existsSync(String(file))) throw new UsageError(`--consumers: file not found: ${file}`);
  return String(file);
}

/** The option `--emit`, which may be given several times. */
export const emitOption = new Option(
  "--emit <names>",
  `optional outputs, each with =FOLDER if it has its own, and those to leave out, separated by commas: ${OUTPUT_NAMES.join(", ")} (default: "emit" of the configuration)`,
).argParser(parseOutputs);

/** Returns the outputs that a value of `--emit` requests, after those of earlier values. */
function parseOutputs(value: string, earlier: readonly string[] = []): readonly string[] {
  const items = value.split(",").map((item) => item.trim());
  for (const { name, folder } of items.map(parseRequestedOutput)) {
    if (!OUTPUT_NAMES.includes(name))
      throw new InvalidArgumentError(
        `${formatLiteral(name)} is not an output; there are ${OUTPUT_NAMES.join(", ")}.`,
      );
    if (folder === "" || (folder !== undefined && Object.hasOwn(OMISSIONS, name)))
      throw new InvalidArgumentError(
        folder === "" ? `Name a folder after "${name}=".` : `${name} writes nothing, so it has no folder.`,
      );
  }
  return [...new Set([...earlier, ...items])];
}

/** The option `--no-cache`, which generate and check share. */
export const noCacheOption = new Option("--no-cache", "neither use nor write results of earlier runs");

/** The option `--cache`. */
export const cacheOption = new Option(
  "--cache <dir>",
  "folder for the results of earlier runs (default: node_modules/.cache/accrete of the project with the schemas)",
).argParser(parseNonEmpty);

/** Returns the folder that `--cache` names; `false` for `--no-cache`, and undefined by default. */
export function readCacheFolder(options: RawOptions): string | false | undefined {
  if (options.cache === false) return false;
  return typeof options.cache === "string" ? options.cache : undefined;
}

/** The option `--against` of commands that compare a protocol folder. */
export const againstOption = new Option(
  "--against <baseline>",
  "dir:PATH, release:X.Y, git:REF or npm:NAME@RANGE (default: every release of the major version)",
);

/** The option `--fail-on`. */
export const failOnOption = new Option(
  "--fail-on <severity>",
  "the lowest severity that gives exit code 1; never only reports",
)
  .choices(FAILURE_LEVELS)
  .default("error");

/** Returns the value of `--fail-on`. */
export function readFailOn(options: RawOptions): FailureLevel {
  return FAILURE_LEVELS.find((known) => known === options.failOn) ?? "error";
}

/** The option `--quiet`. */
export const quietOption = new Option("--quiet", "print nothing if the exit code is 0");

/** The option `--format`. */
export const formatOption = new Option("--format <format>", "output format")
  .choices(REPORT_FORMATS)
  .default("text");

/** The option `--protocol` of commands that read events. */
export const eventProtocolOption = new Option(
  "--protocol <id>",
  "the protocol of all events, such as hecate/v1 (default: found from the folder of a file and from its events)",
);

/** The option `--profile`. */
export const profileOption = new Option(
  "--profile <profile>",
  "reader: what consumers must accept; writer: what writers may send",
)
  .choices(PROFILES)
  .default("reader");

/** The option `--limit`. */
export const limitOption = new Option("--limit <count>", "maximum number of findings to print; 0 prints all")
  .argParser(parseCount)
  .default(100);

/** Returns the value of an option that has a default. */
export function readText(options: RawOptions, name: string): string {
  return String(options[name]);
}

/** Returns the value of an option without a default; undefined if it is not given. */
export function readOptionalText(options: RawOptions, name: string): string | undefined {
  return options[name] === undefined ? undefined : String(options[name]);
}

/** Returns the value of `--emit`. */
export function readEmit(options: RawOptions): readonly string[] {
  return (options.emit ?? []) as readonly string[];
}

/** Returns the value of `--format`. */
export function readFormat(options: RawOptions): ReportFormat {
  return REPORT_FORMATS.find((known) => known === options.format) ?? "text";
}

/** Parses a count from the command line. */
export function parseCount(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number, 0 or more.");
  return Number(value);
}
