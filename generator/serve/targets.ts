/**
 * What faults of events need to know about a protocol beyond what it declares itself. One entry for each; what a protocol
 * has none of is left alone.
 */
import { own } from "../json.js";

/** The event types and payload fields that faults are about. */
export interface Targets {
  /** The field that names a tool call, and the events that such a call consists of. */
  readonly calls?: { readonly field: string; readonly types: readonly string[] };
  /** Pieces of output: event type → the field with the text. */
  readonly chunks?: { readonly [type: string]: string };
}

const FRAMES: Targets = {
  calls: {
    field: "tool_id",
    types: ["tool_started", "tool_stdout", "tool_stderr", "tool_ended", "tool_failed"],
  },
  chunks: { tool_stdout: "chunk", tool_stderr: "chunk", tool_task_output_delta: "chunk" },
};

const TARGETS: { readonly [protocol: string]: Targets } = {
  "hecate/v1": {
    calls: {
      field: "tool_call_id",
      types: [
        "assistant.tool_call_proposed",
        "tool.invoked",
        "tool.started",
        "tool.shell.command",
        "tool.shell.output_chunk",
        "tool.shell.exited",
        "tool.completed",
        "tool.failed",
        "tool.cancelled",
        "tool.timed_out",
      ],
    },
    chunks: { "tool.shell.output_chunk": "data" },
  },
  "frames/v1": FRAMES,
  "frames/v2": FRAMES,
  "evva/v0": {
    calls: { field: "ToolID", types: ["tool_use_start", "tool_use_result"] },
    chunks: { tool_use_result: "Content" },
  },
};

/** What faults know about a protocol. */
export function targetsOf(protocol: string): Targets {
  return own(TARGETS, protocol) ?? {};
}
