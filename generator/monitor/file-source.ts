/** Follows a file of JSON Lines while it grows, also when it is rotated: renamed, or copied and emptied. */
import { createHash } from "node:crypto";
import { closeSync, createReadStream, openSync, readdirSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { followFile } from "../ingest/follow-file.js";
import { createLineReader } from "../ingest/line-reader.js";
import { type ByteReader, READ_LIMITS } from "../ingest/place.js";
import { createFullShare } from "../ingest/stream-share.js";
import { toForwardSlashes } from "../io.js";
import type { FileHead, InputPosition, MonitorSession } from "./monitor-session.js";
import { type Source, waitForAbort } from "./source.js";

/** The bytes at the beginning of a file by which it is recognised. */
const HEAD_BYTES = 1024;
const LF = 0x0a;

/** Creates a source that reads a file from the position of the state on. */
export function createFileSource(file: string): Source {
  return async ({ io, session, stop, touch, reportOpen }) => {
    const opened = session.openInput(toForwardSlashes(file), file);
    const { position } = opened;
    const stopped = waitForAbort(stop);
    if (!hasHead(file, position.head)) {
      const earlier = findRotated(file, position.head);
      if (earlier !== undefined) {
        const reader = createReader(earlier, opened, touch);
        for await (const piece of createReadStream(earlier, { start: position.offset })) reader.push(piece);
        reader.end();
      } else {
        session.markGap();
        io.stderr(
          `accrete: ${file} was replaced, and the earlier file is not beside it; what was written to that after byte ${position.offset} is not checked\n`,
        );
      }
      beginAgain(position);
    }
    const { size } = statSync(file);
    if (size < position.offset)
      throw new UsageError(
        `${file} has ${size} bytes, but ${position.offset} were read before. Was it cut off?`,
      );
    reportOpen();
    for (;;) {
      const reader = createReader(file, opened, touch);
      // A line without its end may still grow when the monitor starts again.
      const following: ByteReader = { push: reader.push, end: () => undefined };
      const isSame = (descriptor: number): boolean => readsHead(descriptor, position.head);
      if ((await followFile(file, following, stopped, position.offset, isSame)) === "stopped") return;
      reader.end();
      io.stderr(`accrete: ${file} was replaced; the new one is read from its beginning\n`);
      beginAgain(position);
    }
  };
}

function beginAgain(position: InputPosition): void {
  Object.assign(position, { offset: 0, lines: 0, head: undefined });
}

/** Creates a reader of the lines after the position, which it moves. */
function createReader(
  file: string,
  { input, sink, position }: ReturnType<MonitorSession["openInput"]>,
  touch: () => void,
): ByteReader {
  const first = position.lines + 1;
  const lines = createLineReader(input, sink, READ_LIMITS, createFullShare(), position.offset, first);
  let bytesRead = position.offset;
  let head = openBriefly(file, (descriptor) => readHead(descriptor, position.offset));
  return {
    push(bytes) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, bytes]).subarray(0, HEAD_BYTES);
      lines.push(bytes);
      const end = bytes.lastIndexOf(LF) + 1;
      for (let index = 0; index < end; index++) if (bytes[index] === LF) position.lines++;
      if (end > 0) {
        position.offset = bytesRead + end;
        if ((position.head?.bytes ?? 0) < HEAD_BYTES)
          position.head = describeHead(head.subarray(0, position.offset));
        touch();
      }
      bytesRead += bytes.length;
    },
    end: lines.end,
  };
}

function describeHead(bytes: Buffer): FileHead {
  return { bytes: bytes.length, digest: createHash("sha256").update(bytes).digest("hex") };
}

/** Calls `use` with an open file. */
function openBriefly<T>(file: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(file, "r");
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the first bytes of a file, `length` or HEAD_BYTES at most. */
function readHead(descriptor: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.min(length, HEAD_BYTES));
  return bytes.subarray(0, bytes.length === 0 ? 0 : readSync(descriptor, bytes, 0, bytes.length, 0));
}

/** Returns whether a file begins with these bytes. */
function readsHead(descriptor: number, head: FileHead | undefined): boolean {
  return head === undefined || describeHead(readHead(descriptor, head.bytes)).digest === head.digest;
}

function hasHead(file: string, head: FileHead | undefined): boolean {
  return openBriefly(file, (descriptor) => readsHead(descriptor, head));
}

/** Returns the file beside `file`, with a longer name, that begins with these bytes; undefined if there is none. */
function findRotated(file: string, head: FileHead | undefined): string | undefined {
  const { dir, base } = path.parse(file);
  return readdirSync(dir || ".")
    .filter((name) => name.startsWith(base) && name !== base)
    .map((name) => path.join(dir, name))
    .find(
      (candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile() && hasHead(candidate, head),
    );
}
