/** Further consumers of frames/v2, in the shapes that frontends, bots and audit tools have. All of them are correct. */
import { type DesignSet, getOrAdd, type Loose } from "./design.js";

const streamOf = ({ stream_kind, stream_id }: Loose): string => JSON.stringify([stream_kind, stream_id]);
const callOf = ({ stream_kind, stream_id, tool_id }: Loose): string =>
  JSON.stringify([stream_kind, stream_id, tool_id]);
const taskOf = ({ stream_kind, stream_id, task_id }: Loose): string =>
  JSON.stringify([stream_kind, stream_id, task_id]);
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const html = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** When things happened, counted from the first of them in each stream. Pieces of text are no such things. */
function timeline() {
  const streams = new Map<string, { start: number; lines: string[] }>();
  const titles = new Map<string, (frame: Loose) => string>([
    ["session_started", () => "session started"],
    ["session_ended", ({ reason }) => `session ended: ${reason}`],
    [
      "tool_started",
      ({ name, timeout_ms }) => `${name}${timeout_ms === null ? "" : ` (limit ${timeout_ms} ms)`}`,
    ],
    ["tool_ended", ({ exit_code }) => `tool ended with ${exit_code}`],
    ["tool_failed", ({ error }) => `tool failed: ${error}`],
    ["checkpoint_created", ({ label, auto }) => `${auto ? "automatic " : ""}checkpoint: ${label}`],
    ["checkpoint_rewound", ({ label }) => `back to: ${label}`],
    ["checkpoint_failed", ({ action, error }) => `cannot ${action}: ${error}`],
    ["tool_task_spawned", ({ title, tool_name }) => `task: ${title ?? tool_name}`],
    ["tool_task_status", ({ status }) => `task is ${status}`],
    ["tool_task_signalled", ({ signal }) => `task got ${signal}`],
    ["tool_task_cancel_requested", ({ reason }) => `stop, please: ${reason}`],
    ["tool_task_cancelled", ({ reason }) => `task stopped: ${reason}`],
    ["artifact_written", ({ kind, bytes }) => `${kind} of ${bytes} bytes`],
    ["skill_invoked", ({ name, mode }) => `${mode} skill ${name}`],
  ]);
  return {
    take(frame: Loose) {
      const title = titles.get(frame.type);
      if (title === undefined) return;
      const stream = getOrAdd(streams, streamOf(frame), () => ({ start: frame.timestamp_ms, lines: [] }));
      const after = frame.timestamp_ms - stream.start;
      stream.lines.push(`${after < 0 ? "-" : "+"}${Math.abs(after)} ms  ${title(frame)}`);
    },
    show: () => [...streams].map(([stream, { lines }]) => ({ stream, text: lines.join("\n") })),
  };
}

/** The types of what is said and done in a session before its end. */
const CONVERSATION = [
  ...["session_started", "output_text_delta"],
  ...["tool_started", "tool_stdout", "tool_stderr", "tool_ended", "tool_failed"],
];

/** A page for each stream with what was asked, the answer as it grows, and the tools where they were called. */
class Page {
  #input: string | undefined;
  #reason: string | undefined;
  readonly #parts: Loose[] = [];
  readonly #calls = new Map<string, Loose>();

  take({ type, tool_id, ...frame }: Loose): void {
    if (type === "session_started") this.#input = frame.input;
    else if (type === "session_ended") this.#reason = frame.reason;
    else if (type === "output_text_delta" && frame.delta !== "") this.#say(frame.delta);
    else if (type === "tool_started") this.#call(tool_id, frame.name);
    else if (type === "tool_ended") this.#known(tool_id).state = `exit ${frame.exit_code}`;
    else if (type === "tool_failed") this.#known(tool_id).state = frame.error;
    else if (type === "tool_stdout" || type === "tool_stderr") this.#known(tool_id);
  }

  #say(text: string): void {
    const last = this.#parts.at(-1);
    if (last?.text === undefined) this.#parts.push({ text });
    else last.text += text;
  }

  #call(id: string, name: string): Loose {
    const call = { name, state: "…" };
    this.#calls.set(id, call);
    this.#parts.push(call);
    return call;
  }

  #known(id: string): Loose {
    return this.#calls.get(id) ?? this.#call(id, "unknown tool");
  }

  toString(): string {
    const head = this.#input === undefined ? "" : `<h1>${html(this.#input)}</h1>`;
    const foot = this.#reason === undefined ? "" : `<footer>${html(this.#reason)}</footer>`;
    const parts = this.#parts.map(({ text, name, state }) =>
      text === undefined ? `<li>${html(name)}: ${html(state)}</li>` : `<p>${html(text)}</p>`,
    );
    return `<section>${head}${parts.join("")}${foot}</section>`;
  }
}

function pages() {
  const known = new Map<string, Page>();
  const types = new Set(["session_ended", ...CONVERSATION]);
  return {
    take(frame: Loose) {
      if (types.has(frame.type)) getOrAdd(known, streamOf(frame), () => new Page()).take(frame);
    },
    show: () => [...known.values()].map(String).join("\n"),
  };
}

/** A table of background tasks, those that may still run first. */
function taskBoard() {
  const tasks = new Map<string, Loose>();
  const over = new Set(["exited", "cancelled", "failed"]);
  const blank = () => ({
    title: null,
    session: null,
    state: null,
    code: null,
    error: null,
    from: null,
    to: null,
    wall: null,
    size: null,
    signals: [],
    typed: [],
    stopping: false,
  });
  const changes = new Map<string, (task: Loose, frame: Loose) => void>([
    [
      "tool_task_spawned",
      (task, { title, tool_name, origin_session_id }) => {
        task.title = title ?? tool_name;
        task.session = origin_session_id ?? null;
        task.state ??= "spawned";
      },
    ],
    [
      "tool_task_status",
      (task, { status, exit_code, error, started_at_ms, ended_at_ms }) => {
        task.state = status;
        task.code = exit_code ?? null;
        task.error = error ?? null;
        task.from = started_at_ms ?? task.from;
        task.to = ended_at_ms ?? task.to;
      },
    ],
    [
      "tool_task_cancelled",
      (task, { wall_time_ms }) => {
        task.state = "cancelled";
        task.wall = wall_time_ms ?? null;
      },
    ],
    ["tool_task_cancel_requested", (task) => Object.assign(task, { stopping: true })],
    ["tool_task_signalled", (task, { signal }) => task.signals.push(signal)],
    ["tool_task_stdin_written", (task, { chunk_b64 }) => task.typed.push(Buffer.from(chunk_b64, "base64"))],
    ["tool_task_resized", (task, { rows, cols }) => Object.assign(task, { size: `${cols}×${rows}` })],
    ["tool_task_output_delta", () => {}],
  ]);
  return {
    take(frame: Loose) {
      const change = changes.get(frame.type);
      if (change !== undefined) change(getOrAdd(tasks, taskOf(frame), blank), frame);
    },
    show() {
      const rows = [...tasks.values()].map(({ from, to, wall, signals, typed, stopping, ...task }) => ({
        ...task,
        ms: from !== null && to !== null ? to - from : wall,
        signals: [...signals],
        typed: Buffer.concat(typed).toString(),
        stopping: stopping && !over.has(task.state),
      }));
      return [
        ...rows.filter(({ state }) => !over.has(state)),
        ...rows.filter(({ state }) => over.has(state)),
      ];
    },
  };
}

/** The files that checkpoints cover, as an indented tree for each stream; “s” is saved, “r” is restored. */
function savedFiles() {
  interface Node {
    children: Map<string, Node>;
    marks: string;
  }
  const node = (): Node => ({ children: new Map(), marks: "" });
  const roots = new Map<string, Node>();
  const draw = ({ children }: Node, indent: string): string[] =>
    [...children]
      .sort(([a], [b]) => byText(a, b))
      .flatMap(([name, child]) => [
        `${indent}${name}${child.marks === "" ? "/" : ` ${child.marks}`}`,
        ...draw(child, `${indent}  `),
      ]);
  return {
    take(frame: Loose) {
      const mark = frame.type === "checkpoint_created" ? "s" : frame.type === "checkpoint_rewound" ? "r" : "";
      if (mark === "") return;
      for (const file of frame.files) {
        let at = getOrAdd(roots, streamOf(frame), node);
        for (const part of file.split("/")) at = getOrAdd(at.children, part, node);
        at.marks += mark;
      }
    },
    show: () => [...roots].map(([stream, root]) => ({ stream, tree: draw(root, "").join("\n") })),
  };
}

/** The lines that tools and tasks print, as one text in the order in which the lines were finished. */
function consoleLog() {
  const lines: string[] = [];
  const pipes = new Map<string, { prefix: string; rest: string }>();
  const names = new Map<string, string>();
  const write = (key: string, prefix: string, chunk: string): void => {
    const pipe = getOrAdd(pipes, key, () => ({ prefix, rest: "" }));
    const parts = (pipe.rest + chunk).split("\n");
    pipe.rest = parts.pop() ?? "";
    for (const part of parts) lines.push(`${prefix}| ${part.replace(/\r$/, "")}`);
  };
  const close = (key: string): void => {
    const pipe = pipes.get(key);
    if (pipe !== undefined && pipe.rest !== "") lines.push(`${pipe.prefix}| ${pipe.rest}`);
    pipes.delete(key);
  };
  return {
    take(frame: Loose) {
      switch (frame.type) {
        case "tool_started":
          names.set(callOf(frame), frame.name);
          break;
        case "tool_stdout":
        case "tool_stderr": {
          const channel = frame.type.slice("tool_".length);
          const name = names.get(callOf(frame)) ?? frame.tool_id;
          write(`${callOf(frame)} ${channel}`, `${name} ${channel}`, frame.chunk);
          break;
        }
        case "tool_ended":
        case "tool_failed":
          close(`${callOf(frame)} stdout`);
          close(`${callOf(frame)} stderr`);
          break;
        case "tool_task_output_delta":
          write(`task ${taskOf(frame)} ${frame.stream}`, `${frame.task_id} ${frame.stream}`, frame.chunk);
      }
    },
    show: () =>
      [
        ...lines,
        ...[...pipes.values()]
          .filter(({ rest }) => rest !== "")
          .map(({ prefix, rest }) => `${prefix}| ${rest}`),
      ].join("\n"),
  };
}

/** A row for each tool: its calls, its average time, and its bad ends. An exit code of 0 is not shown. */
function toolReport() {
  const open = new Map<string, string>();
  const rows = new Map<string | null, Loose>();
  const row = (name: string | null): Loose =>
    getOrAdd(rows, name, () => ({ started: 0, ended: 0n, sum: 0n, codes: new Map(), errors: [] }));
  // The start of a call may be lost, and with it the name of its tool.
  const nameOf = (frame: Loose): string | null => {
    const name = open.get(callOf(frame)) ?? null;
    open.delete(callOf(frame));
    return name;
  };
  return {
    take(frame: Loose) {
      if (frame.type === "tool_started") {
        open.set(callOf(frame), frame.name);
        row(frame.name).started++;
      }
      if (frame.type === "tool_failed") row(nameOf(frame)).errors.push(frame.error);
      if (frame.type !== "tool_ended") return;
      const tool = row(nameOf(frame));
      tool.ended++;
      tool.sum += BigInt(frame.duration_ms);
      if (frame.exit_code !== 0) tool.codes.set(frame.exit_code, (tool.codes.get(frame.exit_code) ?? 0) + 1);
    },
    show: () =>
      [...rows]
        .sort(([a], [b]) => byText(a ?? "", b ?? ""))
        .map(([tool, { started, ended, sum, codes, errors }]) => ({
          tool,
          started,
          mean_ms: ended === 0n ? null : Number(sum / ended),
          codes: [...codes].map(([code, count]) => `${count} × ${code}`),
          errors: [...errors],
        })),
  };
}

/** The skills of each stream: how many there are, which were read and used, and what is wrong with them. */
function skillPanel() {
  const reduce = (panel: Loose, { type, name, ...frame }: Loose): Loose => {
    const skill = (change: (old: Loose) => Loose): Loose => {
      const fresh = { path: null, digest: null, manual: 0, auto: 0, tools: null, warnings: [] };
      const old = panel.skills.get(name) ?? fresh;
      return { ...panel, skills: new Map(panel.skills).set(name, { ...old, ...change(old) }) };
    };
    switch (type) {
      case "skill_catalog_updated":
        return { ...panel, count: frame.count, collisions: (frame.collisions ?? null) !== null };
      case "skill_loaded":
        return skill(() => ({ path: frame.path, digest: frame.digest, warnings: frame.warnings ?? [] }));
      case "skill_invoked":
        return skill((old) => ({
          [frame.mode]: old[frame.mode] + 1,
          tools: frame.effective_allowed_tools ?? null,
        }));
      case "skill_warning":
        return {
          ...panel,
          problems: [...panel.problems, `${name ?? "skills"}: ${frame.detail} (${frame.kind})`],
        };
      default:
        return panel;
    }
  };
  const panels = new Map<string, Loose>();
  const empty = { count: null, collisions: false, skills: new Map(), problems: [] };
  return {
    take(frame: Loose) {
      const old = panels.get(streamOf(frame)) ?? empty;
      const panel = reduce(old, frame);
      if (panel !== old) panels.set(streamOf(frame), panel);
    },
    show: () =>
      [...panels].map(([stream, { count, collisions, skills, problems }]) => ({
        stream,
        count,
        collisions,
        skills: [...skills].map(([name, skill]) => ({ name, ...skill })),
        problems,
      })),
  };
}

/** Whether a sign at the door is lit: while a session has not ended or a task is not over. */
function onAir() {
  const live = new Set<string>();
  const done = new Set<string>();
  const sessionTypes = new Set([
    ...CONVERSATION,
    ...["provider_event", "checkpoint_created", "checkpoint_rewound", "checkpoint_failed"],
  ]);
  const taskTypes = new Set([
    "tool_task_spawned",
    "tool_task_status",
    "tool_task_output_delta",
    "tool_task_stdin_written",
    "tool_task_resized",
    "tool_task_signalled",
    "tool_task_cancel_requested",
    "tool_task_cancelled",
  ]);
  const final = new Set(["exited", "cancelled", "failed"]);
  const set = (key: string, over: boolean): void => {
    if (over) done.add(key);
    if (done.has(key)) live.delete(key);
    else live.add(key);
  };
  return {
    take(frame: Loose) {
      const { type, stream_kind, status } = frame;
      if (type === "session_ended") set(streamOf(frame), true);
      else if (stream_kind === "session" && sessionTypes.has(type)) set(streamOf(frame), false);
      else if (taskTypes.has(type))
        set(
          taskOf(frame),
          type === "tool_task_cancelled" || (type === "tool_task_status" && final.has(status)),
        );
    },
    show: () => ({ onAir: live.size > 0, live: live.size, done: done.size }),
  };
}

/** The tasks of each stream, sorted by their titles and, where these are equal, by their ids. */
function taskList() {
  const streams = new Map<string, Map<string, { title: string; state: string }>>();
  const find = (frame: Loose) =>
    getOrAdd(
      getOrAdd(streams, streamOf(frame), () => new Map()),
      frame.task_id,
      () => ({ title: "", state: "not known" }),
    );
  return {
    take(frame: Loose) {
      if (frame.type === "tool_task_spawned")
        Object.assign(find(frame), { title: frame.title ?? frame.tool_name, state: "begun" });
      if (frame.type === "tool_task_status") find(frame).state = frame.status;
      if (frame.type === "tool_task_cancelled") find(frame).state = "cancelled";
    },
    show: () =>
      [...streams.values()]
        .flatMap((tasks) => [...tasks].map(([id, task]) => ({ id, ...task })))
        .sort((a, b) => byText(a.title, b.title) || byText(a.id, b.id)),
  };
}

export const furtherFramesDesigns: DesignSet = {
  designs: { timeline, pages, taskBoard, savedFiles, consoleLog, toolReport, skillPanel, onAir, taskList },
  identify: (frame) => JSON.stringify([frame.stream_kind, frame.stream_id, frame.seq]),
  typeOf: ({ type }) => type,
};
