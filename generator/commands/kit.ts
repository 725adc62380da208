import path from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { UsageError } from "../failure.js";
import type { AdapterLocation } from "../kit-process/adapter-access.js";
import { LAW_REPORT_FORMATS, type LawReportFormat } from "../kit-process/report-laws.js";
import type { CommandEntry } from "./command.js";
import {
  fixturesOption,
  parseCount,
  parseNonEmpty,
  type RawOptions,
  readOptionalText,
  readText,
  schemasOrBundledOption,
} from "./options.js";

function parsePositive(value: string): number {
  const count = parseCount(value);
  if (count === 0) throw new InvalidArgumentError("It must be 1 or more.");
  return count;
}

function parseAdapterUrl(value: string): string {
  if (!/^https?:/i.test(value) || !URL.canParse(value))
    throw new InvalidArgumentError("It must be a URL that begins with http:// or https://.");
  const url = new URL(value);
  if (url.username !== "" || url.password !== "")
    throw new InvalidArgumentError("It must not hold a user name or a password.");
  return url.href;
}

function parseNames(value: string): readonly string[] {
  return parseNonEmpty(value)
    .split(",")
    .map((name) => name.trim());
}

function readLocation(options: RawOptions): AdapterLocation {
  const command = readOptionalText(options, "command");
  const url = readOptionalText(options, "url");
  if (command !== undefined && url === undefined) return { command };
  if (command === undefined && url !== undefined) return { url };
  throw new UsageError("Give either --command, which starts the adapter, or --url, where it takes requests.");
}

/** The command `accrete kit`. */
export const kitCommand: CommandEntry = {
  name: "kit",
  summary: "check the laws of contract tests on a consumer in any language",
  options: [
    new Option("--command <command>", "command that starts the adapter of the consumer").argParser(
      parseNonEmpty,
    ),
    new Option("--url <url>", "URL of an adapter behind HTTP, instead of --command").argParser(
      parseAdapterUrl,
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
    new Option(
      "--claims <names>",
      "what the consumer has to show, separated by commas: families such as tools, event types, or fields such as cost.tick/amount",
    ).argParser(parseNames),
    new Option(
      "--only <values>",
      "values that events need to be shown, separated by commas, such as tool.invoked/tool_name=bash",
    ).argParser(parseNames),
    new Option(
      "--score",
      "also report which facts of events the snapshot shows, and which it never shows or confuses",
    ),
    new Option(
      "--timeout <seconds>",
      "time after which an adapter that does not answer is silent; it has ten times as long to start",
    )
      .argParser(parsePositive)
      .default(10),
    new Option(
      "--known-broken <file>",
      "JSON file with the laws that the consumer is known to break, each with the reason",
    ).argParser(parseNonEmpty),
    new Option(
      "--record <name>",
      "if all laws are kept, record the consumer under this name, with the fields on which it depends",
    ).argParser(parseNonEmpty),
    new Option(
      "--kinds <kinds>",
      "with --record: kinds of frontend, separated by commas, such as web,cli",
    ).argParser(parseNames),
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
    ["kit --url http://127.0.0.1:8000/kit --protocol hecate/v1", "a consumer behind HTTP"],
  ],
  exits:
    "0 all laws are kept, 1 a law is broken or was not checked, 2 wrong usage, or nobody can talk to the adapter.",
  async run(_operands, options, io) {
    const location = readLocation(options);
    const protocol = readOptionalText(options, "protocol");
    if (protocol === undefined)
      throw new UsageError("--protocol is needed. It names the protocol of the events.");
    const name = readOptionalText(options, "record");
    const file =
      readOptionalText(options, "consumers") ?? path.join(readText(options, "fixtures"), "consumers.json");
    // The kit takes longer to load than the help.
    const { testAdapter } = await import("../kit-process/test-adapter.js");
    return await testAdapter(
      {
        location,
        protocol,
        schemas: readText(options, "schemas"),
        seed: Number(options.seed),
        runs: Number(options.runs),
        timeout: Number(options.timeout) * 1000,
        format: options.format as LawReportFormat,
        checksMessages: options.checkAdapter === true,
        law: readOptionalText(options, "law"),
        scores: options.score === true,
        claims: options.claims as readonly string[] | undefined,
        only: options.only as readonly string[] | undefined,
        knownBroken: readOptionalText(options, "knownBroken"),
        record:
          name === undefined ? undefined : { name, kinds: (options.kinds ?? []) as readonly string[], file },
      },
      io,
    );
  },
};
