/** Makes rows of events, as a runtime keeps them: a second implementation, which knows the names of the columns. */
import type { Json, JsonObject } from "../../generator/json.js";

/** Data that a runtime stores beside the payload. No public event may contain it. */
export const PRIVATE_STATE: JsonObject = {
  run: { id: "run_private", status: "running", total_cost_micros_usd: 1e21 },
  steps: [{ id: "step_private", run_id: "run_private", type: "run.failed" }],
  artifacts: [{ id: "artifact_private", event_data: {} }],
  snapshot: { run: { id: "run_private" }, approvals: [] },
};

/** The task of events that name none: every row has one. */
const TASK_ID = "task_01KQPNTT1GTJ3AC5ZEVH35HMX1";

/** Returns the row of an event. */
export function createRow(event: JsonObject, state: JsonObject = PRIVATE_STATE): JsonObject {
  const { sequence = 0, run_id = "", task_id = TASK_ID, type = "", data, occurred_at = "" } = event;
  return {
    sequence,
    task_id,
    run_id,
    event_type: type,
    event_data: { ...state, ...(data as JsonObject) },
    created_at: occurred_at,
  };
}

/** Returns an event without what a log does not keep: the session, and the id, which is made. */
export function omitUnstored(event: JsonObject): { [name: string]: Json } {
  const { event_id: _id, session_id: _session, ...rest } = event;
  return { task_id: TASK_ID, ...rest };
}
