/** If this fails, frames of an SSE feed are lost or changed when the network splits the feed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseParser, type SseFrame } from "../../generator/stream/index.js";

const encoder = new TextEncoder();

/** Parses bytes that arrive in pieces with these borders. Returns all frames, and the incomplete one at the end. */
function parseInPieces(bytes: Uint8Array, cuts: readonly number[] = [], options?: { limit?: number }) {
  const parser = createSseParser(options);
  const all: SseFrame[] = [];
  const borders = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  for (const [index, start] of borders.entries())
    all.push(...parser.push(bytes.slice(start, borders[index + 1])));
  return { all, cut: parser.end(), id: parser.lastEventId(), retry: parser.retry() };
}

const formatFrame = ({ event, data, id, line, offset }: SseFrame): string =>
  [event, data, id, line, offset].join("|");

/** Texts, and the frames of each as `event|data|id|line|offset`; `cut` is the data of the frame that was cut. */
const CASES: readonly (readonly [name: string, text: string, want: readonly string[], cut?: string])[] = [
  ["a frame", "data: a\n\n", ["message|a||1|0"]],
  ["a named frame with an id", "event: e\nid: 7\ndata: a\n\n", ["e|a|7|1|0"]],
  ["an id that stays in effect", "id: 7\ndata: a\n\ndata: b\n\n", ["message|a|7|1|0", "message|b|7|4|15"]],
  [
    "a name that does not stay in effect",
    "event: e\ndata: a\n\ndata: b\n\n",
    ["e|a||1|0", "message|b||4|18"],
  ],
  ["several data lines", "data: a\ndata\ndata:  b\n\n", ["message|a\n\n b||1|0"]],
  ["carriage returns", "data: a\rdata: b\r\rdata: c\r\r", ["message|a\nb||1|0", "message|c||4|17"]],
  ["both line ends", "data: a\r\ndata: b\r\n\r\n", ["message|a\nb||1|0"]],
  ["comments", ": hello\n\n:\ndata: a\n: in between\ndata: b\n\n", ["message|a\nb||4|11"]],
  ["a byte order mark, once", "\uFEFFdata: a\n\n\uFEFFdata: b\n\n", ["message|a||1|0"]],
  ["only a byte order mark and an empty line", "\uFEFF\ndata: a\n\n", ["message|a||2|4"]],
  ["frames without data", "event: e\nid: 1\n\nevent: f\n\n", []],
  ["an empty data line", "data:\n\ndata\n\n", ["message|||1|0", "message|||3|7"]],
  ["an id with NUL", "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", ["message|a|1|1|0", "message|b|1|4|15"]],
  ["unknown fields", "foo: 1\n__proto__: 2\nconstructor\ndata: a\n\n", ["message|a||1|0"]],
  ["a colon in the data", "data:a: b\n\n", ["message|a: b||1|0"]],
  ["a cut frame", "data: a\n\nid: 9\ndata: b\n", ["message|a||1|0"], "b"],
  ["a cut line", 'data: a\n\ndata: {"b', ["message|a||1|0"], '{"b'],
  ["nothing", "", []],
  ["characters of several bytes", "data: äö€😀\n\n", ["message|äö€😀||1|0"]],
];

describe("createSseParser", () => {
  it("keeps its own copy of an incomplete line", () => {
    const parser = createSseParser();
    const piece = Buffer.alloc(6);
    const found = ["data:A", "BCDEF\n", "\n     "].flatMap((text) => {
      piece.write(text);
      return parser.push(piece);
    });
    expect(found.map(({ data }) => data)).toEqual(["ABCDEF"]);
  });

  it.each(CASES.map(([name, text, want, cut]) => ({ name, text, want, cut })))(
    "reads $name, wherever the bytes are cut",
    ({ text, want, cut }) => {
      const bytes = encoder.encode(text);
      const whole = parseInPieces(bytes);
      expect(whole.all.map(formatFrame)).toEqual(want);
      expect(whole.cut?.data).toBe(cut);
      const each = Array.from(bytes, (_byte, index) => index);
      expect(parseInPieces(bytes, each)).toEqual(whole);
      for (const border of each) expect(parseInPieces(bytes, [border])).toEqual(whole);
    },
  );

  it("reads the same frames from the same bytes, cut anywhere", () => {
    const piece = fc.constantFrom(
      ...[
        "data",
        "data: x",
        "id: 1",
        "id:\0",
        "event: e",
        "retry: 5",
        ":",
        "\n",
        "\r",
        "\r\n",
        "\uFEFF",
        "é",
        "\n\n",
      ],
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (pieces, cuts) => {
          const bytes = encoder.encode(pieces.join(""));
          expect(parseInPieces(bytes, cuts)).toEqual(parseInPieces(bytes));
        },
      ),
      { numRuns: 500, seed: 3 },
    );
  });

  it("never throws, and marks frames with bytes that are not UTF-8", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const { all } = parseInPieces(bytes);
        for (const { data, malformed } of all) expect(malformed || !data.includes("\uFFFD")).toBe(true);
      }),
      { numRuns: 300, seed: 4 },
    );
    const bad = parseInPieces(Uint8Array.from([...encoder.encode("data: a"), 0xff, 0x0a, 0x0a]));
    expect(bad.all.map(({ data, malformed }) => [data, malformed])).toEqual([["a\uFFFD", true]]);
  });

  it("ignores the id of a cut frame, which must be sent again", () => {
    const bytes = encoder.encode("id: 1\ndata: a\n\nid: 2\ndata: b");
    expect(parseInPieces(bytes)).toMatchObject({ id: "1", cut: { id: "2" } });
    expect(parseInPieces(encoder.encode("id: 1\n\n")).id).toBe("1");
  });

  it("returns the pause that the feed asks for", () => {
    expect(parseInPieces(encoder.encode("retry: 250\n\n")).retry).toBe(250);
    expect(parseInPieces(encoder.encode("retry: 2s\nretry:-1\n\n")).retry).toBeUndefined();
  });

  it("returns the place of each line of data", () => {
    const [frame] = parseInPieces(encoder.encode("\uFEFF: c\nid: 1\ndata:a\ndata: b\n\n")).all;
    expect(frame?.parts).toEqual([
      { line: 3, column: 6, offset: 18 },
      { line: 4, column: 7, offset: 26 },
    ]);
  });

  it("leaves out data that is longer than the limit, and continues", () => {
    const text = `data: a\n\ndata: ${"x".repeat(50)}\n\n${"data: y\n".repeat(30)}\ndata: b\n\n: ${"c".repeat(90)}\ndata: d\n\n`;
    const bytes = encoder.encode(text);
    for (const cuts of [[], Array.from(bytes, (_byte, index) => index)])
      expect(
        parseInPieces(bytes, cuts, { limit: 40 }).all.map(({ data, oversized }) => [data, oversized]),
      ).toEqual([
        ["a", false],
        ["", true],
        ["", true],
        ["b", false],
        ["d", false],
      ]);
  });

  it("tells the id of a frame from the one in effect", () => {
    const feed = "data: a\n\nid: 1\ndata: b\n\ndata: c\n\nid\ndata: d\n\n";
    const all = createSseParser().push(new TextEncoder().encode(feed));
    expect(all.map(({ id, ownId }) => [id, ownId])).toEqual([
      ["", undefined],
      ["1", "1"],
      ["1", undefined],
      ["", ""],
    ]);
  });
});
