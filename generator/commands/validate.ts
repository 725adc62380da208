import { Option } from "commander";
import { UsageError } from "../failure.js";
import { inputsOf } from "../ingest/inputs.js";
import type { ExitCode, Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import { type Format, REPORTERS } from "../report/report.js";
import { PROFILES, type Profile } from "../schema/readings.js";
import type { FeedTask } from "../validate/follow-feed.js";
import { printerOf } from "../validate/printer.js";
import { progressOf } from "../validate/progress.js";
import { runSession } from "../validate/run.js";
import { protocolValidators, type Validators } from "../validators/protocol-validators.js";
import type { CommandEntry } from "./command.js";
import { count, format, formatOption, type RawOptions, schemasOrOwnOption, text } from "./options.js";

/** What `accrete validate` takes. */
export interface ValidateOptions {
  /** Files and folders to read; `-` is standard input. */
  readonly files: readonly string[];
  readonly schemas: string;
  /** The id of the one protocol that all events follow; found from each event if undefined. */
  readonly protocol: string | undefined;
  readonly profile: Profile;
  readonly format: Format;
  /** How many findings to print; 0 for all. */
  readonly limit: number;
  /** Whether events are judged one by one, without their streams. */
  readonly eventsOnly: boolean;
  readonly stats: boolean;
  readonly threads: number;
  /** Whether the second file is compared with the first, instead of judging either. */
  readonly replay: boolean;
  /** A live feed, in place of files. */
  readonly feed: FeedTask | undefined;
}

/** Validates the events of all inputs and their streams; a broken part does not keep the rest from being read. */
export async function validate(options: ValidateOptions, io: Io): Promise<ExitCode> {
  checkUsage(options);
  const { feed } = options;
  if (options.replay) {
    const { replay } = await import("../validate/compare-command.js");
    return replay(options, soundProtocols(options, io), io);
  }
  return feed === undefined ? validateFiles(options, io) : validateFeed({ ...options, feed }, io);
}

function checkUsage({ files, feed, replay }: ValidateOptions): void {
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("Standard input (-) can be read only once.");
  if (feed && (files.length > 0 || replay)) throw new UsageError("--url takes the place of files.");
  if (!feed && files.length === 0) throw new UsageError("Say what to read: files, folders, - or --url.");
  if (replay && (files.length !== 2 || files.includes("-")))
    throw new UsageError("--replay compares two files: the first recording and the second.");
}

async function validateFiles(options: ValidateOptions, io: Io): Promise<ExitCode> {
  let validators: Validators[] | undefined;
  const load = (): Validators[] => {
    validators ??= soundProtocols(options, io);
    return validators;
  };
  const { threads } = options;
  if (threads === 1) load();
  const { inputs, unreadable } = inputsOf(options.files);
  const progress = progressOf(io);
  const printer = printerOf(options, io, progress.clear);
  const world = { stdin: io.stdin, progress: progress.add };
  const { schemas, protocol, profile, limit, eventsOnly, stats } = options;
  const task = { schemas, protocol, profile, limit, eventsOnly, stats, threads, inputs, thread: 0 };
  const shared =
    threads > 1 ? await (await import("../validate/threads.js")).runThreads(task, load, world) : undefined;
  for (const finding of shared?.findings ?? []) printer.report(finding);
  const outcome =
    shared?.outcome ??
    (await runSession(
      { ...task, validators: load(), threads: 1 },
      { ...world, hasRoom: printer.hasRoom, report: ({ finding }) => printer.report(finding) },
    ));
  return printer.end({ ...outcome, unreadable: [...unreadable, ...outcome.unreadable] });
}

async function validateFeed(options: ValidateOptions & { feed: FeedTask }, io: Io): Promise<ExitCode> {
  const { feedOf, unknownGoal } = await import("../validate/follow-feed.js");
  const { input, feed, late } = feedOf(options.feed);
  const validators = soundProtocols(options, io);
  io.stderr(unknownGoal(options.feed, validators));
  const progress = progressOf(io);
  const printer = printerOf(options, io, progress.clear);
  const { profile, eventsOnly, stats } = options;
  const outcome = await runSession(
    { inputs: [input], validators, profile, eventsOnly, stats, thread: 0, threads: 1 },
    {
      ...{ stdin: io.stdin, progress: progress.add, feed, hasRoom: printer.hasRoom },
      report: ({ finding }) => printer.report(finding),
    },
  );
  const missed = outcome.unreadable.length === 0 ? late() : undefined;
  if (missed) {
    printer.report(missed);
    outcome.tally.findings++;
    outcome.tally.errors++;
  }
  return printer.end(outcome);
}

/** The protocols to judge by. Without sound schemas nothing can be said about any event. */
function soundProtocols(
  { schemas, protocol }: Pick<ValidateOptions, "schemas" | "protocol">,
  io: Io,
): Validators[] {
  const { protocols, findings } = loadProtocols(schemas, protocol === undefined ? [] : [protocol], {
    examples: false,
  });
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return protocols.map(protocolValidators);
  io.stderr(REPORTERS.text(errors));
  throw new UsageError("The schemas have errors, so no event was read; `accrete lint` prints them.");
}

function feedTask({ url, until, timeout }: RawOptions): FeedTask | undefined {
  if (url === undefined && (until !== undefined || timeout !== undefined))
    throw new UsageError("--until and --timeout belong to --url.");
  if (url === undefined) return undefined;
  return {
    url: String(url),
    until: until === undefined ? undefined : String(until),
    timeout: timeout === undefined ? undefined : Number(timeout),
  };
}

/** `accrete validate`. */
export const validateCommand: CommandEntry = {
  name: "validate",
  summary: "check events, and the streams they form, against their protocol",
  operands: {
    syntax: "[file...]",
    description:
      "JSON Lines, JSON (an event, a list of them), a captured SSE feed, each also gzipped; folders of them; - for standard input",
  },
  options: [
    new Option(
      "--protocol <id>",
      "the protocol of all events, such as hecate/v1; found from each event otherwise",
    ),
    new Option("--profile <profile>", "reader: what consumers must accept; writer: what emitters may send")
      .choices(PROFILES)
      .default("reader"),
    new Option("--events-only", "judge each event by itself, not the streams they form"),
    new Option("--replay", "compare two recordings: each run must have the same envelopes, byte for byte"),
    new Option("--url <url>", "follow a live feed of server-sent events instead of reading files"),
    new Option(
      "--until <what>",
      "with --url: stop after an event of that type, such as run.finished, or after so many events",
    ),
    new Option("--timeout <seconds>", "with --url: stop after that time").argParser(count),
    new Option("--stats", "count events by stream and by type"),
    new Option("--threads <count>", "share the streams of files out to so many threads")
      .argParser(count)
      .default(1),
    new Option("--limit <count>", "how many findings to print; 0 prints all").argParser(count).default(100),
    schemasOrOwnOption,
    formatOption,
  ],
  examples: [
    ["validate run.jsonl", "every line of a recorded stream"],
    ["validate --stats --threads 2 events/2026-05-03", "a day of events, all files of a folder"],
    ["validate --profile writer fixtures/hecate/v1/streams/*.jsonl", "what an emitter wrote"],
    ["validate --replay live.sse stored.jsonl", "whether reading again gives the same bytes"],
    ["validate --url http://localhost:8080/events/stream --until run.finished", "a live feed"],
    ["validate - --protocol hecate/v1 --format json", "events from standard input, for another program"],
  ],
  run: (files, options, io) =>
    validate(
      {
        files,
        schemas: text(options, "schemas"),
        protocol: options.protocol === undefined ? undefined : text(options, "protocol"),
        profile: options.profile === "writer" ? "writer" : "reader",
        format: format(options),
        limit: Number(options.limit),
        eventsOnly: options.eventsOnly === true,
        stats: options.stats === true,
        threads: Math.max(1, Number(options.threads)),
        replay: options.replay === true,
        feed: feedTask(options),
      },
      io,
    ),
};
