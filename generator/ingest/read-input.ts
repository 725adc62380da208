/** Reads the bytes of inputs and decompresses gzip and zstd. */
import { closeSync, createReadStream, openSync, read, readSync } from "node:fs";
import { type Duplex, pipeline, Readable } from "node:stream";
import zlib, { createGunzip } from "node:zlib";
import { getSystemErrorReason, UsageError } from "../failure.js";
import { readHead } from "../io.js";
import type { ByteReader, Input } from "./place.js";
import { createZstdFrameReader, type ZstdFrameReader } from "./zstd-frames.js";

/** The number of bytes that are read at once. */
const PIECE_BYTES = 2 ** 21;

/** Thrown by inputs that are not files if they cannot be read. The message is the reason. */
export class UnreadableInput extends Error {}

/** Passes all bytes of an input to `reader`, and their number to `reportProgress`. Rejects if the input cannot be read or decompressed. */
export async function readInput(
  input: Input,
  stdin: AsyncIterable<Uint8Array>,
  reader: ByteReader,
  reportProgress: (bytes: number) => void,
): Promise<void> {
  if (input.file !== undefined && input.isRereadable) await readFile(input.file, reader, reportProgress);
  else {
    const pieces = input.file === undefined ? stdin : createReadStream(input.file);
    for await (const piece of input.open ? pieces : decompress(pieces)) {
      reader.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
      reportProgress(piece.length);
    }
  }
  reader.end();
}

/** Reads an input as `readInput` does. The error about an input that cannot be read names the input. */
export async function requireInput(...[input, ...rest]: Parameters<typeof readInput>): Promise<void> {
  await readInput(input, ...rest).catch((error) => {
    const reason = describeReadError(error);
    throw reason === undefined ? error : new UsageError(`cannot read ${input.name}: ${reason}`);
  });
}

/** Describes why an input could not be read or decompressed. Returns undefined for other errors. */
export function describeReadError(error: unknown): string | undefined {
  if (error instanceof UnreadableInput) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("ZSTD_")) return "its compressed data is damaged or cut off";
  if (!code.startsWith("Z_")) return getSystemErrorReason(error);
  return code === "Z_BUF_ERROR" ? CUT_OFF : "its compressed data is damaged";
}

const CUT_OFF = "its compressed data is cut off";

/** Reads a file. While the reader takes one piece, another thread reads the next one. */
async function readFile(
  file: string,
  reader: ByteReader,
  reportProgress: (bytes: number) => void,
): Promise<void> {
  const descriptor = openSync(file, "r");
  let piece: Buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let nextPiece: Buffer | undefined;
  let reading: Promise<number> | undefined;
  try {
    let bytesRead = readSync(descriptor, piece);
    while (bytesRead > 0) {
      const isFull = bytesRead === PIECE_BYTES;
      if (isFull) {
        nextPiece ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
        reading = readAsync(descriptor, nextPiece);
      }
      reader.push(isFull ? piece : piece.subarray(0, bytesRead));
      reportProgress(bytesRead);
      bytesRead = reading ? await reading : readSync(descriptor, piece);
      if (reading && nextPiece) [piece, nextPiece] = [nextPiece, piece];
      reading = undefined;
    }
  } finally {
    await reading?.catch(() => {});
    closeSync(descriptor);
  }
}

function readAsync(descriptor: number, piece: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, piece, 0, piece.length, null, (error, bytesRead) =>
      error ? reject(error) : resolve(bytesRead),
    );
  });
}

/** Returns whether a file is not compressed. */
export function isUncompressed(file: string): boolean {
  const head = readHead(file, MAGIC_BYTES);
  return findCompression(head) === undefined && !isCutOffHead(head);
}

/** A form of compression. */
interface Compression {
  /** The bytes that its data begins with. */
  readonly magic: Buffer;
  /** The number of these bytes that no text begins with. */
  readonly clearBytes: number;
  createDecompressor(): Duplex;
  /** Creates a reader that finds the end of the data. Absent if the decompressor reports data that is cut off. */
  readonly createFrameReader?: () => ZstdFrameReader;
}

const COMPRESSIONS: readonly Compression[] = [
  { magic: Buffer.from([0x1f, 0x8b]), clearBytes: 1, createDecompressor: createGunzip },
  {
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    clearBytes: 2,
    createDecompressor: createZstdDecompressor,
    createFrameReader: createZstdFrameReader,
  },
];
/** The length of the longest of these beginnings. */
const MAGIC_BYTES = 4;

function findCompression(head: Uint8Array): Compression | undefined {
  return COMPRESSIONS.find(({ magic }) => magic.equals(head.subarray(0, magic.length)));
}

/** Returns whether the bytes are the beginning of compressed data, and too few to decompress. */
function isCutOffHead(head: Uint8Array): boolean {
  return COMPRESSIONS.some(
    ({ magic, clearBytes }) =>
      head.length >= clearBytes && head.length < magic.length && magic.subarray(0, head.length).equals(head),
  );
}

function createZstdDecompressor(): Duplex {
  // The types are those of Node 20, which cannot decompress zstd.
  if ("createZstdDecompress" in zlib && typeof zlib.createZstdDecompress === "function")
    return zlib.createZstdDecompress();
  throw new UnreadableInput("Node 22.15 or later is needed to decompress zstd");
}

/** Yields the bytes of `pieces`, decompressed if they are compressed. Throws if compressed data is damaged or cut off. */
export async function* decompress(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const rest = pieces[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let isDone = false;
  while (head.length < MAGIC_BYTES && !isDone) {
    const next = await rest.next();
    isDone = next.done === true;
    if (!next.done) head = Buffer.concat([head, next.value]);
  }
  const allPieces = prepend(head, rest);
  const compression = findCompression(head);
  if (isDone && isCutOffHead(head)) throw new UnreadableInput(CUT_OFF);
  if (compression === undefined) yield* allPieces;
  else {
    const decompressor = compression.createDecompressor();
    const frames = compression.createFrameReader?.();
    // Errors are thrown by the iteration.
    pipeline(Readable.from(frames ? readFrames(allPieces, frames) : allPieces), decompressor, () => {});
    yield* decompressor;
    if (frames && !frames.isComplete()) throw new UnreadableInput(CUT_OFF);
  }
}

async function* readFrames(pieces: AsyncIterable<Buffer>, frames: ZstdFrameReader): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    frames.read(piece);
    yield piece;
  }
}

async function* prepend(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next())
    yield Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length);
}

/** Yields no bytes, for inputs that do not come from standard input. */
export async function* readNothing(): AsyncGenerator<Uint8Array> {}
