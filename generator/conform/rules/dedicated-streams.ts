import type { DedicatedStream } from "../../protocol/stream-rules.js";
import { envelopeField, envelopeValues, eventTypes, flag, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { quoteValue } from "../machine/interpret.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const streamForeign = defineFinding({
  id: "dedicated-stream-foreign",
  summary: "a dedicated stream has an event that belongs to other streams",
  explanation:
    "Some things, such as background tasks, have their own stream. It must not contain events that begin or end streams of another kind. A stream is dedicated to a thing if the envelope says so, or if its id is the id of the thing.",
  hint: "Send the event on a stream of the kind that it belongs to.",
});

const streamMixed = defineFinding({
  id: "dedicated-stream-mixed",
  summary: "a dedicated stream has an event of another thing",
  explanation:
    "The id of a dedicated stream is the id of its thing, so all of its events are about that thing.",
  hint: "Send the events of each thing on the stream that has its id.",
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
  createMachines(declared) {
    const { key, where, types, excluded = [], always = false } = declared;
    if (where === undefined && !always) return createDedicationMachine(declared);
    // The envelope marks dedicated streams, so no event depends on another one.
    const marks = always ? {} : (where ?? {});
    const isMarked = m.hasValues(marks, m.envelope);
    const reason = Object.entries(marks).map(([name, value]) => `${name} ${quoteValue(value)}`);
    return [
      ...types.map((type) => m.createEventMachine([type], m.when(isMarked, checkThing(declared)))),
      ...(always || excluded.length === 0
        ? []
        : [m.createEventMachine(excluded, m.when(isMarked, reportExcluded(key, reason.join(", "))))]),
    ];
  },
});

/** Returns the condition that an event refers to the thing of its stream, or that neither is named. */
function refersToStream({ key, stream }: DedicatedStream): m.Condition {
  const [id, streamId] = [m.payload(key), m.envelope(stream)];
  return m.any(m.equal(id, streamId), m.all(m.absent(id), m.absent(streamId)));
}

/** Reports an event that refers to another thing than its stream. */
function checkThing(declared: DedicatedStream): m.Statement {
  const { key, stream } = declared;
  return m.reportIf(
    m.not(refersToStream(declared)),
    streamMixed,
    m.message`${m.NAME} refers to ${key} ${m.quote(m.payload(key))}, but its stream belongs to ${m.quote(m.envelope(stream))}.`,
    key,
  );
}

function reportExcluded(key: string, reason: string | m.Value): m.Statement {
  return m.report(
    streamForeign,
    m.message`${m.NAME} may not occur on a stream that belongs to one ${key} (${reason}).`,
  );
}

/** Checks streams if only their events show that they are dedicated. */
function createDedicationMachine(declared: DedicatedStream): m.Machine {
  const { types, key, excluded = [] } = declared;
  const streams = m.table("streams", 0, { evidence: "event", excluded: "event" });
  const stream = streams.row("stream");
  const { evidence, excluded: excludedEvent } = stream.cells;
  const check = m.choose(
    [m.present(evidence), checkThing(declared)],
    [
      refersToStream(declared),
      stream.set({ evidence: m.EVENT }),
      m.reportIf(
        m.present(excludedEvent),
        streamForeign,
        m.message`${m.NAME} shows that the stream belongs to ${key} ${m.quote(m.payload(key))}, but ${excludedEvent} may not occur on such a stream.`,
      ),
    ],
  );
  const exclude = [
    m.when(m.absent(excludedEvent), stream.set({ excluded: m.EVENT })),
    m.when(m.present(evidence), reportExcluded(key, evidence)),
  ];
  return m.createMachine([streams], m.on(types, stream.find(...check)), m.on(excluded, stream.find(exclude)));
}
