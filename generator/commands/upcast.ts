import { UsageError } from "../failure.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import type { Protocol } from "../protocol/protocol.js";
import { REPORTERS } from "../report/report.js";
import { formatCount, sanitizeText } from "../text.js";
import { type UpcastRecordings, upcastRecordings } from "../upcast/upcast-recordings.js";
import { createValidators } from "../validators/protocol-validators.js";
import type { CommandEntry } from "./command.js";
import { readOptionalText, readText, schemasOrBundledOption } from "./options.js";
import { readRecordings, recordingsOutOption, writeRecordings } from "./recordings.js";

interface UpcastOptions {
  /** The ids of the earlier and the later version, and the recordings. */
  readonly operands: readonly string[];
  readonly schemas: string;
  /** The folder to write to; without it, one recording is printed. */
  readonly out: string | undefined;
}

async function upcast({ operands, schemas, out }: UpcastOptions, io: Io): Promise<ExitCode> {
  const [fromId, toId, ...files] = operands;
  if (fromId === undefined || toId === undefined || files.length === 0)
    throw new UsageError("Name two versions of a protocol and at least one recording: upcast FROM TO FILE.");
  const protocols = await loadValidProtocols(schemas, [fromId, toId], { examples: false });
  const [from, to] = [fromId, toId].map((id) => protocols.find((protocol) => protocol.id === id));
  if (!from || !to) throw new UsageError(`${fromId} or ${toId} cannot be loaded.`);
  const migration = { from: createValidators(from), to: createValidators(to), plan: findPlan(from, to) };
  const recordings = readRecordings(files, [migration.from], out);
  const result = upcastRecordings(recordings, migration);
  if (result.findings.length > 0) {
    const summary = {
      text: `${formatCount(result.findings.length, "error")}; nothing was written`,
      data: {},
    };
    io.stdout(REPORTERS.text(result.findings, { color: io.colors, summary }));
    return EXIT.findings;
  }
  writeRecordings(recordings, result.texts, out, io);
  io.stderr(summarizeUpcast(result, to));
  return EXIT.ok;
}

function findPlan(from: Protocol, to: Protocol) {
  const plan = from.name === to.name ? to.upcasts?.find((each) => each.from === from.major) : undefined;
  if (plan === undefined)
    throw new UsageError(
      `${to.id} does not say how events of ${from.id} become its events: protocol.json has no "upcasts" from ${from.major}.`,
    );
  return plan;
}

function summarizeUpcast({ events, unknownTypes }: UpcastRecordings, { id }: Protocol): string {
  const total = `${formatCount(events, "event")} carried over to ${id}\n`;
  if (unknownTypes.length === 0) return total;
  return `${total}${id} does not declare ${unknownTypes.map(sanitizeText).join(", ")}; these payloads are kept as they are\n`;
}

/** `accrete upcast`. */
export const upcastCommand: CommandEntry = {
  name: "upcast",
  summary: "carry recordings over to a later major version of their protocol",
  operands: {
    syntax: "<operands...>",
    description: "the version of the recordings, the later version, and the recordings",
  },
  options: [recordingsOutOption, schemasOrBundledOption],
  examples: [
    ["upcast orders/v1 orders/v2 day.jsonl > new.jsonl", "one recording"],
    [
      "upcast orders/v1 orders/v2 archive/*.jsonl --out archive-v2",
      "several; a stream may continue in the next file",
    ],
  ],
  exits:
    "0 carried over, 1 an event cannot be carried over and nothing was written, 2 wrong usage or unreadable input.",
  run: (operands, options, io) =>
    upcast({ operands, schemas: readText(options, "schemas"), out: readOptionalText(options, "out") }, io),
};
