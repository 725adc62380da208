/**
 * Unpacks npm packages, which anybody may publish: within limits, and only files inside of the folder. Links are left out, as
 * npm does. The format of the archive is that of POSIX (ustar, pax) with the long names of GNU tar.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { BaselineError } from "./baseline-spec.js";

/** What a package may hold at most. */
export const PACKAGE_LIMITS = { files: 50_000, bytes: 500_000_000 } as const;

/** A member of an archive. */
interface Member {
  readonly name: string;
  readonly content: Buffer;
}

/** Unpacks a package into a folder. `spec` names the package in messages. */
export function unpackPackage(
  tarball: Buffer,
  spec: string,
  into: string,
  limits: { readonly files: number; readonly bytes: number } = PACKAGE_LIMITS,
): void {
  const refuse = (reason: string): never => {
    throw new BaselineError(`The package ${spec} is not unpacked: ${reason}.`);
  };
  const archive = decompress(tarball, limits.bytes, refuse);
  let count = 0;
  for (const { name, content } of listFiles(archive, refuse)) {
    if (++count > limits.files) refuse(`it has more than ${limits.files} files`);
    const parts = name.split("/").filter((part) => part !== "" && part !== ".");
    if (path.isAbsolute(name) || /[\\\0]|^[A-Za-z]:/.test(name) || parts.includes("..") || parts.length === 0)
      refuse(`its file ${JSON.stringify(name)} is outside of the package`);
    const file = path.join(into, ...parts);
    try {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    } catch (error) {
      refuse(
        `its file ${JSON.stringify(name)} cannot be written (${error instanceof Error ? error.message : error})`,
      );
    }
  }
}

function decompress(tarball: Buffer, maxBytes: number, refuse: (reason: string) => never): Buffer {
  try {
    return gunzipSync(tarball, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    return refuse(isTooLarge ? `it has more than ${maxBytes} bytes` : "it is not compressed by gzip");
  }
}

const BLOCK = 512;

/** Returns the files of an archive. */
function* listFiles(archive: Buffer, refuse: (reason: string) => never): Generator<Member> {
  // What a member says about the one after it.
  let longName: string | undefined;
  let longSize: number | undefined;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    // An empty block ends the archive.
    if (header.every((byte) => byte === 0)) return;
    if (!hasChecksum(header)) refuse("its archive is damaged");
    const size = longSize ?? readNumber(header.subarray(124, 136));
    const start = at + BLOCK;
    if (!Number.isSafeInteger(size) || start + size > archive.length)
      refuse("its archive ends within a file");
    const content = archive.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "x") {
      const records = readRecords(content);
      longName = records.get("path") ?? longName;
      longSize = records.has("size") ? Number(records.get("size")) : undefined;
    } else if (type === "L") longName = readText(content);
    else if (type !== "g" && type !== "K") {
      if (type === "0" || type === "\0" || type === "7")
        yield { name: longName ?? readName(header), content };
      longName = undefined;
      longSize = undefined;
    }
  }
}

/** Returns whether the sum of the bytes of a header is the one that it states; its own bytes count as blanks. */
function hasChecksum(header: Buffer): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  return sum === readNumber(header.subarray(148, 156));
}

function readName(header: Buffer): string {
  const name = readText(header.subarray(0, 100));
  const prefix = header.toString("latin1", 257, 262) === "ustar" ? readText(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** Returns a text up to its end, which a zero byte marks if it is shorter than its field. */
function readText(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? field.length : end);
}

/** Returns a number in octal digits, or one of GNU tar in bytes, which the first bit marks. NaN if it is neither. */
function readNumber(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0)
    return field.subarray(1).reduce((number, byte) => number * 256 + byte, (field[0] ?? 0) & 0x7f);
  const digits = readText(field).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : Number.NaN;
}

/** Returns the records of a pax header, such as `30 path=package/a.json`. */
function readRecords(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const blank = content.indexOf(0x20, at);
    const length = blank < 0 ? Number.NaN : Number(content.toString("latin1", at, blank));
    if (!Number.isSafeInteger(length) || length <= blank - at) break;
    const record = content.toString("utf8", blank + 1, at + length - 1);
    const equals = record.indexOf("=");
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}
