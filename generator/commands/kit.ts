import path from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { UsageError } from "../failure.js";
import { LAW_REPORT_FORMATS, type LawReportFormat } from "../kit-process/report-laws.js";
import type { CommandEntry } from "./command.js";
import {
  fixturesOption,
  parseCount,
  parseNonEmpty,
  readOptionalText,
  readText,
  schemasOrBundledOption,
} from "./options.js";

function parsePositive(value: string): number {
  const count = parseCount(value);
  if (count === 0) throw new InvalidArgumentError("It must be 1 or more.");
  return count;
}

function parseKinds(value: string): readonly string[] {
  return parseNonEmpty(value)
    .split(",")
    .map((kind) => kind.trim());
}

/** The command `accrete kit`. */
export const kitCommand: CommandEntry = {
  name: "kit",
  summary: "check the laws of contract tests on a consumer in any language",
  options: [
    new Option("--command <command>", "command that starts the adapter of the consumer").argParser(
      parseNonEmpty,
    ),
    new Option("--protocol <id>", "protocol of the events").argParser(parseNonEmpty),
    new Option(
      "--check-adapter",
      "check only whether the adapter answers each request, and print the messages",
    ),
    new Option("--law <id>", "check only this law"),
    new Option("--seed <number>", "determines the random streams").argParser(parseCount).default(1),
    new Option("--runs <number>", "number of random streams for each law")
      .argParser(parsePositive)
      .default(20),
    new Option("--timeout <seconds>", "time after which an adapter that does not answer is silent")
      .argParser(parsePositive)
      .default(10),
    new Option(
      "--known-broken <file>",
      "JSON file with the laws that the consumer is known to break, each with the reason",
    ).argParser(parseNonEmpty),
    new Option(
      "--record <name>",
      "if all laws are kept, record the consumer under this name for `accrete status`",
    ).argParser(parseNonEmpty),
    new Option(
      "--kinds <kinds>",
      "with --record: kinds of frontend, separated by commas, such as web,cli",
    ).argParser(parseKinds),
    new Option(
      "--consumers <file>",
      "with --record: the file of the records (default: consumers.json in the fixtures)",
    ).argParser(parseNonEmpty),
    new Option("--format <format>", "output format").choices(LAW_REPORT_FORMATS).default("text"),
    schemasOrBundledOption,
    fixturesOption,
  ],
  examples: [
    ['kit --command "python3 adapter.py" --protocol hecate/v1', "all laws on a consumer in Python"],
    ['kit --command "python3 adapter.py" --protocol hecate/v1 --check-adapter', "does the adapter answer?"],
    ["kit --command ./adapter --protocol hecate/v1 --format junit", "a report for CI"],
  ],
  exits:
    "0 all laws are kept, 1 a law is broken or was not checked, 2 wrong usage, or nobody can talk to the adapter.",
  async run(_operands, options, io) {
    const [command, protocol] = [readOptionalText(options, "command"), readOptionalText(options, "protocol")];
    if (command === undefined || protocol === undefined)
      throw new UsageError(
        "--command and --protocol are needed: what starts the adapter, and which events it takes.",
      );
    const name = readOptionalText(options, "record");
    const file =
      readOptionalText(options, "consumers") ?? path.join(readText(options, "fixtures"), "consumers.json");
    // The kit takes longer to load than the help.
    const { testAdapter } = await import("../kit-process/test-adapter.js");
    return await testAdapter(
      {
        command,
        protocol,
        schemas: readText(options, "schemas"),
        seed: Number(options.seed),
        runs: Number(options.runs),
        timeout: Number(options.timeout) * 1000,
        format: options.format as LawReportFormat,
        checksMessages: options.checkAdapter === true,
        law: readOptionalText(options, "law"),
        knownBroken: readOptionalText(options, "knownBroken"),
        record:
          name === undefined ? undefined : { name, kinds: (options.kinds ?? []) as readonly string[], file },
      },
      io,
    );
  },
};
