/** Ids in the scanner's memory, held against ids in maps. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_IDS } from "../../generator/scan/layout.js";
import { HERE, scannedIds } from "../../generator/scan/scanned-ids.js";
import { mappedIds } from "../../generator/stream/id-memory.js";
import { OWN, scannerOf } from "./alike.js";

const [hecate] = OWN.filter(({ name }) => name === "hecate/v1 reader");
if (hecate === undefined) throw new Error("no hecate/v1");

/** A scanner that has just recognised an event with that id, spelled so. */
const scanner = scannerOf(hecate.protocol, "reader");
function show(spelling: string): void {
  const line = Buffer.from(
    `{"schema_version":"1","event_id":${spelling},"run_id":"run_A","sequence":0,"occurred_at":"2026-05-03T10:00:00Z","type":"run.created","data":{}}`,
  );
  scanner.load(line, 0, line.length);
  if (scanner.scan(0) !== line.length) throw new Error(`not recognised: ${line}`);
}

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

const IDS = [
  "e",
  "e1",
  "evt_01KQPMFMJGAWQ6PA3ENSSZZ7AN",
  "\ud83d",
  "\ufffd",
  "größe",
  'a"b',
  "x".repeat(5_000),
];

const step = fc.record({
  stream: fc.nat(2),
  id: fc.oneof(fc.constantFrom(...IDS), fc.string({ minLength: 1 })),
  how: fc.constantFrom("text", "here", "here, escaped"),
  isOld: fc.boolean(),
});

describe("ids that were scanned", () => {
  it("are found as those in maps are", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let current: typeof scanner | undefined;
        const [ids, model] = [scannedIds(() => current), mappedIds()];
        scanner.ageIds();
        scanner.ageIds();
        for (const [content, { stream, id, how, isOld }] of steps.entries()) {
          if (isOld && content % 7 === 0) {
            ids.age();
            model.age();
          }
          if (content > 5) current = scanner;
          const isHere = current !== undefined && how !== "text";
          if (isHere) show(how === "here" && id.isWellFormed() ? JSON.stringify(id) : escaped(id));
          expect(ids.meet(stream, isHere ? HERE : id, content)).toBe(model.meet(stream, id, content));
        }
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  it("are remembered where the scanner has no room for them", () => {
    const ids = scannedIds(() => scanner);
    ids.age();
    ids.age();
    const all = Array.from({ length: MOST_IDS + 50 }, (_, index) => `evt_${index}`);
    const meetAll = (): unknown[] =>
      all.map((id, index) => {
        show(JSON.stringify(id));
        return ids.meet(0, HERE, index);
      });
    expect(meetAll().every((found) => found === undefined)).toBe(true);
    expect(meetAll()).toEqual(all.map((_, index) => index));
    ids.age();
    expect(meetAll()).toEqual(all.map((_, index) => index));
    ids.age();
    expect(meetAll().every((found) => found === undefined)).toBe(true);
  });
});
