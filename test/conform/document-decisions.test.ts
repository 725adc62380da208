/** If this fails, a schema of hecate v1 departs from what its documents say, as the project decided to read them. */
import { describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../generator/json.js";
import { validators } from "./check-stream.js";

const hecate = validators.get("hecate/v1");
if (hecate === undefined) throw new Error("no hecate/v1");
const { decodeEvent, protocol } = hecate;

/** Returns an event of this type: the first example of its schema with other values. */
function createEvent(type: string, changes: JsonObject): JsonObject {
  const example = protocol.events.find((event) => event.type === type)?.examples[0];
  if (!isObject(example)) throw new Error(`${type} has no example`);
  return {
    schema_version: "1",
    event_id: "evt_01KQPNTYZ078KC0JSFASW9A2XZ",
    run_id: "run_01KQPNTYZ078KC0JSFASW9A2XZ",
    sequence: 0,
    occurred_at: "2026-05-03T10:00:00Z",
    type,
    data: { ...example, ...changes },
  };
}

/** Who accepts an event: both profiles, readers alone, or nobody. */
type Acceptance = "both" | "reader" | "nobody";

function findAcceptance(event: JsonObject): Acceptance {
  const accepts = (profile: "reader" | "writer"): boolean => decodeEvent(event, { profile }).kind === "known";
  if (accepts("writer")) return accepts("reader") ? "both" : "nobody";
  return accepts("reader") ? "reader" : "nobody";
}

const ROWS: readonly (readonly [line: string, type: string, data: JsonObject, accepted: Acceptance])[] = [
  ["3: a public envelope has no persisted rows", "external.event", { steps: [] }, "reader"],
  ["3: callers may send other keys", "external.event", { note: "x" }, "both"],
  ["4: the tool kind git", "tool.completed", { kind: "git" }, "both"],
  ["4: another tool kind", "tool.completed", { kind: "telepathy" }, "both"],
  ["5: any principal may decide", "approval.resolved", { by: "alice@example.com" }, "both"],
  ["5: a principal is not empty", "approval.resolved", { by: "" }, "nobody"],
  ["5: any subsystem may cancel", "run.cancelled", { reason: "", by: "reaper" }, "both"],
  ["9: a url that is not a strict uri", "tool.http.requested", { url: "localhost:80/a b" }, "reader"],
  ["9: a status beyond 599", "tool.http.response", { status: 999 }, "reader"],
  ["9: a threshold beyond 100", "cost.budget_warning", { threshold_pct: 101 }, "reader"],
  ["9: a retry from turn 0", "run.resumed_from_event", { retry_from_turn: 0 }, "reader"],
  ["11: another scope", "approval.resolved", { scope: "always" }, "both"],
  ["11: another reason to stop", "turn.completed", { stop_reason: "refusal" }, "both"],
];

const BLOCKED = { tool_call_id: "c1", reason: "approval_policy=block" };
const FAILED = { tool_call_id: "c1" };
const COMPLETED = { tool_call_id: "c1", duration_ms: 1 };
const INVOKED = { tool_call_id: "c1" };
const MCP_NAME = { tool_name: "mcp__github__delete_repo" };
const MCP = { ...MCP_NAME, kind: "mcp" };
const MCP_KEYS = { mcp_server: "github", mcp_tool: "delete_repo" };

/** Complete payloads of calls with names of MCP tools, and of calls with similar names. */
const MCP_ROWS: readonly (readonly [line: string, type: string, data: JsonObject, accepted: Acceptance])[] = [
  ["a failed call without a kind", "tool.failed", { ...FAILED, ...MCP_NAME }, "reader"],
  ["a failed call of another kind", "tool.failed", { ...FAILED, ...MCP_NAME, kind: "shell" }, "reader"],
  ["a failed call without keys", "tool.failed", { ...FAILED, ...MCP }, "reader"],
  [
    "a failed call with keys and without a kind",
    "tool.failed",
    { ...FAILED, ...MCP_NAME, ...MCP_KEYS, result: "failed" },
    "reader",
  ],
  [
    "a failed call without an error",
    "tool.failed",
    { ...FAILED, ...MCP, ...MCP_KEYS, result: "failed" },
    "reader",
  ],
  [
    "a failed call",
    "tool.failed",
    { ...FAILED, ...MCP, ...MCP_KEYS, result: "failed", error: "connection closed" },
    "both",
  ],
  [
    "a clean result with an error",
    "tool.completed",
    { ...COMPLETED, ...MCP, ...MCP_KEYS, result: "dispatched", error: "boom" },
    "reader",
  ],
  ["a clean result", "tool.completed", { ...COMPLETED, ...MCP, ...MCP_KEYS, result: "dispatched" }, "both"],
  [
    "an error of the tool without a text",
    "tool.completed",
    { ...COMPLETED, ...MCP, ...MCP_KEYS, result: "tool_error" },
    "both",
  ],
  ["a blocked call without a kind", "policy.tool_blocked", { ...BLOCKED, ...MCP_NAME }, "reader"],
  ["a blocked call without a result", "policy.tool_blocked", { ...BLOCKED, ...MCP, ...MCP_KEYS }, "reader"],
  ["a blocked call", "policy.tool_blocked", { ...BLOCKED, ...MCP, ...MCP_KEYS, result: "blocked" }, "both"],
  ["a cancelled call without a kind", "tool.cancelled", { ...FAILED, ...MCP_NAME }, "reader"],
  ["a started call without a kind", "tool.started", { ...FAILED, ...MCP_NAME }, "reader"],
  ["a call without a kind that timed out", "tool.timed_out", { ...FAILED, ...MCP_NAME }, "reader"],
  // The documents describe the keys of completed, failed and blocked calls.
  ["a cancelled call of another kind", "tool.cancelled", { ...FAILED, ...MCP_NAME, kind: "file" }, "reader"],
  ["a cancelled call", "tool.cancelled", { ...FAILED, ...MCP }, "both"],
  ["an invoked call of another kind", "tool.invoked", { ...INVOKED, ...MCP_NAME, kind: "http" }, "reader"],
  ["an invoked call", "tool.invoked", { ...INVOKED, ...MCP }, "both"],
  [
    "an MCP call with a plain name",
    "tool.invoked",
    { ...INVOKED, kind: "mcp", tool_name: "shell_exec" },
    "reader",
  ],
  [
    "underscores in the parts of the name",
    "tool.invoked",
    { ...INVOKED, kind: "mcp", tool_name: "mcp__a_b__c__d" },
    "both",
  ],
  ...["shell_exec", "mcp__x", "mcp__", "mcp_x__y", "my_mcp__x__y", "MCP__x__y", "mcp__x__"].map(
    (tool_name) => [`the name ${tool_name}`, "tool.failed", { ...FAILED, tool_name }, "both"] as const,
  ),
  ["a blocked shell call", "policy.tool_blocked", { ...BLOCKED, tool_name: "shell_exec" }, "both"],
];

const SHELL = { tool_call_id: "c1", tool_name: "shell_exec", kind: "shell" };
const SHELL_ERROR = { ...SHELL, error: "the command was stopped" };
const PATCH = {
  ...SHELL,
  tool_name: "file_write",
  kind: "file",
  operation: "write",
  path: "a.txt",
  artifact_id: "art_1",
  bytes_written: 1,
  diff_bytes: 1,
  before_existed: true,
};
const SHELL_TIMEOUT = { ...SHELL_ERROR, after_ms: 1000 };

/** Complete payloads of the ends of shell calls, and of recovered runs. */
const FACT_ROWS: readonly (readonly [line: string, type: string, data: JsonObject, accepted: Acceptance])[] =
  [
    [
      "REF 451: completed after its time",
      "tool.completed",
      { ...SHELL, duration_ms: 1, "hecate.tool.timed_out": true },
      "reader",
    ],
    [
      "REF 454: completed and cancelled",
      "tool.completed",
      { ...SHELL, duration_ms: 1, "hecate.tool.cancelled": true },
      "reader",
    ],
    [
      "REF 451: completed in time",
      "tool.completed",
      { ...SHELL, duration_ms: 1, "hecate.tool.timed_out": false },
      "both",
    ],
    [
      "REF 496: cancelled and not cancelled",
      "tool.cancelled",
      { ...SHELL, "hecate.tool.cancelled": false },
      "reader",
    ],
    ["REF 496: cancelled", "tool.cancelled", { ...SHELL_ERROR, "hecate.tool.cancelled": true }, "both"],
    ["REF 493: timed out in time", "tool.timed_out", { ...SHELL, "hecate.tool.timed_out": false }, "reader"],
    ["REF 493: timed out", "tool.timed_out", { ...SHELL_TIMEOUT, "hecate.tool.timed_out": true }, "both"],
    ["REF 486: failed without an error", "tool.failed", SHELL, "reader"],
    ["REF 486: failed", "tool.failed", SHELL_ERROR, "both"],
    ["REF 486: cancelled without an error", "tool.cancelled", SHELL, "reader"],
    ["REF 487: timed out without its time", "tool.timed_out", SHELL_ERROR, "reader"],
    ["REF 487: a timeout of another kind", "tool.timed_out", { ...SHELL, kind: "http" }, "both"],
    [
      "RFC 268: stopped at the output cap",
      "tool.timed_out",
      { ...SHELL_TIMEOUT, "hecate.tool.timed_out": false, "hecate.tool.output_truncated": true },
      "both",
    ],
    [
      "REF 211: a boot scan that is periodic",
      "gap.run_disconnected",
      { reason: "boot_reconcile", recovery_strategy: "periodic_requeue" },
      "reader",
    ],
    [
      "REF 192: a boot scan that starts fresh",
      "gap.run_disconnected",
      { reason: "boot_reconcile", action: "start_fresh" },
      "reader",
    ],
    [
      "REF 213: a boot scan with a threshold",
      "gap.run_disconnected",
      { reason: "boot_reconcile", stale_threshold_ms: 1 },
      "reader",
    ],
    [
      "REF 211: a boot scan",
      "gap.run_disconnected",
      { reason: "boot_reconcile", action: "requeued", recovery_strategy: "requeue" },
      "both",
    ],
    [
      "REF 204: unusable state without a message",
      "gap.run_disconnected",
      { reason: "resume_checkpoint_unavailable", action: "start_fresh" },
      "reader",
    ],
    [
      "REF 213: unusable state with a threshold",
      "gap.run_disconnected",
      { reason: "resume_checkpoint_unavailable", message: "m", stale_threshold_ms: 1 },
      "reader",
    ],
    [
      "REF 204: unusable state",
      "gap.run_disconnected",
      { reason: "resume_checkpoint_unavailable", action: "start_fresh", message: "m" },
      "both",
    ],
    [
      "REF 213: a lost worker",
      "gap.run_disconnected",
      { reason: "worker_lease_expired", stale_threshold_ms: 1, recovery_strategy: "periodic_requeue" },
      "both",
    ],
    [
      "REF 192: a lost worker that starts fresh",
      "gap.run_disconnected",
      { reason: "worker_lease_expired", action: "start_fresh" },
      "reader",
    ],
    [
      "REF 211: a lost worker that the boot scan found",
      "gap.run_disconnected",
      { reason: "worker_lease_expired", recovery_strategy: "requeue" },
      "reader",
    ],
    [
      "REF 193: unusable state that is queued again",
      "gap.run_disconnected",
      { reason: "resume_checkpoint_unavailable", action: "requeued", message: "m" },
      "reader",
    ],
    [
      "REF 211: unusable state that a scan found",
      "gap.run_disconnected",
      { reason: "resume_checkpoint_unavailable", message: "m", recovery_strategy: "requeue" },
      "reader",
    ],
    ["REF 486: completed with an error", "tool.completed", { ...SHELL_ERROR, duration_ms: 1 }, "reader"],
    [
      "REF 493: failed after its time",
      "tool.failed",
      { ...SHELL_ERROR, "hecate.tool.timed_out": true },
      "reader",
    ],
    [
      "REF 496: failed and cancelled",
      "tool.failed",
      { ...SHELL_ERROR, "hecate.tool.cancelled": true },
      "reader",
    ],
    [
      "RFC 289: a summary of two lines",
      "tool.completed",
      { ...SHELL, duration_ms: 1, summary: "one\ntwo" },
      "reader",
    ],
    [
      "RFC 289: a summary of one line",
      "tool.completed",
      { ...SHELL, duration_ms: 1, summary: "one" },
      "both",
    ],
    [
      "REF 550: proposed and applied",
      "tool.file.patch",
      { ...PATCH, operation: "propose", artifact_status: "applied" },
      "reader",
    ],
    ["REF 550: written and proposed", "tool.file.patch", { ...PATCH, artifact_status: "proposed" }, "reader"],
    [
      "REF 550: proposed",
      "tool.file.patch",
      { ...PATCH, operation: "propose", artifact_status: "proposed" },
      "both",
    ],
    ["REF 550: written", "tool.file.patch", { ...PATCH, artifact_status: "applied" }, "both"],
    [
      "REF 192: a lost worker that was queued",
      "gap.run_disconnected",
      { reason: "worker_lease_expired", prior_status: "queued" },
      "reader",
    ],
    [
      "REF 191: a boot scan of a queued run",
      "gap.run_disconnected",
      { reason: "boot_reconcile", prior_status: "queued" },
      "both",
    ],
    [
      "REF 191: a boot scan of a run that has ended",
      "gap.run_disconnected",
      { reason: "boot_reconcile", prior_status: "completed" },
      "reader",
    ],
    [
      "REF 499: completed although the cap stopped it",
      "tool.completed",
      { ...SHELL, duration_ms: 1, "hecate.tool.output_truncated": true },
      "reader",
    ],
    [
      "REF 499: failed because the cap stopped it",
      "tool.failed",
      { ...SHELL_ERROR, "hecate.tool.output_truncated": true },
      "both",
    ],
    [
      "REF 213: a lost worker without a threshold",
      "gap.run_disconnected",
      { reason: "worker_lease_expired" },
      "both",
    ],
  ];

describe("the decisions about hecate v1", () => {
  it.each(FACT_ROWS)("facts that contradict each other: %s (%s)", (_line, type, data, accepted) => {
    expect(findAcceptance({ ...createEvent(type, {}), data })).toBe(accepted);
  });

  it.each(MCP_ROWS)("6: names and keys of MCP calls: %s (%s)", (_line, type, data, accepted) => {
    expect(findAcceptance({ ...createEvent(type, {}), data })).toBe(accepted);
  });

  it.each(ROWS)("%s (%s)", (_line, type, data, accepted) => {
    expect(findAcceptance(createEvent(type, data))).toBe(accepted);
  });

  it("7: result_artifact_id waits on artifact storage", () => {
    const { properties } = protocol.events.find(({ type }) => type === "tool.completed")?.payload ?? {};
    const field = isObject(properties) ? properties.result_artifact_id : undefined;
    expect(field).toMatchObject({ "x-stability": "experimental", "x-requires": "artifact-storage" });
  });

  it("10: turn.completed is the only event type that is pruned", () => {
    const turn = protocol.events.find(({ type }) => type === "turn.completed");
    expect(turn?.description).toContain("they are the only events that the retention worker prunes");
  });
});
