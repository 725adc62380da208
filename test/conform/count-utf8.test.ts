/** What a user would lose: byte offsets that are counted alike in Node and in browsers, and as encoders write texts. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { countUtf8, utf8Length } from "../../generator/conform/text-measure.js";

const EXAMPLES = ["", "plain", "é", "日本", "🙂", "\ud83d", "\ude42\ud83d", "\ud83dx", "\ud83d🙂"];

it("counts the bytes that an encoder writes, with and without help of the platform", () => {
  const units = fc.oneof(
    fc.nat(0xff),
    fc.integer({ min: 0x700, max: 0x900 }),
    fc.integer({ min: 0xd700, max: 0xe100 }),
  );
  const texts = fc.array(units).map((all) => String.fromCharCode(...all));
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = new TextEncoder().encode(text).length;
      expect([countUtf8(text), utf8Length(text)]).toEqual([bytes, bytes]);
    }),
    { examples: EXAMPLES.map((text): [string] => [text]) },
  );
});
