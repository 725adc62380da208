/** Faults of sessions and tasks. */
import type { JsonObject } from "../../../generator/json.js";
import {
  changing,
  following,
  fresh,
  inserting,
  pick,
  put,
  renumbered,
  type Spoiled,
  typeOf,
  type Victim,
  withPayload,
} from "../fault-tools.js";
import { both, ends, type Fault, losing, moving, notPromised } from "./fault.js";

/** The table. */
export const FRAMES_FAULTS: readonly Omit<Fault, "of">[] = [
  {
    name: "a session ends twice",
    ...both("event-after-terminal"),
    inject: ({ id, events }) => {
      const last = events.at(-1) as JsonObject;
      return typeOf(last) === "session_ended" ? renumbered(id, [...events, fresh(id, last)]) : undefined;
    },
  },
  {
    name: "a session goes on after its end",
    ...both("event-after-terminal"),
    inject: inserting(["output_text_delta"], (event) => typeOf(event) === "session_ended"),
  },
  {
    name: "a session starts in the middle",
    reader: notPromised,
    writer: ["opening-late"],
    inject: moving("session_started", "output_text_delta"),
  },
  {
    name: "a call ends twice",
    reader: notPromised,
    writer: ["lifecycle-end-repeated"],
    inject: inserting(["tool_ended"], () => true),
  },
  {
    name: "a call goes on after its end",
    reader: notPromised,
    writer: ["lifecycle-after-end"],
    inject: inserting(["tool_stdout"], ends(["tool_ended"], "tool_id")),
  },
  {
    name: "the start of a call is lost",
    reader: notPromised,
    writer: ["lifecycle-without-start"],
    inject: losing(["tool_started"]),
  },
  {
    name: "a checkpoint comes after its tool has started",
    ...both("preparation-late"),
    inject: (victim) => checkpointBehind(victim),
  },
  {
    name: "a path is absolute",
    ...both("path-absolute"),
    inject: changing(["checkpoint_created", "checkpoint_rewound"], ({ files }) => ({
      files: ["C:\\a.rs", ...(Array.isArray(files) ? files : [])],
    })),
  },
  {
    name: "the stream of a task starts a session",
    ...both("dedicated-stream-foreign"),
    inject({ id, events }) {
      const [first] = events;
      if (!first || typeOf(first) !== "tool_task_spawned") return undefined;
      const { task_id: _task, tool_name: _tool, args: _args, execution_mode: _mode, ...rest } = first;
      const keep = ["id", "seq", "session_id", "stream_kind", "stream_id", "timestamp_ms"];
      const bare = Object.fromEntries(Object.entries(rest).filter(([name]) => keep.includes(name)));
      return renumbered(id, [...events, fresh(id, { ...bare, type: "session_started", input: "x" })]);
    },
  },
  {
    name: "a frame is about another task",
    ...both("dedicated-stream-mixed"),
    inject: changing(["tool_task_output_delta"], () => ({ task_id: "92c3bfee-8e9f-4526-b4ab-769e1d475600" })),
  },
  {
    name: "a task that ended runs again",
    reader: notPromised,
    writer: ["transition-invalid"],
    inject: inserting(
      ["tool_task_status"],
      (event) => typeOf(event) === "tool_task_status" && /exited|cancelled/.test(String(event.status)),
      (event) => ({ ...event, status: "running" }),
    ),
  },
];

function checkpointBehind(victim: Victim): Spoiled {
  // Of two checkpoints for the same tool, the late one would be taken for that of the second call.
  if (victim.events.filter((event) => event.auto === true).length !== 1) return undefined;
  const automatic = victim.events.findIndex((event) => event.auto === true);
  const started =
    automatic === -1 ? undefined : following(victim, automatic, (event) => typeOf(event) === "tool_started");
  if (started === undefined) return undefined;
  const [checkpoint, tool] = [victim.events[automatic] as JsonObject, victim.events[started] as JsonObject];
  return renumbered(victim.id, put(put(victim.events, started, tool, checkpoint), automatic));
}

/** Of v2 alone. */
export const ALIAS: Fault = {
  name: "session_id names another stream",
  of: ["frames/v2"],
  ...both("alias-differs"),
  inject: (victim) => {
    const at = pick(victim, (event) => event.session_id !== undefined);
    return at === undefined
      ? undefined
      : put(victim.events, at, { ...(victim.events[at] as JsonObject), session_id: "another" });
  },
};

/** Of v1 alone, whose fixtures have a task with a terminal. */
export const STDIN: Fault = {
  name: "input is written to a task without a terminal",
  of: ["frames/v1"],
  ...both("event-misplaced"),
  inject: ({ events }) =>
    events.some((event) => typeOf(event) === "tool_task_stdin_written")
      ? events.map((event) =>
          typeOf(event) === "tool_task_spawned" ? withPayload(event, { execution_mode: "pipes" }) : event,
        )
      : undefined,
};
