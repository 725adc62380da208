/** If this fails, a fault breaks more than its description says, and frontend teams look for bugs that they do not have. */
import { describe, expect, it } from "vitest";
import { EVENT_FAULTS } from "../../generator/serve/event-faults.js";
import {
  type EventFaultName,
  FAULTS,
  type FaultName,
  type FaultSetting,
  isOfKind,
} from "../../generator/serve/fault.js";
import { parseRunEvent, type Run, type RunEvent } from "../../generator/serve/run.js";
import { checkLines } from "../conform/check-stream.js";
import { findValidators, injectFaults, loadRuns, PROTOCOLS } from "./start.js";

/** Faults that break a promise to readers, on purpose. */
const BREAKING = new Set(["drop"]);

/** The rules of writers that each fault breaks, on purpose. Without an entry, the test does not check them. */
const BROKEN_WRITER_RULES: { readonly [name: string]: readonly string[] } = {
  "pruned-start": ["sequence-start"],
  interleave: [],
  "unknown-type": ["event-type-unknown"],
  "late-gap": [],
  "large-chunk": ["byte-total-wrong"],
  "unmet-requirements": [],
  duplicate: [],
};

const RUNS = await loadRuns(...PROTOCOLS.map(({ id }) => `fixtures/${id}/streams`));
const NAMES = Object.keys(EVENT_FAULTS) as EventFaultName[];

const applyFault = (run: Run, setting: FaultSetting, seed = 1): Run =>
  injectFaults(run, { seed, faults: [setting] }).run;
const readTexts = (events: readonly RunEvent[]): string[] =>
  events.map(({ raw }) => Buffer.from(raw).toString("utf8"));
const findRun = (part: string): Run => {
  const run = RUNS.find(({ key }) => key.includes(part));
  if (!run) throw new Error(`no run ${part}`);
  return run;
};
const SHELL = findRun("run_01KQPNTT2RZW040CA11XDDDE4M");
const FRAMES = findRun("d26d4b5a");
const EVVA = findRun("sub-a5e8");
const listTypes = ({ events }: Pick<Run, "events">): string[] => events.map(({ type }) => type);
const listNumbers = ({ events }: Pick<Run, "events">) => events.map(({ sequence }) => sequence);
const isAscending = (some: readonly (number | undefined)[]): boolean =>
  some.every((number, index) => index === 0 || number === undefined || number > (some[index - 1] ?? -1));

it("has a function for each fault of events, in the order of the table", () => {
  const declared = Object.keys(FAULTS) as FaultName[];
  expect(NAMES).toEqual(declared.filter((name) => isOfKind(name, "events")));
});

describe.each(NAMES)("%s", (fault) => {
  it("gives the same bytes for the same seed and leaves the recording alone", () => {
    for (const run of RUNS) {
      const before = readTexts(run.events);
      const once = applyFault(run, { fault });
      expect(readTexts(applyFault(run, { fault }).events)).toEqual(readTexts(once.events));
      expect(readTexts(run.events)).toEqual(before);
    }
  });

  it("changes at least one run, and is listed exactly for the runs that it changed", () => {
    const results = RUNS.map((run) => injectFaults(run, { seed: 1, faults: [{ fault }] }));
    for (const [index, { run, changed }] of results.entries())
      expect(changed.includes(fault)).toBe(
        readTexts(run.events).join() !== readTexts(RUNS[index]?.events ?? []).join(),
      );
    expect(results.some(({ changed }) => changed.length > 0)).toBe(true);
  });

  it("gives events that readers accept, with properties that agree with their bytes", () => {
    for (const run of RUNS) {
      const { protocol, decodeEvent } = findValidators(run);
      for (const event of applyFault(run, { fault }).events) {
        const value = parseRunEvent(event);
        expect(decodeEvent(value)).not.toMatchObject({ kind: "invalid" });
        expect(value[protocol.envelope.discriminator]).toBe(event.type);
        if (protocol.stream?.sequence) expect(value[protocol.stream.sequence]).toBe(event.sequence);
        if (protocol.stream?.id) expect(value[protocol.stream.id]).toBe(event.id);
      }
    }
  });

  it("keeps numbers ascending and ids distinct, except for redeliveries", () => {
    for (const run of RUNS) {
      const once = [...new Set(applyFault(run, { fault }).events)];
      expect(isAscending(once.map(({ sequence }) => sequence))).toBe(true);
      const ids = once.flatMap(({ id }) => id ?? []);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it("breaks no rule of a stream that readers rely on", () => {
    for (const run of RUNS) {
      const lines = readTexts(applyFault(run, { fault }).events);
      const errors = checkLines(run.protocol, "reader", lines).filter(({ severity }) => severity === "error");
      if (!BREAKING.has(fault)) expect(errors).toEqual([]);
    }
  });

  it.runIf(fault in BROKEN_WRITER_RULES)("breaks only those rules of writers that it is about", () => {
    const broken = RUNS.flatMap((run) =>
      checkLines(run.protocol, "writer", readTexts(applyFault(run, { fault }).events))
        .filter(({ severity }) => severity !== "note")
        .map(({ rule }) => rule),
    );
    expect([...new Set(broken)]).toEqual(BROKEN_WRITER_RULES[fault]);
  });

  it("changes no other run than the named one", () => {
    for (const run of RUNS) expect(applyFault(run, { fault, run: "another" }).events).toEqual(run.events);
  });
});

describe("the effect", () => {
  const last = SHELL.events.length - 1;
  it.each<[string, Run, FaultSetting, (after: Run) => unknown, unknown]>([
    [
      "drop",
      SHELL,
      { fault: "drop", at: [2, 5] },
      (after) => listNumbers(after).slice(0, 5),
      [0, 1, 3, 4, 6],
    ],
    ["drop nothing", SHELL, { fault: "drop", at: [] }, (after) => after.events.length, last + 1],
    [
      "drop one in each eight",
      SHELL,
      { fault: "drop" },
      (after) => [3, 4].includes(last + 1 - after.events.length),
      true,
    ],
    [
      "duplicate",
      SHELL,
      { fault: "duplicate", at: [3] },
      (after) => listNumbers(after).filter((number) => number === 3),
      [3, 3],
    ],
    [
      "unknown-type",
      SHELL,
      { fault: "unknown-type", at: [1] },
      (after) => [
        listTypes(after).slice(0, 3),
        listNumbers(after).slice(0, 3),
        after.events.at(-1)?.sequence,
      ],
      [["run.created", "future_event", "run.queued"], [0, 1, 2], last + 1],
    ],
    [
      "unknown-type of frames",
      FRAMES,
      { fault: "unknown-type", at: [2] },
      (after) => Object.keys(parseRunEvent(after.events[2] as RunEvent)),
      ["id", "session_id", "timestamp_ms", "seq", "type", "note", "detail"],
    ],
    [
      "unknown-type of evva",
      EVVA,
      { fault: "unknown-type", at: [2] },
      (after) => Object.keys(parseRunEvent(after.events[2] as RunEvent)),
      ["Kind", "AgentID", "ParentID", "Time", "Future"],
    ],
    [
      "unknown-field",
      SHELL,
      { fault: "unknown-field", at: [4] },
      (after) =>
        after.events
          .map(({ raw }) => Buffer.from(raw).toString().split("future_field").length - 1)
          .slice(3, 6),
      [0, 2, 0],
    ],
    [
      "unknown-field inline",
      FRAMES,
      { fault: "unknown-field", at: [4] },
      (after) =>
        Buffer.from(after.events[4]?.raw ?? [])
          .toString()
          .split("future_field").length - 1,
      1,
    ],
    [
      "pruned-start",
      SHELL,
      { fault: "pruned-start", count: 6 },
      (after) => [
        listNumbers(after).slice(0, 2),
        parseRunEvent(after.events[0] as RunEvent).type,
        parseRunEvent(after.events[0] as RunEvent).data,
      ],
      [
        [5, 6],
        "gap.events_pruned",
        {
          first_pruned_sequence: 0,
          last_pruned_sequence: 4,
          pruned_at: "2026-05-03T09:00:00Z",
          reason: "retention_window",
        },
      ],
    ],
    [
      "pruned-start without a marker",
      FRAMES,
      { fault: "pruned-start", count: 6 },
      (after) => [listNumbers(after)[0], after.events.length],
      [6, FRAMES.events.length - 6],
    ],
    [
      "pruned-start of almost all",
      FRAMES,
      { fault: "pruned-start", count: 900 },
      (after) => after.events.length,
      1,
    ],
    [
      "late-gap",
      SHELL,
      { fault: "late-gap" },
      (after) => [listTypes(after).at(-1), listNumbers(after).at(-1)],
      ["gap.run_disconnected", last + 1],
    ],
    [
      "late-gap of a protocol without such a marker",
      FRAMES,
      { fault: "late-gap" },
      (after) => after.events,
      FRAMES.events,
    ],
    [
      "large-chunk",
      SHELL,
      { fault: "large-chunk", bytes: 100_000 },
      (after) => after.events.filter(({ raw }) => raw.length > 100_000).map(({ type }) => type),
      ["tool.shell.output_chunk"],
    ],
    [
      "large-chunk of its own size",
      SHELL,
      { fault: "large-chunk" },
      (after) => Math.max(...after.events.map(({ raw }) => raw.length)) > 2 ** 20,
      true,
    ],
  ])("%s", (_, run, setting, seen, want) => {
    expect(seen(applyFault(run, setting))).toEqual(want);
  });

  it.each([
    ["hecate", SHELL, "tool_call_id"],
    ["frames", FRAMES, "tool_id"],
    ["evva", EVVA, "ToolID"],
  ])("interleave adds to each call of %s a second one, and their events alternate", (_, run, field) => {
    const find = (value: unknown): unknown => {
      if (typeof value !== "object" || value === null) return undefined;
      if (Object.hasOwn(value, field)) return (value as { [name: string]: unknown })[field];
      return Object.values(value)
        .map(find)
        .find((one) => one !== undefined);
    };
    const calls = (one: Run): Map<unknown, string[]> => {
      const map = new Map<unknown, string[]>();
      for (const event of one.events) {
        const id = find(parseRunEvent(event));
        if (id !== undefined) map.set(id, [...(map.get(id) ?? []), event.type]);
      }
      return map;
    };
    const after = applyFault(run, { fault: "interleave" });
    const [before, now] = [calls(run), calls(after)];
    expect(before.size).toBeGreaterThan(0);
    expect(now.size).toBe(2 * before.size);
    const shapes = (map: Map<unknown, string[]>) => [...map.values()].map((types) => types.join()).sort();
    expect(shapes(now)).toEqual([...shapes(before), ...shapes(before)].sort());
    const ids = after.events.map((event) => find(parseRunEvent(event))).filter((id) => id !== undefined);
    expect(ids[0]).not.toBe(ids[1]);
    expect(ids[2]).toBe(ids[0]);
  });

  it("interleave leaves out calls with artifacts", () => {
    const edits = RUNS.filter((run) => listTypes(run).some((type) => type.startsWith("tool.edit.")));
    expect(edits.length).toBeGreaterThan(0);
    for (const run of edits) {
      const count = (one: Run): number =>
        listTypes(one).filter((type) => type.startsWith("tool.edit.")).length;
      expect(count(applyFault(run, { fault: "interleave" }))).toBe(count(run));
    }
  });

  it("unmet-requirements removes optional fields with x-requires and nothing else", () => {
    const names = (run: Run): string[] =>
      readTexts(run.events)
        .join()
        .match(/"[a-z_]*artifact_ids?"/g) ?? [];
    const before = RUNS.flatMap(names);
    const after = RUNS.flatMap((run) => names(applyFault(run, { fault: "unmet-requirements" })));
    expect(before).toContain('"result_artifact_id"');
    expect(after).not.toContain('"result_artifact_id"');
    expect(after).toContain('"patch_artifact_id"');
  });

  it("draws other places for another seed", () => {
    const seeds = [1, 2, 3].map((seed) => listNumbers(applyFault(SHELL, { fault: "drop" }, seed)).join());
    expect(new Set(seeds).size).toBe(3);
  });

  it("applies faults in the order of the table, whatever their order in the plan", () => {
    const faults = NAMES.map((fault) => ({ fault }));
    const one = injectFaults(SHELL, { seed: 5, faults });
    // The run refers to no artifacts.
    expect(one.changed).toEqual(NAMES.filter((name) => name !== "unmet-requirements"));
    const { decodeEvent } = findValidators(SHELL);
    for (const event of one.run.events) expect(decodeEvent(parseRunEvent(event)).kind).not.toBe("invalid");
    const drops = {
      seed: 5,
      faults: [
        { fault: "duplicate", at: [0] },
        { fault: "drop", at: [0] },
      ],
    } as const;
    expect(listNumbers(injectFaults(SHELL, drops).run).slice(0, 2)).not.toContain(0);
  });
});
