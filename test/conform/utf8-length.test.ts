import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countedUtf8, utf8Length } from "../../generator/conform/utf8-length.js";

describe("utf8Length", () => {
  it.each([
    ["", 0],
    ["plain", 5],
    ["é", 2],
    ["日本", 6],
    ["🙂", 4],
    ["\ud83d", 3],
    ["\ude42\ud83d", 6],
    ["\ud83dx", 4],
    ["\ud83d🙂", 7],
  ])("%j", (text, bytes) => {
    expect([countedUtf8(text), utf8Length(text)]).toEqual([bytes, bytes]);
  });

  it("counts what an encoder writes, natively or not", () => {
    const units = fc.oneof(
      fc.nat(0xff),
      fc.integer({ min: 0x700, max: 0x900 }),
      fc.integer({ min: 0xd700, max: 0xe100 }),
    );
    const texts = fc.array(units).map((all) => String.fromCharCode(...all));
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = new TextEncoder().encode(text).length;
        expect([countedUtf8(text), utf8Length(text)]).toEqual([bytes, bytes]);
      }),
    );
  });
});
