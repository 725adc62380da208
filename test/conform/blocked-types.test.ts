/** If this fails, an event type of hecate v1 may come although an earlier event forbids it, or a later type is not covered. */
import { describe, expect, it } from "vitest";
import { createStreamChecker } from "../../generator/conform/stream-checker.js";
import { collectEventFields } from "../../generator/protocol/event-fields.js";
import { checkLines, validators } from "./check-stream.js";
import { completeEvents } from "./stream-cases.js";

const hecate = validators.get("hecate/v1");
if (hecate === undefined) throw new Error("no hecate/v1");
const { protocol } = hecate;

/** The findings about an event that an earlier one forbids. */
const FINDINGS: readonly string[] = ["event-blocked", "state-forbids-event"];
const CALL = { tool_call_id: "c1" };

/** Returns the event types that a writer may not send after these events. Each is tried alone, about the same call. */
function listBlockedTypes(types: readonly string[], before: readonly object[]): string[] {
  return types.filter((type) => {
    const last = hasCall(type) ? { type, data: CALL } : { type };
    const events = completeEvents(
      "hecate/v1",
      [...before, last].map((event) => JSON.stringify(event)),
    );
    return checkLines("hecate/v1", "writer", events).some(
      ({ rule, index }) => FINDINGS.includes(rule) && index === before.length + 1,
    );
  });
}

function hasCall(type: string): boolean {
  return protocol.events.some(
    (event) => event.type === type && collectEventFields(protocol, event).has("tool_call_id"),
  );
}

const TYPES = protocol.events.map(({ type }) => type);
const CALL_TYPES = TYPES.filter(hasCall);
const REQUEST = { type: "approval.requested", data: { approval_id: "a1", ...CALL } };
const REJECTION = { type: "approval.resolved", data: { approval_id: "a1", decision: "rejected" } };

describe("the events of a call", () => {
  const isTool = (type: string): boolean => type.startsWith("tool.");

  it("do not come after a policy blocked it", () => {
    const blocked = listBlockedTypes(CALL_TYPES, [{ type: "policy.tool_blocked", data: CALL }]);
    // The documents do not say whether one call can be blocked twice.
    expect(blocked).toEqual(CALL_TYPES.filter((type) => type !== "policy.tool_blocked"));
    expect(blocked.filter(isTool).length).toBeGreaterThan(25);
  });

  it.each([
    ["while its approval is pending", [REQUEST]],
    ["after its approval was rejected", [REQUEST, REJECTION]],
  ])("do not come %s, except its end and the reverts of an operator", (_when, before) => {
    const allowed = CALL_TYPES.filter(isTool).filter(
      (type) => !listBlockedTypes(CALL_TYPES, before).includes(type),
    );
    expect(allowed).toEqual([
      "tool.cancelled",
      "tool.edit.reverted",
      "tool.failed",
      "tool.multi_edit.reverted",
      "tool.timed_out",
    ]);
  });
});

describe("the events of a run", () => {
  // These are not work of the run: what began a run again, gap markers, and what operators, callers and the task do later.
  const MAY_FOLLOW = [
    "approval.resolved",
    "approval.timed_out",
    "artifact.created",
    "artifact.referenced",
    "artifact.updated",
    "external.event",
    "gap.events_pruned",
    "gap.run_disconnected",
    "run.created",
    "run.queued",
    "run.started",
    "snapshot",
    "task.updated",
    "tool.edit.applied",
    "tool.edit.reverted",
    "tool.file.applied",
    "tool.file.reverted",
    "tool.multi_edit.applied",
    "tool.multi_edit.reverted",
    "user.attachment",
    "user.message",
  ];
  // Other rules are about these: a run ends once, and resumes before it starts.
  const OTHER_RULES = ["run.cancelled", "run.failed", "run.finished", "run.resumed_from_event"];

  // What was running may end after its run was cancelled. Calls of a shell need tool.invoked.
  it.each([
    ["run.finished", []],
    ["run.failed", []],
    ["run.cancelled", ["tool.cancelled", "tool.failed", "tool.timed_out", "turn.completed", "turn.failed"]],
  ])("do not come after %s if they are work", (end, endsOfCalls) => {
    const blocked = listBlockedTypes(TYPES, [{ type: "run.started" }, { type: end }]);
    expect(TYPES.filter((type) => !blocked.includes(type))).toEqual(
      [...MAY_FOLLOW, ...OTHER_RULES, ...endsOfCalls].sort(),
    );
  });
});

it("a family covers an event type that is added later", () => {
  const completed = protocol.events.find(({ type }) => type === "tool.completed");
  if (completed === undefined) throw new Error("no tool.completed");
  const added = "tool.rocket.launched";
  const grown = { ...protocol, events: [...protocol.events, { ...completed, type: added }] };
  const checker = createStreamChecker(grown, { profile: "writer" });
  const lines = completeEvents("hecate/v1", [
    JSON.stringify({ type: "policy.tool_blocked", data: CALL }),
    JSON.stringify({ type: "tool.completed", data: CALL }),
  ]);
  const findings = lines.flatMap((line, index) => {
    const event = JSON.parse(line);
    const renamed = event.type === "tool.completed" ? { ...event, type: added } : event;
    return checker.check(renamed, { kind: "new", stream: event.run_id, sequence: index }, index);
  });
  expect(findings.map(({ rule, message }) => [rule, message])).toEqual([
    [
      "event-blocked",
      'tool.rocket.launched #1 comes although policy.tool_blocked #0 forbids it for tool_call_id "c1".',
    ],
  ]);
});
