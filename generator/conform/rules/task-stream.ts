import type { Protocol } from "../../protocol/protocol.js";
import { asSet, readEnvelope, readField } from "../comparable.js";
import { named, quote } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Step, type Watch } from "../stream-rule.js";

const taskStreamSession = defineStreamRule({
  id: "task-stream-session",
  summary: "the stream of a task begins or ends a session",
  explanation:
    "Frames v1 and v2: a background task has a stream of its own, whose life is told by tool_task_* frames. It is a task's stream if stream_kind says so, or in v1, if session_id holds the id of the task.",
  hint: "Send session_started and session_ended on the stream of the session.",
  severity: { reader: "error", writer: "error" },
});

const taskStreamMixed = defineStreamRule({
  id: "task-stream-mixed",
  summary: "the stream of a task has a frame of another task",
  explanation:
    "Frames v1 and v2: the id of a task's stream is the id of the task, so its frames are about that task alone.",
  hint: "Send each task's frames on the stream that has its id.",
  severity: { reader: "error", writer: "error" },
});

interface Kind {
  /** What shows that it is the stream of a task. */
  task: string | undefined;
  session: string | undefined;
}

/** Streams of background tasks in frames. */
export const taskStreamRules: RuleFile = {
  rules: [taskStreamSession, taskStreamMixed],
  watch: ({ name, events, stream }: Protocol) => {
    const types = events.map(({ type }) => type).filter((type) => type.startsWith("tool_task_"));
    return name === "frames" && stream ? [watch(types, stream.key.at(-1) ?? "")] : [];
  },
};

function watch(types: readonly string[], idField: string): Watch<Kind> {
  const told = (kind: Kind, step: Step): string | undefined =>
    step.event.stream_kind === "task" ? `stream_kind "task"` : kind.task;
  return {
    rules: [taskStreamSession, taskStreamMixed],
    start: () => ({ task: undefined, session: undefined }),
    handlers: [
      {
        types,
        check(kind, step) {
          const [id, stream] = [step.payload.task_id, step.event[idField]];
          if (id === stream && step.event.stream_kind === undefined && kind.task === undefined) {
            kind.task = named(step);
            if (kind.session !== undefined)
              step.report(
                taskStreamSession,
                "",
                `${named(step)} makes this the stream of task ${quote(id)}, but it had ${kind.session}.`,
              );
          } else if (id !== stream && told(kind, step) !== undefined)
            step.report(
              taskStreamMixed,
              step.at("task_id"),
              `${named(step)} is about task ${quote(id)} on the stream of task ${quote(stream)}.`,
            );
        },
      },
      {
        types: ["session_started", "session_ended"],
        check(kind, step) {
          const why = told(kind, step);
          kind.session ??= named(step);
          if (why !== undefined)
            step.report(taskStreamSession, "", `${named(step)} is on the stream of a task (${why}).`);
        },
      },
    ],
    comparable: {
      madeOf: ["taskStreams", asSet(types), idField],
      usesEpochs: false,
      judges: [...types, "session_started", "session_ended"],
      remembers: [...types, "session_started", "session_ended"],
      allows: [],
      reads: [
        ...readField(types, "task_id", { kind: "stream" }),
        ...readEnvelope("stream_kind", { kind: "listed", listed: ["task"], others: true }),
      ],
      snapshot: ({ task, session }) => [task !== undefined, session !== undefined],
    },
  };
}
