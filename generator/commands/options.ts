import { InvalidArgumentError, Option } from "commander";
import { FORMATS, type Format } from "../report/report.js";

/** Options as commander hands them over. */
export type RawOptions = { readonly [name: string]: unknown };

/** `--schemas`: where the protocols are. */
export const schemasOption = new Option("--schemas <dir>", "folder of the protocols").default("schemas");

/** `--out`: where generated code goes. */
export const outOption = new Option("--out <dir>", "folder of the generated code").default("generated");

/** `--fixtures`: where the example events are. */
export const fixturesOption = new Option("--fixtures <dir>", "folder of the example events").default(
  "fixtures",
);

/** `--format`: how findings are printed. */
export const formatOption = new Option("--format <format>", "how to print").choices(FORMATS).default("text");

/** The value of an option that has a default and takes a string. */
export function text(options: RawOptions, name: string): string {
  return String(options[name]);
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
