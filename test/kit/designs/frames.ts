/** Consumers of frames/v2 that each show a part of it, written as their users need them. All of them are correct. */
import { type DesignSet, getOrAdd, type Loose } from "./design.js";

const keyOf = ({ stream_kind, stream_id }: Loose): string => JSON.stringify([stream_kind, stream_id]);

/** The tool calls of each session. */
function tools() {
  const calls = new Map<string, Loose>();
  return {
    take(frame: Loose) {
      const { type, tool_id } = frame;
      if (tool_id === undefined) return;
      const call = getOrAdd(calls, `${keyOf(frame)} ${tool_id}`, () => ({
        tool_id,
        name: "?",
        state: "running",
        out: "",
        err: "",
      }));
      if (type === "tool_started") Object.assign(call, { name: frame.name, args: frame.args });
      if (type === "tool_stdout") call.out += frame.chunk;
      if (type === "tool_stderr") call.err += frame.chunk;
      if (type === "tool_ended") Object.assign(call, { state: "ended", code: frame.exit_code });
      if (type === "tool_failed") Object.assign(call, { state: "failed", error: frame.error });
    },
    show: () => [...calls.values()],
  };
}

/** The background tasks and their states. */
function tasks() {
  const known = new Map<string, Loose>();
  return {
    take(frame: Loose) {
      const { type, task_id } = frame;
      if (!type.startsWith("tool_task_")) return;
      const task = getOrAdd(known, `${keyOf(frame)} ${task_id}`, () => ({
        task_id,
        title: "",
        status: "unknown",
      }));
      if (type === "tool_task_spawned")
        Object.assign(task, { title: frame.title ?? frame.tool_name, status: "spawned" });
      if (type === "tool_task_status")
        Object.assign(task, { status: frame.status, code: frame.exit_code ?? null });
      if (type === "tool_task_cancelled") Object.assign(task, { status: "cancelled", why: frame.reason });
    },
    show: () => [...known.values()],
  };
}

/** The text of the model in each session. */
function transcript() {
  const sessions = new Map<string, Loose>();
  return {
    take(frame: Loose) {
      const session = (): Loose =>
        getOrAdd(sessions, keyOf(frame), () => ({ id: frame.stream_id, input: "", output: "" }));
      if (frame.type === "session_started") session().input = frame.input;
      if (frame.type === "output_text_delta") session().output += frame.delta;
    },
    show: () => [...sessions.values()],
  };
}

/** How often each type occurred. */
function counts() {
  const numbers: { [type: string]: number } = Object.create(null);
  return {
    take({ type }: Loose) {
      numbers[type] = (numbers[type] ?? 0) + 1;
    },
    show: () => ({ ...numbers }),
  };
}

/** The checkpoints to which a person can go back. */
function checkpoints() {
  const list: Loose[] = [];
  return {
    take(frame: Loose) {
      const { type, checkpoint_id, label, files } = frame;
      const id = `${keyOf(frame)} ${checkpoint_id}`;
      if (type === "checkpoint_created") list.push({ id, label, files: files.length, rewound: 0 });
      if (type !== "checkpoint_rewound") return;
      const point = list.find((each) => each.id === id);
      if (point) point.rewound++;
      else list.push({ id, label, files: files.length, rewound: 1 });
    },
    show: () => list.map(({ label, files, rewound }) => ({ label, files, rewound })),
  };
}

/** The skills that were loaded, and how often they were used. */
function skills() {
  const known = new Map<string, number>();
  return {
    take({ type, name }: Loose) {
      if (type === "skill_loaded") known.set(name, known.get(name) ?? 0);
      if (type === "skill_invoked") known.set(name, (known.get(name) ?? 0) + 1);
    },
    show: () => [...known].map(([name, uses]) => ({ name, uses })),
  };
}

/** What went wrong. */
function problems() {
  const list: string[] = [];
  return {
    take(frame: Loose) {
      const { type } = frame;
      if (type === "tool_failed") list.push(`tool: ${frame.error}`);
      if (type === "checkpoint_failed") list.push(`${frame.action}: ${frame.error}`);
      if (type === "skill_warning") list.push(`skill ${frame.name ?? "?"}: ${frame.detail}`);
      if (type === "tool_task_status" && frame.status === "failed")
        list.push(`task: ${frame.error ?? "no reason"}`);
      if (type === "tool_ended" && frame.exit_code !== 0) list.push(`exit code ${frame.exit_code}`);
      if (type === "provider_event") list.push(...frame.errors);
    },
    show: () => list,
  };
}

/** The terminal of each task. */
function terminals() {
  const screens = new Map<string, Loose>();
  return {
    take(frame: Loose) {
      const screen = (): Loose =>
        getOrAdd(screens, `${keyOf(frame)} ${frame.task_id}`, () => ({ text: "", size: "80x24" }));
      if (frame.type === "tool_task_output_delta") screen().text += frame.chunk;
      if (frame.type === "tool_task_resized") screen().size = `${frame.cols}x${frame.rows}`;
    },
    show: () => [...screens.values()],
  };
}

/** How many tools run now. */
function running() {
  const open = new Set<string>();
  return {
    take(frame: Loose) {
      const key = `${keyOf(frame)} ${frame.tool_id}`;
      if (frame.type === "tool_started") open.add(key);
      if (frame.type === "tool_ended" || frame.type === "tool_failed") open.delete(key);
    },
    show: () => `${open.size} running`,
  };
}

/** A badge for each session. */
function status() {
  const sessions = new Map<string, string>();
  return {
    take(frame: Loose) {
      if (frame.stream_kind !== "session") return;
      if (frame.type === "session_ended") sessions.set(keyOf(frame), `ended: ${frame.reason}`);
      else if (!sessions.has(keyOf(frame))) sessions.set(keyOf(frame), "live");
    },
    show: () => [...sessions].map(([key, word]) => ({ key, word })),
  };
}

/** The stored files. */
function artifacts() {
  const list: Loose[] = [];
  return {
    take({ type, artifact_id, kind, bytes, preview }: Loose) {
      if (type === "artifact_written") list.push({ artifact_id, kind, bytes, preview: preview ?? "" });
    },
    show: () => list,
  };
}

/** What was asked last. */
function lastInput() {
  let last = "";
  return {
    take({ type, input }: Loose) {
      if (type === "session_started") last = input;
    },
    show: () => last,
  };
}

/** How many events each provider sent, and how many it garbled. */
function providers() {
  const known = new Map<string, Loose>();
  return {
    take({ type, provider, status: how }: Loose) {
      if (type !== "provider_event") return;
      const row = getOrAdd(known, provider, () => ({ events: 0, garbled: 0 }));
      row.events++;
      if (how === "invalid_json") row.garbled++;
    },
    show: () => Object.fromEntries(known),
  };
}

/** The time that tools took. */
function timings() {
  let total = 0;
  return {
    take({ type, duration_ms }: Loose) {
      if (type === "tool_ended") total += duration_ms;
    },
    show: () => ({ total }),
  };
}

/** All frames in the order of their streams. */
function log() {
  const streams = new Map<string, Loose[]>();
  return {
    take(frame: Loose) {
      const { id, seq, type, stream_kind, stream_id, timestamp_ms, session_id, ...fields } = frame;
      getOrAdd(streams, keyOf(frame), () => []).push({ seq, type, fields });
    },
    show: () => [...streams],
  };
}

export const framesDesigns: DesignSet = {
  designs: {
    tools,
    tasks,
    transcript,
    counts,
    checkpoints,
    skills,
    problems,
    terminals,
    running,
    status,
    artifacts,
    lastInput,
    providers,
    timings,
    log,
  },
  identify: (frame) => JSON.stringify([frame.stream_kind, frame.stream_id, frame.seq]),
  typeOf: ({ type }) => type,
};
