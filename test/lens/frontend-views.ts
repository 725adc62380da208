/**
 * Consumers of hecate in the styles that frontends have: destructuring, defaults, caches, sums, regular expressions, times, and
 * switches that throw. They were written without a look at the experiments of lenses.
 */

interface HecateEvent {
  readonly event_id: string;
  readonly run_id: string;
  readonly sequence: number;
  readonly occurred_at: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: these consumers trust the contract, as untyped frontends do.
  readonly data: any;
}

/** Shows all events together. */
type View = (events: readonly HecateEvent[]) => unknown;

const select = (events: readonly HecateEvent[], ...types: readonly string[]): readonly HecateEvent[] =>
  events.filter(({ type }) => types.includes(type));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function throwUnknown(value: string): never {
  throw new Error(`unknown: ${value}`);
}

const STATES: { readonly [type: string]: string } = {
  "run.queued": "queued",
  "run.started": "running",
  "run.awaiting_approval": "waiting",
  "run.finished": "done",
  "run.failed": "failed",
  "run.cancelled": "cancelled",
};

/** What each consumer shows. */
export const VIEWS: { readonly [name: string]: View } = {
  "models by destructuring": (events) =>
    select(events, "turn.started").map(({ data: { model, provider = "unknown provider" } }) => [
      model,
      provider,
    ]),
  "cache by id": (events) => {
    const cache = new Map(events.map((event) => [event.event_id, event]));
    return [...cache.values()].map(({ event_id, type }) => `${event_id}:${type}`);
  },
  "retriable failures": (events) =>
    select(events, "run.failed").map(({ data }) =>
      data.retriable === true && data.code !== undefined ? `${data.code}: ${data.message}` : "final",
    ),
  "fields of envelopes": (events) => events.map((event) => Object.keys(event).length),
  "seconds of tools": (events) => {
    const starts = new Map(
      select(events, "tool.started").map((event) => [event.data.tool_call_id, Date.parse(event.occurred_at)]),
    );
    return select(events, "tool.completed", "tool.failed").map(({ data, occurred_at }) => {
      const start = starts.get(data.tool_call_id);
      return start === undefined ? "?" : Math.round((Date.parse(occurred_at) - start) / 1000);
    });
  },
  "strict approvals": (events) =>
    select(events, "approval.requested").map(({ data }) => {
      switch (data.kind) {
        case "shell_exec":
        case "shell_command":
          return "command";
        case "git_exec":
          return "git";
        case "file_write":
          return "file";
        case "network_egress":
          return "network";
        case "agent_loop_tool_call":
          return data.summary;
        default:
          return throwUnknown(data.kind);
      }
    }),
  "network badge": (events) =>
    events.flatMap(({ data }) => (data["hecate.sandbox.network.enabled"] ? "network" : [])),
  "first match": (events) =>
    select(events, "tool.grep.completed").map(({ data }) => {
      const [first] = data.matches ?? [];
      return first ? `${first.path}:${first.line}` : "no match";
    }),
  "http errors": (events) =>
    events.filter(({ type, data }) => type.endsWith(".response") && data.status >= 400).length,
  decisions: (events) => {
    const decisions = new Map<string, string>();
    for (const { type, data } of events) {
      if (type === "approval.requested") decisions.set(data.approval_id, "waiting");
      if (type === "approval.resolved") decisions.set(data.approval_id, data.decision ?? data.status);
      if (type === "approval.timed_out") decisions.set(data.approval_id, "too late");
    }
    return [...decisions];
  },
  "exit codes": (events) =>
    select(events, "tool.shell.exited").map(({ data }) =>
      data.exit_code === 0 ? "ok" : (data.signal ?? `exit ${data.exit_code}`),
    ),
  "hours of the day": (events) => events.map(({ occurred_at }) => new Date(occurred_at).getUTCHours()),
  "budget nearly spent": (events) =>
    select(events, "cost.budget_warning").some(({ data }) => data.threshold_pct >= 80) ? "warning" : "fine",
  "flags that are set": (events) =>
    events.map(({ data }) => Object.keys(data).filter((name) => data[name] === true)),
  "names in lower case": (events) =>
    select(events, "tool.invoked", "tool.started").map(({ data }) => data.tool_name.toLowerCase()),
  "parts as JSON": (events) =>
    events
      .filter(({ type }) => type.startsWith("tool."))
      .map(({ data }) => JSON.stringify({ path: data.path, summary: data.summary })),
  "tokens in total": (events) =>
    sum(select(events, "turn.completed").map(({ data }) => data.input_tokens + data.output_tokens)),
  "model or default": (events) =>
    select(events, "run.queued").map(({ data }) => `${data.model ?? "default"} on ${data.provider ?? "any"}`),
  "dangerous commands": (events) =>
    select(events, "tool.shell.command").filter(({ data }) =>
      /\b(rm|sudo|curl)\b/.test(data.command_string ?? data.argv?.join(" ") ?? ""),
    ).length,
  "last event": (events) => {
    const last = events.at(-1);
    return last && [last.type, last.data.tool_name ?? null];
  },
  "known types only": (events) => {
    const known = ["run.", "turn.", "tool.", "assistant.", "approval.", "artifact.", "cost.", "error."];
    const others = ["gap.", "policy.", "external.", "snapshot", "task.", "user."];
    return events.map(({ type }) =>
      known.some((start) => type.startsWith(start))
        ? type.split(".")[0]
        : others.some((start) => type.startsWith(start))
          ? "other"
          : throwUnknown(type),
    );
  },
  "largest artifact": (events) => {
    const created = select(events, "artifact.created");
    return created.toSorted((a, b) => b.data.size_bytes - a.data.size_bytes)[0]?.data.artifact_id;
  },
  "todo progress": (events) => {
    const last = select(events, "tool.todo_write.updated").at(-1);
    const todos: readonly { status: string }[] = last?.data.todos ?? [];
    return `${todos.filter(({ status }) => status === "completed").length} of ${todos.length}`;
  },
  "missing numbers": (events) => {
    const numbers = events.map(({ sequence }) => sequence).sort((a, b) => a - b);
    return numbers.filter((number, index) => index > 0 && number - (numbers[index - 1] ?? 0) > 1).length;
  },
  "events by run": (events) => {
    const counts: { [run: string]: number } = {};
    for (const { run_id } of events) counts[run_id] = (counts[run_id] ?? 0) + 1;
    return counts;
  },
  "words of the answer": (events) =>
    select(events, "assistant.text_delta")
      .map(({ data }) => data.delta)
      .join("")
      .split(/\s+/).length,
  "distinct models": (events) =>
    new Set(select(events, "turn.started", "run.queued").map(({ data }) => data.model)).size,
  "mean duration": (events) => {
    const durations = events.map(({ data }) => data.duration_ms).filter((each) => typeof each === "number");
    return durations.length === 0 ? null : Math.round(sum(durations) / durations.length);
  },
  "errors without their message": (events) =>
    events
      .filter(({ type }) => type.startsWith("error."))
      .map(({ data: { message: _message, ...rest } }) => rest),
  "program and arguments": (events) =>
    select(events, "tool.shell.command").map(({ data: { argv = [] } }) => {
      const [program, ...rest] = argv;
      return `${program} (${rest.length})`;
    }),
  "attempts of upstream": (events) =>
    select(events, "error.upstream").map(({ data }) =>
      data.retriable ? `attempt ${data.attempt}/${data.max_attempts}` : data.status,
    ),
  "state of runs": (events) => {
    const states = new Map<string, string>();
    for (const { type, run_id } of events) {
      const state = STATES[type];
      if (state !== undefined) states.set(run_id, state);
    }
    return [...states];
  },
  "types by turn": (events) => {
    const t = new Map<unknown, string[]>();
    for (const { type, data } of events)
      if ("turn_index" in data) t.set(data.turn_index, [...(t.get(data.turn_index) ?? []), type]);
    return [...t].map(([k, v]) => [String(k), v.length]);
  },
  "cost of each tick": (events) => {
    let before = 0;
    return events
      .filter(({ type }) => type === "cost.tick")
      .map(({ data }) => {
        const d = data.cumulative_cost_micros_usd - before;
        before = data.cumulative_cost_micros_usd;
        return d;
      });
  },
  "files touched": (events) =>
    [
      ...new Set(
        events.flatMap(({ type, data }) => (type.startsWith("tool.file") && data.path ? [data.path] : [])),
      ),
    ].sort(),
  "seconds in all": (events) => {
    const t = events.map(({ occurred_at }) => +new Date(occurred_at));
    return Math.floor((Math.max(...t) - Math.min(...t)) / 1000);
  },
  tooltips: (events) =>
    events
      .filter(({ type }) => /^tool\.(completed|failed|cancelled)$/.test(type))
      .map(({ data }) => `${data.tool_name} (${data.kind ?? "?"})${data.error ? `: ${data.error}` : ""}`),
  "second event": (events) => events[1]?.event_id,
  "error rate": (events) => {
    const f = events.filter((e) => e.type === "tool.failed").length;
    const c = events.filter((e) => e.type === "tool.completed").length;
    return f + c ? Math.round((100 * f) / (f + c)) : null;
  },
  "auto apply": (events) =>
    events
      .map(({ data: { auto_apply } }) => (auto_apply === undefined ? "-" : auto_apply ? "yes" : "no"))
      .join(""),
  "largest turn": (events) => Math.max(-1, ...events.map(({ data }) => data.turn_index ?? -1)),
  "comment or decision": (events) =>
    events
      .filter(({ type }) => type === "approval.resolved")
      .map(({ data }) => (data.decision === "rejected" && data.comment ? data.comment : data.decision)),
  "first of each type": (events) => [...new Map(events.toReversed().map((e) => [e.type, e.sequence]))].sort(),
};
