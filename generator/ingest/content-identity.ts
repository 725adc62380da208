/**
 * Identifies the bytes of a value, to tell a redelivery from another event with the same id. If the bytes can be read
 * again, their position is kept, which costs nothing; otherwise a checksum.
 */
import { closeSync, openSync, readSync } from "node:fs";
import zlib from "node:zlib";
import { sameContent } from "../stream/same-content.js";
import type { Content, Input } from "./place.js";

/** More bytes than a file has. */
const FILE = 2 ** 40;
/** The number of files whose positions a number holds exactly. */
const FILES = 2 ** 12;

/** Returns the content of the line that is in `bytes` from `start` to `stop`, and in `input` at `offset`. */
export function contentIdOfLine(
  input: Input,
  offset: number,
  bytes: Buffer,
  start: number,
  stop: number,
): Content {
  return input.plain && input.index < FILES
    ? input.index * FILE + offset
    : checksum(bytes.subarray(start, stop));
}

/** Returns the content of a value that does not have a line of its own. */
export function checksum(bytes: Uint8Array): Content {
  return -((zlib.crc32 ?? crc32)(bytes) * 2 ** 20) - (bytes.length % 2 ** 20) - 1;
}

/** Creates a comparer of contents, which reads the bytes again if both are positions. `close` closes its files. */
export function contentComparer(inputs: readonly Input[]): {
  same(one: unknown, other: unknown): boolean;
  close(): void;
} {
  const open = new Map<string, number>();
  const read = (content: number): Buffer => {
    const file = inputs[Math.floor(content / FILE)]?.file ?? "";
    let descriptor = open.get(file);
    if (descriptor === undefined) {
      if (open.size >= 16) closeAll();
      descriptor = openSync(file, "r");
      open.set(file, descriptor);
    }
    return lineAt(descriptor, content % FILE);
  };
  const closeAll = (): void => {
    for (const descriptor of open.values()) closeSync(descriptor);
    open.clear();
  };
  const same = (one: unknown, other: unknown): boolean => {
    if (typeof one !== "number" || typeof other !== "number") return sameContent(one, other);
    if (one < 0 && other < 0) return one === other;
    if (one < 0) return one === checksum(read(other));
    return other < 0 ? checksum(read(one)) === other : read(one).equals(read(other));
  };
  return { same, close: closeAll };
}

/** Returns the line that begins at `offset`, without its line end. */
function lineAt(descriptor: number, offset: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = offset; ; ) {
    const part = Buffer.alloc(parts.length === 0 ? 4096 : 2 ** 20);
    const got = readSync(descriptor, part, 0, part.length, at);
    const end = part.subarray(0, got).indexOf(0x0a);
    parts.push(part.subarray(0, end === -1 ? got : end));
    if (end !== -1 || got === 0) break;
    at += got;
  }
  const line = Buffer.concat(parts);
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}

/** CRC-32 for versions of Node without it. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
