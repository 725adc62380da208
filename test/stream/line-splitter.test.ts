/** If this fails, lines of a feed or recording are lost or located wrongly, or parts of too long lines are passed on. */
import { expect, it } from "vitest";
import { createLineSplitter } from "../../generator/stream/line-splitter.js";

const LIMIT = 5;

/** Splits a text that arrives in pieces of `size` bytes. Returns each line as `line:offset:length:first text`. */
function splitLines(text: string, size: number): string[] {
  const found: string[] = [];
  const splitter = createLineSplitter((bytes, { line, offset, length, first }) => {
    const letter = first === undefined ? "" : String.fromCharCode(first);
    found.push(`${line}:${offset}:${length}:${letter} ${Buffer.from(bytes)}`);
  }, LIMIT);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
  expect(splitter.end()).toBe(/[^\r\n]$/.test(text));
  return found;
}

const CASES: readonly (readonly [name: string, text: string, lines: readonly string[]])[] = [
  ["no bytes", "", []],
  ["each end of a line", "a\nb\rc\r\n\n", ["1:0:1:a a", "2:2:1:b b", "3:4:1:c c", "4:7:0: "]],
  ["a last line without an end", "a\nbcd", ["1:0:1:a a", "2:2:3:b bcd"]],
  ["a line of the greatest length", "abcde\n", ["1:0:5:a abcde"]],
  ["a line that is too long", "abcdef\nx\n", ["1:0:6:a ", "2:7:1:x x"]],
  ["a last line that is too long", "x\nabcdefgh", ["1:0:1:x x", "2:2:8:a "]],
];

it.each(CASES)("splits %s, in pieces of any size", (_name, text, lines) => {
  for (let size = 1; size <= text.length + 1; size++) expect(splitLines(text, size)).toEqual(lines);
});
