/** If this fails, events are lost or located wrongly when an input is read in chunks. */
import { describe, expect, it } from "vitest";
import { createEventReader } from "../../generator/ingest/event-reader.js";
import { createFullShare } from "../../generator/ingest/stream-share.js";
import { describeReads } from "./read-all.js";

const BOM = "\uFEFF";

const CASES: readonly (readonly [
  name: string,
  file: string,
  text: string | Buffer,
  want: readonly string[],
])[] = [
  ["an object", "a.json", '{"a":1}', ['1:1 {"a":1}']],
  ["an indented object", "a.json", '{\n  "a": {}\n}\n', ['1:1 {"a":{}}']],
  ["an indented object from standard input", "<stdin>", '{\n  "a": {}\n}\n', ['1:1 {"a":{}}']],
  ["an array", "a.json", '[{"a":1},\n {"b":2}]', ['1:2 /0 {"a":1}', '2:2 /1 {"b":2}']],
  [
    "an array whose last line is an object",
    "<stdin>",
    '[\n{"a":1},\n{"b":2}\n]',
    ['2:1 /0 {"a":1}', '3:1 /1 {"b":2}'],
  ],
  ["an empty array", "a.json", "[]", []],
  ["lines", "a.jsonl", '{"a":1}\n{"b":2}\n', ['1:1 {"a":1}', '2:1 {"b":2}']],
  ["lines without a last line feed", "a.jsonl", '{"a":1}\n{"b":2}', ['1:1 {"a":1}', '2:1 {"b":2}']],
  ["lines from standard input", "<stdin>", '{"a":1}\n{"b":2}\n', ['1:1 {"a":1}', '2:1 {"b":2}']],
  ["lines in a .json file", "a.json", '{"a":1}\n{"b":2}\n', ['1:1 {"a":1}', '2:1 {"b":2}']],
  [
    "CRLF, blank lines, blanks",
    "a.jsonl",
    '\r\n{"a":1}\r\n\n  \t\n  {"b":2}\r\n',
    ['2:1 {"a":1}', '5:3 {"b":2}'],
  ],
  ["a byte order mark", "a.jsonl", `${BOM}{"a":1}\n{"b":2}\n`, ['1:1 {"a":1}', '2:1 {"b":2}']],
  ["a byte order mark before a document", "a.json", `${BOM}[1]`, ["1:2 /0 1"]],
  [
    "bad lines between good ones",
    "<stdin>",
    '{"a":\n{"b":2}\noops\n{"c":3}',
    ["1:6 json-syntax", '2:1 {"b":2}', "3:1 json-syntax", '4:1 {"c":3}'],
  ],
  ["a name twice", "a.jsonl", '{"a":1}\n{"x":{"a":1,"a":1}}', ['1:1 {"a":1}', "2:13 json-duplicate-key"]],
  ["a scalar", "a.json", '"tea"', ['1:1 "tea"']],
  ["scalars on lines", "<stdin>", "1\nnull\n", ["1:1 1", "2:1 null"]],
  ["an empty .json file", "a.json", " \n", ["1:1 json-syntax"]],
  ["an empty .jsonl file", "a.jsonl", "", []],
  ["empty standard input", "<stdin>", "\n\n", []],
  ["a line separator inside of a string", "a.jsonl", '{"a":"\u2028"}\n', ['1:1 {"a":"\u2028"}']],
  ["UTF-16", "<stdin>", Buffer.from(`${BOM}{"a":1}\n{"b":2}\n`, "utf16le"), ["1:1 json-encoding"]],
  [
    "bytes that are not UTF-8",
    "a.jsonl",
    Buffer.from('{"a":"\xff"}\n{"b":2}', "latin1"),
    ["1:7 json-encoding", '2:1 {"b":2}'],
  ],
  ["a character cut by a chunk", "a.jsonl", '{"a":"äöü€😀"}\n', ['1:1 {"a":"äöü€😀"}']],
];

describe("an event reader", () => {
  it.each(CASES)("reads %s", (_name, file, text, want) => {
    for (const size of [1, 3, 7, 1 << 20])
      expect(describeReads(file, Buffer.from(text), { size })).toEqual(want);
  });

  it("skips a line and a document that are larger than the limits", () => {
    const limits = { line: 8, document: 20 };
    const lines = Buffer.from('{"a":1}\n{"a":"long, long"}\n{"b":2}\n');
    for (const size of [1, 5, 100])
      expect(describeReads("a.jsonl", lines, { size, limits })).toEqual([
        '1:1 {"a":1}',
        "2: json-size",
        '3:1 {"b":2}',
      ]);
    expect(describeReads("a.json", Buffer.from("[1, 2, 3, 4, 5, 6, 7, 8]"), { size: 5, limits })).toEqual([
      "1: json-size",
    ]);
  });

  it("yields a line as soon as it has ended", () => {
    const found: unknown[] = [];
    const sink = {
      discriminators: [],
      acceptValue: (value: unknown) => void found.push(value),
      reportUnreadable() {},
    };
    const reader = createEventReader({ index: 0, name: "<stdin>" }, sink, createFullShare());
    reader.push(Buffer.from('{"a":1}\n{"b"'));
    expect(found).toEqual([{ a: 1 }]);
  });
});
