/** Reads the bytes of inputs and unpacks gzip. Plain files are read synchronously, which is faster. */
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { bareReason } from "../failure.js";
import { readHead } from "../io.js";
import type { ByteReader, Input } from "./place.js";

/** The bytes that are read at once. */
const PIECE = 2 ** 17;

/** Passes all bytes of an input to `reader`, and their number to `progress`. Rejects if the input cannot be read or unpacked. */
export async function readInput(
  input: Input,
  stdin: AsyncIterable<Uint8Array>,
  reader: ByteReader,
  progress: (bytes: number) => void,
): Promise<void> {
  if (input.file !== undefined && input.plain) readFile(input.file, reader, progress);
  else
    for await (const piece of unpacked(input.file === undefined ? stdin : createReadStream(input.file))) {
      reader.push(piece);
      progress(piece.length);
    }
  reader.end();
}

/** Returns why an input could not be read or unpacked; undefined for other errors. */
export function describeReadError(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!code.startsWith("Z_")) return bareReason(error);
  return code === "Z_BUF_ERROR" ? "its gzip data is cut off" : "its gzip data is damaged";
}

function readFile(file: string, reader: ByteReader, progress: (bytes: number) => void): void {
  const descriptor = openSync(file, "r");
  const piece = Buffer.allocUnsafeSlow(PIECE);
  try {
    for (let got = readSync(descriptor, piece); got > 0; got = readSync(descriptor, piece)) {
      reader.push(got === PIECE ? piece : piece.subarray(0, got));
      progress(got);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Returns whether a file is not packed. */
export function isPlain(file: string): boolean {
  return !isGzip(readHead(file, 2));
}

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Yields the pieces, unpacked if they are gzip. */
async function* unpacked(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const rest = pieces[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let done = false;
  while (head.length < 2 && !done) {
    const next = await rest.next();
    done = next.done ?? false;
    if (!done) head = Buffer.concat([head, next.value as Uint8Array]);
  }
  const all = followedBy(head, rest);
  if (!isGzip(head)) yield* all;
  else {
    const gunzip = createGunzip();
    // Errors are thrown by the iteration.
    pipeline(Readable.from(all), gunzip, () => {});
    yield* gunzip as AsyncIterable<Buffer>;
  }
}

async function* followedBy(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next())
    yield Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length);
}
