import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Option } from "commander";
import { getSystemErrorReason, UsageError } from "../failure.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import { readRecording } from "../redact/read-recording.js";
import { type Redaction, redactRecordings } from "../redact/redact-recordings.js";
import { formatCount, sanitizeLine } from "../text.js";
import { createValidators } from "../validators/protocol-validators.js";
import type { CommandEntry } from "./command.js";
import { parseNonEmpty, readOptionalText, readText, schemasOrOwnOption } from "./options.js";

/** The options of `accrete redact`. */
interface RedactOptions {
  readonly files: readonly string[];
  readonly schemas: string;
  /** The folder to write to; without it, one recording is printed. */
  readonly out: string | undefined;
}

async function redact({ files, schemas, out }: RedactOptions, io: Io): Promise<ExitCode> {
  if (out === undefined && files.length > 1)
    throw new UsageError("Several recordings need a folder to be written to: --out DIR.");
  const { protocols } = await loadProtocols(schemas, [], { examples: false });
  const names = protocols.map(({ envelope }) => envelope.discriminator);
  const recordings = files.map((file) => readRecording(file, readTextFile(file), [...new Set(names)]));
  const redaction = redactRecordings(recordings, protocols.map(createValidators));
  for (const [index, text] of redaction.texts.entries())
    if (out === undefined) io.stdout(text);
    else writeText(path.join(out, path.basename(files[index] ?? "")), text);
  io.stderr(summarizeRedaction(redaction));
  return redaction.broken.length === 0 ? EXIT.ok : EXIT.findings;
}

function readTextFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file}: ${getSystemErrorReason(error) ?? String(error)}`);
  }
}

function writeText(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Returns the numbers of redacted values by their reason, and a sentence for each event that is not valid any more. */
function summarizeRedaction({ places, broken }: Redaction): string {
  const counts = new Map<string, number>();
  for (const { reason } of places) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const kinds = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, count]) => `${count} ${reason}`);
  const list = kinds.length > 0 ? `: ${kinds.join(", ")}` : "";
  const total = `${formatCount(places.length, "value")} redacted${list}\n`;
  const invalidEvents = broken.map(
    ({ recording, event }) =>
      `${sanitizeLine(recording)}: event ${event} is not valid any more. Allow a masked value in its schema, or remove the event.\n`,
  );
  return [total, ...invalidEvents].join("");
}

/** The command `accrete redact`. */
export const redactCommand: CommandEntry = {
  name: "redact",
  summary: "remove secrets and sensitive values from recordings, so that they can become fixtures",
  operands: { syntax: "<recordings...>", description: "JSON Lines, lists of events or single events" },
  options: [
    new Option(
      "--out <dir>",
      "folder to write to, under the same file names; without it, one recording is printed",
    ).argParser(parseNonEmpty),
    schemasOrOwnOption,
  ],
  examples: [
    ["redact run.jsonl > clean.jsonl", "one recording"],
    ["redact recordings/*.jsonl --out fixtures/notes/v1/streams", "several, in which ids stay the same"],
  ],
  exits: "0 redacted, 1 an event is not valid any more, 2 wrong usage or unreadable input.",
  run: (files, options, io) =>
    redact({ files, schemas: readText(options, "schemas"), out: readOptionalText(options, "out") }, io),
};
