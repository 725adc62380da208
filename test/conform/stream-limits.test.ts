/** If this fails, the checker of streams uses more and more memory, or forgets streams that are still open. */
import { describe, expect, it } from "vitest";
import { MAX_ROWS as MAX_KEYS } from "../../generator/conform/machine/interpret.js";
import type { StreamFinding } from "../../generator/conform/stream-checker.js";
import { createStreamChecker } from "../../generator/conform/stream-checker.js";
import { createTracker } from "../../generator/stream/tracker.js";
import { validators } from "./check-stream.js";

const protocol = validators.get("hecate/v1")?.protocol;
if (!protocol) throw new Error("no hecate/v1");
const contract = protocol.stream;

/** Returns the findings for events, each given as [run, type, data]. The numbers count up in each run. */
function checkEvents(
  events: Iterable<readonly [string, string, object]>,
  finished?: number,
): StreamFinding[] {
  const tracker = createTracker(contract);
  const checker = createStreamChecker(protocol as NonNullable<typeof protocol>, {
    profile: "writer",
    ...(finished !== undefined && { finished }),
  });
  const numbers = new Map<string, number>();
  const found: StreamFinding[] = [];
  let eventNumber = 0;
  for (const [run, type, data] of events) {
    const sequence = numbers.get(run) ?? 0;
    numbers.set(run, sequence + 1);
    const event = { event_id: `evt_${++eventNumber}`, run_id: run, sequence, type, data };
    found.push(...checker.check(event, tracker.place(event, eventNumber), eventNumber));
  }
  return [...found, ...checker.end()];
}

describe("the memory of a checker is bounded", () => {
  it("forgets the oldest calls of a run that has too many, and reports that once", () => {
    const calls = Array.from({ length: MAX_KEYS + 5 }, (_, index) => `call_${index}`);
    const invoked = calls.map((id) => ["run_a", "tool.invoked", { tool_call_id: id }] as const);
    const twice = (id: string | undefined) =>
      [1, 2].map(() => ["run_a", "tool.completed", { tool_call_id: id }] as const);
    const found = checkEvents([...invoked, ...twice(calls[0]), ...twice(calls.at(-1))]);
    // The stages of a call begin again with its end if its start was forgotten.
    expect(found.map(({ rule }) => rule)).toEqual([
      "stream-limit-reached",
      "stage-repeated",
      "lifecycle-end-repeated",
      "stage-repeated",
    ]);
    expect(found[0]?.message).toContain(String(MAX_KEYS));
  });

  it("forgets ended runs, oldest first, and no run that is still open", () => {
    const runs = ["run_a", "run_b", "run_c"];
    const ended = runs.map((run) => [run, "run.cancelled", { reason: "" }] as const);
    const again = (run: string) => checkEvents([...ended, [run, "run.cancelled", { reason: "" }]], 2);
    expect(runs.map((run) => again(run).map(({ rule }) => rule))).toEqual([
      [],
      ["terminal-repeated"],
      ["terminal-repeated"],
    ]);
  });

  it("reports nothing about an open run that is forgotten, because the rest of it may come", () => {
    const tracker = createTracker(contract, { streams: 1 });
    const checker = createStreamChecker(protocol, { profile: "writer" });
    const events = [
      ["run_a", "run.created", 0],
      ["run_a", "run.queued", 1],
      ["run_a", "run.started", 2],
      ["run_a", "tool.invoked", 3],
      ["run_b", "run.created", 0],
    ] as const;
    const rules = events.flatMap(([run, type, sequence]) => {
      const event = {
        event_id: `${run}${sequence}`,
        run_id: run,
        sequence,
        type,
        data: { tool_call_id: "call" },
      };
      return checker.check(event, tracker.place(event), sequence).map(({ rule }) => rule);
    });
    expect(rules).toEqual([]);
    expect(checker.end().map(({ rule }) => rule)).toEqual(["stream-unfinished", "stream-limit-reached"]);
  });

  it("returns the same empty list for every event without findings", () => {
    const checker = createStreamChecker(protocol, { profile: "reader" });
    const lists = [0, 1].map((sequence) => {
      const event = {
        event_id: `evt_${sequence}`,
        run_id: "run_a",
        sequence,
        type: "task.updated",
        data: {},
      };
      return checker.check(event, { kind: "new", stream: "run_a", sequence }, sequence);
    });
    expect(lists[0]).toBe(lists[1]);
    expect(lists[0]).toEqual([]);
  });

  it("does not report texts whose pieces an invalid value may have hidden", () => {
    const checker = createStreamChecker(protocol, { profile: "reader" });
    const countFindings = (sequence: number, type: string, data: object) => {
      const event = { event_id: `evt_${sequence}`, run_id: "run_a", sequence, type, data };
      return checker.check(event, { kind: "new", stream: "run_a", sequence }, sequence).length;
    };
    const delta = { turn_index: 1, block_index: 0, delta: "a" };
    expect(countFindings(0, "assistant.text_delta", delta)).toBe(0);
    checker.refuse({ stream: "run_a", sequence: 1 }, 0);
    expect(countFindings(2, "assistant.text_complete", { turn_index: 1, block_index: 0, text: "abc" })).toBe(
      0,
    );
    expect(countFindings(3, "assistant.text_delta", { ...delta, block_index: 1 })).toBe(0);
    expect(countFindings(4, "assistant.text_complete", { turn_index: 1, block_index: 1, text: "b" })).toBe(1);
  });
});
