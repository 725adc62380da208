/** Validates files or a live feed, or compares two recordings, and prints what it finds. */

import { UsageError } from "../failure.js";
import { findInputs } from "../ingest/inputs.js";
import type { Sink } from "../ingest/place.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import type { Json } from "../json.js";
import type { ReportFormat } from "../report/report.js";
import type { Profile } from "../schema/readings.js";
import { sanitizeLine } from "../text.js";
import type { Validators } from "../validators/protocol-validators.js";
import type { FeedTask } from "./follow-feed.js";
import { loadValidators } from "./load-validators.js";
import { createPrinter, createProgress } from "./printer.js";
import { runSession } from "./run.js";
import { createFeedHint, refuseRecordingsOfMissingProtocols } from "./suggest-schemas.js";
import { countFindings } from "./tally.js";

/** The options of `accrete validate`. */
interface ValidateOptions {
  /** Files and folders to read; `-` is standard input. */
  readonly files: readonly string[];
  readonly schemas: string;
  /** The id of the protocol that all events follow. If undefined, the protocol of each event is found from the event. */
  readonly protocol: string | undefined;
  readonly profile: Profile;
  readonly format: ReportFormat;
  /** The maximum number of findings to print; 0 for all. */
  readonly limit: number;
  /** True if events are validated one by one, without their streams. */
  readonly eventsOnly: boolean;
  readonly stats: boolean;
  readonly threads: number;
  /** True if each finding is printed as a line of JSON, of events that are sorted by stream. */
  readonly lines: boolean;
  /** True if the second file is compared with the first, and neither is validated. */
  readonly compare: boolean;
  /** A live feed, in place of files. */
  readonly feed: FeedTask | undefined;
}

/**
 * Validates the events of all inputs and their streams. An input that cannot be read does not stop the others. If `stop` is
 * aborted, ends with the findings until then.
 */
export async function validate(options: ValidateOptions, io: Io, stop: AbortSignal): Promise<ExitCode> {
  refuseWrongUse(options);
  const { feed } = options;
  if (options.compare) {
    const { compareFiles } = await import("./compare-recordings.js");
    return compareFiles(options, await loadValidators(options, io), io);
  }
  if (feed !== undefined) return validateFeed({ ...options, feed }, io, stop);
  return options.lines ? validateSortedLines(options, io, stop) : validateFiles(options, io, stop);
}

function refuseWrongUse({ files, feed, compare, lines, stats, eventsOnly, threads }: ValidateOptions): void {
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("Standard input (-) can be read only once.");
  if (feed && (files.length > 0 || compare))
    throw new UsageError("--url cannot be combined with files or --compare.");
  if (!feed && files.length === 0) throw new UsageError("Name what to read: files, folders, - or --url.");
  if (threads > 1 && (feed || lines))
    throw new UsageError("--threads is for files, without --url and --lines.");
  if (lines && (feed || compare || stats || eventsOnly))
    throw new UsageError("--lines cannot be combined with --url, --compare, --stats or --events-only.");
  if (compare && (files.length !== 2 || files.includes("-")))
    throw new UsageError("--compare takes two files: the first recording and the second.");
}

async function validateFiles(options: ValidateOptions, io: Io, stop: AbortSignal): Promise<ExitCode> {
  const { inputs, unreadable } = await findInputs(options.files);
  const { threads } = options;
  let validators: Validators[] | undefined;
  const load = async (): Promise<Validators[]> => {
    validators ??= await loadValidators(options, io);
    return validators;
  };
  // Findings about one of several files do not stop the others.
  const isSingle = options.files.length === 1 && options.protocol === undefined && threads === 1;
  const stdin = isSingle
    ? await refuseRecordingsOfMissingProtocols(options.files, options.schemas, await load(), io.stdin)
    : io.stdin;
  const progress = createProgress(io);
  const isLive = options.files.includes("-");
  const printer = createPrinter({ ...options, isLive }, io, progress.clear);
  const runIo = { stdin, stop, reportProgress: progress.add };
  const { schemas, protocol, profile, limit, eventsOnly, stats } = options;
  const task = { schemas, protocol, profile, limit, eventsOnly, stats, threads, inputs, thread: 0 };
  const parallel = threads > 1 ? await import("./threads.js") : undefined;
  const shared = await parallel?.runThreads(task, load, runIo);
  for (const finding of shared?.findings ?? []) printer.report(finding);
  const outcome =
    shared?.outcome ??
    (await runSession(
      { ...task, validators: await load(), threads: 1 },
      { ...runIo, hasRoom: printer.hasRoom, report: ({ finding }) => printer.report(finding) },
    ));
  return printer.end({ ...outcome, unreadable: [...unreadable, ...outcome.unreadable] });
}

/**
 * Validates events that are sorted by stream, and prints each finding as a line of JSON. Nothing is kept of a stream after
 * its last event. The exit code does not depend on the findings, which are the output.
 */
async function validateSortedLines(options: ValidateOptions, io: Io, stop: AbortSignal): Promise<ExitCode> {
  const { inputs, unreadable } = await findInputs(options.files);
  const { profile } = options;
  const outcome = await runSession(
    {
      inputs,
      validators: await loadValidators(options, io),
      profile,
      isSortedByStream: true,
      eventsOnly: false,
      stats: false,
      thread: 0,
      threads: 1,
    },
    {
      stdin: io.stdin,
      stop,
      reportProgress: () => {},
      hasRoom: () => true,
      report: ({ finding }) => io.stdout(`${JSON.stringify(finding)}\n`),
    },
  );
  const failures = [...unreadable, ...outcome.unreadable];
  for (const sentence of failures) io.stderr(`accrete: ${sanitizeLine(sentence)}\n`);
  return failures.length > 0 ? EXIT.usage : EXIT.ok;
}

async function validateFeed(
  options: ValidateOptions & { feed: FeedTask },
  io: Io,
  stop: AbortSignal,
): Promise<ExitCode> {
  const { createFeed, describeUnknownGoal } = await import("./follow-feed.js");
  const { input, feed, findMissing } = createFeed(options.feed, stop);
  const validators = await loadValidators(options, io);
  io.stderr(describeUnknownGoal(options.feed, validators));
  const hint = createFeedHint(options.feed.url, options.schemas, validators, io.stderr);
  const progress = createProgress(io);
  const printer = createPrinter({ ...options, isLive: true }, io, progress.clear);
  const { profile, eventsOnly, stats } = options;
  const outcome = await runSession(
    { inputs: [input], validators, profile, eventsOnly, stats, thread: 0, threads: 1 },
    {
      stdin: io.stdin,
      stop,
      reportProgress: progress.add,
      feed: (input, sink, addBytes) => feed(input, watchSink(sink, hint.see), addBytes),
      hasRoom: printer.hasRoom,
      report: ({ finding }) => printer.report(finding),
    },
  );
  await hint.finish();
  const missing = outcome.unreadable.length === 0 && !stop.aborted ? findMissing() : undefined;
  if (missing) {
    printer.report(missing);
    countFindings(outcome.tally, [missing]);
  }
  return printer.end(outcome);
}

/** Returns a sink that shows each value to `see` first. */
function watchSink(sink: Sink, see: (value: Json) => void): Sink {
  return {
    discriminators: sink.discriminators,
    reportUnreadable: (findings, place) => sink.reportUnreadable(findings, place),
    acceptValue(value, place, content) {
      see(value);
      sink.acceptValue(value, place, content);
    },
  };
}
