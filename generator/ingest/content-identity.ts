/**
 * Identifies the bytes of a value, to tell a redelivery from another event with the same id. The identifier is the
 * position of the bytes if they can be read again, since a position costs nothing, and a checksum otherwise.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { isSameContent } from "../stream/same-content.js";
import type { ContentId, Input } from "./place.js";

/** More bytes than any file has. The position in file N is N times this number, plus the offset. */
const MAX_FILE_BYTES = 2 ** 40;
/** The number of files whose positions a JavaScript number holds exactly. */
const MAX_FILES = 2 ** 12;
/** The number of files that a comparer keeps open. */
const MAX_OPEN_FILES = 16;

/** Returns the position of the line at `offset` of `input` as its identifier; undefined if the line cannot be read again. */
export function identifyPosition(input: Input, offset: number): ContentId | undefined {
  return input.isRereadable && input.index < MAX_FILES ? input.index * MAX_FILE_BYTES + offset : undefined;
}

/** Returns the checksum of bytes as their identifier. */
export function computeChecksum(bytes: Uint8Array): ContentId {
  return identifyChecksum(crc32(bytes), bytes.length);
}

/** Returns the identifier of `length` bytes with this CRC-32. It is negative, unlike a position. */
export function identifyChecksum(crc: number, length: number): ContentId {
  return -(crc * 2 ** 20) - (length % 2 ** 20) - 1;
}

/** Creates a comparer of identifiers, which reads the bytes again for positions. `close` closes its files. */
export function createContentComparer(inputs: readonly Input[]): {
  isSame(one: unknown, other: unknown): boolean;
  close(): void;
} {
  const descriptors = new Map<string, number>();
  const readContent = (content: number): Buffer => {
    const file = inputs[Math.floor(content / MAX_FILE_BYTES)]?.file ?? "";
    let descriptor = descriptors.get(file);
    if (descriptor === undefined) {
      if (descriptors.size >= MAX_OPEN_FILES) closeAll();
      descriptor = openSync(file, "r");
      descriptors.set(file, descriptor);
    }
    return readLineAt(descriptor, content % MAX_FILE_BYTES);
  };
  const closeAll = (): void => {
    for (const descriptor of descriptors.values()) closeSync(descriptor);
    descriptors.clear();
  };
  const isSame = (one: unknown, other: unknown): boolean => {
    if (typeof one !== "number" || typeof other !== "number") return isSameContent(one, other);
    const isChecksum = one < 0;
    const isOtherChecksum = other < 0;
    if (isChecksum && isOtherChecksum) return one === other;
    if (isChecksum) return one === computeChecksum(readContent(other));
    if (isOtherChecksum) return computeChecksum(readContent(one)) === other;
    return readContent(one).equals(readContent(other));
  };
  return { isSame, close: closeAll };
}

/** Returns the line that begins at `offset`, without its line end. */
function readLineAt(descriptor: number, offset: number): Buffer {
  const chunks: Buffer[] = [];
  let position = offset;
  let isComplete = false;
  while (!isComplete) {
    const chunk = Buffer.alloc(chunks.length === 0 ? 4096 : 2 ** 20);
    const bytesRead = readSync(descriptor, chunk, 0, chunk.length, position);
    const end = chunk.subarray(0, bytesRead).indexOf(0x0a);
    chunks.push(chunk.subarray(0, end === -1 ? bytesRead : end));
    position += bytesRead;
    isComplete = end !== -1 || bytesRead === 0;
  }
  const line = Buffer.concat(chunks);
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}
