/** A grammar of agent runs: each generator function is named after a part of a run, and yields its events in order. */
import type { JsonObject } from "../../generator/json.js";
import type { CorpusRandom } from "./random.js";
import { formatTimestamp, type Run, type Step } from "./step.js";
import { type Call, generateResumption, generateToolCall } from "./tools.js";
import { writeWords } from "./words.js";

/** Yields the events of a run, from its creation to its end. */
export function* generateRun(run: Run): Generator<Step> {
  yield* run.random.chance(0.03)
    ? generatePrunedStart(run, run.random.between(1, 400))
    : generateOpening(run);
  const turns = run.random.between(1, 12);
  while (run.turn < turns) {
    const calls = yield* generateTurn(run, run.turn === turns - 1);
    if (run.task.cost > run.task.budget) return yield* generateBudgetFailure(run);
    for (const call of calls) {
      yield* generateToolCall(run, call);
      if (run.isRejected) return yield* generateRejection();
    }
    // Another turn follows the failed one.
    if (run.turn < turns - 1 && run.random.chance(0.04)) yield* generateRetriedFailure(run);
    if (run.random.chance(0.02)) return yield* generateEarlyEnd(run);
    if (run.random.chance(0.01)) yield* generatePrunedStart(run, run.random.between(1, 40));
  }
  yield ["run.checkpoint_saved", { checkpoint_id: `ckpt_${run.random.ulid(run.now)}` }, 5];
  const facts = { turns: run.turn, cost_micros_usd: run.cost, duration_ms: 1433 * run.turn };
  yield ["run.finished", { final_status: "completed", ...facts, status: "completed", error: "" }, 40];
  if (run.random.chance(0.05))
    yield ["gap.run_disconnected", { reason: "boot_reconcile", since_sequence: run.sequence - 1 }, 30_000];
}

/** Yields the end of a run after an approval was rejected. */
function* generateRejection(): Generator<Step> {
  const message = "the approval was rejected";
  const failure = { code: "approval_rejected", message, retriable: false };
  yield ["run.failed", { ...failure, status: "failed", error: message }, 10];
}

/** Skips sequence numbers, and yields the marker of pruned events. */
function* generatePrunedStart(run: Run, count: number): Generator<Step> {
  const range = { first_pruned_sequence: run.sequence, last_pruned_sequence: run.sequence + count - 1 };
  run.sequence += count;
  yield [
    "gap.events_pruned",
    { ...range, pruned_at: formatTimestamp(run.now), reason: "retention_window" },
    9,
  ];
}

function* generateOpening({ random, task, id, prior, model, now }: Run): Generator<Step> {
  yield ["run.created", {}, 0];
  if (prior) {
    const from = { from_run_id: prior.id, from_sequence: prior.sequence };
    const reason = "worker was restarted";
    yield ["run.resumed_from_event", { ...from, reason, prior_cost_micros_usd: prior.cost }, 3];
  }
  if (random.chance(0.02)) yield* generateInitialApproval(random, now);
  const workspace_path = `/tmp/hecate-workspaces/${task.id}/${id}`;
  const queued = {
    kind: "agent_loop",
    model,
    provider: "anthropic",
    workspace_path,
    workspace_mode: "clone",
  };
  yield ["run.queued", { ...queued, prior_run_id: prior?.id ?? null }, 4];
  yield ["run.started", { worker_id: "worker-3", lease_until: formatTimestamp(now + 30_000) }, 35];
  if (random.chance(0.1))
    yield ["policy.model_rewrote", { from_model: "gpt-5", to_model: model, reason: "rewrite rule: cap" }, 2];
  yield ["user.message", { turn_index: 0, text: writeWords(random, random.between(4, 40)).trim() }, 5];
  if (random.chance(0.1)) {
    const artifact_id = `art_${random.ulid(now)}`;
    yield ["user.attachment", { turn_index: 0, kind: "image", mime: "image/png", artifact_id }, 2];
  }
}

/** Yields an approval for which the run waits before it is queued. */
function* generateInitialApproval(random: CorpusRandom, now: number): Generator<Step> {
  const approval_id = `appr_${random.ulid(now)}`;
  yield ["run.awaiting_approval", {}, 2];
  yield ["approval.requested", { approval_id, kind: "shell_command", policy_reason: "gated by policy" }, 20];
  const answer = { decision: "approved", by: "operator", comment: "", scope: "once", status: "approved" };
  yield ["approval.resolved", { approval_id, ...answer }, 900];
}

/** Yields a model call: its output, its tool calls and its cost. Returns the proposed tool calls. */
function* generateTurn(run: Run, last: boolean): Generator<Step, readonly Call[]> {
  const { random, model } = run;
  const turn_index = ++run.turn;
  const estimate = 900 * turn_index + random.between(300, 4000);
  const start = { turn_index, model, provider: "anthropic", input_tokens_estimate: estimate };
  yield ["turn.started", start, 30];
  let block_index = 0;
  if (random.chance(0.4))
    yield* generateTextBlock(
      random,
      "thinking",
      { turn_index, block_index: block_index++ },
      random.between(2, 12),
    );
  const text = yield* generateTextBlock(
    random,
    "text",
    { turn_index, block_index: block_index++ },
    random.between(2, 24),
  );
  const calls: Call[] = [];
  for (let i = last ? 0 : random.between(1, 3); i > 0; i--) {
    const call = random.pick(CALLS);
    const tool_call_id = `toolu_${random.ulid(run.now)}`;
    calls.push({ ...call, tool_call_id });
    yield [
      "assistant.tool_call_proposed",
      { turn_index, tool_call_id, tool_name: call.tool_name, input: call.input },
      15,
    ];
  }
  if (last) yield ["assistant.final_answer", { turn_index, summary: text }, 10];
  yield* generateCosts(run, estimate, calls.length);
  return calls;
}

const createShellCall = (command: string) => ({ tool_name: "shell_exec", kind: "shell", input: { command } });
const createFileCall = (tool_name: string, input: JsonObject) => ({ tool_name, kind: "file", input });

/** The calls that the model proposes; a call that is listed more often is more likely. */
const CALLS: readonly Omit<Call, "tool_call_id">[] = [
  ...["go test ./internal/budget/...", "npm test", 'grep -rn "budgetKey" internal | head', "ls -la"].map(
    createShellCall,
  ),
  ...["git diff --stat", "cat internal/budget/governor.go", "go vet ./..."].map(createShellCall),
  createFileCall("file_write", {
    path: "internal/budget/generics.go",
    content: "package budget\n\nvar größe = 3\n",
  }),
  createFileCall("edit_file", {
    path: "internal/budget/governor.go",
    old_text: "(scope)",
    new_text: "(scope, key)",
  }),
  createFileCall("multi_edit", { edits: [{ path: "README.md" }, { path: "docs/größe.md" }] }),
  createFileCall("file_read", { path: "internal/budget/governor.go" }),
  { tool_name: "glob", kind: "glob", input: { pattern: "internal/**/*_test.go" } },
  { tool_name: "grep", kind: "grep", input: { pattern: "budgetKeyForRequest", path: "." } },
  { tool_name: "web_fetch", kind: "web_fetch", input: { url: "https://docs.example.com/guide" } },
  { tool_name: "web_search", kind: "web_search", input: { query: "go generics" } },
  {
    tool_name: "http_request",
    kind: "http",
    input: { method: "GET", url: "https://api.example.com/v1/foo" },
  },
  { tool_name: "todo_write", kind: "todo_write", input: { todos: [{ content: "Read the budget package" }] } },
  { tool_name: "mcp__filesystem__read_text_file", kind: "mcp", input: { path: "notes/été.md" } },
];

function* generateTextBlock(
  random: CorpusRandom,
  kind: "text" | "thinking",
  place: { readonly turn_index: number; readonly block_index: number },
  deltas: number,
): Generator<Step, string> {
  let text = "";
  for (let i = 0; i < deltas; i++) {
    const delta = writeWords(random, random.between(1, 8));
    text += delta;
    yield [`assistant.${kind}_delta`, { ...place, delta }, random.between(20, 90)];
  }
  yield [`assistant.${kind}_complete`, { ...place, text }, 20];
  return text;
}

function* generateCosts(run: Run, input: number, tool_calls: number): Generator<Step> {
  const { random, task } = run;
  const output = random.between(20, 900);
  const cost = input + 4 * output;
  const before = task.cost;
  run.cost += cost;
  task.cost += cost;
  task.input += input;
  task.output += output;
  const totals = {
    run_cumulative_cost_micros_usd: run.cost,
    task_cumulative_cost_micros_usd: task.cost,
  };
  const tokens = {
    input_tokens: input,
    output_tokens: output,
    cached_input_tokens: random.between(0, input),
  };
  yield [
    "turn.completed",
    {
      ...{ turn_index: run.turn, ...tokens, cost_micros_usd: cost, duration_ms: random.between(80, 9000) },
      ...{ tool_calls, ...(tool_calls > 0 && { stop_reason: "tool_use" }) },
      ...{ step_id: `step_${random.ulid(run.now)}`, ...totals },
    },
    25,
  ];
  const money = { cumulative_cost_micros_usd: task.cost, task_budget_micros_usd: task.budget };
  const sums = { cumulative_input_tokens: task.input, cumulative_output_tokens: task.output, ...money };
  yield ["cost.tick", { ...sums, task_budget_remaining_micros_usd: task.budget - task.cost }, 2];
  const mark = 0.8 * task.budget;
  if (before < mark && task.cost >= mark && task.cost <= task.budget)
    yield ["cost.budget_warning", { threshold_pct: 80, ...money }, 1];
}

function* generateBudgetFailure({ task, turn }: Run): Generator<Step> {
  const money = { cumulative_cost_micros_usd: task.cost, task_budget_micros_usd: task.budget };
  yield ["cost.budget_exceeded", { ...money, action: "halted" }, 1];
  const failure = { code: "budget_exceeded", message: "the task's budget is spent", retriable: false };
  yield ["run.failed", { ...failure, turns: turn, status: "failed", error: failure.message }, 10];
}

/** Yields a failure of the model or the worker after which the run continues. */
function* generateRetriedFailure(run: Run): Generator<Step> {
  const turn_index = ++run.turn;
  yield ["turn.started", { turn_index, model: run.model, input_tokens_estimate: 900 }, 30];
  const error = { provider: "anthropic", status: 529, message: "anthropic returned overloaded_error" };
  yield ["error.upstream", { ...error, retriable: true, attempt: 1, max_attempts: 3 }, 900];
  const failure = { code: "model_timeout", message: "no response in 60s", will_retry: true };
  yield ["turn.failed", { turn_index, ...failure }, 60_000];
  if (run.random.chance(0.5)) return;
  const gap = { reason: "worker_lease_expired", since_sequence: run.sequence - 1 };
  const recovery = {
    prior_status: "running",
    recovered_status: "queued",
    recovery_strategy: "periodic_requeue",
  };
  yield [
    "gap.run_disconnected",
    { ...gap, action: "requeued", ...recovery, stale_threshold_ms: 90_000 },
    91_000,
  ];
  yield* generateResumption(run);
}

function* generateEarlyEnd({ random, turn }: Run): Generator<Step> {
  if (random.chance(0.5)) return yield ["run.cancelled", { by: "operator", reason: "" }, 400];
  const failure = { code: "model_unreachable", message: "anthropic returned 529 after 3 retries" };
  yield ["run.failed", { ...failure, retriable: true, turns: turn }, 12];
}
