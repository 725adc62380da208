import { InvalidArgumentError, Option } from "commander";
import { UsageError } from "../failure.js";
import { createEventReader } from "../ingest/event-reader.js";
import { followFile } from "../ingest/follow-file.js";
import { findInputs } from "../ingest/inputs.js";
import type { Sink } from "../ingest/place.js";
import { requireInput } from "../ingest/read-input.js";
import { createFullShare } from "../ingest/stream-share.js";
import type { ExitCode, Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import type { DisplayOptions, EventDisplay } from "../replay/show-events.js";
import { createFeedHint, refuseRecordingsOfMissingProtocols } from "../validate/suggest-schemas.js";
import { createValidators } from "../validators/protocol-validators.js";
import type { CommandEntry } from "./command.js";
import { parseCount, readText, schemasOrBundledOption } from "./options.js";

/** The options of `accrete replay`. */
export interface ReplayOptions extends DisplayOptions {
  /** A file, `-` or a URL. */
  readonly source: string;
  readonly schemas: string;
  readonly follow: boolean;
}

/** Prints a recording or a live stream as text. */
export async function replay(options: ReplayOptions, io: Io): Promise<ExitCode> {
  const { source, schemas, follow } = options;
  // The help of all commands loads this file. So the modules that show events are loaded here.
  const { createEventDisplay } = await import("../replay/show-events.js");
  const { readUrl } = await import("../replay/read-url.js");
  const { protocols, findings } = await loadProtocols(schemas, [], { examples: false });
  const error = findings.find(({ severity }) => severity === "error");
  if (error)
    io.stderr(
      `accrete: note: protocols with errors are ignored, the first error is in ${error.at.file}; accrete lint lists them\n`,
    );
  const validators = protocols.map(createValidators);
  const stdin = await refuseRecordingsOfMissingProtocols([source], schemas, validators, io.stdin);
  const display = createEventDisplay(validators, options, io);
  const sink: Sink = {
    discriminators: display.discriminators,
    acceptValue: (value) => display.showValue(value),
    reportUnreadable: (findings, place) => {
      const subject = place.textKind === "line" ? "line" : `${place.textKind} at line`;
      for (const { message } of findings) display.showProblem(`${subject} ${place.line} ${message}`);
    },
  };
  if (/^https?:\/\//i.test(source)) {
    const hint = createFeedHint(source, schemas, validators, io.stderr);
    const showValue: EventDisplay["showValue"] = (value, id) => {
      hint.see(value);
      display.showValue(value, id);
    };
    await readUrl(source, follow, { ...display, showValue }, sink, io);
    await hint.finish();
  } else {
    const { inputs, unreadable } = await findInputs([source]);
    if (unreadable.length > 0) throw new UsageError(unreadable.join("; "));
    for (const input of inputs) {
      const createReader = () => createEventReader(input, sink, createFullShare());
      const stopped = follow && input.file !== undefined ? io.waitForStopSignal() : undefined;
      if (stopped === undefined) await requireInput(input, stdin, createReader(), () => undefined);
      // A file that is replaced is read from its beginning.
      else while ((await followFile(input.file as string, createReader(), stopped)) === "replaced");
    }
  }
  return display.finish();
}

function parseWidth(value: string): number {
  const number = parseCount(value);
  if (number < 20 || number > 10_000) throw new InvalidArgumentError("It must be a number from 20 to 10000.");
  return number;
}

/** The command `accrete replay`. */
export const replayCommand: CommandEntry = {
  name: "replay",
  summary: "print a recording or a live stream as readable text",
  operands: {
    syntax: "<source>",
    description: "JSON Lines, an SSE feed or a JSON page of events, - for standard input, or a URL",
  },
  options: [
    new Option("--follow", "wait for more events: as the file grows, or as the server sends them"),
    new Option(
      "--width <columns>",
      "maximum width of a line (default: the width of the terminal; without one, lines are not broken)",
    ).argParser(parseWidth),
    new Option("--reasoning", "print the reasoning of models, which is hidden by default"),
    new Option("--times", "print the time since the first shown event before each block"),
    new Option("--only <types>", "show only events of these types, separated by commas; tool.* is a family"),
    new Option(
      "--ansi <mode>",
      "keep or strip the colours in the output of tools (default: keep if the terminal shows colours)",
    ).choices(["keep", "strip"]),
    schemasOrBundledOption,
  ],
  examples: [
    ["replay fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "one run as text and tool calls"],
    [
      "replay fixtures/hecate/v1/streams/agent-loop-shell.jsonl --only 'tool.*' --times",
      "the tool calls of a run, and when they happened",
    ],
    ["replay --follow http://127.0.0.1:4780/hecate/v1/events", "all runs of a server, live"],
  ],
  exits:
    "0 everything was shown, 1 something is not an event of a known protocol, 2 wrong usage or unreadable input.",
  run: ([source = ""], options, io) =>
    replay(
      {
        source,
        schemas: readText(options, "schemas"),
        follow: options.follow === true,
        showsReasoning: options.reasoning === true,
        showsTimes: options.times === true,
        only: options.only === undefined ? undefined : readText(options, "only").split(",").filter(Boolean),
        keepsAnsi: options.ansi === undefined ? undefined : options.ansi === "keep",
        width: typeof options.width === "number" ? options.width : undefined,
      },
      io,
    ),
};
