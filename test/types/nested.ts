/** Type tests of a nested protocol. `tsc` runs them: an expected error that does not occur is an error. */
import {
  decodeEvent,
  type EventOf,
  type EventType,
  type HecateEvent,
  type Issue,
  type metadata,
  type PayloadOf,
  protocol,
  type RunFinishedPayload,
  type ToolKind,
  type UnknownEvent,
} from "../../generated/hecate/v1/index.js";
import { validateRunQueuedEvent as validateRunQueued } from "../../generated/hecate/v1/reader.js";
import type { Assert, Equal, Known } from "./equal.js";

declare const event: HecateEvent;
declare const value: unknown;

/** A check of the discriminator narrows the event and its payload, in `switch` and in `if`. */
export function narrowByType(): string {
  if (event.type === "tool.completed") {
    const code: number | undefined = event.data["hecate.tool.exit_code"];
    // @ts-expect-error: no such field
    event.data.hecate_tool_exit_code;
    return `${event.data.tool_name} ${code}`;
  }
  switch (event.type) {
    case "approval.resolved":
      return event.data.decision;
    // @ts-expect-error: no such event type
    case "approval.resolve":
      return "";
    default:
      // @ts-expect-error: not known of every event
      return event.data.tool_name;
  }
}

/** A switch that misses cases is an error where it must be complete. */
export function switchIncompletely(one: EventOf<"run.queued" | "run.started">): number {
  switch (one.type) {
    case "run.queued":
      return 1;
    default: {
      // @ts-expect-error: run.started is left over
      const rest: never = one;
      return rest;
    }
  }
}

export type Tests = [
  Assert<Equal<HecateEvent["type"], EventType>>,
  Assert<Equal<PayloadOf<"run.queued">, EventOf<"run.queued">["data"]>>,
  Assert<Equal<EventOf<"run.queued">["type"], "run.queued">>,
  Assert<Equal<EventOf<EventType>, HecateEvent>>,
  Assert<Equal<keyof typeof metadata, EventType>>,
  // The known values are listed. `shel` is none of them.
  Assert<
    Equal<
      Extract<Known<ToolKind>, "shell" | "mcp" | "file" | "web_search" | "shel">,
      "shell" | "mcp" | "file" | "web_search"
    >
  >,
  Assert<Equal<PayloadOf<"approval.resolved">["decision"], "approved" | "rejected" | "cancelled">>,
  Assert<Equal<PayloadOf<"run.queued">["prior_run_id"], string | null | undefined>>,
];

// @ts-expect-error: no such event type
export type NoSuchEvent = EventOf<"run.dreamt">;

export const open: PayloadOf<"run.queued"> = { kind: "quantum", workspace_mode: "clone", prior_run_id: null };
// @ts-expect-error: an open enum takes other strings, but no numbers
export const openNumber: PayloadOf<"run.queued"> = { kind: 1 };
// @ts-expect-error: misspelt field
export const misspelt: PayloadOf<"run.queued"> = { modle: "m" };
// @ts-expect-error: with exactOptionalPropertyTypes an optional field is left out, not undefined
export const undefinedField: PayloadOf<"run.queued"> = { model: undefined };
// @ts-expect-error: null only where the schema says so
export const nullField: PayloadOf<"run.queued"> = { model: null };
export const common: PayloadOf<"run.queued"> = { redacted_keys: ["model"] };

export const finished: RunFinishedPayload = { final_status: "completed" };
export const finishedOtherwise: RunFinishedPayload = { status: "completed", turns: 3 };
// @ts-expect-error: neither of final_status and status
export const unfinished: RunFinishedPayload = { turns: 3 };
// @ts-expect-error: not a value of this closed enum
export const misfinished: RunFinishedPayload = { final_status: "done" };

// @ts-expect-error: tool_name is missing
export const missing: PayloadOf<"tool.completed"> = { tool_call_id: "call_1", kind: "shell", duration_ms: 1 };

const envelope = { schema_version: "1", event_id: "e", run_id: "r", sequence: 0, occurred_at: "t" } as const;
export const right: HecateEvent = { ...envelope, type: "run.finished", data: { status: "completed" } };
const status = "completed";
// @ts-expect-error: the payload of another event type
export const wrongPayload: HecateEvent = { ...envelope, type: "tool.completed", data: { status } };
// @ts-expect-error: no payload
export const noPayload: HecateEvent = { ...envelope, type: "run.queued" };
// @ts-expect-error: the version is "1"
export const wrongVersion: HecateEvent = { ...envelope, schema_version: "2", type: "run.queued", data: {} };

/** The three outcomes are told apart by `kind`. */
export function decodeByKind(): string | readonly Issue[] {
  const result = decodeEvent(value);
  // @ts-expect-error: invalid values have no event
  result.event;
  switch (result.kind) {
    case "known":
      return result.event.type === "run.queued" ? String(result.event.data.model) : "";
    case "unknown": {
      const unknown: UnknownEvent = result.event;
      // @ts-expect-error: nothing is known of its payload
      const text: string = unknown.data.text;
      return unknown.type + text;
    }
    case "invalid":
      return result.issues;
  }
}

protocol.decodeEvent(value, { profile: "writer" });
// @ts-expect-error: no such profile
protocol.decodeEvent(value, { profile: "editor" });
// @ts-expect-error: the exported decodeEvent takes no profile; it always uses the reader profile
decodeEvent(value, { profile: "writer" });

/** A validator is a type guard. */
export function guardByValidator(): string | undefined {
  // @ts-expect-error: not yet known
  value.data;
  if (validateRunQueued(value)) return value.data.model;
  const standard = validateRunQueued["~standard"].validate(value);
  return standard.issues ? standard.issues[0]?.message : standard.value.data.model;
}
