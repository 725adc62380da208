import { Option } from "commander";
import { UsageError } from "../failure.js";
import type { FeedTask } from "../validate/follow-feed.js";
import { validate } from "../validate/validate.js";
import type { CommandEntry } from "./command.js";
import { runInterruptibly } from "./interruptible.js";
import {
  eventProtocolOption,
  formatOption,
  limitOption,
  parseCount,
  profileOption,
  quietOption,
  type RawOptions,
  readFormat,
  readOptionalText,
  readText,
  schemasOrBundledOption,
} from "./options.js";

function readFeedTask(options: RawOptions): FeedTask | undefined {
  const { url, until, timeout } = options;
  if (url === undefined && (until !== undefined || timeout !== undefined))
    throw new UsageError("--until and --timeout need --url.");
  if (url === undefined) return undefined;
  return {
    url: String(url),
    until: readOptionalText(options, "until"),
    timeout: timeout === undefined ? undefined : Number(timeout),
  };
}

/** The command `accrete validate`. */
export const validateCommand: CommandEntry = {
  name: "validate",
  summary: "check events, and the streams that they form",
  operands: {
    syntax: "[file...]",
    description:
      "JSON Lines, JSON (an event or a list of events) or a saved SSE feed, each also compressed with gzip or zstd; folders of such files; - for standard input",
  },
  options: [
    eventProtocolOption,
    profileOption,
    new Option("--events-only", "check each event by itself, and no streams"),
    new Option(
      "--compare",
      "compare two recordings of the same runs: every envelope must have the same bytes",
    ),
    new Option("--url <url>", "follow a live feed of server-sent events instead of reading files"),
    new Option(
      "--until <what>",
      "with --url: stop after an event of this type, such as run.finished, or after this number of events",
    ),
    new Option("--timeout <seconds>", "with --url: stop after this number of seconds").argParser(parseCount),
    new Option(
      "--lines",
      "print each finding as one line of JSON as soon as it is found; the events must be sorted by stream",
    ),
    new Option("--stats", "count events by stream and by type"),
    new Option("--threads <count>", "number of threads, which pays for large files if as many cores are idle")
      .argParser(parseCount)
      .default(1),
    limitOption,
    schemasOrBundledOption,
    quietOption,
    formatOption,
  ],
  examples: [
    ["validate run.jsonl", "every line of a recorded stream"],
    ["validate --stats events/2026-05-03", "all files of a folder, with counts"],
    ["validate --profile writer fixtures/hecate/v1/streams/*.jsonl", "may a writer send these streams?"],
    ["validate --compare live.sse stored.jsonl", "do two recordings of a run have the same bytes?"],
    ["validate --url http://localhost:8080/events/stream --until run.finished", "a live feed"],
    ["validate --lines - < sorted.jsonl > findings.jsonl", "a part of an archive, in a pipe"],
    ["validate - --protocol hecate/v1 --format json", "events from standard input; findings as JSON"],
  ],
  run: (files, options, io) => {
    const task = {
      files,
      schemas: readText(options, "schemas"),
      protocol: readOptionalText(options, "protocol"),
      profile: options.profile === "writer" ? "writer" : "reader",
      format: readFormat(options),
      limit: Number(options.limit),
      eventsOnly: options.eventsOnly === true,
      stats: options.stats === true,
      threads: Math.max(1, Number(options.threads)),
      lines: options.lines === true,
      compare: options.compare === true,
      feed: readFeedTask(options),
    } as const;
    // A signal ends several threads at once, because they share no event loop.
    if (task.threads > 1) return validate(task, io, new AbortController().signal);
    return runInterruptibly(io, "these are the results until now", (stop) => validate(task, io, stop));
  },
};
