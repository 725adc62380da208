/**
 * If this fails, a mutation of a schema of this project breaks readers or writers without a finding, or gets one
 * without a break.
 */
import path from "node:path";
import { describe, expect, it } from "vitest";
import { compare } from "../../generator/compat/compare.js";
import { createContainmentCache, createMessageSchema } from "../../generator/compat/proof/readings.js";
import { locateOnDisk } from "../../generator/load/baseline/locate-place.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { EventType, Protocol } from "../../generator/protocol/protocol.js";
import { MUTATIONS } from "./mutations.js";

const { protocols } = await loadSchemas(path.join(import.meta.dirname, "../../schemas"));
const cache = createContainmentCache();
const locate = locateOnDisk();

function createEventProtocol(protocol: Protocol, event: EventType): Protocol {
  return { ...protocol, events: [event] };
}

/** Returns the verdicts of the proof engine on complete messages, without any rule. */
async function proveInclusions(before: Protocol, after: Protocol) {
  const [oldEvent] = before.events;
  const [currentEvent] = after.events;
  if (!oldEvent || !currentEvent) throw new Error("no event");
  const sent = createMessageSchema("writer", after, currentEvent);
  const backward = await cache.checkSubset(createMessageSchema("writer", before, oldEvent), sent);
  const forward = await cache.checkSubset(sent, createMessageSchema("reader", before, oldEvent));
  return { backward: backward.verdict, forward: forward.verdict };
}

const names = Object.keys(MUTATIONS);
const events = protocols.flatMap((protocol) => protocol.events.map((event) => ({ protocol, event })));

it("uses at least the 135 event types of this repository", () => {
  expect(events.length).toBeGreaterThanOrEqual(135);
});

describe("rules and proofs agree about", () => {
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
      const before = createEventProtocol(protocol, event);
      const after = createEventProtocol(protocol, { ...event, payload });
      const changes = await compare(
        { protocol: before, locate, label: "before" },
        { protocol: after, locate },
        cache,
      );
      const verdicts = await proveInclusions(before, after);
      const about = `${protocol.id} ${event.type}: ${JSON.stringify(changes.map(({ rule, proof }) => [rule.id, proof]))}`;
      const decided = changes.filter(({ proof }) => proof.undecided === undefined);
      // The rules report a break exactly if the proof engine finds one.
      for (const direction of ["backward", "forward"] as const) {
        const isBreak = decided.some(({ proof }) => proof[direction] !== undefined);
        expect(verdicts[direction], about).toBe(isBreak ? "not-contained" : "contained");
      }
    }
    expect(tried).toBeGreaterThan(0);
  });
});
