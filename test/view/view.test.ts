/** If this fails, a frontend shows a run in a state that it is not in. */
import { describe, expect, it } from "vitest";
import { contract, metadata, view } from "../../generated/hecate/v1/index.js";
import { createReader } from "../../generator/stream/index.js";
import type { Block } from "../../generator/view/block.js";
import { findStableEnd, parseMarkdown } from "../../generator/view/markdown.js";
import { formatLabel, toMilliseconds } from "../../generator/view/payload.js";
import { createSummaryCollector } from "../../generator/view/summary.js";
import { createView } from "../../generator/view/view.js";

type Event = readonly [type: string, data: object, sequence?: number];

const PROTOCOL = { ...contract, metadata, view };

/** Returns the blocks and the summary of a run of these events. */
function show(...events: readonly Event[]) {
  const reader = createReader(contract);
  const shown = createView(PROTOCOL);
  const collector = createSummaryCollector(PROTOCOL);
  const blocks = new Map<number, Block>();
  const add = (changed: readonly Block[]) => {
    for (const block of changed) blocks.set(block.id, block);
  };
  for (const [index, [type, data, sequence = index]] of events.entries()) {
    const ids = { schema_version: "1", event_id: `evt_${index}`, run_id: "run_a" };
    const occurred_at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const delivery = reader.read({ ...ids, sequence, occurred_at, type, data });
    const changed = shown.take(delivery);
    collector.add(delivery, changed);
    add(changed);
  }
  return { blocks: [...blocks.values()], end: () => add(shown.end()), ...collector };
}

const BUDGET = { task_budget_micros_usd: 9000, task_budget_remaining_micros_usd: 7500 };
const REQUESTED: Event = [
  "approval.requested",
  { approval_id: "appr_1", tool_call_id: "call_1", kind: "tool_call", summary: "rm", policy_reason: "asks" },
];
const CALL = { tool_call_id: "call_1", tool_name: "shell_exec" };
const PROPOSED: Event = ["assistant.tool_call_proposed", { ...CALL, turn_index: 0, input: {} }];

const readStates = (blocks: readonly Block[]) =>
  blocks.flatMap((block) => ("state" in block ? [[block.kind, block.state, block.tone]] : []));

describe("the state of a block", () => {
  it.each<[string, readonly Event[], unknown]>([
    [
      "a call whose approval is rejected is rejected",
      [
        PROPOSED,
        REQUESTED,
        ["approval.resolved", { approval_id: "appr_1", decision: "rejected", by: "operator", comment: "" }],
      ],
      [
        ["tool", "rejected", "bad"],
        ["approval", "rejected", "bad"],
      ],
    ],
    [
      "what is open when the run ends does not wait any longer",
      [PROPOSED, REQUESTED, ["run.cancelled", { reason: "stop" }]],
      [
        ["tool", "no end recorded", "plain"],
        ["approval", "no answer recorded", "plain"],
      ],
    ],
    [
      "a completed call with an error has failed",
      [["tool.completed", { ...CALL, kind: "shell", duration_ms: 1, error: "exit status 1" }]],
      [["tool", "failed", "bad"]],
    ],
  ])("%s", (_, events, want) => {
    expect(readStates(show(...events).blocks)).toEqual(want);
  });

  it("ends with the feed, also without an event that ends the run", () => {
    const { blocks, end } = show(PROPOSED);
    end();
    expect(readStates(blocks)).toEqual([["tool", "no end recorded", "plain"]]);
  });
});

describe("gaps", () => {
  const created: Event = ["run.created", {}];
  const invalid = (sequence: number): Event => ["user.message", [], sequence];
  const findGaps = (...events: readonly Event[]) =>
    show(...events).blocks.flatMap((block) => (block.kind === "gap" ? [[block.first, block.last]] : []));

  it("leave out the numbers of invalid events, which arrived", () => {
    expect(findGaps(created, invalid(1), ["run.started", { worker_id: "w" }, 2])).toEqual([]);
    expect(findGaps(created, invalid(3), ["run.started", { worker_id: "w" }, 6])).toEqual([
      [1, 2],
      [4, 5],
    ]);
    const [fault] = show(created, invalid(3)).blocks.slice(-1);
    expect(fault).toMatchObject({ kind: "fault", sequence: 3, stream: "run_a" });
  });

  it("in the output of a tool are counted in bytes", () => {
    const chunk = (byte_offset: number, data: string): Event => [
      "tool.shell.output_chunk",
      { tool_call_id: "call_1", stream: "stdout", byte_offset, data },
    ];
    const [tool] = show(chunk(0, "ä"), chunk(2, "b"), chunk(10, "c")).blocks;
    expect(tool).toMatchObject({
      output: [
        { text: "äb", missing: 0 },
        { text: "c", missing: 7 },
      ],
    });
  });
});

const chunk = (byte_offset: number, data: string, more: object = {}): Event => [
  "tool.shell.output_chunk",
  { tool_call_id: "call_1", stream: "stdout", byte_offset, data, ...more },
];
const INVOKED: Event = ["tool.invoked", { ...CALL, kind: "shell" }];

describe("the output of a tool", () => {
  it("begins anew when the call runs again, which happens after its worker was lost", () => {
    const [tool] = show(
      INVOKED,
      chunk(0, "first try"),
      ["gap.run_disconnected", { reason: "worker_lease_expired" }],
      ["run.queued", { resume: true }],
      ["run.started", { worker_id: "w" }],
      INVOKED,
      chunk(0, "second"),
    ).blocks;
    expect(tool).toMatchObject({ output: [{ text: "second", missing: 0 }] });
  });

  it("says how many bytes were masked", () => {
    const masked = { redacted_keys: ["data"] };
    const [tool] = show(INVOKED, chunk(0, "a"), chunk(1, "[redacted]", masked), chunk(40, "b")).blocks;
    expect(tool).toMatchObject({
      output: [
        { text: "a[redacted]", missing: 0 },
        { text: "b", missing: 0, masked: 39 },
      ],
    });
    const [other] = show(
      INVOKED,
      chunk(1, "[redacted]", { redacted_paths: ["/data"] }),
      chunk(9, "b"),
    ).blocks;
    expect(other).toMatchObject({ output: [{ missing: 1 }, { text: "b", missing: 0, masked: 8 }] });
  });
});

it("an approval without a summary has the name of its call", () => {
  const request: Event = ["approval.requested", { ...(REQUESTED[1] as object), summary: "" }];
  expect(show(PROPOSED, request).blocks[1]).toMatchObject({ subject: "shell_exec" });
  expect(show(request).blocks[0]).toMatchObject({ subject: "call_1" });
});

it("a summary has the title, the outcome, the times, the cost and the tools of a run", () => {
  const { summary, listTools } = show(
    ["user.message", { turn_index: 0, text: "Run the tests.\nAll of them." }],
    ["tool.failed", { ...CALL, duration_ms: 1, error: "no" }],
    [
      "cost.tick",
      {
        cumulative_input_tokens: 10,
        cumulative_output_tokens: 2,
        cumulative_cost_micros_usd: 1500,
        ...BUDGET,
      },
    ],
    ["run.failed", { code: "x", message: "y", retriable: false }],
  );
  expect(summary).toMatchObject({
    ...{ title: "Run the tests.", outcome: { label: "Run failed", tone: "bad" }, cost: "$0.0015" },
    ...{ inputTokens: 10, outputTokens: 2, events: 4, gaps: 0 },
  });
  expect((summary.latest ?? 0) - (summary.started ?? 0)).toBe(3000);
  expect(listTools()).toEqual([{ name: "shell_exec", calls: 1, failed: 1 }]);
});

it.each([
  ["run.started", "Run started"],
  ["tool_use_result", "Tool use result"],
  ["RunStarted", "Run started"],
])("%s has the label %s", (type, label) => {
  expect(formatLabel(type)).toBe(label);
});

it("a text that grows keeps the blocks before its stable end", () => {
  const text = "# A\n\none *two*\nthree\n\n```\ncode\n\nmore\n```\n\n- x\n- y\n\nend";
  let stable = 0;
  for (let length = 0; length <= text.length; length++) {
    const part = text.slice(0, length);
    stable = findStableEnd(part, stable);
    const blocks = [...parseMarkdown(part.slice(0, stable)), ...parseMarkdown(part.slice(stable))];
    expect(blocks).toEqual(parseMarkdown(part));
  }
  expect(text.slice(stable)).toBe("end");
});

describe("the time of an event", () => {
  it.each([
    ["a text", "2026-01-01T00:00:00Z", Date.UTC(2026, 0, 1)],
    ["a number", 1.5, 1.5],
    ["the last time of a date", 8.64e15, 8.64e15],
    ["a number that is too large for a date", 8.64e15 + 2, undefined],
    ["nanoseconds", -1.7e18, undefined],
    ["a text that is no time", "soon", undefined],
    ["no number", Number.NaN, undefined],
    ["nothing", null, undefined],
  ])("is read from %s", (_, value, expected) => {
    expect(toMilliseconds(value)).toBe(expected);
  });
});
