/** Faults of sessions and tasks. */
import type { JsonObject } from "../../../generator/json.js";
import {
  changePayload,
  type FaultyStream,
  findNextIndex,
  insertCopy,
  pickIndex,
  renumberEvents,
  replaceEvent,
  type TargetStream,
  typeOf,
  withFreshId,
  withPayload,
} from "../fault-tools.js";
import { ends, type Fault, inBothProfiles, loseEvent, moveEvent, notPromised } from "./fault.js";

export const FRAMES_FAULTS: readonly Omit<Fault, "of">[] = [
  {
    name: "a session ends twice",
    ...inBothProfiles("event-after-terminal"),
    inject: ({ id, events }) => {
      const last = events.at(-1) as JsonObject;
      return typeOf(last) === "session_ended"
        ? renumberEvents(id, [...events, withFreshId(id, last)])
        : undefined;
    },
  },
  {
    name: "a session goes on after its end",
    ...inBothProfiles("event-after-terminal"),
    inject: insertCopy(["output_text_delta"], (event) => typeOf(event) === "session_ended"),
  },
  {
    name: "a session starts in the middle",
    reader: notPromised,
    writer: ["opening-late"],
    inject: moveEvent("session_started", "output_text_delta"),
  },
  {
    name: "a call ends twice",
    reader: notPromised,
    writer: ["lifecycle-end-repeated"],
    inject: insertCopy(["tool_ended"], () => true),
  },
  {
    name: "a call goes on after its end",
    reader: notPromised,
    writer: ["lifecycle-after-end"],
    inject: insertCopy(["tool_stdout"], ends(["tool_ended"], "tool_id")),
  },
  {
    name: "the start of a call is lost",
    reader: notPromised,
    writer: ["lifecycle-without-start"],
    inject: loseEvent(["tool_started"]),
  },
  {
    name: "a checkpoint comes after its tool has started",
    ...inBothProfiles("preparation-late"),
    inject: (target) => checkpointBehind(target),
  },
  {
    name: "a path is absolute",
    ...inBothProfiles("path-absolute"),
    inject: changePayload(["checkpoint_created", "checkpoint_rewound"], ({ files }) => ({
      files: ["C:\\a.rs", ...(Array.isArray(files) ? files : [])],
    })),
  },
  {
    name: "the stream of a task starts a session",
    ...inBothProfiles("dedicated-stream-foreign"),
    inject({ id, events }) {
      const [first] = events;
      if (!first || typeOf(first) !== "tool_task_spawned") return undefined;
      const { task_id: _task, tool_name: _tool, args: _args, execution_mode: _mode, ...rest } = first;
      const keep = ["id", "seq", "session_id", "stream_kind", "stream_id", "timestamp_ms"];
      const bare = Object.fromEntries(Object.entries(rest).filter(([name]) => keep.includes(name)));
      return renumberEvents(id, [
        ...events,
        withFreshId(id, { ...bare, type: "session_started", input: "x" }),
      ]);
    },
  },
  {
    name: "a frame is about another task",
    ...inBothProfiles("dedicated-stream-mixed"),
    inject: changePayload(["tool_task_output_delta"], () => ({
      task_id: "92c3bfee-8e9f-4526-b4ab-769e1d475600",
    })),
  },
  {
    name: "a task that ended runs again",
    reader: notPromised,
    writer: ["transition-invalid"],
    inject: insertCopy(
      ["tool_task_status"],
      (event) => typeOf(event) === "tool_task_status" && /exited|cancelled/.test(String(event.status)),
      (event) => ({ ...event, status: "running" }),
    ),
  },
];

function checkpointBehind(target: TargetStream): FaultyStream {
  // Of two checkpoints for the same tool, the late one would be taken for that of the second call.
  if (target.events.filter((event) => event.auto === true).length !== 1) return undefined;
  const automatic = target.events.findIndex((event) => event.auto === true);
  const started =
    automatic === -1
      ? undefined
      : findNextIndex(target, automatic, (event) => typeOf(event) === "tool_started");
  if (started === undefined) return undefined;
  const [checkpoint, tool] = [target.events[automatic] as JsonObject, target.events[started] as JsonObject];
  return renumberEvents(
    target.id,
    replaceEvent(replaceEvent(target.events, started, tool, checkpoint), automatic),
  );
}

/** Of v2 alone. */
export const ALIAS: Fault = {
  name: "session_id names another stream",
  of: ["frames/v2"],
  ...inBothProfiles("alias-differs"),
  inject: (target) => {
    const at = pickIndex(target, (event) => event.session_id !== undefined);
    return at === undefined
      ? undefined
      : replaceEvent(target.events, at, { ...(target.events[at] as JsonObject), session_id: "another" });
  },
};

/** Of v1 alone, whose fixtures have a task with a terminal. */
export const STDIN: Fault = {
  name: "input is written to a task without a terminal",
  of: ["frames/v1"],
  ...inBothProfiles("event-misplaced"),
  inject: ({ events }) =>
    events.some((event) => typeOf(event) === "tool_task_stdin_written")
      ? events.map((event) =>
          typeOf(event) === "tool_task_spawned" ? withPayload(event, { execution_mode: "pipes" }) : event,
        )
      : undefined,
};
