import { createReadStream, statSync } from "node:fs";
import { Option } from "commander";
import { type Judging, judgeEvent, type Verdict } from "../conform/judge-event.js";
import { protocolValidators } from "../conform/validators.js";
import type { Finding } from "../finding.js";
import type { Profile } from "../model/profile.js";
import { PROFILES } from "../model/profile.js";
import { type Format, REPORTERS } from "../report/report.js";
import type { Summary } from "../report/reporter.js";
import type { CommandEntry } from "./command.js";
import { bareReason, UsageError } from "./failure.js";
import { EXIT, type ExitCode, type Io } from "./io.js";
import { severities } from "./lint.js";
import { loadProtocols } from "./load-protocols.js";
import { count, format, formatOption, schemasOption, text } from "./options.js";
import { slashes } from "./plan-tree.js";
import { readEvents } from "./read-events.js";
import { counted } from "./words.js";

/** What `accrete validate` takes. */
export interface ValidateOptions {
  /** Files to read; `-` is standard input. */
  readonly files: readonly string[];
  readonly schemas: string;
  /** The id of the one protocol that all events follow; found from each event if undefined. */
  readonly protocol: string | undefined;
  readonly profile: Profile;
  readonly format: Format;
  /** How many findings to print; 0 for all. */
  readonly limit: number;
}

/** What was read so far. */
interface Tally {
  events: number;
  invalid: number;
  unknown: number;
  errors: number;
  findings: number;
  readonly protocols: Map<string, number>;
}

/** Validates the events of files, one after the other; a broken part does not keep the rest from being read. */
export async function validate(options: ValidateOptions, io: Io): Promise<ExitCode> {
  const { files, format, limit } = options;
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("Standard input (-) can be read only once.");
  const protocols = soundProtocols(options, io).map(protocolValidators);
  const tally: Tally = { events: 0, invalid: 0, unknown: 0, errors: 0, findings: 0, protocols: new Map() };
  const kept: Finding[] = [];
  const report = (findings: readonly Finding[]): void => {
    const room = limit === 0 ? findings.length : Math.max(0, limit - tally.findings);
    tally.findings += findings.length;
    tally.errors += severities(findings).errors;
    const shown = findings.slice(0, room);
    // Of the formats, text alone can be printed piece by piece.
    if (format !== "text") kept.push(...shown);
    else if (shown.length > 0) io.stdout(REPORTERS[format](shown, { color: io.colors }));
  };
  let unreadable = false;
  for (const file of files) {
    const reason = await validateFile(file, { protocols, profile: options.profile }, tally, report, io);
    if (reason !== undefined) io.stderr(`accrete: cannot read ${file}: ${reason}\n`);
    unreadable ||= reason !== undefined;
  }
  io.stdout(REPORTERS[format](kept, { color: io.colors, summary: summaryOf(tally, limit) }));
  if (unreadable) return EXIT.usage;
  return tally.errors > 0 ? EXIT.findings : EXIT.ok;
}

/** The protocols to judge by. Without sound schemas nothing can be said about any event. */
function soundProtocols({ schemas, protocol }: ValidateOptions, io: Io) {
  const { protocols, findings } = loadProtocols(schemas, protocol === undefined ? [] : [protocol]);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return protocols;
  io.stderr(REPORTERS.text(errors));
  throw new UsageError("The schemas have errors, so no event was read; `accrete lint` prints them.");
}

/** Reads one file to its end. Returns the reason if it cannot be read. */
async function validateFile(
  file: string,
  { protocols, profile }: Omit<Judging, "home">,
  tally: Tally,
  report: (findings: readonly Finding[]) => void,
  io: Io,
): Promise<string | undefined> {
  const name = file === "-" ? "<stdin>" : slashes(file);
  const seen = new Map<string, number>();
  const before = tally.events;
  try {
    for await (const read of readEvents(name, open(file, io))) {
      tally.events++;
      const judging = { protocols, profile, home: mostFrequent(seen) };
      const verdict =
        "findings" in read ? unread(read.findings) : judgeEvent(read.value, judging, read.locate);
      if (verdict.kind !== "known") tally[verdict.kind]++;
      if (verdict.protocol !== undefined)
        for (const counts of [seen, tally.protocols])
          counts.set(verdict.protocol, (counts.get(verdict.protocol) ?? 0) + 1);
      report(verdict.findings);
    }
  } catch (error) {
    const reason = bareReason(error);
    if (reason === undefined) throw error;
    return reason;
  }
  if (tally.events === before) report([noEvents(name)]);
  return undefined;
}

/** The verdict about something that is not even JSON. */
function unread(findings: readonly Finding[]): Verdict {
  return { kind: "invalid", findings };
}

function noEvents(file: string): Finding {
  const at = { file, pointer: "" };
  return { rule: "events-missing", severity: "warning", message: "There are no events here.", at };
}

function open(file: string, io: Io): AsyncIterable<Uint8Array> {
  if (file === "-") return io.stdin;
  if (statSync(file).isDirectory())
    throw Object.assign(new Error("EISDIR"), { code: "EISDIR", syscall: "read" });
  return createReadStream(file, { highWaterMark: 2 ** 18 });
}

function mostFrequent(counts: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  for (const [id, count] of counts) if (best === undefined || count > (counts.get(best) ?? 0)) best = id;
  return best;
}

function summaryOf({ events, invalid, unknown, errors, findings, protocols }: Tally, limit: number): Summary {
  const hidden = limit === 0 ? 0 : Math.max(0, findings - limit);
  const more = hidden > 0 ? [`${counted(hidden, "more finding")} not shown (--limit 0 shows all)`] : [];
  const parts = [
    counted(events, "event"),
    `${invalid} invalid`,
    ...(unknown > 0 ? [`${unknown} of unknown type`] : []),
  ];
  return {
    text: [...more, parts.join(", ")].join("\n"),
    data: { events, invalid, unknown, errors, hidden, protocols: Object.fromEntries([...protocols].sort()) },
  };
}

/** `accrete validate`. */
export const validateCommand: CommandEntry = {
  name: "validate",
  summary: "check events against their protocol",
  operands: {
    syntax: "<file...>",
    description: "JSON (an event or an array of them), JSON Lines, or - for standard input",
  },
  options: [
    new Option(
      "--protocol <id>",
      "the protocol of all events, such as hecate/v1; found from each event otherwise",
    ),
    new Option("--profile <profile>", "reader: what consumers must accept; writer: what emitters may send")
      .choices(PROFILES)
      .default("reader"),
    new Option("--limit <count>", "how many findings to print; 0 prints all").argParser(count).default(100),
    schemasOption,
    formatOption,
  ],
  examples: [
    ["validate run.jsonl", "every line of a recorded stream"],
    ["validate --profile writer fixtures/hecate/v1/streams/*.jsonl", "what an emitter wrote"],
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
      },
      io,
    ),
};
