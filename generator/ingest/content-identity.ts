/**
 * What stands for the bytes of a value, so that a redelivery can be told from an event that only has the same id. Where
 * the bytes can be read again it is their position, which costs nothing; elsewhere a checksum.
 */
import { closeSync, openSync, readSync } from "node:fs";
import zlib from "node:zlib";
import { sameContent } from "../stream/same-content.js";
import type { Input } from "./place.js";

/** A position as `input * FILE + offset`, or a checksum as a negative number. */
export type Content = number;

/** More bytes than a file has. */
const FILE = 2 ** 40;
/** How many files can have positions that a number holds exactly. */
const FILES = 2 ** 12;

/** The content of the line that `bytes` holds from `start` to `stop`, and `input` at `offset`. */
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

/** The content of a value that has no line for itself. */
export function checksum(bytes: Uint8Array): Content {
  return -((zlib.crc32 ?? crc32)(bytes) * 2 ** 20) - (bytes.length % 2 ** 20) - 1;
}

/** Compares contents; where both are positions the very bytes decide. `close` ends the reading. */
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

/** The line that begins at `offset`, without its end. */
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

/** CRC-32 for the versions of Node that have none. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
