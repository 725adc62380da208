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
  ["4: another tool kind", "tool.completed", { kind: "telepathy" }, "reader"],
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

describe("the decisions about hecate v1", () => {
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
