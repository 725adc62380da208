/** Faults of sessions and tasks. */
import type { JsonObject } from "../../../generator/json.js";
import {
  createCopyInsertion,
  createPayloadChange,
  type FaultyStream,
  findNextIndex,
  getEventType,
  pickIndex,
  renumberEvents,
  replaceEvent,
  setFreshId,
  setPayloadFields,
  type TargetStream,
} from "../fault-tools.js";
import { createEndTest, type Fault, inBothProfiles, loseEvent, moveEvent, NOT_PROMISED } from "./fault.js";

export const FRAMES_FAULTS: readonly Omit<Fault, "protocols">[] = [
  {
    name: "a session ends twice",
    ...inBothProfiles("event-after-terminal"),
    inject: ({ id, events }) => {
      const last = events.at(-1) as JsonObject;
      return getEventType(last) === "session_ended"
        ? renumberEvents(id, [...events, setFreshId(id, last)])
        : undefined;
    },
  },
  {
    name: "a session goes on after its end",
    ...inBothProfiles("event-after-terminal"),
    inject: createCopyInsertion(["output_text_delta"], (event) => getEventType(event) === "session_ended"),
  },
  {
    name: "a session starts in the middle",
    reader: NOT_PROMISED,
    writer: ["opening-late"],
    inject: moveEvent("session_started", "output_text_delta"),
  },
  {
    name: "a call ends twice",
    reader: NOT_PROMISED,
    writer: ["lifecycle-end-repeated"],
    inject: createCopyInsertion(["tool_ended"], () => true),
  },
  {
    name: "a call goes on after its end",
    reader: NOT_PROMISED,
    writer: ["lifecycle-after-end"],
    inject: createCopyInsertion(["tool_stdout"], createEndTest(["tool_ended"], "tool_id")),
  },
  {
    name: "the start of a call is lost",
    reader: NOT_PROMISED,
    writer: ["lifecycle-without-start"],
    inject: loseEvent(["tool_started"]),
  },
  {
    name: "a checkpoint comes after its tool has started",
    ...inBothProfiles("preparation-late"),
    inject: (target) => moveCheckpointBehindTool(target),
  },
  {
    name: "a path is absolute",
    ...inBothProfiles("path-absolute"),
    inject: createPayloadChange(["checkpoint_created", "checkpoint_rewound"], ({ files }) => ({
      files: ["C:\\a.rs", ...(Array.isArray(files) ? files : [])],
    })),
  },
  {
    name: "the stream of a task starts a session",
    ...inBothProfiles("dedicated-stream-foreign"),
    inject({ id, events }) {
      const [first] = events;
      if (!first || getEventType(first) !== "tool_task_spawned") return undefined;
      const { task_id: _task, tool_name: _tool, args: _args, execution_mode: _mode, ...rest } = first;
      const keep = ["id", "seq", "session_id", "stream_kind", "stream_id", "timestamp_ms"];
      const bare = Object.fromEntries(Object.entries(rest).filter(([name]) => keep.includes(name)));
      return renumberEvents(id, [
        ...events,
        setFreshId(id, { ...bare, type: "session_started", input: "x" }),
      ]);
    },
  },
  {
    name: "a frame is about another task",
    ...inBothProfiles("dedicated-stream-mixed"),
    inject: createPayloadChange(["tool_task_output_delta"], () => ({
      task_id: "92c3bfee-8e9f-4526-b4ab-769e1d475600",
    })),
  },
  {
    name: "a task that ended runs again",
    reader: NOT_PROMISED,
    writer: ["transition-invalid"],
    inject: createCopyInsertion(
      ["tool_task_status"],
      (event) => getEventType(event) === "tool_task_status" && /exited|cancelled/.test(String(event.status)),
      (event) => ({ ...event, status: "running" }),
    ),
  },
];

function moveCheckpointBehindTool(target: TargetStream): FaultyStream {
  // With two checkpoints for one tool, the late one would count for the second call.
  if (target.events.filter((event) => event.auto === true).length !== 1) return undefined;
  const automatic = target.events.findIndex((event) => event.auto === true);
  const started =
    automatic === -1
      ? undefined
      : findNextIndex(target, automatic, (event) => getEventType(event) === "tool_started");
  if (started === undefined) return undefined;
  const [checkpoint, tool] = [target.events[automatic] as JsonObject, target.events[started] as JsonObject];
  return renumberEvents(
    target.id,
    replaceEvent(replaceEvent(target.events, started, tool, checkpoint), automatic),
  );
}

/** A fault of frames/v2 only, which has the alias. */
export const ALIAS_FAULT: Fault = {
  name: "session_id names another stream",
  protocols: ["frames/v2"],
  ...inBothProfiles("alias-differs"),
  inject: (target) => {
    const at = pickIndex(target, (event) => event.session_id !== undefined);
    return at === undefined
      ? undefined
      : replaceEvent(target.events, at, { ...(target.events[at] as JsonObject), session_id: "another" });
  },
};

/** A fault of frames/v1 only, whose fixtures have a task with a terminal. */
export const STDIN_FAULT: Fault = {
  name: "input is written to a task without a terminal",
  protocols: ["frames/v1"],
  ...inBothProfiles("event-misplaced"),
  inject: ({ events }) =>
    events.some((event) => getEventType(event) === "tool_task_stdin_written")
      ? events.map((event) =>
          getEventType(event) === "tool_task_spawned"
            ? setPayloadFields(event, { execution_mode: "pipes" })
            : event,
        )
      : undefined,
};
