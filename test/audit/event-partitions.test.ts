/** If this fails, `accrete audit` sorts the events of a stream into a wrong order, or reorders events with one number. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createPartitionWriter, openPartition } from "../../generator/audit/event-partitions.js";
import { withTemporaryFolder } from "../folders.js";

const RECORD = fc.record({
  stream: fc.constantFrom("a", "b", "ä"),
  number: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(Number.NaN)),
});

it("sorts events by their streams and numbers, and keeps the order of equal ones", async () => {
  const property = fc.asyncProperty(
    fc.array(RECORD, { maxLength: 30 }),
    fc.constantFrom(0, 1e6),
    (records, maxBytes) =>
      withTemporaryFolder((folder) => {
        const writer = createPartitionWriter(folder, {
          partitionBytes: 1e6,
          bufferBytes: 1e6,
          expectedBytes: 1,
        });
        for (const [place, { stream, number }] of records.entries()) {
          const bytes = Buffer.from(`${stream}${place}`);
          writer.add({
            stream,
            number,
            time: Number.NaN,
            place,
            pointer: "",
            bytes,
            start: 0,
            stop: bytes.length,
          });
        }
        const found = writer.finish().flatMap((file) => {
          const partition = openPartition(file, maxBytes, () => true);
          const texts = Buffer.concat([...partition.readTexts()]).toString();
          const places = Array.from(
            { length: partition.count },
            (_, index) => partition.readOrigin(index).place,
          );
          partition.close();
          expect(texts).toBe(places.map((place) => `${records[place]?.stream}${place}\n`).join(""));
          return places;
        });
        expect(found).toEqual(sortPlaces(records));
      }),
  );
  await fc.assert(property, { numRuns: 100 });
});

/** Returns the indexes of records in the expected order. A record without a number follows the one of its stream before it. */
function sortPlaces(records: readonly { readonly stream: string; readonly number: number }[]): number[] {
  const last = new Map<string, number>();
  const rows = records.map(({ stream, number }, place) => {
    const own = Number.isNaN(number) ? (last.get(stream) ?? -1) : number;
    last.set(stream, own);
    return { stream, own, place };
  });
  return rows
    .sort((a, b) =>
      a.stream === b.stream ? a.own - b.own || a.place - b.place : a.stream < b.stream ? -1 : 1,
    )
    .map(({ place }) => place);
}
