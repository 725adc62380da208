/** If this fails, the benchmarks run on invalid events, or cannot be repeated. */
import { describe, expect } from "vitest";
import { protocol } from "../../generated/hecate/v1/index.js";
import { decodeEvent } from "../../generated/hecate/v1/writer.js";
import { createStreamChecker } from "../../generator/kit/checker.js";
import { generateCorpus } from "../../scripts/corpus/corpus.js";
import { FAULTS, type FaultName, injectFaults } from "../../scripts/corpus/faults.js";
import { deep, quick } from "../depth.js";

const EVENTS = 30_000;

function takeLines(lines: Iterable<string>, count = EVENTS): string[] {
  const taken: string[] = [];
  for (const line of lines) {
    if (taken.length >= count) break;
    taken.push(line);
  }
  return taken;
}

describe("the corpus of the benchmarks", () => {
  quick.it("depends only on its seed", () => {
    expect(takeLines(generateCorpus(7))).toEqual(takeLines(generateCorpus(7)));
    expect(takeLines(generateCorpus(7), 100)).not.toEqual(takeLines(generateCorpus(8), 100));
  });

  deep.it(
    "contains events of most types that writers may send, in streams without findings, numbered by run without gaps, except those with a marker",
    () => {
      const next = new Map<string, number>();
      const types = new Set<string>();
      const checker = createStreamChecker(protocol, { profile: "writer" });
      const findings: unknown[] = [];
      for (const line of takeLines(generateCorpus(1))) {
        const event = JSON.parse(line);
        expect(decodeEvent(event)).toEqual({ kind: "known", event });
        findings.push(...checker.push(event));
        const after = event.type === "gap.events_pruned" ? event.data.last_pruned_sequence + 1 : undefined;
        expect(event.sequence).toBe(after ?? next.get(event.run_id) ?? 0);
        next.set(event.run_id, event.sequence + 1);
        types.add(event.type);
      }
      expect(types.size).toBeGreaterThan(50);
      expect(findings).toEqual([]);
    },
  );

  quick.it.each(Object.keys(FAULTS) as FaultName[])("applies the fault %s, and counts its lines", (name) => {
    const counts = new Map<FaultName, number>();
    const original = takeLines(generateCorpus(1), 5000);
    const damaged = [...injectFaults(original, [name], 1, counts, 0.01)];
    const known = new Set(original);
    const observed = {
      drop: original.length - damaged.length,
      duplicate: damaged.length - new Set(damaged).size,
      reorder: counts.get("reorder") ?? 0,
      corrupt: damaged.filter((line) => !known.has(line)).length,
      unknown: damaged.filter((line) => /"type":"[a-z]+_next/.test(line)).length,
    };
    expect(counts.get(name)).toBeGreaterThan(20);
    expect(observed[name]).toBe(counts.get(name));
    if (name === "reorder") {
      expect(damaged).not.toEqual(original);
      expect([...damaged].sort()).toEqual([...original].sort());
    }
  });
});
