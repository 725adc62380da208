/** Reads parts of the inputs of an archive. */
import { createReadStream } from "node:fs";
import { createEventReader } from "../ingest/event-reader.js";
import { createLineReader } from "../ingest/line-reader.js";
import { type Input, type LineRange, READ_LIMITS, type Sink } from "../ingest/place.js";
import { decompress, readInput, readNothing } from "../ingest/read-input.js";
import { createFullShare } from "../ingest/stream-share.js";

/** A part of an input: all of it, or some of its lines. */
export interface InputPart {
  readonly input: Input;
  /** The lines in their order; a whole input ends with the line Infinity. Only inputs with `open` can have several ranges. */
  readonly lines: readonly LineRange[];
  /** The numbers of bytes of the input before the first and before the last line. */
  readonly offsets: LineRange;
}

/** Returns the part that is the whole input. */
export function createWholePart(input: Input): InputPart {
  return { input, lines: [{ first: 1, last: Infinity }], offsets: { first: 0, last: Infinity } };
}

export function isWholePart({ lines }: InputPart): boolean {
  return lines[0]?.first === 1 && lines[0].last === Infinity;
}

/** Passes the values of a part to `sink`. Rejects if the input cannot be read. */
export async function readPart(
  part: InputPart,
  sink: Sink,
  reportProgress: (bytes: number) => void,
): Promise<void> {
  const { input, lines, offsets } = part;
  const share = createFullShare();
  if (isWholePart(part)) {
    const reader = createEventReader(input, sink, share);
    await readInput(input, input.open?.() ?? readNothing(), reader, reportProgress);
    return;
  }
  // The first line may begin with a byte order mark.
  const firstLine = lines[0]?.first ?? 1;
  const reader =
    firstLine === 1
      ? createEventReader(input, sink, share)
      : createLineReader(input, sink, READ_LIMITS, share, offsets.first, firstLine);
  const open = (): AsyncIterable<Uint8Array> => openPart(part);
  const { index, name } = input;
  await readInput({ index, name, format: "lines", open }, open(), reader, reportProgress);
}

function openPart({ input, lines, offsets }: InputPart): AsyncIterable<Uint8Array> {
  if (input.open) return input.open(lines);
  const file = input.file as string;
  if (!input.isRereadable) return cutLines(decompress(createReadStream(file)), 0, offsets);
  return cutLines(createReadStream(file, { start: offsets.first }), offsets.first, offsets);
}

const LF = 0x0a;

/** Yields the lines from `first` to the one that begins at `last`; `offset` is the number of bytes before `pieces`. */
async function* cutLines(
  pieces: AsyncIterable<Uint8Array>,
  offset: number,
  { first, last }: LineRange,
): AsyncGenerator<Uint8Array> {
  let position = offset;
  for await (const piece of pieces) {
    const lineEnd = piece.indexOf(LF, Math.max(0, last - position));
    const isLast = position + piece.length > last && lineEnd !== -1;
    const part = piece.subarray(Math.max(0, first - position), isLast ? lineEnd + 1 : piece.length);
    if (part.length > 0) yield part;
    if (isLast) return;
    position += piece.length;
  }
}
