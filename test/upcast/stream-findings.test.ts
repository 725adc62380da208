/** If this fails, a stream that is carried over has other gaps, redeliveries or conflicts than before. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createStreamChecker } from "../../generator/conform/stream-checker.js";
import type { JsonObject } from "../../generator/json.js";
import type { Protocol, Stream } from "../../generator/protocol/protocol.js";
import type { UpcastStep } from "../../generator/protocol/upcast.js";
import { createRandom, type Random } from "../../generator/random.js";
import { createTracker } from "../../generator/stream/tracker.js";
import { planUpcast } from "../../generator/upcast/plan-upcast.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { createTemporaryFolder } from "../folders.js";
import { PROVEN_CASES } from "./cases.js";

/** Changes of a stream, as a network or a faulty sender makes them. */
const FAULTS: {
  readonly [name: string]: (events: JsonObject[], random: Random, stream: Stream) => JsonObject[];
} = {
  none: (events) => events,
  "an event is lost": (events, random) => events.toSpliced(random.below(events.length), 1),
  "an event is never sent": (events, random, { sequence = "" }) => {
    const lost = random.below(events.length);
    return events
      .toSpliced(lost, 1)
      .map((event, index) => (index < lost ? event : { ...event, [sequence]: Number(event[sequence]) - 1 }));
  },
  "an event comes twice": (events, random) => {
    const index = random.below(events.length);
    return events.toSpliced(random.between(index, events.length), 0, events[index] as JsonObject);
  },
  "two events change places": (events, random) => {
    const index = random.below(events.length - 1);
    return events.toSpliced(index, 2, events[index + 1] as JsonObject, events[index] as JsonObject);
  },
  "an id is used twice": (events, random, { id = "" }) => {
    const [first, second] = [random.below(events.length), random.below(events.length)];
    return events.with(first, { ...events[first], [id]: events[second]?.[id] ?? null });
  },
  "a number is used twice": (events, random, { sequence = "" }) => {
    const [first, second] = [random.below(events.length), random.below(events.length)];
    return events.with(first, { ...events[first], [sequence]: events[second]?.[sequence] ?? null });
  },
  "the stream ends early": (events, random) => events.slice(0, random.between(1, events.length)),
  "the stream begins late": (events, random) => events.slice(random.below(events.length)),
};

/** Returns the rules that report events, with the indexes of the events. */
function findFaults(protocol: Protocol, events: readonly JsonObject[]): string[] {
  const checker = createStreamChecker(protocol, { profile: "writer" });
  const tracker = createTracker(protocol.stream);
  const found = events.flatMap((event, index) => [...checker.check(event, tracker.place(event), index)]);
  return [...found, ...checker.end()].map(({ rule, index }) => `${rule}@${index}`).sort();
}

/** Carries a stream over. */
function carryStream(
  steps: readonly UpcastStep[],
  discriminator: string,
  events: readonly JsonObject[],
): JsonObject[] {
  const streamTypes = new Set(events.map((event) => String(event[discriminator])));
  return events.map((event) => {
    const result = upcastEvent(event, steps, {
      type: String(event[discriminator]),
      discriminator,
      streamTypes,
    });
    if (result.kind === "failed") throw new Error(result.message);
    return result.event;
  });
}

const STREAMS = [
  ["frames/v1", "frames/v1 becomes frames/v2"],
  ["hecate/v1", "a family of hecate/v1 is renamed"],
] as const;

describe("a stream that is carried over has the findings of the old one", { timeout: 300_000 }, () => {
  it.each(STREAMS)("%s", async (id, name) => {
    const { load } = PROVEN_CASES.find((each) => each.name === name) as (typeof PROVEN_CASES)[number];
    const { from, to } = await load(createTemporaryFolder());
    const steps = planUpcast(from, to).steps.map(({ step }) => step);
    const { discriminator } = from.envelope;
    const folder = `fixtures/${id}/streams`;
    const rules = new Map<string, number>();
    for (const file of readdirSync(folder).filter((each) => each.endsWith(".jsonl"))) {
      const lines = readFileSync(path.join(folder, file), "utf8").trim().split("\n");
      const events = lines.map((line) => JSON.parse(line) as JsonObject);
      for (const [fault, change] of Object.entries(FAULTS))
        for (let seed = 0; seed < 3; seed++) {
          const changed = change(events, createRandom(seed), from.stream as Stream);
          const before = findFaults(from, changed);
          expect({
            file,
            fault,
            seed,
            findings: findFaults(to, carryStream(steps, discriminator, changed)),
          }).toEqual({
            file,
            fault,
            seed,
            findings: before,
          });
          for (const each of before)
            rules.set(each.split("@")[0] ?? "", (rules.get(each.split("@")[0] ?? "") ?? 0) + 1);
        }
    }
    // The faults must be found by rules of several kinds.
    expect([...rules.keys()].length, JSON.stringify([...rules])).toBeGreaterThan(4);
  });
});
