/**
 * Computes CRC-32, the checksum of gzip (RFC 1952, section 8), eight bytes at a time. The table at CHECKSUMS has eight parts:
 * the entry of a byte in part N is the checksum of this byte with N zero bytes after it.
 */
import { CHECKSUMS } from "../layout";
import { byteAt } from "./bytes";

const PART: i32 = 256 << 2;
const POLYNOMIAL: u32 = 0xedb88320;

let hasTable: bool = false;

/** Returns the CRC-32 of the bytes from `start` to `stop`. */
export function computeCrc(start: i32, stop: i32): u32 {
  if (!hasTable) fillTable();
  let sum: u32 = 0xffffffff;
  let at = start;
  for (; at + 8 <= stop; at += 8) {
    const low = load<u32>(at) ^ sum;
    const high = load<u32>(at, 4);
    sum =
      readEntry(7, low) ^
      readEntry(6, low >> 8) ^
      readEntry(5, low >> 16) ^
      readEntry(4, low >> 24) ^
      (readEntry(3, high) ^ readEntry(2, high >> 8) ^ readEntry(1, high >> 16) ^ readEntry(0, high >> 24));
  }
  for (; at < stop; at++) sum = readEntry(0, sum ^ byteAt(at)) ^ (sum >> 8);
  return ~sum;
}

/** Returns the entry of the lowest byte of `word` in a part of the table. */
function readEntry(part: i32, word: u32): u32 {
  return load<u32>(CHECKSUMS + part * PART + ((word & 0xff) << 2));
}

function fillTable(): void {
  for (let byte = 0; byte < 256; byte++) {
    let sum = <u32>byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >> 1) ^ POLYNOMIAL : sum >> 1;
    store<u32>(CHECKSUMS + (byte << 2), sum);
  }
  for (let at = CHECKSUMS + PART, end = CHECKSUMS + 8 * PART; at < end; at += 4) {
    const before = load<u32>(at - PART);
    store<u32>(at, readEntry(0, before) ^ (before >> 8));
  }
  hasTable = true;
}
