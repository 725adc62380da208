import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Lifecycle } from "../../protocol/stream-rules.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { eventTypes, flag, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const startRepeated = defineFinding({
  id: "lifecycle-start-repeated",
  summary: "something that had started starts again",
  explanation:
    "An id names one call, one approval or one task. A reader that opens a box at the start opens two, or throws away what the first one holds. Readers do not rely on it. If events may be missing in between, the work may have begun again, and nothing is reported.",
  hint: "Send the starting event once for each id, and use a new id for a new attempt.",
  severity: { reader: "off", writer: "error" },
});

const endRepeated = defineFinding({
  id: "lifecycle-end-repeated",
  summary: "something that had ended ends again",
  explanation:
    "A tool call or an approval has one outcome. A reader that closes a box, frees memory or counts results at the end does so twice. If the protocol allows things without a start, only those whose start was seen are checked.",
  hint: "Send one terminal event per id, and use a new id for a new attempt.",
});

const eventAfterEnd = defineFinding({
  id: "lifecycle-after-end",
  summary: "an event refers to something that had ended",
  explanation:
    "After the terminal event of an id, readers have closed it. Later events are lost or shown in the wrong place. Event types that the protocol allows after the end, such as a revert by an operator, are accepted.",
  hint: "Send all events of an id before its terminal event.",
});

const startMissing = defineFinding({
  id: "lifecycle-without-start",
  summary: "an event refers to something that never started",
  explanation:
    "This is checked only in streams that were seen from their first event without a gap, because the start may otherwise be in the missing part.",
  hint: "Send the starting event first, with the same id.",
});

const endMissing = defineFinding({
  id: "lifecycle-left-open",
  summary: "the stream ends while something that started has not ended",
  explanation:
    "A reader shows the call or the approval as running forever. A writer that crashes cannot prevent it, so this is a note. It is checked only in streams that were seen from their first event without a gap, at the terminal event of the stream.",
  hint: "Send the terminal event of each id before that of the stream.",
  severity: { reader: "off", writer: "note" },
});

/** Things with an id that start and end once. */
export const lifecycles = defineStreamRule({
  member: "lifecycles",
  declaration: {
    description: "Things with an id that start once and end once.",
    required: ["key", "start", "end"],
    properties: {
      key: payloadField(
        "The field with the id; every event type that has this field refers to the thing.",
        "start",
        "end",
      ),
      start: eventTypes("Event types that start it."),
      end: eventTypes("Event types that end it."),
      after: eventTypes(
        "Event types that may come after the end. One that ends things itself may come after an end of another type.",
      ),
      restart: eventTypes("Event types after which the id of something that has ended names something new."),
      needsStart: flag("No event refers to it before its start."),
      endsInStream: flag("Writers end it before the terminal event of its stream."),
    },
  },
  example: [{ key: "task_id", start: ["tool_task_spawned"], end: [], needsStart: true, profile: "writer" }],
  findings: [startRepeated, endRepeated, eventAfterEnd, startMissing, endMissing],
  describe({ key, start, end, after = [], restart = [], needsStart, endsInStream }, { anyEvent, code }) {
    const exceptions = after.length > 0 ? ` except ${anyEvent(after)}` : "";
    const ending = end.length > 0 ? ` and ends once, with ${anyEvent(end)}` : "";
    const sentences = [`Each ${code(key)} starts with ${anyEvent(start)}${ending}.`];
    if (end.length > 0) sentences.push(`No event with this ${code(key)} comes after the end${exceptions}.`);
    if (restart.length > 0)
      sentences.push(
        `After the end, the next ${anyEvent(restart)} with the same ${code(key)} begins something new.`,
      );
    if (needsStart) sentences.push(`No event with this ${code(key)} comes before the start.`);
    if (endsInStream) sentences.push("Writers end it before they end the stream.");
    return sentences.join(" ");
  },
  draw({ key, start, end, restart = [] }) {
    const move = (from: string, to: string, types: readonly string[]) =>
      types.length === 0 ? [] : [{ from, to, cause: types.join(" or ") }];
    const moves = [
      ...move("not begun", "open", start),
      ...move("open", "ended", end),
      ...move(
        "ended",
        "open",
        restart.filter((type) => start.includes(type)),
      ),
      ...move(
        "ended",
        "not begun",
        restart.filter((type) => !start.includes(type)),
      ),
    ];
    return { name: key, initial: "not begun", moves };
  },
  comparison: { identify: ({ key }) => key },
  createMachines(declared, protocol) {
    const { key, start, end, after = [], restart = [], needsStart = false } = declared;
    const thing = THINGS.row("thing", m.payload(key));
    const { start: type, started, end: endType, ended } = thing.cells;
    const reference = m.message`${m.NAME} refers to ${key} ${m.quote(m.payload(key))}`;
    const afterEnd = m.report(eventAfterEnd, m.message`${reference}, which ended with ${ended}.`, key);
    const withoutStart = !needsStart
      ? []
      : m.reportIf(
          m.all(m.not(thing.exists), m.SEEN_FROM_START),
          startMissing,
          [...reference, `, but no ${start.join(" or ")} came before.`],
          key,
        );
    const begin = m.choose(
      [m.present(ended), afterEnd],
      [
        m.all(m.equal(type, m.TYPE), thing.isCurrent),
        m.report(startRepeated, m.message`${reference}, which had already started with ${started}.`, key),
      ],
      [
        m.any(m.absent(type), m.not(thing.isCurrent)),
        thing.set({ start: m.TYPE, started: m.EVENT, epoch: m.EPOCH }),
      ],
    );
    const setEnd = thing.set({ end: m.TYPE, ended: m.EVENT });
    const createFinish = (hasEnded: m.Condition): m.Statement[] =>
      m.choose(
        [
          hasEnded,
          m.report(endRepeated, m.message`${reference}, which had already ended with ${ended}.`, key),
        ],
        [true, withoutStart, needsStart ? setEnd : m.when(thing.exists, setEnd)],
      );
    const refer = m.choose([m.present(ended), afterEnd], [true, withoutStart]);
    return m.createMachine(
      [THINGS],
      m.on(restart, thing.find(m.when(m.present(ended), thing.drop))),
      m.on(start, thing.find(...begin)),
      m.on(
        end.filter((each) => !after.includes(each)),
        thing.find(...createFinish(m.present(ended))),
      ),
      m.on(
        end.filter((each) => after.includes(each)),
        thing.find(...createFinish(m.equal(endType, m.TYPE))),
      ),
      m.on(listLifecycleMembers(protocol, declared), thing.find(...refer)),
      m.on(listLateTypes(declared), thing.find(withoutStart)),
      createStreamEndClause(declared, protocol),
    );
  },
});

const THINGS = m.table("things", 1, {
  start: "value",
  started: "event",
  epoch: "epoch",
  end: "value",
  ended: "event",
});

/** Returns the event types that have the field `key` and are neither start, nor end, nor allowed after the end. */
export function listLifecycleMembers(protocol: Protocol, declared: Lifecycle): readonly string[] {
  return createMemberLookup(protocol)(declared);
}

// The kit asks for the same members for each stream that it generates.
const createMemberLookup = memoizeByObject((protocol: Protocol) =>
  memoizeByObject(({ key, start, end, after = [] }: Lifecycle): readonly string[] => {
    const declaredTypes = new Set([...start, ...end, ...after]);
    return protocol.events
      .filter((event) => !declaredTypes.has(event.type) && collectEventFields(protocol, event).has(key))
      .map(({ type }) => type);
  }),
);

/** Returns the event types that may come after the end of a thing, but not before its start. */
function listLateTypes({ end, after = [], needsStart = false }: Lifecycle): readonly string[] {
  return needsStart ? after.filter((type) => !end.includes(type)) : [];
}

/** Reports things that are open at the terminal event of their stream. */
function createStreamEndClause({ key, endsInStream = false }: Lifecycle, { stream }: Protocol): m.Clause {
  const openThings = THINGS.keysWhere("open", (thing) => m.absent(thing.cells.ended));
  return m.on(
    endsInStream ? (stream?.rules?.terminal?.types ?? []) : [],
    m.reportIf(
      m.all(m.SEEN_FROM_START, m.present(openThings)),
      endMissing,
      m.message`${m.NAME} ends the stream, but no event has ended ${key} ${{ list: openThings }}.`,
    ),
  );
}
