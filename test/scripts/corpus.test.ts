import { describe, expect, it } from "vitest";
import { decodeEvent } from "../../generated/hecate/v1/writer.js";
import { corpus } from "../../scripts/corpus/corpus.js";
import { FAULTS, type FaultName, faulty } from "../../scripts/corpus/faults.js";

const EVENTS = 30_000;

function take(lines: Iterable<string>, count = EVENTS): string[] {
  const taken: string[] = [];
  for (const line of lines) {
    if (taken.length >= count) break;
    taken.push(line);
  }
  return taken;
}

describe("the corpus of the benchmarks", () => {
  it("is decided by its seed", () => {
    expect(take(corpus(7))).toEqual(take(corpus(7)));
    expect(take(corpus(7), 100)).not.toEqual(take(corpus(8), 100));
  });

  it("holds events of most types that writers may send, numbered by run without a hole that no marker explains", () => {
    const next = new Map<string, number>();
    const types = new Set<string>();
    for (const line of take(corpus(1))) {
      const event = JSON.parse(line);
      expect(decodeEvent(event)).toEqual({ kind: "known", event });
      const after = event.type === "gap.events_pruned" ? event.data.last_pruned_sequence + 1 : undefined;
      expect(event.sequence).toBe(after ?? next.get(event.run_id) ?? 0);
      next.set(event.run_id, event.sequence + 1);
      types.add(event.type);
    }
    expect(types.size).toBeGreaterThan(50);
  });

  it.each(Object.keys(FAULTS) as FaultName[])("spoils lines as %s says, and counts them", (name) => {
    const counts = new Map<FaultName, number>();
    const sound = take(corpus(1), 5000);
    const spoilt = [...faulty(sound, [name], 1, counts, 0.01)];
    const known = new Set(sound);
    const seen = {
      drop: sound.length - spoilt.length,
      duplicate: spoilt.length - new Set(spoilt).size,
      reorder: counts.get("reorder") ?? 0,
      corrupt: spoilt.filter((line) => !known.has(line)).length,
      unknown: spoilt.filter((line) => /"type":"[a-z]+_next/.test(line)).length,
    };
    expect(counts.get(name)).toBeGreaterThan(20);
    expect(seen[name]).toBe(counts.get(name));
    if (name === "reorder") {
      expect(spoilt).not.toEqual(sound);
      expect([...spoilt].sort()).toEqual([...sound].sort());
    }
  });
});
