/** Consumers of hecate/v1 that each show a part of it, written as their users need them. All of them are correct. */
import { type DesignSet, getOrAdd, type Loose } from "./design.js";

/** The tools of each run, with their state and what came of them. */
function tools() {
  const runs = new Map<string, Map<string, Loose>>();
  const states: Loose = {
    __proto__: null,
    "tool.invoked": "running",
    "tool.started": "running",
    "tool.completed": "done",
    "tool.failed": "failed",
    "tool.cancelled": "cancelled",
    "tool.timed_out": "timed out",
    "policy.tool_blocked": "blocked",
  };
  return {
    take(event: Loose) {
      const { run_id, type, data } = event;
      const state = states[type];
      if (state === undefined) return;
      const run = getOrAdd(runs, run_id, () => new Map());
      const tool = getOrAdd(run, data.tool_call_id, () => ({
        name: data.tool_name,
        kind: "",
        state: "",
        error: "",
      }));
      tool.state = state;
      if (data.kind !== undefined) tool.kind = data.kind;
      if (data.error !== undefined) tool.error = data.error;
      if (data.duration_ms !== undefined) tool.duration = data.duration_ms;
    },
    show: () =>
      [...runs].map(([id, run]) => ({ run: id, tools: [...run].map(([call, tool]) => ({ call, ...tool })) })),
  };
}

/** Every question to a person, and its answer. */
function approvals() {
  const gates = new Map<string, Loose>();
  const gate = ({ run_id, data }: Loose): Loose =>
    getOrAdd(gates, `${run_id} ${data.approval_id}`, () => ({
      id: data.approval_id,
      ask: "",
      kind: "",
      state: "waiting",
    }));
  return {
    take(event: Loose) {
      const { type, data } = event;
      if (type === "approval.requested") {
        gate(event).ask = data.summary ?? data.policy_reason;
        gate(event).kind = data.kind;
        gate(event).call = data.tool_call_id;
      } else if (type === "approval.resolved") {
        gate(event).state = data.decision;
        gate(event).by = data.by;
        gate(event).comment = data.comment;
      } else if (type === "approval.timed_out") gate(event).state = "timed out";
    },
    show: () => [...gates.values()],
  };
}

/** The questions that wait for an answer. */
function inbox() {
  const open = new Map<string, string>();
  return {
    take({ run_id, type, data }: Loose) {
      const key = `${run_id}/${data.approval_id}`;
      if (type === "approval.requested") open.set(key, `${data.kind}: ${data.policy_reason}`);
      if (type === "approval.resolved" || type === "approval.timed_out") open.delete(key);
    },
    show: () => ({ waiting: open.size, questions: [...open.values()] }),
  };
}

/** A badge for each run. */
function status() {
  const runs = new Map<string, string>();
  const words = new Map([
    ["run.created", "created"],
    ["run.queued", "queued"],
    ["run.started", "running"],
    ["run.awaiting_approval", "waiting"],
    ["run.finished", "finished"],
    ["run.failed", "failed"],
    ["run.cancelled", "cancelled"],
  ]);
  return {
    take({ run_id, type }: Loose) {
      const word = words.get(type);
      if (word !== undefined) runs.set(run_id, word);
    },
    show: () => Object.fromEntries(runs),
  };
}

/** Whether anything runs at all. */
function busy() {
  const active = new Set<string>();
  return {
    take({ run_id, type }: Loose) {
      if (type === "run.started" || type === "run.queued") active.add(run_id);
      if (type === "run.finished" || type === "run.failed" || type === "run.cancelled") active.delete(run_id);
    },
    show: () => (active.size > 0 ? "busy" : "idle"),
  };
}

/** What the assistant said last in each run. */
function lastText() {
  const last = new Map<string, string>();
  return {
    take({ run_id, type, data }: Loose) {
      if (type === "assistant.text_complete") last.set(run_id, data.text);
      if (type === "assistant.final_answer") last.set(run_id, data.summary);
    },
    show: () => Object.fromEntries(last),
  };
}

/** The conversation of each run: what people wrote, and the texts of the assistant as they grow. */
function chat() {
  const runs = new Map<string, Loose[]>();
  const bubbles = new Map<string, Loose>();
  const turns = new Map<string, number>();
  return {
    take({ run_id, type, data }: Loose) {
      const say = (bubble: Loose): Loose => {
        getOrAdd(runs, run_id, () => []).push(bubble);
        return bubble;
      };
      const epoch = turns.get(run_id) ?? 0;
      if (type === "turn.started" || type === "turn.failed" || type === "error.upstream")
        turns.set(run_id, epoch + 1);
      if (type === "user.message") say({ who: "you", text: data.text });
      if (type === "assistant.text_delta" || type === "assistant.text_complete") {
        const key = JSON.stringify([run_id, epoch, data.turn_index, data.block_index]);
        const bubble = getOrAdd(bubbles, key, () => say({ who: "assistant", text: "", done: false }));
        if (type === "assistant.text_delta" && !bubble.done) bubble.text += data.delta;
        if (type === "assistant.text_complete") Object.assign(bubble, { text: data.text, done: true });
      }
    },
    show: () => [...runs].map(([run, said]) => ({ run, said })),
  };
}

/** How often each event type occurred. */
function counts() {
  const numbers = new Map<string, number>();
  return {
    take({ type }: Loose) {
      numbers.set(type, (numbers.get(type) ?? 0) + 1);
    },
    show: () =>
      [...numbers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, count]) => `${type} × ${count}`),
  };
}

/** Money and tokens of each run, in the unit of the events. */
function costs() {
  const runs = new Map<string, Loose>();
  return {
    take({ run_id, type, data }: Loose) {
      if (type !== "cost.tick" && type !== "cost.budget_exceeded") return;
      const run = getOrAdd(runs, run_id, () => ({ micros: 0, input: 0, output: 0, over: false }));
      run.micros = data.cumulative_cost_micros_usd;
      if (type === "cost.budget_exceeded") run.over = true;
      else {
        run.input = data.cumulative_input_tokens;
        run.output = data.cumulative_output_tokens;
      }
    },
    show: () => [...runs].map(([run, cost]) => ({ run, ...cost })),
  };
}

/** Dollars with two decimals, over all runs. */
function bill() {
  const runs = new Map<string, number>();
  return {
    take({ run_id, type, data }: Loose) {
      if (type === "cost.tick") runs.set(run_id, data.cumulative_cost_micros_usd);
    },
    show: () => `$${([...runs.values()].reduce((sum, micros) => sum + micros, 0) / 1e6).toFixed(2)}`,
  };
}

/** The shell commands, their output and how they ended. */
function terminal() {
  const shells = new Map<string, Loose>();
  return {
    take({ run_id, type, data }: Loose) {
      if (!type.startsWith("tool.shell.")) return;
      const key = `${run_id} ${data.tool_call_id}`;
      const shell = getOrAdd(shells, key, () => ({ line: "?", out: "", err: "", exit: "" }));
      if (type === "tool.shell.command") shell.line = data.command_string ?? data.argv.join(" ");
      if (type === "tool.shell.output_chunk") shell[data.stream === "stderr" ? "err" : "out"] += data.data;
      if (type === "tool.shell.exited") shell.exit = data.signal ?? `exit code ${data.exit_code}`;
    },
    show: () => [...shells.values()],
  };
}

/** The current list of things to do of each run. */
function todos() {
  const lists = new Map<string, Loose>();
  return {
    take({ run_id, type, data }: Loose) {
      if (type === "tool.todo_write.updated") lists.set(run_id, data.todos);
    },
    show: () =>
      [...lists].map(([run, list]) => [
        run,
        list.map(({ content, status }: Loose) => `[${status}] ${content}`),
      ]),
  };
}

/** Everything that went wrong. */
function problems() {
  const list: Loose[] = [];
  return {
    take({ run_id, type, data }: Loose) {
      if (type.startsWith("error.")) list.push({ run_id, type, detail: data });
      if (type === "tool.failed" || type === "tool.timed_out")
        list.push({ run_id, type, tool: data.tool_name, error: data.error ?? "no reason given" });
      if (type === "run.failed") list.push({ run_id, type, error: data.message ?? data.error ?? "" });
      if (type === "tool.shell.exited" && data.exit_code !== 0)
        list.push({ run_id, type, error: `exit code ${data.exit_code}` });
    },
    show: () => list,
  };
}

/** The files that the work touched. */
function files() {
  const paths = new Set<string>();
  return {
    take({ type, data }: Loose) {
      if (
        type.startsWith("tool.file.") ||
        type === "tool.edit.proposed" ||
        type === "tool.file_write.proposed"
      )
        if (typeof data.path === "string") paths.add(data.path);
    },
    show: () => [...paths],
  };
}

/** How many tools run, and how many ran. */
function gauge() {
  const running = new Set<string>();
  let total = 0;
  return {
    take({ run_id, type, data }: Loose) {
      const key = `${run_id} ${data.tool_call_id}`;
      if (type === "tool.invoked") {
        running.add(key);
        total++;
      }
      if (/^tool\.(completed|failed|cancelled|timed_out)$/.test(type)) running.delete(key);
    },
    show: () => ({ running: running.size, total }),
  };
}

/** A row for each turn of the model. */
function turns() {
  const rows = new Map<string, Loose>();
  return {
    take({ run_id, type, data }: Loose) {
      if (!type.startsWith("turn.")) return;
      const key = `${run_id} ${data.turn_index}`;
      const row = getOrAdd(rows, key, () => ({
        run: run_id,
        turn: data.turn_index,
        model: "",
        state: "",
        tokens: 0,
        cost: 0,
      }));
      if (type === "turn.started") Object.assign(row, { model: data.model, state: "thinking" });
      if (type === "turn.completed")
        Object.assign(row, { state: "done", tokens: data.output_tokens ?? null, cost: data.cost_micros_usd });
      if (type === "turn.failed")
        Object.assign(row, { state: data.will_retry ? "retrying" : "failed", error: data.message });
    },
    show: () => [...rows.values()],
  };
}

/** The artifacts with their kind and state. */
function artifacts() {
  const known = new Map<string, Loose>();
  return {
    take({ run_id, type, data }: Loose) {
      const set = (id: string, fields: Loose): void => {
        Object.assign(
          getOrAdd(known, `${run_id} ${id}`, () => ({ id, kind: "", status: "" })),
          fields,
        );
      };
      if (type === "artifact.created") set(data.artifact_id, { kind: data.kind, summary: data.summary });
      if (type === "artifact.updated" && data.field === "status")
        set(data.artifact_id, { status: data.new_value });
      if (type === "tool.file.patch") set(data.artifact_id, { kind: "patch", status: data.artifact_status });
      if (type === "tool.file.applied") set(data.artifact_id, { status: "applied" });
      if (type === "tool.file.reverted") set(data.artifact_id, { status: "reverted" });
    },
    show: () => [...known.values()],
  };
}

/** How long each tool took. */
function timings() {
  const list: Loose[] = [];
  return {
    take({ type, data }: Loose) {
      if (type.startsWith("tool.") && data.tool_name !== undefined && data.duration_ms !== undefined)
        list.push({ tool: data.tool_name, seconds: Math.round(data.duration_ms / 1000) });
    },
    show: () => list,
  };
}

/** The tools of one kind alone. */
function mcpCalls() {
  const calls = new Map<string, Loose>();
  return {
    take({ run_id, type, data }: Loose) {
      const key = `${run_id} ${data.tool_call_id}`;
      if (type === "tool.invoked" && data.kind === "mcp")
        calls.set(key, { tool: data.tool_name, result: "…" });
      const call = calls.get(key);
      if (call === undefined) return;
      if (type === "tool.completed") call.result = data.result ?? data.summary ?? "done";
      if (type === "tool.failed") call.result = `failed: ${data.error ?? ""}`;
      if (type === "tool.cancelled" || type === "tool.timed_out") call.result = type;
    },
    show: () => [...calls.values()],
  };
}

/** One row per event, with all that it says. */
function log() {
  const rows: Loose[] = [];
  return {
    take({ run_id, sequence, type, data }: Loose) {
      rows.push({ run: run_id, number: sequence, type, data });
    },
    show: () => rows,
  };
}

export const hecateDesigns: DesignSet = {
  designs: {
    tools,
    approvals,
    inbox,
    status,
    busy,
    lastText,
    chat,
    counts,
    costs,
    bill,
    terminal,
    todos,
    problems,
    files,
    gauge,
    turns,
    artifacts,
    timings,
    mcpCalls,
    log,
  },
  identify: ({ event_id }) => event_id,
  typeOf: ({ type }) => type,
};
