/** Creates broken inputs, which depend only on the seed: fixture streams with changed bytes, and unusual JSON values. */
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc from "fast-check";

const STREAMS = ["hecate/v1", "frames/v1", "frames/v2", "evva/v0"].flatMap((id) =>
  readdirSync(`fixtures/${id}/streams`).map((name) => readFileSync(`fixtures/${id}/streams/${name}`, "utf8")),
);

/** Encodings of a stream: lines, an SSE feed, a list, and gzip. */
const FORMS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(text.replace(/^(.*)\n/gm, "id: 1\ndata: $1\n\n")),
  (text) => Buffer.from(`{"object":"list","data":[${text.trimEnd().replaceAll("\n", ",")}]}`),
  (text) => gzipSync(text),
];

/** Bytes that change the state of a reader. */
const SIGNIFICANT_BYTES = [...Buffer.from('{}[]":,\\\n\r 0e-.\0'), 0xff, 0xc3, 0xef, 0x1f, 0x8b, 0x7f];

/** Returns a fixture stream in a random encoding with one to four changes. */
export function createMutatedStream(next: (below: number) => number): Buffer {
  return damageBytes(
    FORMS[next(FORMS.length)]?.(STREAMS[next(STREAMS.length)] ?? "") ?? Buffer.alloc(0),
    next,
  );
}

/** Returns `bytes` with one to four changes: replaced, inserted, removed or repeated bytes, or a cut end. */
export function damageBytes(bytes: Buffer, next: (below: number) => number): Buffer {
  let result = bytes;
  for (let count = 1 + next(4); count > 0; count--) {
    const [at, length] = [next(result.length), next(40)];
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    const byte = Buffer.from([
      next(2) === 0 ? next(256) : (SIGNIFICANT_BYTES[next(SIGNIFICANT_BYTES.length)] ?? 0),
    ]);
    const changed = [
      () => [before, byte, after.subarray(1)],
      () => [before, byte, after],
      () => [before, after.subarray(length)],
      () => [before, after.subarray(0, length), after],
      () => [before],
    ][next(5)];
    result = Buffer.concat(changed?.() ?? []);
  }
  return result;
}

/** Creates JSON texts. Some of their values have the fields of events. */
export function createStrangeValues(count: number, seed: number): string[] {
  const field = fc.constantFrom(
    "type",
    "data",
    "object",
    "run_id",
    "sequence",
    "event_id",
    "Kind",
    "__proto__",
    "constructor",
    "seq",
    "id",
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(field, tie("value"), { noNullPrototype: true }),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.constantFrom("event", "list", "run.started", 9007199254740992, 1e300, -0, ""),
    ),
  }));
  return fc.sample(value, { numRuns: count, seed }).map((one) => JSON.stringify(one));
}
