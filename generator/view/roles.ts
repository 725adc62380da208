/**
 * What the known events of each protocol are to a reader. A protocol without a table is shown as notices; a new event
 * type needs a row only if it is more than that.
 */
import type { Tone } from "./block.js";

/** Names of payload fields; `/` leads into objects. */
type Field = string;

/** A text, whole or a piece of it. */
export interface TextRole {
  readonly as: "text";
  readonly speaker: "user" | "assistant" | "thinking";
  readonly field: Field;
  /** Whether the field is a piece of the text or all of it. */
  readonly part: boolean;
  /** What tells texts of a stream apart; without it, one ends where something else begins. */
  readonly key?: readonly Field[];
  /** It may repeat the text before it. */
  readonly echo?: boolean;
}

/** A part of a tool call's life. */
export interface ToolRole {
  readonly as: "tool";
  readonly key: Field;
  readonly name?: Field;
  readonly input?: Field;
  readonly output?: Field;
  /** Field of the output's channel, or its name after `=`. */
  readonly channel?: string;
  readonly state?: readonly [state: string, tone: Tone];
  /** Field of the state. */
  readonly stateField?: Field;
  /** The fields that are told; all others unless given. */
  readonly facts?: readonly Field[];
}

/** A question to a person, or its answer. */
export interface ApprovalRole {
  readonly as: "approval";
  readonly key: Field;
  readonly subject?: readonly Field[];
  readonly state: readonly [state: string, tone: Tone];
  readonly stateField?: Field;
  /** The fields that are told; all others unless given. */
  readonly facts?: readonly Field[];
}

/** A marker for events that are gone. */
export interface GapRole {
  readonly as: "gap";
  readonly first?: Field;
  readonly last?: Field;
}

/** Anything else. */
export interface NoticeRole {
  readonly as: "notice" | "cost";
  readonly tone?: Tone;
  /** The fields that are told; all unless given. */
  readonly facts?: readonly Field[];
  /** Texts of the stream end here. */
  readonly endsTexts?: boolean;
  /** Comes in between without ending anything. */
  readonly aside?: boolean;
}

export type Role = TextRole | ToolRole | ApprovalRole | GapRole | NoticeRole;

/** Roles by event type; a name that ends with `*` stands for all types that begin so and have no row. */
export type Roles = { readonly [type: string]: Role };

const block = ["turn_index", "block_index"];
const call = { as: "tool", key: "tool_call_id", name: "tool_name" } as const;
const asked = {
  as: "approval",
  key: "approval_id",
  facts: ["policy_reason", "by", "comment", "scope"],
} as const;
const ended = ["duration_ms", "summary", "reason", "error"];
const turn = { as: "notice", endsTexts: true } as const;

const HECATE: Roles = {
  "user.message": { as: "text", speaker: "user", field: "text", part: false },
  "assistant.text_delta": { as: "text", speaker: "assistant", field: "delta", part: true, key: block },
  "assistant.text_complete": { as: "text", speaker: "assistant", field: "text", part: false, key: block },
  "assistant.thinking_delta": { as: "text", speaker: "thinking", field: "delta", part: true, key: block },
  "assistant.thinking_complete": { as: "text", speaker: "thinking", field: "text", part: false, key: block },
  "assistant.final_answer": { as: "text", speaker: "assistant", field: "summary", part: false, echo: true },
  "assistant.tool_call_proposed": { ...call, input: "input", state: ["proposed", "open"], facts: [] },
  "tool.*": call,
  "tool.invoked": { ...call, state: ["running", "open"], facts: ["kind"] },
  "tool.started": { ...call, state: ["running", "open"], facts: [] },
  "tool.shell.command": { ...call, input: "command_string", facts: ["cwd"] },
  "tool.shell.output_chunk": { ...call, output: "data", channel: "stream", facts: [] },
  "tool.shell.exited": { ...call, facts: ["exit_code", "signal"] },
  "tool.completed": { ...call, state: ["done", "good"], facts: ended },
  "tool.failed": { ...call, state: ["failed", "bad"], facts: ended },
  "tool.cancelled": { ...call, state: ["cancelled", "bad"], facts: ended },
  "tool.timed_out": { ...call, state: ["timed out", "bad"], facts: ended },
  "policy.tool_blocked": { ...call, state: ["blocked", "bad"] },
  "approval.requested": {
    ...asked,
    subject: ["summary", "tool_call_id", "kind"],
    state: ["waiting", "open"],
  },
  "approval.resolved": { ...asked, state: ["decided", "plain"], stateField: "decision" },
  "approval.timed_out": { ...asked, state: ["timed out", "bad"] },
  "cost.*": { as: "cost" },
  "cost.tick": {
    as: "cost",
    facts: [
      "cumulative_input_tokens",
      "cumulative_output_tokens",
      "cumulative_cost_micros_usd",
      "task_budget_remaining_micros_usd",
    ],
  },
  "cost.budget_exceeded": { as: "cost", tone: "bad" },
  "gap.*": { as: "gap" },
  "gap.events_pruned": { as: "gap", first: "first_pruned_sequence", last: "last_pruned_sequence" },
  "run.queued": { as: "notice", facts: ["kind", "model", "provider", "resume"] },
  "run.started": { as: "notice", facts: ["worker_id"] },
  "turn.started": { ...turn, facts: ["turn_index", "model"] },
  "turn.completed": { ...turn, facts: ["turn_index", "cost_micros_usd", "duration_ms", "stop_reason"] },
  "turn.failed": { ...turn, tone: "bad" },
  "error.*": { as: "notice", tone: "bad" },
  "run.finished": { ...turn, tone: "good", facts: ["turns", "cost_micros_usd", "duration_ms", "error"] },
  "run.failed": { ...turn, tone: "bad", facts: ["code", "message", "error", "retriable"] },
  "run.cancelled": { ...turn, tone: "bad" },
};

const run = { as: "tool", key: "tool_id", name: "name" } as const;
const task = { as: "tool", key: "task_id", name: "tool_name" } as const;

const FRAMES: Roles = {
  session_started: { as: "text", speaker: "user", field: "input", part: false },
  output_text_delta: { as: "text", speaker: "assistant", field: "delta", part: true },
  provider_event: { as: "notice", aside: true },
  tool_started: { ...run, input: "args", state: ["running", "open"] },
  tool_stdout: { ...run, output: "chunk", channel: "=stdout", facts: [] },
  tool_stderr: { ...run, output: "chunk", channel: "=stderr", facts: [] },
  tool_ended: { ...run, state: ["done", "good"] },
  tool_failed: { ...run, state: ["failed", "bad"] },
  "tool_task_*": task,
  tool_task_spawned: { ...task, input: "args", state: ["spawned", "open"] },
  tool_task_output_delta: { ...task, output: "chunk", channel: "stream", facts: [] },
  tool_task_status: { ...task, stateField: "status" },
  tool_task_cancelled: { ...task, state: ["cancelled", "bad"] },
  checkpoint_failed: { as: "notice", tone: "bad" },
  skill_warning: { as: "notice", tone: "bad" },
  session_ended: { as: "notice", tone: "good" },
};

const EVVA: Roles = {
  run_start: { as: "text", speaker: "user", field: "Prompt", part: false },
  text: { as: "text", speaker: "assistant", field: "Text", part: false },
  text_chunk: { as: "text", speaker: "assistant", field: "Text", part: true },
  thinking: { as: "text", speaker: "thinking", field: "Text", part: false },
  thinking_chunk: { as: "text", speaker: "thinking", field: "Text", part: true },
  tool_use_start: { as: "tool", key: "ToolID", name: "Name", input: "Input", state: ["running", "open"] },
  tool_use_result: {
    as: "tool",
    key: "ToolID",
    output: "Content",
    channel: "=result",
    state: ["done", "good"],
  },
  approval_needed: {
    as: "approval",
    key: "RequestID",
    subject: ["ToolName"],
    state: ["waiting", "open"],
    facts: ["ToolInput", "Reason", "RiskHint"],
  },
  question_needed: {
    as: "approval",
    key: "RequestID",
    subject: ["Questions/0/Question"],
    state: ["waiting", "open"],
    facts: [],
  },
  usage: {
    as: "cost",
    facts: ["Turn/InputTokens", "Turn/OutputTokens", "Cumulative/InputTokens", "Cumulative/OutputTokens"],
  },
  error: { as: "notice", tone: "bad" },
  run_cancelled: { as: "notice", tone: "bad" },
  run_end: { as: "notice", tone: "good" },
};

const TABLES: { readonly [protocol: string]: Roles } = { hecate: HECATE, frames: FRAMES, evva: EVVA };

const NOTICE: Role = { as: "notice" };

/** The role of each event type of a protocol, by its id (`hecate/v1`). */
export function rolesOf(id: string): (type: string) => Role {
  const name = id.split("/")[0] ?? "";
  const table = Object.hasOwn(TABLES, name) ? (TABLES[name] as Roles) : {};
  const families = Object.keys(table).filter((type) => type.endsWith("*"));
  return (type) => {
    if (Object.hasOwn(table, type)) return table[type] as Role;
    const family = families.find((prefix) => type.startsWith(prefix.slice(0, -1)));
    return family === undefined ? NOTICE : (table[family] as Role);
  };
}
