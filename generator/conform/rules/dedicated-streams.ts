import type { DedicatedStream } from "../../protocol/stream-rules.js";
import { envelopeField, envelopeValues, eventTypes, flag, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { quoteValue } from "../machine/interpret.js";
import type { Condition, Machine, MessagePart, Statement } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

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
  createMachines(declared) {
    const { where, types, excluded = [], always = false } = declared;
    if (always) return types.map((type) => createMarkedMachine(declared, {}, type));
    if (where === undefined) return createDedicationMachine(declared);
    return [
      ...types.map((type) => createMarkedMachine(declared, where, type)),
      ...(excluded.length > 0 ? [createExclusionMachine(declared, where, excluded)] : []),
    ];
  },
});

type EnvelopeValues = NonNullable<DedicatedStream["where"]>;

/** Returns the condition that an event refers to the thing of its stream, or that neither is named. */
function refersToStream({ key, stream }: DedicatedStream): Condition {
  const [id, streamId] = [m.payload(key), m.envelope(stream)];
  return m.any(m.equal(id, streamId), m.all(m.absent(id), m.absent(streamId)));
}

/** Reports an event that refers to another thing than its stream. */
function checkThing(declared: DedicatedStream): Statement {
  const { key, stream } = declared;
  const [id, streamId] = [m.payload(key), m.envelope(stream)];
  return m.when(
    m.not(refersToStream(declared)),
    m.report(
      streamMixed,
      m.message`${m.NAME} refers to ${key} ${m.quote(id)}, but its stream belongs to ${m.quote(streamId)}.`,
      m.inPayload(key),
    ),
  );
}

function reportExcluded(key: string, reason: MessagePart): Statement {
  return m.report(
    streamForeign,
    m.message`${m.NAME} may not occur on a stream that belongs to one ${key} (${reason}).`,
  );
}

/** Checks one event type if the envelope marks dedicated streams: no event depends on another one. */
function createMarkedMachine(declared: DedicatedStream, where: EnvelopeValues, type: string): Machine {
  return m.createMachine({}, [m.on([type], m.when(m.hasValues(where, m.envelope), checkThing(declared)))]);
}

/** Checks the excluded event types if the envelope marks dedicated streams. */
function createExclusionMachine(
  { key }: DedicatedStream,
  where: EnvelopeValues,
  excluded: readonly string[],
): Machine {
  const reason = Object.entries(where)
    .map(([name, value]) => `${name} ${quoteValue(value)}`)
    .join(", ");
  return m.createMachine({}, [
    m.on(excluded, m.when(m.hasValues(where, m.envelope), reportExcluded(key, reason))),
  ]);
}

/** Checks streams if only their events show that they are dedicated. */
function createDedicationMachine(declared: DedicatedStream): Machine {
  const { types, key, excluded = [] } = declared;
  const id = m.payload(key);
  const [evidence, excludedEvent] = [m.cell("stream", "evidence"), m.cell("stream", "excluded")];
  const findStream = (...body: Statement[]): Statement => m.find("stream", "streams", [], ...body);
  return m.createMachine({ streams: m.table(0, { evidence: "event", excluded: "event" }) }, [
    m.on(
      types,
      findStream(
        ...m.choose(
          [m.present(evidence), checkThing(declared)],
          [
            refersToStream(declared),
            m.set("stream", { evidence: m.EVENT }),
            m.when(
              m.present(excludedEvent),
              m.report(
                streamForeign,
                m.message`${m.NAME} shows that the stream belongs to ${key} ${m.quote(id)}, but ${m.plain(excludedEvent)} may not occur on such a stream.`,
              ),
            ),
          ],
        ),
      ),
    ),
    m.on(
      excluded,
      findStream(
        m.when(m.absent(excludedEvent), m.set("stream", { excluded: m.EVENT })),
        m.when(m.present(evidence), reportExcluded(key, m.plain(evidence))),
      ),
    ),
  ]);
}
