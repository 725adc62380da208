/** If this fails, no thread reads an event, or two threads read it. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createStreamShare } from "../../generator/ingest/stream-share.js";
import { getScanner, OWN_SUBJECTS } from "./alike.js";

const [hecate] = OWN_SUBJECTS.filter(({ name }) => name === "hecate/v1 reader");
if (hecate === undefined) throw new Error("no hecate/v1");
const { protocol } = hecate;
const scanner = getScanner(protocol, "reader");

const value = fc.oneof(
  fc.nat(5).map((number) => `run_${number}`),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 5 }).filter((text) => !/[\r\n]/.test(text)),
  fc.constantFrom('a\\"b', "a/b", "~", "\x7f", "}", "x".repeat(70)),
);
const line = fc.oneof(
  { weight: 6, arbitrary: value.map((id) => `{"sequence":1,"run_id":"${id}","text":"…"}`) },
  fc.tuple(value, value).map(([one, other]) => `{"a":{"run_id":"${one}"},"run_id":"${other}"}`),
  fc.constantFrom(
    '{"run_id": "run_1"}',
    '{"run_id":1}',
    '{"run_id":"run_1',
    '"run_id":"',
    "",
    "{}",
    '{"run_id',
  ),
);

it("skips the same lines of other threads in bytes as in text", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.nat(3), fc.boolean(), (lines, index, ended) => {
      const of = Math.max(2, index + 1);
      const share = createStreamShare(index, of);
      share.setKey(protocol.stream?.key);
      const bytes = Buffer.from(lines.join("\n") + (ended ? "\n" : ""));
      scanner.load(bytes, 0, bytes.length);
      const text = bytes.toString("latin1");
      for (let from = 0; from < bytes.length; ) {
        const rest = text.slice(from).split("\n");
        const passed = rest.findIndex((_, at) => {
          const before = from + rest.slice(0, at).join("\n").length + (at > 0 ? 1 : 0);
          return share.includes(text, before, before + (rest[at] as string).length);
        });
        const next = scanner.skipOtherShards(from, index, of);
        const all = rest.at(-1) === "" ? rest.length - 1 : rest.length;
        const expected = passed === -1 || passed > all ? all : passed;
        expect([scanner.skippedLines, next - from]).toEqual([
          expected,
          rest.slice(0, expected).reduce((sum, one) => sum + one.length + 1, 0),
        ]);
        if (next >= bytes.length) break;
        const [first = ""] = text.slice(next).split("\n");
        const hint = share.guessStream(text, next, next + first.length);
        expect(scanner.isOwnShard).toBe(hint !== undefined && share.findThread(hint) === index);
        from = next + first.length + 1;
      }
    }),
    { numRuns: 2_000, seed: 7 },
  );
});
