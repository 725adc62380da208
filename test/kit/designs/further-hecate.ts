/** Further consumers of hecate/v1, in the shapes that frontends, bots and audit tools have. All of them are correct. */
import { type DesignSet, getOrAdd, type Loose } from "./design.js";

/** The tool calls of all runs. An id that is used again after its call's end, or invoked again, is another call. */
class CallBook {
  readonly all: Loose[] = [];
  readonly #current = new Map<string, Loose>();

  /** Returns the call that an event of a running or ending call is about; begins one if there is none. */
  find({ run_id, type, data }: Loose): Loose {
    const key = `${run_id} ${data.tool_call_id}`;
    const known = this.#current.get(key);
    const again =
      type === "assistant.tool_call_proposed" || (type === "tool.invoked" && known?.stage === "open");
    if (known !== undefined && known.stage !== "ended" && !again) return known;
    const call: Loose = { run: run_id, id: data.tool_call_id, name: "?", stage: "known", state: "" };
    this.#current.set(key, call);
    this.all.push(call);
    return call;
  }

  /** Returns the last call with an id, be it over or not. */
  last(run: string, id: string): Loose {
    return this.#current.get(`${run} ${id}`);
  }

  /** Reads the events that every kind of tool has; returns the call, or undefined if the event is another one. */
  read(event: Loose): Loose {
    const { type, data } = event;
    const [stage, state] = CallBook.steps.get(type) ?? [];
    if (stage === undefined) return undefined;
    const call = this.find(event);
    call.stage = stage;
    call.state = type === "tool.completed" && data.result === "tool_error" ? "answered with an error" : state;
    call.name = data.tool_name;
    return call;
  }

  static readonly steps = new Map([
    ["assistant.tool_call_proposed", ["known", "proposed"]],
    ["tool.invoked", ["open", "running"]],
    ["tool.started", ["open", "running"]],
    ["tool.completed", ["ended", "done"]],
    ["tool.failed", ["ended", "failed"]],
    ["tool.cancelled", ["ended", "cancelled"]],
    ["tool.timed_out", ["ended", "timed out"]],
    ["policy.tool_blocked", ["ended", "blocked"]],
  ]);
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A moment in milliseconds; undefined if the platform cannot read it (a leap second). */
const moment = (time: string): number | undefined => {
  const value = Date.parse(time.toUpperCase());
  return Number.isNaN(value) ? undefined : value;
};

/** One line about the run that spoke last. What is zero or unknown is left out on purpose. */
function statusBar() {
  const runs = new Map<string, Loose>();
  let current: Loose;
  const ended = /^run\.(finished|failed|cancelled)$/;
  const words = new Map([
    ["run.created", "created"],
    ["run.queued", "queued"],
    ["run.awaiting_approval", "parked"],
    ["run.started", "working"],
    ["turn.started", "working"],
    ["run.finished", "finished"],
    ["run.failed", "failed"],
    ["run.cancelled", "cancelled"],
  ]);
  const busy = new Set(["tool.invoked", "tool.started", "tool.shell.command", "tool.shell.output_chunk"]);
  const idle = new Set([
    "tool.completed",
    "tool.failed",
    "tool.cancelled",
    "tool.timed_out",
    "policy.tool_blocked",
  ]);
  const others = new Set([
    "turn.completed",
    "turn.failed",
    "policy.model_rewrote",
    "approval.requested",
    "approval.resolved",
    "approval.timed_out",
    "cost.tick",
    "cost.budget_warning",
    "cost.budget_exceeded",
    "gap.run_disconnected",
  ]);
  return {
    take({ run_id, type, data }: Loose) {
      if (!words.has(type) && !busy.has(type) && !idle.has(type) && !others.has(type)) return;
      current = getOrAdd(runs, run_id, () => ({
        id: run_id,
        word: "",
        model: "",
        turn: null,
        micros: 0,
        tools: new Set(),
        gates: new Set(),
      }));
      current.word = words.get(type) ?? current.word;
      if (busy.has(type)) current.tools.add(data.tool_call_id);
      if (idle.has(type)) current.tools.delete(data.tool_call_id);
      if (type === "run.queued" || type === "turn.started") current.model = data.model ?? current.model;
      if (type === "policy.model_rewrote") current.model = data.to_model;
      if (type.startsWith("turn.")) current.turn = data.turn_index;
      if (type.startsWith("cost.")) current.micros = data.cumulative_cost_micros_usd;
      if (type === "approval.requested") current.gates.add(data.approval_id);
      else if (type.startsWith("approval.")) current.gates.delete(data.approval_id);
      if (type === "gap.run_disconnected") {
        current.tools.clear();
        if (data.action === "requeued") current.word = "queued";
      }
      if (ended.test(type)) {
        current.tools.clear();
        current.gates.clear();
      }
    },
    show() {
      if (current === undefined) return "no run";
      const { id, word, model, turn, micros, tools, gates } = current;
      const parts = [id, gates.size > 0 ? `waiting for ${gates.size} answer(s)` : word];
      if (turn !== null) parts.push(`turn ${turn}`);
      parts.push(model);
      if (tools.size > 0) parts.push(`${tools.size} tool(s)`);
      if (micros > 0) parts.push(`$${(micros / 1e6).toFixed(4)}`);
      return parts.filter((part) => part !== "").join(" · ");
    },
  };
}

/** A table of runs, a row for each, sorted by the id of the run. */
class RunTable {
  static readonly columns = [
    "run",
    "task",
    "kind",
    "state",
    "model",
    "turn",
    "in",
    "out",
    "ms",
    "from",
    "remark",
  ];
  readonly #rows = new Map<string, Map<string, Loose>>();

  take({ run_id, task_id, type, data }: Loose): void {
    const set = (fields: Loose): void => {
      const row = getOrAdd(this.#rows, run_id, () => new Map([["run", run_id]]));
      if (task_id !== undefined) row.set("task", task_id);
      for (const [column, value] of Object.entries(fields)) if (value !== undefined) row.set(column, value);
    };
    switch (type) {
      case "run.created":
        set({ state: "created", ms: null, remark: null });
        break;
      case "run.queued":
        set({ state: "queued", kind: data.kind, model: data.model, ms: null, remark: null });
        break;
      case "run.awaiting_approval":
        set({ state: "awaiting approval" });
        break;
      case "run.started":
        set({ state: "running", ms: null, remark: null });
        break;
      case "run.resumed_from_event":
        set({ from: data.from_run_id });
        break;
      case "run.finished":
        set({ state: "finished", ms: data.duration_ms });
        break;
      case "run.failed":
        set({ state: "failed", remark: data.message ?? data.error });
        break;
      case "run.cancelled":
        set({ state: "cancelled", remark: data.reason });
        break;
      case "gap.run_disconnected":
        set({ state: data.recovered_status ?? (data.action === "requeued" ? "queued" : undefined) });
        break;
      case "policy.model_rewrote":
        set({ model: data.to_model });
        break;
      case "turn.started":
        set({ state: "running", turn: data.turn_index, model: data.model, ms: null, remark: null });
        break;
      case "turn.completed":
        set({ turn: data.turn_index });
        break;
      case "cost.tick":
        set({ in: data.cumulative_input_tokens, out: data.cumulative_output_tokens });
        break;
    }
  }

  show(): Loose {
    const rows = [...this.#rows].sort(([a], [b]) => byText(a, b));
    return {
      columns: RunTable.columns,
      rows: rows.map(([, row]) => RunTable.columns.map((column) => row.get(column) ?? null)),
    };
  }
}

/** The conversations as one Markdown text. */
function markdown() {
  const runs = new Map<string, Loose[]>();
  const blocks = new Map<string, Loose>();
  const attempts = new Map<string, number>();
  const book = new CallBook();
  const lines: { [kind: string]: (item: Loose, all: Loose[]) => string } = {
    user: ({ text }) =>
      text
        .split("\n")
        .map((line: string) => `> ${line}`)
        .join("\n"),
    file: ({ mime }) => `> _attached: ${mime}_`,
    assistant: ({ text }) => text,
    tool: ({ call }) => `- **${call.name}** ${call.state}${call.remark ? ` (${call.remark})` : ""}`,
    note: ({ text }) => `_${text}_`,
    end: ({ text, turn }, all) =>
      all.some((item) => item.kind === "assistant" && item.turn === turn && item.text === text)
        ? ""
        : `**Answer:** ${text}`,
  };
  return {
    take(event: Loose) {
      const { run_id, type, data } = event;
      const add = (item: Loose): Loose => {
        getOrAdd(runs, run_id, () => []).push(item);
        return item;
      };
      if (["turn.started", "turn.failed", "error.upstream"].includes(type))
        attempts.set(run_id, (attempts.get(run_id) ?? 0) + 1);
      const call = book.read(event);
      if (call !== undefined) {
        if (!call.listed) add({ kind: "tool", call });
        call.listed = true;
        call.remark = data.error ?? data.summary ?? data.reason;
      }
      if (type === "user.message") add({ kind: "user", text: data.text });
      if (type === "user.attachment") add({ kind: "file", mime: data.mime });
      if (type === "turn.failed") add({ kind: "note", text: `turn failed: ${data.message}` });
      if (type === "run.failed") add({ kind: "note", text: `run failed: ${data.message ?? data.error}` });
      if (type === "run.cancelled") add({ kind: "note", text: `cancelled ${data.reason}`.trim() });
      if (type === "assistant.final_answer") add({ kind: "end", text: data.summary, turn: data.turn_index });
      if (type !== "assistant.text_delta" && type !== "assistant.text_complete") return;
      const key = [run_id, attempts.get(run_id) ?? 0, data.turn_index, data.block_index].join(" ");
      const block = getOrAdd(blocks, key, () =>
        add({ kind: "assistant", text: "", turn: data.turn_index, whole: false }),
      );
      if (type === "assistant.text_complete") Object.assign(block, { text: data.text, whole: true });
      else if (!block.whole) block.text += data.delta;
    },
    show: () =>
      [...runs]
        .flatMap(([run, items]) => [
          `## ${run}`,
          ...items.map((item) => lines[item.kind]?.(item, items) ?? ""),
        ])
        .filter((part) => part !== "")
        .join("\n\n"),
  };
}

/** The changed files of each run, as far as their paths are known, as a tree of folders; with the state of each patch. */
function fileTree() {
  type Folder = { folders: Map<string, Folder>; files: Map<string, Loose[]> };
  const folder = (): Folder => ({ folders: new Map(), files: new Map() });
  const roots = new Map<string, Folder>();
  const patches = new Map<string, Loose>();
  const put = (run: string, path: string): Loose[] => {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    let at = getOrAdd(roots, run, folder);
    for (const part of parts) at = getOrAdd(at.folders, part, folder);
    return getOrAdd(at.files, name, () => []);
  };
  const set = (run: string, id: string, status: string, path?: string): void => {
    const key = `${run} ${id}`;
    let patch = patches.get(key);
    if (patch === undefined && path === undefined) return;
    if (patch === undefined) {
      patch = { status };
      patches.set(key, patch);
      put(run, path ?? "").push(patch);
    }
    patch.status = status;
  };
  const draw = ({ folders, files }: Folder): Loose => ({
    folders: [...folders].sort(([a], [b]) => byText(a, b)).map(([name, inner]) => ({ name, ...draw(inner) })),
    files: [...files]
      .sort(([a], [b]) => byText(a, b))
      .map(([name, list]) => ({ name, patches: list.map(({ status }) => status) })),
  });
  return {
    take({ run_id, type, data }: Loose) {
      switch (type) {
        case "tool.file.patch":
        case "tool.file.applied":
        case "tool.file.reverted":
          set(run_id, data.artifact_id, data.artifact_status, data.path);
          break;
        case "tool.edit.proposed":
        case "tool.file_write.proposed":
          set(run_id, data.patch_artifact_id, "proposed", data.path);
          break;
        case "tool.edit.applied":
          set(run_id, data.patch_artifact_id, "applied");
          break;
        case "tool.edit.reverted":
          set(run_id, data.patch_artifact_id, "reverted");
          break;
        case "tool.multi_edit.applied":
          for (const id of data.patch_artifact_ids) set(run_id, id, "applied");
          break;
        case "tool.multi_edit.reverted":
          for (const id of data.patch_artifact_ids) set(run_id, id, "reverted");
          break;
        case "artifact.updated":
          if (data.field === "status") set(run_id, data.artifact_id, data.new_value);
      }
    },
    show: () => [...roots].map(([run, root]) => ({ run, ...draw(root) })),
  };
}

/** The questions that nobody has answered: a reducer that never changes a state, in frozen objects. */
function waiting() {
  type Gate = Readonly<{ run: string; id: string; kind: string; ask: string; call: string | null }>;
  type State = Readonly<{ open: readonly Gate[]; approved: number; refused: number; missed: number }>;
  const without = (open: readonly Gate[], run: string, id?: string): readonly Gate[] =>
    open.filter((gate) => gate.run !== run || (id !== undefined && gate.id !== id));
  const reduce = (state: State, { run_id, type, data }: Loose): State => {
    switch (type) {
      case "approval.requested": {
        const { approval_id: id, kind, summary, policy_reason, tool_call_id } = data;
        const gate = { run: run_id, id, kind, ask: summary ?? policy_reason, call: tool_call_id ?? null };
        return { ...state, open: [...without(state.open, run_id, id), Object.freeze(gate)] };
      }
      case "approval.resolved": {
        const open = without(state.open, run_id, data.approval_id);
        return data.decision === "approved"
          ? { ...state, open, approved: state.approved + 1 }
          : { ...state, open, refused: state.refused + 1 };
      }
      case "approval.timed_out":
        return {
          ...state,
          open: without(state.open, run_id, data.approval_id),
          missed: state.missed + 1,
        };
      // What a run asked before its end matters no more.
      case "run.finished":
      case "run.failed":
      case "run.cancelled":
        return { ...state, open: without(state.open, run_id) };
      default:
        return state;
    }
  };
  let state: State = Object.freeze({ open: [], approved: 0, refused: 0, missed: 0 });
  return {
    take(event: Loose) {
      state = Object.freeze(reduce(state, event));
    },
    show: () => state,
  };
}

/** The average time of each tool, whatever came of its calls, the slowest tool first. */
function averages() {
  const tools = new Map<string, { calls: number; timed: bigint; sum: bigint }>();
  const ends = new Set(["tool.completed", "tool.failed", "tool.cancelled", "tool.timed_out"]);
  return {
    take({ type, data }: Loose) {
      if (!ends.has(type)) return;
      const tool = getOrAdd(tools, data.tool_name, () => ({ calls: 0, timed: 0n, sum: 0n }));
      tool.calls++;
      if (data.duration_ms === undefined) return;
      tool.timed++;
      tool.sum += BigInt(data.duration_ms);
    },
    show: () =>
      [...tools]
        .map(([tool, { calls, timed, sum }]) => ({
          tool,
          calls,
          mean: timed === 0n ? null : Number(sum / timed),
        }))
        .sort((a, b) => (b.mean ?? -1) - (a.mean ?? -1) || byText(a.tool, b.tool)),
  };
}

/** What was done about each tool call and when, as an auditor reads it: a list for each task. */
function audit() {
  const book = new CallBook();
  const tasks = new Map<string, string>();
  const gates = new Map<string, Loose>();
  const note = (call: Loose, what: string, at: string): void => {
    call.steps ??= [];
    call.since ??= moment(at);
    const now = moment(at);
    const after = now === undefined || call.since === undefined ? "?" : String(now - call.since);
    call.steps.push(`${after} ms: ${what}`);
  };
  return {
    take(event: Loose) {
      const { run_id, task_id, occurred_at, type, data } = event;
      const call = book.read(event);
      if (call !== undefined) {
        if (task_id !== undefined) tasks.set(run_id, task_id);
        note(call, type === "policy.tool_blocked" ? `blocked, ${data.reason}` : call.state, occurred_at);
      }
      const gate = `${run_id} ${data.approval_id}`;
      if (type === "approval.requested" && data.tool_call_id !== undefined) {
        const asked = book.find(event);
        if (task_id !== undefined) tasks.set(run_id, task_id);
        gates.set(gate, asked);
        note(asked, "asked", occurred_at);
      }
      const decided = gates.get(gate);
      if (decided === undefined) return;
      if (type === "approval.resolved") note(decided, `${data.decision} by ${data.by}`, occurred_at);
      if (type === "approval.timed_out") note(decided, "nobody answered", occurred_at);
    },
    show() {
      const groups = new Map<string | null, Loose[]>();
      for (const { run, id, name, steps } of book.all)
        getOrAdd(groups, tasks.get(run) ?? null, () => []).push({ run, id, name, steps: [...steps] });
      return [...groups].map(([task, calls]) => ({ task, calls }));
    },
  };
}

/** The state of one run as a lamp: red for bad ends, yellow for whatever waits, green for work and success. */
class Lamp {
  #phase = "unknown";
  readonly #gates = new Set<string>();
  static readonly phases = new Map([
    ["run.created", "waits"],
    ["run.queued", "waits"],
    ["run.awaiting_approval", "waits"],
    ["run.started", "works"],
    ["turn.started", "works"],
    ["run.finished", "good"],
    ["run.failed", "bad"],
    ["run.cancelled", "bad"],
  ]);
  static readonly signs = new Set(["turn.completed", "tool.invoked", "tool.started", "assistant.text_delta"]);
  static readonly asks = new Set(["approval.requested", "approval.resolved", "approval.timed_out"]);

  step(type: string, data: Loose): void {
    this.#phase = Lamp.phases.get(type) ?? this.#phase;
    if (type === "gap.run_disconnected" && this.#phase !== "good" && this.#phase !== "bad")
      this.#phase = "waits";
    if (Lamp.signs.has(type) && this.#phase !== "good" && this.#phase !== "bad") this.#phase = "works";
    if (type === "approval.requested") this.#gates.add(data.approval_id);
    if (type === "approval.resolved" || type === "approval.timed_out") this.#gates.delete(data.approval_id);
    if (this.#phase === "good" || this.#phase === "bad") this.#gates.clear();
  }

  get color(): string {
    if (this.#phase === "bad") return "red";
    return this.#gates.size === 0 && (this.#phase === "works" || this.#phase === "good") ? "green" : "yellow";
  }
}

/** Three lists of runs by the color of their lamp. */
function lamps() {
  const runs = new Map<string, Lamp>();
  return {
    take({ run_id, type, data }: Loose) {
      if (
        Lamp.phases.has(type) ||
        Lamp.signs.has(type) ||
        Lamp.asks.has(type) ||
        type === "gap.run_disconnected"
      )
        getOrAdd(runs, run_id, () => new Lamp()).step(type, data);
    },
    show() {
      const of = (color: string): string[] =>
        [...runs]
          .filter(([, lamp]) => lamp.color === color)
          .map(([run]) => run)
          .sort(byText);
      return { red: of("red"), yellow: of("yellow"), green: of("green") };
    },
  };
}

/** What a phone would ring for: failures that stay, and questions. */
function notifications() {
  const sent: string[] = [];
  const texts = new Map<string, (data: Loose) => string | undefined>([
    ["run.failed", ({ message, error }) => `Run failed: ${message ?? error}`],
    ["turn.failed", ({ message, will_retry }) => (will_retry ? undefined : `Model gave up: ${message}`)],
    [
      "tool.failed",
      ({ tool_name, error, summary }) => `${tool_name} failed: ${error ?? summary ?? "no reason"}`,
    ],
    ["tool.timed_out", ({ tool_name, after_ms }) => `${tool_name} timed out after ${after_ms ?? "?"} ms`],
    [
      "tool.completed",
      ({ tool_name, result, error }) =>
        result === "tool_error" ? `${tool_name} reports an error: ${error ?? "no reason"}` : undefined,
    ],
    ["policy.tool_blocked", ({ tool_name, reason }) => `${tool_name} was blocked: ${reason}`],
    [
      "approval.requested",
      ({ kind, summary, policy_reason }) => `May I (${kind})? ${summary ?? policy_reason}`,
    ],
    ["approval.timed_out", ({ after_seconds }) => `Nobody answered for ${after_seconds} s`],
    ["cost.budget_exceeded", ({ action }) => `The budget is spent: ${action}`],
    [
      "error.upstream",
      ({ provider, message, retriable }) => (retriable ? undefined : `${provider}: ${message}`),
    ],
    ["error.tool_unavailable", ({ tool_name, reason }) => `${tool_name} is missing: ${reason}`],
  ]);
  return {
    take({ run_id, type, data }: Loose) {
      const text = texts.get(type)?.(data);
      if (text !== undefined) sent.push(`[${run_id}] ${text}`);
    },
    show: () => sent.slice(),
  };
}

/** The item of its to-do list that each run works on now, and how many are left. */
const todoNow = () => {
  const lists = new Map<string, Loose[]>();
  return {
    take: ({ run_id, type, data }: Loose) => {
      if (type === "tool.todo_write.updated") lists.set(run_id, data.todos);
    },
    show: () =>
      Array.from(lists, ([run, todos]) => {
        const left = todos.filter(({ status }) => status !== "completed");
        const now = left.filter(({ status }) => status === "in_progress").map(({ content }) => content);
        return { run, now, left: left.length, total: todos.length };
      }),
  };
};

/** All shell output as one text, the call and its stream before each line. An exit code of 0 is not shown. */
function shellLog() {
  const book = new CallBook();
  const processes: Loose[] = [];
  const begin = (call: Loose): Loose => {
    const pipe = (): Loose => ({ text: "", next: 0 });
    call.process = {
      id: call.id,
      command: undefined,
      stdout: pipe(),
      stderr: pipe(),
      exited: false,
      end: "",
    };
    processes.push(call.process);
    return call.process;
  };
  const used = ({ command, stdout, stderr, exited }: Loose): boolean =>
    command !== undefined || stdout.text !== "" || stderr.text !== "" || exited;
  return {
    take(event: Loose) {
      const { type, data } = event;
      book.read(event);
      if (type !== "tool.shell.command" && type !== "tool.shell.output_chunk" && type !== "tool.shell.exited")
        return;
      const call = book.find(event);
      let process = call.process ?? begin(call);
      if (type === "tool.shell.command") {
        if (used(process)) process = begin(call);
        process.command = data.command_string ?? data.argv.join(" ");
      }
      if (type === "tool.shell.output_chunk") {
        // An output that starts anew is that of another process, whose beginning was lost.
        if (data.byte_offset === 0 && (process.exited || process[data.stream].next > 0))
          process = begin(call);
        const pipe = process[data.stream];
        if (pipe.next !== null && data.byte_offset > pipe.next)
          pipe.text += `[${data.byte_offset - pipe.next} bytes are missing]`;
        pipe.text += data.data;
        pipe.next = data.redacted_keys === undefined ? data.byte_offset + Buffer.byteLength(data.data) : null;
      }
      if (type === "tool.shell.exited") {
        if (process.exited) process = begin(call);
        process.exited = true;
        const how = data.signal ?? (data.exit_code === 0 ? "" : `exit code ${data.exit_code}`);
        process.end = data.truncated ? `${how} (output was cut off)`.trim() : how;
      }
    },
    show() {
      const prefixed = (prefix: string, text: string): string[] =>
        text === ""
          ? []
          : text
              .replace(/\n$/, "")
              .split("\n")
              .map((line) => `${prefix} ${line}`);
      return processes
        .flatMap(({ id, command, stdout, stderr, end }) => [
          `${id} $ ${command ?? "?"}`,
          ...prefixed(`${id} 1>`, stdout.text),
          ...prefixed(`${id} 2>`, stderr.text),
          ...prefixed(`${id} !`, end),
        ])
        .join("\n");
    },
  };
}

/** The money of each task, from the newest figures. Whatever has cost nothing is not listed. */
function ledger() {
  const accounts = new Map<string, Loose>();
  return {
    take({ run_id, task_id, type, data }: Loose) {
      const key = task_id === undefined ? `run ${run_id}` : `task ${task_id}`;
      const account = (): Loose =>
        getOrAdd(accounts, key, () => ({
          spent: new Map(),
          budget: null,
          left: null,
          marks: new Set(),
          halted: new Set(),
        }));
      switch (type) {
        case "cost.tick":
          account().spent.set(run_id, data.cumulative_cost_micros_usd);
          account().budget = data.task_budget_micros_usd ?? null;
          account().left = data.task_budget_remaining_micros_usd ?? null;
          break;
        case "cost.budget_warning":
          account().spent.set(run_id, data.cumulative_cost_micros_usd);
          account().budget = data.task_budget_micros_usd;
          account().left = data.task_budget_micros_usd - data.cumulative_cost_micros_usd;
          account().marks.add(data.threshold_pct);
          break;
        case "cost.budget_exceeded":
          account().spent.set(run_id, data.cumulative_cost_micros_usd);
          account().budget = data.task_budget_micros_usd;
          account().left = data.task_budget_micros_usd - data.cumulative_cost_micros_usd;
          if (data.action === "halted") account().halted.add(run_id);
          break;
        case "run.queued":
        case "run.started":
          accounts.get(key)?.halted.delete(run_id);
      }
    },
    show: () =>
      [...accounts].flatMap(([of, { spent, budget, left, marks, halted }]) => {
        const runs = [...spent].filter(([, micros]) => micros > 0);
        if (runs.length === 0) return [];
        const used = budget > 0 && left !== null ? `${Math.round((100 * (budget - left)) / budget)} %` : "?";
        return [
          { of, runs, budget, left, used, marks: [...marks].sort((a, b) => a - b), halted: [...halted] },
        ];
      }),
  };
}

/** How many troubles of each severity there were, and the last of the worst kinds in words. */
function severities() {
  const levels = new Map<string, (data: Loose) => string | undefined>([
    ["run.failed", () => "fatal"],
    ["cost.budget_exceeded", () => "fatal"],
    ["tool.failed", () => "error"],
    ["tool.timed_out", () => "error"],
    ["tool.completed", ({ result }) => (result === "tool_error" ? "error" : undefined)],
    ["turn.failed", ({ will_retry }) => (will_retry ? "warning" : "error")],
    ["error.upstream", ({ retriable }) => (retriable ? "warning" : "error")],
    ["error.tool_unavailable", () => "warning"],
    ["error.model_capability_missing", () => "warning"],
    ["policy.tool_blocked", () => "warning"],
    ["cost.budget_warning", () => "warning"],
    ["gap.run_disconnected", () => "warning"],
    ["gap.events_pruned", () => "info"],
    ["policy.model_rewrote", () => "info"],
    ["tool.cancelled", () => "info"],
    ["tool.shell.exited", ({ exit_code }) => (exit_code === 0 ? undefined : "info")],
  ]);
  const counts = { fatal: 0, error: 0, warning: 0, info: 0 };
  let last: Loose = null;
  return {
    take({ run_id, type, occurred_at, data }: Loose) {
      const level = levels.get(type)?.(data) as keyof typeof counts | undefined;
      if (level === undefined) return;
      counts[level]++;
      if (level === "fatal" || level === "error")
        last = {
          level,
          run_id,
          type,
          occurred_at,
          why: data.message ?? data.error ?? data.summary ?? data.action ?? null,
        };
    },
    show: () => ({ ...counts, last: last && { ...last } }),
  };
}

/** One word for each run: that it waits for a person is over once each gate has an answer. */
function runWord() {
  const runs = new Map<string, { word: string; gates: Set<string> }>();
  const words = new Map([
    ["run.created", "created"],
    ["run.queued", "queued"],
    ["run.started", "at work"],
    ["run.awaiting_approval", "waiting"],
    ["run.finished", "finished"],
    ["run.failed", "failed"],
    ["run.cancelled", "called off"],
  ]);
  return {
    take({ type, run_id, data }: Loose) {
      const run = getOrAdd(runs, run_id, () => ({ word: "", gates: new Set<string>() }));
      const word = words.get(type);
      if (word !== undefined) {
        run.word = word;
        if (word !== "waiting") run.gates.clear();
      }
      if (type === "approval.requested") {
        run.word = "waiting";
        run.gates.add(data.approval_id);
      }
      if (type === "approval.resolved" || type === "approval.timed_out") {
        run.gates.delete(data.approval_id);
        if (run.word === "waiting" && run.gates.size === 0)
          run.word = data.decision ?? "not answered in time";
      }
    },
    show: () => [...runs].flatMap(([id, { word }]) => (word === "" ? [] : [`${id}: ${word}`])),
  };
}

export const furtherHecateDesigns: DesignSet = {
  designs: {
    statusBar,
    runTable: () => new RunTable(),
    markdown,
    fileTree,
    waiting,
    averages,
    audit,
    lamps,
    notifications,
    todoNow,
    shellLog,
    ledger,
    severities,
    runWord,
  },
  identify: ({ event_id }) => event_id,
  typeOf: ({ type }) => type,
};
