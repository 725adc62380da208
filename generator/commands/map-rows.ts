import { UsageError } from "../failure.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { REPORTERS } from "../report/report.js";
import { mapRecordings } from "../rows/map-recordings.js";
import { formatCount } from "../text.js";
import { createValidators } from "../validators/protocol-validators.js";
import type { CommandEntry } from "./command.js";
import { readOptionalText, readText, schemasOrBundledOption } from "./options.js";
import { readRecordings, recordingsOutOption, writeRecordings } from "./recordings.js";

interface MapRowsOptions {
  readonly files: readonly string[];
  readonly schemas: string;
  /** The folder to write to; without it, one recording is printed. */
  readonly out: string | undefined;
}

async function mapRows({ files, schemas, out }: MapRowsOptions, io: Io): Promise<ExitCode> {
  const protocols = await loadValidProtocols(schemas, [], { examples: false });
  const validators = protocols.filter(({ rows }) => rows !== undefined).map(createValidators);
  if (validators.length === 0)
    throw new UsageError(
      `No protocol below ${schemas} states how its rows become events: add "rows" to its protocol.json.`,
    );
  const recordings = await readRecordings(files, validators, out);
  const { texts, findings, events } = mapRecordings(recordings, validators);
  if (findings.length > 0) {
    const summary = { text: `${formatCount(findings.length, "error")}; nothing was written`, data: {} };
    io.stdout(REPORTERS.text(findings, { color: io.colors, summary }));
    return EXIT.findings;
  }
  writeRecordings(recordings, texts, out, io);
  io.stderr(`${formatCount(events, "row")} mapped to public events\n`);
  return EXIT.ok;
}

/** The command `accrete map-rows`. */
export const mapRowsCommand: CommandEntry = {
  name: "map-rows",
  summary: "make public events from the rows of a log",
  operands: { syntax: "<recordings...>", description: "JSON Lines, lists of rows or single rows" },
  writes: "with --out",
  options: [recordingsOutOption, schemasOrBundledOption],
  examples: [
    ["map-rows rows.jsonl > events.jsonl", "one recording"],
    ["map-rows export/*.json --out events", "several, written under the same names"],
  ],
  exits:
    "0 mapped, 1 a row does not hold a valid event and nothing was written, 2 wrong usage or unreadable input.",
  run: (files, options, io) =>
    mapRows({ files, schemas: readText(options, "schemas"), out: readOptionalText(options, "out") }, io),
};
