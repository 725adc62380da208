/** If this fails, redeliveries are not detected, or new events are taken for redeliveries. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_IDS, MAX_SCRATCH_ID_LENGTH } from "../../generator/scan/layout.js";
import { CURRENT_ID, createScannedIds } from "../../generator/scan/scanned-ids.js";
import { createIdMaps } from "../../generator/stream/id-memory.js";
import { escapeUnit, getScanner, OWN_SUBJECTS } from "./alike.js";

const [hecate] = OWN_SUBJECTS.filter(({ name }) => name === "hecate/v1 reader");
if (hecate === undefined) throw new Error("no hecate/v1");

const scanner = getScanner(hecate.protocol, "reader");

/** Scans an event whose id has this spelling in JSON. */
function scanEventWithId(spelling: string): void {
  const line = Buffer.from(
    `{"schema_version":"1","event_id":${spelling},"run_id":"run_A","sequence":0,"occurred_at":"2026-05-03T10:00:00Z","type":"run.created","data":{}}`,
  );
  scanner.load(line, 0, line.length);
  if (scanner.scan(0) !== line.length) throw new Error(`not recognised: ${line}`);
}

/** Returns a JSON string with an escape for every character. */
function escapeCharacters(text: string): string {
  return `"${text.split("").map(escapeUnit).join("")}"`;
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

/** Returns the ids of the scanner after it has forgotten all earlier ones. */
function createEmptyIds() {
  const ids = createScannedIds(() => scanner);
  ids.rotateGeneration();
  ids.rotateGeneration();
  return ids;
}

/** Scans and remembers events with these ids. Returns the earlier contents. The content of an id is its index plus `first`. */
function rememberAll(ids: ReturnType<typeof createEmptyIds>, all: readonly string[], first = 0): unknown[] {
  return all.map((id, index) => {
    scanEventWithId(JSON.stringify(id));
    return ids.remember(0, CURRENT_ID, first + index);
  });
}

const step = fc.record({
  stream: fc.nat(2),
  id: fc.oneof(fc.constantFrom(...IDS), fc.string({ minLength: 1 })),
  how: fc.constantFrom("text", "scanned", "scanned, escaped"),
  isOld: fc.boolean(),
});

describe("scanned ids", () => {
  it("are remembered like ids in maps", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        let current: typeof scanner | undefined;
        const [ids, model] = [createScannedIds(() => current), createIdMaps()];
        scanner.rotateIds();
        scanner.rotateIds();
        for (const [content, { stream, id, how, isOld }] of steps.entries()) {
          if (isOld && content % 7 === 0) {
            ids.rotateGeneration();
            model.rotateGeneration();
          }
          if (content > 5) current = scanner;
          const isScanned = current !== undefined && how !== "text";
          if (isScanned)
            scanEventWithId(
              how === "scanned" && id.isWellFormed() ? JSON.stringify(id) : escapeCharacters(id),
            );
          expect(ids.remember(stream, isScanned ? CURRENT_ID : id, content)).toBe(
            model.remember(stream, id, content),
          );
        }
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  // The ids have the greatest length for which the scanner finds an id by its text, or one byte more.
  it.each([
    ["a", MAX_SCRATCH_ID_LENGTH],
    ["a", MAX_SCRATCH_ID_LENGTH + 1],
    ["\u00e4", MAX_SCRATCH_ID_LENGTH / 2],
    ["\u00e4", MAX_SCRATCH_ID_LENGTH / 2 + 1],
  ])("are found in every spelling, for %j repeated %i times", (letter, count) => {
    const id = letter.repeat(count);
    const spellings = [JSON.stringify(id), escapeCharacters(id), undefined];
    const remember = (
      ids: ReturnType<typeof createEmptyIds>,
      spelling: string | undefined,
      content: number,
    ) => {
      if (spelling !== undefined) scanEventWithId(spelling);
      return ids.remember(0, spelling === undefined ? id : CURRENT_ID, content);
    };
    for (const first of spellings)
      for (const second of spellings) {
        const ids = createEmptyIds();
        expect([remember(ids, first, 7), remember(ids, second, 8)]).toEqual([undefined, 7]);
      }
  });

  it("are remembered if the scanner has no room for them", () => {
    const ids = createEmptyIds();
    const all = Array.from({ length: MAX_IDS + 50 }, (_, index) => `evt_${index}`);
    const contents = all.map((_, index) => index);
    expect(new Set(rememberAll(ids, all))).toEqual(new Set([undefined]));
    expect(rememberAll(ids, all)).toEqual(contents);
    ids.rotateGeneration();
    expect(rememberAll(ids, all)).toEqual(contents);
    ids.rotateGeneration();
    expect(new Set(rememberAll(ids, all))).toEqual(new Set([undefined]));
  });

  // More ids than a generation can hold, and ids whose bytes fill a generation to its last byte and exceed it.
  const MANY_IDS = [
    (at: number) => Array.from({ length: MAX_IDS + 50 }, (_, index) => `${at}_${index}`),
    (at: number) =>
      [...new Array<number>(255).fill(4096), 4095, 1, 4096, 4095].map((length, index) =>
        length === 1 ? String(at) : `${at}${String(index).padStart(3, "0")}`.padEnd(length, "x"),
      ),
  ];
  it.each(MANY_IDS)("do not change the ids of the previous generation", (createIds) => {
    const ids = createEmptyIds();
    for (let at = 0; at < 4; at++) {
      expect(new Set(rememberAll(ids, createIds(at), 100_000 * at))).toEqual(new Set([undefined]));
      const before = 100_000 * (at - 1);
      if (at > 0)
        expect(rememberAll(ids, createIds(at - 1), before)).toEqual(
          createIds(at - 1).map((_, index) => before + index),
        );
      ids.rotateGeneration();
    }
  });
});
