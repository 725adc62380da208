/** A grammar of tool calls: each generator function is named after a part of a call, and yields its events in order. */
import type { JsonObject } from "../../generator/json.js";
import { formatTimestamp, type Run, type Step } from "./step.js";
import { pickPath, writeLines } from "./words.js";

/** A tool call that the model proposed. */
export interface Call {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly kind: string;
  readonly input: JsonObject;
}

/** Yields the events of a call: it may be blocked or wait for approval; otherwise it is invoked, works, and ends once. */
export function* generateToolCall(run: Run, call: Call): Generator<Step> {
  const { random } = run;
  const { tool_call_id, tool_name, kind } = call;
  const base = { tool_call_id, tool_name, kind };
  const server = kind === "mcp" ? { mcp_server: "filesystem", mcp_tool: "read_text_file" } : {};
  if (random.chance(0.02)) {
    const blocked = { ...server, ...(kind === "mcp" && { result: "blocked" }) };
    return yield [
      "policy.tool_blocked",
      { tool_call_id, tool_name, reason: "no_network policy", kind, ...blocked },
      4,
    ];
  }
  if (tool_name === "web_search" && random.chance(0.1))
    return yield ["error.tool_unavailable", { tool_name, reason: "no_provider_configured" }, 4];
  if (random.chance(0.05) && !(yield* generateApproval(run, call))) return;
  const sandbox = kind === "shell" ? SANDBOX : {};
  yield ["tool.invoked", { ...base, turn_index: run.turn, ...sandbox }, 10];
  yield ["tool.started", { ...base, ...sandbox }, 3];
  const result = yield* (WORK[tool_name] ?? doNothing)(run, call);
  const end = random.between(1, 100);
  const duration_ms = random.between(5, 30_000);
  if (kind === "mcp") {
    yield ["tool.completed", { ...base, duration_ms, ...server, result: "dispatched" }, 8];
  } else if (end > 10)
    yield ["tool.completed", { ...base, duration_ms, summary: "exited with status 0", ...result }, 8];
  else {
    const facts = { ...base, duration_ms, summary: "gave up", error: "context canceled" };
    // The facts of the process do not say that it was stopped.
    const left = kind === "shell" && end > 5 ? result : {};
    const after = end > 2 ? {} : { after_ms: 30_000 };
    yield [
      end > 5 ? "tool.failed" : end > 2 ? "tool.cancelled" : "tool.timed_out",
      { ...facts, ...left, ...after },
      8,
    ];
  }
}

const SANDBOX = {
  "hecate.sandbox.wrapper.kind": "bwrap",
  "hecate.sandbox.network.enabled": false,
  "hecate.sandbox.read_only": false,
  "hecate.sandbox.output_limit.bytes": 1_048_576,
};

/** Yields the start of a run that waited or was lost. */
export function* generateResumption(run: Run): Generator<Step> {
  yield ["run.queued", { resume: true }, 6];
  yield ["run.started", { worker_id: "worker-2", lease_until: formatTimestamp(run.now + 30_000) }, 35];
}

/** Yields an approval, and returns whether the call was approved. The run then continues. */
function* generateApproval(run: Run, { tool_call_id }: Call): Generator<Step, boolean> {
  const { random, now } = run;
  const approval_id = `appr_${random.ulid(now)}`;
  const policy_reason = "gated by all_tools policy";
  yield [
    "approval.requested",
    { approval_id, kind: "agent_loop_tool_call", policy_reason, tool_call_id },
    20,
  ];
  if (random.chance(0.1)) {
    yield ["approval.timed_out", { approval_id, after_seconds: 300 }, 300_000];
    return false;
  }
  const decision = random.chance(0.8) ? "approved" : "rejected";
  const answer = { approval_id, decision, by: "operator", comment: "", scope: "once", status: decision };
  yield ["approval.resolved", answer, random.between(900, 60_000)];
  run.isRejected = decision === "rejected";
  if (run.isRejected) return false;
  yield* generateResumption(run);
  return true;
}

/** Yields the events of a tool between its start and its end. Returns fields of its last event. */
type Work = (run: Run, call: Call) => Generator<Step, JsonObject>;

function* runShell({ random, task, id }: Run, { tool_call_id, input }: Call): Generator<Step, JsonObject> {
  const cwd = `/tmp/hecate-workspaces/${task.id}/${id}`;
  const place = { cwd, env_keys: ["PATH", "HOME"], sandbox_layer: "bwrap", timeout_ms: 30_000 };
  const command = { argv: ["sh", "-lc", input.command ?? ""], ...place, command_string: input.command ?? "" };
  yield ["tool.shell.command", { tool_call_id, ...command, "hecate.tool.working_directory": cwd }, 2];
  const sent = { stdout: 0, stderr: 0 };
  for (let i = random.between(1, 8); i > 0; i--) {
    const stream = random.chance(0.15) ? "stderr" : "stdout";
    const data = writeLines(random, random.chance(0.03) ? 150 : random.between(1, 12));
    yield ["tool.shell.output_chunk", { tool_call_id, stream, data, byte_offset: sent[stream] }, 60];
    sent[stream] += Buffer.byteLength(data);
  }
  const facts = {
    "hecate.tool.exit_code": 0,
    "hecate.tool.stdout.bytes": sent.stdout,
    "hecate.tool.stderr.bytes": sent.stderr,
    "hecate.tool.timed_out": false,
    "hecate.tool.cancelled": false,
    "hecate.tool.output_truncated": false,
  };
  const exit = { exit_code: 0, signal: null, stdout_bytes: sent.stdout, stderr_bytes: sent.stderr };
  yield ["tool.shell.exited", { tool_call_id, ...exit, truncated: false, ...facts }, 60];
  return facts;
}

function* editFile(run: Run, { tool_call_id }: Call): Generator<Step, JsonObject> {
  const { random, now } = run;
  const patch_artifact_id = `art_${random.ulid(now)}`;
  yield* createPatch(run, patch_artifact_id);
  const proposal = { tool_call_id, path: pickPath(random), patch_artifact_id, summary: "1 hunk, +1/-1 line" };
  yield ["tool.edit.proposed", { ...proposal, auto_apply: true }, 5];
  yield* changeStatus(patch_artifact_id, "proposed", "applied");
  yield ["tool.edit.applied", { tool_call_id, patch_artifact_id, applied_at: formatTimestamp(now) }, 2];
  if (random.chance(0.1)) {
    yield ["tool.edit.reverted", { patch_artifact_id, reverted_by: "operator", reason: "tests failed" }, 900];
    yield* changeStatus(patch_artifact_id, "applied", "reverted");
  }
  return { result_artifact_id: patch_artifact_id };
}

function* editFiles(run: Run, { tool_call_id }: Call): Generator<Step, JsonObject> {
  const { random, now } = run;
  const patch_artifact_ids = [`art_${random.ulid(now)}`, `art_${random.ulid(now)}`];
  for (const id of patch_artifact_ids) yield* createPatch(run, id);
  const proposal = { patch_artifact_ids, tool_call_id, summary: "2 files, +14/-9 lines", auto_apply: true };
  yield ["tool.multi_edit.proposed", proposal, 5];
  yield [
    "tool.multi_edit.applied",
    { patch_artifact_ids, tool_call_id, applied_at: formatTimestamp(now) },
    9,
  ];
  return {};
}

function* createPatch({ lastId: created_by_event_id }: Run, artifact_id: string): Generator<Step> {
  const summary = "internal/budget/governor.go: 1 hunk, +1/-1";
  yield [
    "artifact.created",
    { artifact_id, kind: "patch", size_bytes: 412, summary, created_by_event_id },
    6,
  ];
}

function* changeStatus(artifact_id: string, old_value: string, new_value: string): Generator<Step> {
  yield ["artifact.updated", { artifact_id, field: "status", old_value, new_value }, 3];
}

function* writeFile({ random, now }: Run, { tool_call_id, tool_name }: Call): Generator<Step, JsonObject> {
  const artifact_id = `art_${random.ulid(now)}`;
  const facts = { operation: "write", bytes_written: 8129, diff_bytes: 412, before_existed: true };
  const dotted = Object.entries({ ...facts, artifact_status: "applied" }).map(
    ([name, value]) => [`hecate.tool.file.${name}`, value] as const,
  );
  const place = { path: pickPath(random), artifact_id, artifact_status: "applied" };
  const named = { tool_call_id, tool_name, kind: "file" };
  yield ["tool.file.patch", { ...named, ...facts, ...place, ...Object.fromEntries(dotted) }, 25];
  if (random.chance(0.1)) {
    const back = { artifact_id, path: place.path, artifact_status: "reverted", before_existed: true };
    yield ["tool.file.reverted", back, 700];
  }
  return { result_artifact_id: artifact_id };
}

function* readFile({ random }: Run, { tool_call_id }: Call): Generator<Step, JsonObject> {
  const size = random.between(40, 90_000);
  const facts = { size_bytes: size, lines: Math.ceil(size / 30) };
  yield ["tool.file_read.completed", { tool_call_id, path: pickPath(random), ...facts }, 8];
  return {};
}

function* glob({ random }: Run, { tool_call_id, input }: Call): Generator<Step, JsonObject> {
  const matches = Array.from({ length: random.between(0, 12) }, () => pickPath(random));
  const found = { pattern: input.pattern ?? "", matches, match_count: matches.length, truncated: false };
  yield ["tool.glob.completed", { tool_call_id, ...found }, 12];
  return {};
}

function* grep({ random }: Run, { tool_call_id, input }: Call): Generator<Step, JsonObject> {
  const matches = Array.from({ length: random.between(0, 10) }, (_, i) => ({
    path: pickPath(random),
    line: 12 * i + 1,
    text: writeLines(random, 1).trimEnd(),
  }));
  const found = { pattern: input.pattern ?? "", files_searched: 312, matches };
  yield [
    "tool.grep.completed",
    { tool_call_id, ...found, match_count: matches.length, truncated: false },
    12,
  ];
  return {};
}

const createRequestWork = (family: string): Work =>
  function* ({ random }, { tool_call_id }) {
    const url = "https://docs.example.com/guide?q=go+generics";
    yield [`tool.${family}.requested`, { tool_call_id, method: "GET", url, header_keys: ["Accept"] }, 4];
    const answer = { status: 200, duration_ms: random.between(20, 900), body_truncated: false };
    yield [`tool.${family}.response`, { tool_call_id, ...answer }, 400];
    return {};
  };

function* writeTodos(_run: Run, { tool_call_id }: Call): Generator<Step, JsonObject> {
  const todos = [
    { content: "Read budget package", status: "completed" },
    { content: "Add generic key type", status: "in_progress" },
  ];
  yield ["tool.todo_write.updated", { tool_call_id, todos }, 4];
  return {};
}

// biome-ignore lint/correctness/useYield: a tool that writes nothing between its start and its end.
function* doNothing(): Generator<Step, JsonObject> {
  return {};
}

const WORK: { readonly [tool: string]: Work } = {
  shell_exec: runShell,
  edit_file: editFile,
  multi_edit: editFiles,
  file_write: writeFile,
  file_read: readFile,
  glob,
  grep,
  todo_write: writeTodos,
  http_request: createRequestWork("http"),
  web_fetch: createRequestWork("web_fetch"),
  web_search: createRequestWork("web_search"),
};
