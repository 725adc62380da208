/** If this fails, byte offsets are counted differently in Node and in browsers, or not as encoders write texts. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { countUtf8Bytes, countUtf8BytesInScript } from "../../generator/conform/text-measure.js";

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
      expect([countUtf8BytesInScript(text), countUtf8Bytes(text)]).toEqual([bytes, bytes]);
    }),
    { examples: EXAMPLES.map((text): [string] => [text]) },
  );
});
