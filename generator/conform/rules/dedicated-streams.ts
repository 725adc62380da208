import type { DedicatedStream } from "../../protocol/stream-rules.js";
import { createConditionUses, createFieldUses, sortUnique } from "../comparable.js";
import { envelopeField, envelopeValues, eventTypes, flag, payloadField } from "../declaration.js";
import { hasValues, nameEvent, quoteValue } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";

const streamForeign = defineFinding({
  id: "dedicated-stream-foreign",
  summary: "a dedicated stream has an event that belongs to other streams",
  explanation:
    "Some things, such as background tasks, have their own stream. It must not contain events that begin or end streams of another kind. A stream is dedicated to a thing if the envelope says so, or if its id is the id of the thing.",
  hint: "Send the event on a stream of the kind that it belongs to.",
  severity: { reader: "error", writer: "error" },
});

const streamMixed = defineFinding({
  id: "dedicated-stream-mixed",
  summary: "a dedicated stream has an event of another thing",
  explanation:
    "The id of a dedicated stream is the id of its thing, so all of its events are about that thing.",
  hint: "Send the events of each thing on the stream that has its id.",
  severity: { reader: "error", writer: "error" },
});

/** Streams that belong to one thing each. */
export const dedicatedStreams = defineStreamRule({
  member: "dedicatedStreams",
  declaration: {
    description: "Streams that belong to one thing each and have its id.",
    required: ["types", "key", "stream"],
    properties: {
      types: eventTypes("Event types that refer to such a thing."),
      key: payloadField("Their field with the id of the thing.", "types"),
      stream: envelopeField("The envelope field with the id of the stream."),
      where: envelopeValues(
        "Envelope fields and the values that mark such a stream. Without it, an event that refers to a thing with the id of its stream marks it.",
      ),
      excluded: eventTypes("Event types that never occur on such a stream."),
      always: flag("The event types that refer to a thing occur on such streams only."),
    },
  },
  example: [
    {
      types: ["tool_task_spawned", "tool_task_status"],
      key: "task_id",
      stream: "stream_id",
      where: { stream_kind: "task" },
      excluded: ["session_started", "session_ended"],
    },
  ],
  findings: [streamForeign, streamMixed],
  describe({ types, key, stream, where, excluded = [], always = false }, { code, allEvents, anyEvent }) {
    if (always)
      return `${allEvents(types)} occur only on streams of their own, whose ${code(stream)} equals their ${code(key)}.`;
    const conditions = Object.entries(where ?? {}).map(([name, value]) => `${code(name)} is ${code(value)}`);
    const condition =
      where === undefined
        ? `with an event whose ${code(key)} equals ${code(stream)}`
        : `where ${conditions.join(" and ")}`;
    const never = excluded.length > 0 ? ` It never contains ${anyEvent(excluded)}.` : "";
    return `A stream ${condition} is dedicated to one ${code(key)}: in ${allEvents(types)}, ${code(key)} equals ${code(stream)}.${never}`;
  },
  comparison: { identify: ({ key, stream, always = false }) => [key, stream, ...(always ? ["always"] : [])] },
  createCheckers(declared) {
    const { where, types, excluded = [], always = false } = declared;
    if (always) return types.map((type) => createMarkedChecker(declared, {}, type));
    if (where === undefined) return createDedicationChecker(declared);
    return [
      ...types.map((type) => createMarkedChecker(declared, where, type)),
      ...(excluded.length > 0 ? [createExclusionChecker(declared, where, excluded)] : []),
    ];
  },
});

type EnvelopeValues = NonNullable<DedicatedStream["where"]>;

function reportMixed(step: Step, { key, stream }: DedicatedStream): void {
  const id = step.payload[key];
  const streamId = step.event[stream];
  if (id === streamId) return;
  const message = `${nameEvent(step)} refers to ${key} ${quoteValue(id)}, but its stream belongs to ${quoteValue(streamId)}.`;
  step.report(streamMixed, message, step.locate(key));
}

function reportExcluded(step: Step, key: string, reason: string): void {
  const message = `${nameEvent(step)} may not occur on a stream that belongs to one ${key} (${reason}).`;
  step.report(streamForeign, message);
}

/** Checks one event type if the envelope marks dedicated streams: no event depends on another one. */
function createMarkedChecker(declared: DedicatedStream, where: EnvelopeValues, type: string): RuleChecker {
  const { key, stream } = declared;
  const check = (step: Step): void => {
    if (hasValues(step.event, where)) reportMixed(step, declared);
  };
  const reads = [
    ...createFieldUses([type], key, { kind: "stream" }),
    ...createConditionUses(undefined, where),
  ];
  const dependsOn = ["dedicatedStreams", type, key, stream, where];
  return createEventChecker([type], check, reads, { findings: [streamMixed], dependsOn });
}

/** Checks the excluded event types if the envelope marks dedicated streams. */
function createExclusionChecker(
  { key }: DedicatedStream,
  where: EnvelopeValues,
  excluded: readonly string[],
): RuleChecker {
  const reason = Object.entries(where)
    .map(([name, value]) => `${name} ${quoteValue(value)}`)
    .join(", ");
  const check = (step: Step): void => {
    if (hasValues(step.event, where)) reportExcluded(step, key, reason);
  };
  const dependsOn = ["dedicatedStreams", "excluded", sortUnique(excluded), where];
  const reads = createConditionUses(undefined, where);
  return createEventChecker(excluded, check, reads, { findings: [streamForeign], dependsOn });
}

/** The events of a stream that matter to the checker. */
interface Dedication {
  /** The name of the first event that showed that the stream belongs to a thing. */
  evidence: string | undefined;
  /** The name of the first event that is excluded from such streams. */
  excludedEvent: string | undefined;
}

/** Checks streams if only their events show that they are dedicated. */
function createDedicationChecker(declared: DedicatedStream): RuleChecker<Dedication> {
  const { types, key, stream, excluded = [] } = declared;
  const checkReference = (state: Dedication, step: Step): void => {
    const id = step.payload[key];
    if (id !== step.event[stream]) {
      if (state.evidence !== undefined) reportMixed(step, declared);
      return;
    }
    if (state.evidence !== undefined) return;
    state.evidence = nameEvent(step);
    if (state.excludedEvent === undefined) return;
    const message = `${nameEvent(step)} shows that the stream belongs to ${key} ${quoteValue(id)}, but ${state.excludedEvent} may not occur on such a stream.`;
    step.report(streamForeign, message);
  };
  const checkExcluded = (state: Dedication, step: Step): void => {
    state.excludedEvent ??= nameEvent(step);
    if (state.evidence !== undefined) reportExcluded(step, key, state.evidence);
  };
  return {
    start: () => ({ evidence: undefined, excludedEvent: undefined }),
    handlers: [
      { types, check: checkReference },
      { types: excluded, check: checkExcluded },
    ],
    comparable: {
      remembers: [...types, ...excluded],
      reads: createFieldUses(types, key, { kind: "stream" }),
      snapshot: (state) => [state.evidence !== undefined, state.excludedEvent !== undefined],
    },
  };
}
