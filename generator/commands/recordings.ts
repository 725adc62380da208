import { createReadStream } from "node:fs";
import path from "node:path";
import { Option } from "commander";
import { UsageError } from "../failure.js";
import { decompress, describeReadError } from "../ingest/read-input.js";
import { type Recording, readRecording } from "../ingest/read-recording.js";
import { type Io, lstatIfExists } from "../io.js";
import { changeFolder } from "../output/transaction.js";
import { createRowFinder } from "../rows/find-row.js";
import { listDiscriminators, type Validators } from "../validators/protocol-validators.js";
import { parseNonEmpty } from "./options.js";

/** The option `--out` of commands that write recordings. */
export const recordingsOutOption = new Option(
  "--out <dir>",
  "folder to write to, under the same file names without .gz or .zst; without it, one recording is printed",
).argParser(parseNonEmpty);

/**
 * Reads recordings that will be written to `out`.
 * @throws UsageError if a file cannot be read exactly, or if two files would be written to the same place.
 */
export async function readRecordings(
  files: readonly string[],
  validators: readonly Validators[],
  out: string | undefined,
): Promise<Recording[]> {
  if (out === undefined && files.length > 1)
    throw new UsageError("Several recordings need a folder to be written to: --out DIR.");
  const names = files.map(getOutputName);
  const repeatedName = names.find((name, index) => names.indexOf(name) < index);
  if (repeatedName !== undefined)
    throw new UsageError(`Two recordings are named ${repeatedName}; write them to different folders.`);
  const discriminators = listDiscriminators(validators);
  const recordings: Recording[] = [];
  for (const file of files) {
    const recording = readRecording(file, await readTextFile(file), discriminators);
    refuseMessages(recording, validators);
    recordings.push(recording);
  }
  return recordings;
}

/** Returns the name of the file that a recording is written to, which is not compressed. */
function getOutputName(file: string): string {
  return path.basename(file).replace(/\.(gz|zst)$/, "");
}

/**
 * Refuses a recording whose events stand inside of messages (`envelope.message` of protocol.json), because the commands
 * that write recordings change events that stand alone.
 */
function refuseMessages({ name, events }: Recording, validators: readonly Validators[]): void {
  const findRow = createRowFinder(
    validators.filter(({ protocol }) => protocol.envelope.message && !protocol.rows).map(wrap),
  );
  const number = events.findIndex(({ value }) => findRow(value, undefined) !== undefined) + 1;
  if (number === 0) return;
  throw new UsageError(
    `${name}: the event ${number} stands inside of a message, and this command reads events that stand alone. Write the events without their messages into a file first.`,
  );
}

function wrap(validators: Validators): { readonly validators: Validators } {
  return { validators };
}

async function readTextFile(file: string): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const parts: string[] = [];
  try {
    for await (const bytes of decompress(createReadStream(file)))
      parts.push(decoder.decode(bytes, { stream: true }));
    return [...parts, decoder.decode()].join("");
  } catch (error) {
    const isEncoding = error instanceof TypeError && !("syscall" in error);
    const reason = isEncoding ? "the file is not UTF-8" : describeReadError(error);
    throw new UsageError(`${file}: ${reason ?? String(error)}`);
  }
}

/** Writes the texts of recordings to a folder, or prints the only one. */
export function writeRecordings(
  recordings: readonly Recording[],
  texts: readonly string[],
  out: string | undefined,
  io: Io,
): void {
  const files = recordings.map(({ name }, index) => ({
    path: getOutputName(name),
    content: texts[index] ?? "",
  }));
  if (out === undefined) for (const { content } of files) io.stdout(content);
  else writeFiles(out, files, io);
}

/** Writes files to a folder, all or none. Files with the same names are replaced. */
export function writeFiles(
  folder: string,
  files: readonly { readonly path: string; readonly content: string }[],
  io: Io,
): void {
  const exists = (name: string) => lstatIfExists(path.join(folder, name)) !== undefined;
  changeFolder(
    folder,
    files.map((file) => ({ ...file, exists: exists(file.path) })),
    io,
  );
}
