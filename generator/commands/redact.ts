import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { type Redaction, redactRecordings } from "../redact/redact-recordings.js";
import { formatCount, sanitizeLine } from "../text.js";
import { refuseRecordingsOfMissingProtocols } from "../validate/suggest-schemas.js";
import { createValidators } from "../validators/protocol-validators.js";
import type { CommandEntry } from "./command.js";
import { readOptionalText, readText, schemasOrBundledOption } from "./options.js";
import { readRecordings, recordingsOutOption, writeRecordings } from "./recordings.js";

/** The options of `accrete redact`. */
interface RedactOptions {
  readonly files: readonly string[];
  readonly schemas: string;
  /** The folder to write to; without it, one recording is printed. */
  readonly out: string | undefined;
}

async function redact({ files, schemas, out }: RedactOptions, io: Io): Promise<ExitCode> {
  const protocols = await loadValidProtocols(schemas, [], { examples: false });
  const validators = protocols.map(createValidators);
  await refuseRecordingsOfMissingProtocols(files, schemas, validators, io.stdin);
  const recordings = await readRecordings(files, validators, out);
  const redaction = redactRecordings(recordings, validators);
  writeRecordings(recordings, redaction.texts, out, io);
  io.stderr(summarizeRedaction(redaction));
  const isClean = redaction.broken.length === 0 && redaction.secretNames.length === 0;
  return isClean ? EXIT.ok : EXIT.findings;
}

/** Returns the numbers of redacted values by their reason, and a sentence for each event that needs the user's attention. */
function summarizeRedaction({ places, secretNames, broken }: Redaction): string {
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
  const nameMessages = secretNames.map(
    ({ recording, event, pointer, reason }) =>
      `${sanitizeLine(recording)}: event ${event}: the name of a field of ${sanitizeLine(pointer || "the event")} looks like a secret (${reason}), and names are not changed. Remove the field.\n`,
  );
  return [total, ...nameMessages, ...invalidEvents].join("");
}

/** The command `accrete redact`. */
export const redactCommand: CommandEntry = {
  name: "redact",
  summary: "remove secrets from recordings, so that they can be fixtures",
  operands: { syntax: "<recordings...>", description: "JSON Lines, lists of events or single events" },
  writes: "with --out",
  options: [recordingsOutOption, schemasOrBundledOption],
  examples: [
    ["redact run.jsonl > clean.jsonl", "one recording"],
    [
      "redact recordings/*.jsonl --out fixtures/notes/v1/streams",
      "several; an id gets the same replacement in all of them",
    ],
  ],
  exits:
    "0 redacted, 1 an event is not valid any more or the name of a field looks like a secret, 2 wrong usage or unreadable input.",
  run: (files, options, io) =>
    redact({ files, schemas: readText(options, "schemas"), out: readOptionalText(options, "out") }, io),
};
