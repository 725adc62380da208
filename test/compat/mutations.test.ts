/**
 * If this fails, a mutation of a schema of this project breaks readers or writers without a finding, or gets one
 * without a break.
 */
import path from "node:path";
import { describe, expect, it } from "vitest";
import { compare } from "../../generator/compat/compare.js";
import { createContainmentCache, createMessageSchema } from "../../generator/compat/proof/readings.js";
import type { JsonObject } from "../../generator/json.js";
import { locateOnDisk } from "../../generator/load/baseline/locate-place.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { EventType, Protocol } from "../../generator/protocol/protocol.js";
import { MUTATIONS } from "./mutations.js";

const { protocols } = await loadSchemas(path.join(import.meta.dirname, "../../schemas"));
const cache = createContainmentCache();
const locate = locateOnDisk();

function selectEvent(protocol: Protocol, event: EventType, payload: JsonObject): Protocol {
  return { ...protocol, events: [{ ...event, payload }] };
}

/** Returns the verdicts of the proof engine on complete messages, without any rule. */
async function proveInclusions(before: Protocol, after: Protocol) {
  const [old, now] = [before.events[0], after.events[0]];
  if (!old || !now) throw new Error("no event");
  const emitted = createMessageSchema("writer", before, old);
  const left = await cache.checkSubset(emitted, createMessageSchema("writer", after, now));
  const right = await cache.checkSubset(
    createMessageSchema("writer", after, now),
    createMessageSchema("reader", before, old),
  );
  return { left: left.verdict, right: right.verdict };
}

const names = Object.keys(MUTATIONS);
const events = protocols.flatMap((protocol) => protocol.events.map((event) => ({ protocol, event })));

describe("rules and proofs agree about", () => {
  it("at least the 135 event types", () => expect(events.length).toBeGreaterThanOrEqual(135));

  it.each(names)("%s", async (name) => {
    const mutate = MUTATIONS[name];
    let tried = 0;
    // Two mutations are applied to each event. There are enough events to apply each mutation often.
    const chosen = events.filter(
      (_, index) => (index + names.indexOf(name)) % Math.floor(names.length / 2) === 0,
    );
    for (const { protocol, event } of chosen) {
      const payload = mutate?.(event.payload);
      if (!payload) continue;
      tried++;
      const [before, after] = [
        selectEvent(protocol, event, event.payload),
        selectEvent(protocol, event, payload),
      ];
      const changes = await compare(
        { protocol: before, locate, label: "before" },
        { protocol: after, locate },
        cache,
      );
      const { left, right } = await proveInclusions(before, after);
      const about = `${protocol.id} ${event.type}: ${JSON.stringify(changes.map(({ rule, proof }) => [rule.id, proof]))}`;
      const decided = changes.filter(({ proof }) => proof.undecided === undefined);
      // The rules report a break exactly if the proof engine finds one.
      if (left !== "undecided")
        expect(
          decided.some(({ proof }) => proof.backward !== undefined),
          about,
        ).toBe(left === "not-contained");
      if (right !== "undecided")
        expect(
          decided.some(({ proof }) => proof.forward !== undefined),
          about,
        ).toBe(right === "not-contained");
      expect([left, right], about).not.toContain("undecided");
    }
    expect(tried).toBeGreaterThan(0);
  });
});
