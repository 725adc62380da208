import { InvalidArgumentError, Option } from "commander";
import { FORMATS, type Format } from "../report/report.js";
import { literal } from "../text.js";

/** Options as commander hands them over. */
export type RawOptions = { readonly [name: string]: unknown };

/** Parses a name of something: an unset variable of a script would name the current folder, or every address. */
export function nonEmpty(value: string): string {
  if (value === "") throw new InvalidArgumentError("It must not be empty.");
  return value;
}

/** An option that names a folder. */
function folderOption(flags: string, description: string, otherwise: string): Option {
  return new Option(flags, description).default(otherwise).argParser(nonEmpty);
}

/** `--schemas`: where the protocols are. */
export const schemasOption = folderOption("--schemas <dir>", "folder of the protocols", "schemas");

/** `--schemas` of commands that only read: accrete's own protocols do where a project has none. */
export const schemasOrOwnOption = folderOption(
  "--schemas <dir>",
  "folder of the protocols; where there is none, those that come with accrete",
  "schemas",
);

/** `--schemas` of commands that make protocols. */
export const newSchemasOption = folderOption(
  "--schemas <dir>",
  "folder of the protocols, into which a new one is written",
  "schemas",
);

/** `--out`: where generated code goes. */
export const outOption = folderOption("--out <dir>", "folder of the generated code", "generated");

/** `--fixtures`: where the example events are. */
export const fixturesOption = folderOption("--fixtures <dir>", "folder of the example events", "fixtures");

/** The names of MORE_EMITTERS, here because the emitters are loaded only when they are needed. */
export const MORE = ["go", "openapi", "asyncapi"] as const;

/** `--emit`: outputs that not every project wants. */
export const emitOption = new Option(
  "--emit <names>",
  `more outputs, with commas between them: ${MORE.join(", ")} (default: "emit" of the configuration)`,
).argParser(outputNames);

function outputNames(value: string): readonly string[] {
  const names = value.split(",").map((name) => name.trim());
  const strange = names.find((name) => !MORE.some((known) => known === name));
  if (strange !== undefined)
    throw new InvalidArgumentError(`${literal(strange)} is no output; there are ${MORE.join(", ")}.`);
  return names;
}

/** `--format`: how findings are printed. */
export const formatOption = new Option("--format <format>", "how to print").choices(FORMATS).default("text");

/** The value of an option that has a default and takes a string. */
export function text(options: RawOptions, name: string): string {
  return String(options[name]);
}

/** The value of `--emit`. */
export function emitted(options: RawOptions): readonly string[] {
  return (options.emit ?? []) as readonly string[];
}

/** The value of `--format`. */
export function format(options: RawOptions): Format {
  return FORMATS.find((known) => known === options.format) ?? "text";
}

/** Parses a count from the command line. */
export function count(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(value);
}
