/** Type tests of protocols with inline and keyed payloads. */
import type * as evva from "../../generated/evva/v0/index.js";
import type * as v1 from "../../generated/frames/v1/index.js";
import type * as v2 from "../../generated/frames/v2/index.js";
import type { Assert, Equal, Known } from "./equal.js";

export type Tests = [
  Assert<Equal<v1.EventOf<"tool_started">["timeout_ms"], number | null>>,
  Assert<Equal<v1.PayloadOf<"session_ended">, v1.SessionEndedPayload>>,
  Assert<Equal<v1.FramesEvent["type"], v1.EventType>>,
  Assert<Equal<v2.FramesEvent["type"], v2.EventType>>,
  Assert<Equal<evva.PayloadOf<"run_cancelled">, undefined>>,
  Assert<Equal<evva.PayloadOf<"text">, evva.EventOf<"text">["Text"]>>,
  Assert<Equal<Known<evva.PermissionMode>, "default" | "accept_edits" | "plan" | "bypass">>,
];

/** Every frame, handled: the switch is complete, so nothing is left over. */
export function complete(frame: v1.FramesEvent): string {
  switch (frame.type) {
    case "checkpoint_created":
    case "checkpoint_failed":
    case "checkpoint_rewound":
      return frame.session_id;
    case "output_text_delta":
    case "provider_event":
      return frame.type;
    case "session_started":
      return frame.input;
    case "session_ended":
      return frame.reason;
    case "tool_started":
      return `${frame.name} ${frame.timeout_ms?.toFixed()}`;
    case "tool_ended":
    case "tool_failed":
    case "tool_stderr":
    case "tool_stdout":
      return frame.tool_id;
    case "tool_task_cancel_requested":
    case "tool_task_cancelled":
    case "tool_task_output_delta":
    case "tool_task_resized":
    case "tool_task_signalled":
    case "tool_task_spawned":
    case "tool_task_status":
    case "tool_task_stdin_written":
      return frame.id;
    default: {
      const rest: never = frame;
      return rest;
    }
  }
}

/** A missing case stops the build, by a return type alone. */
// @ts-expect-error: twenty frames, one case
export function missing(frame: v1.FramesEvent): string {
  switch (frame.type) {
    case "session_ended":
      return frame.reason;
  }
}

export function keyed(event: evva.EvvaEvent): string {
  switch (event.Kind) {
    case "text":
      return event.Text.Text;
    case "run_end":
      return event.RunEnd.Iters.toFixed();
    case "run_cancelled":
      // @ts-expect-error: a kind without payload
      return event.RunEnd;
    case "run_start":
      // @ts-expect-error: the payload of another kind
      return event.Text;
    default:
      return event.AgentID;
  }
}

const frame = { id: "i", session_id: "s", timestamp_ms: 0, seq: 0 };
export const right: v1.FramesEvent = { ...frame, type: "session_ended", reason: "done" };
// @ts-expect-error: reason is missing
export const missingField: v1.FramesEvent = { ...frame, type: "session_ended" };
// @ts-expect-error: a field of another frame
export const otherField: v1.FramesEvent = { ...frame, type: "session_ended", reason: "done", input: "x" };
// @ts-expect-error: misspelt
export const misspelt: v1.EventOf<"session_ended"> = { ...frame, type: "session_ended", reson: "done" };
export const text: evva.EvvaEvent = {
  AgentID: "a",
  ParentID: "",
  Time: "t",
  Kind: "text",
  Text: { Text: "x" },
};
const agent = { AgentID: "a", ParentID: "", Time: "t" };
// @ts-expect-error: the payload lies under another key
export const wrongKey: evva.EventOf<"text"> = { ...agent, Kind: "text", TextChunk: {} };
export const unknown: v1.UnknownEvent = { ...frame, type: "dream", anything: { goes: 1 } };
