import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Lifecycle } from "../../protocol/stream-rules.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { createFieldUses, sortEntries, sortUnique } from "../comparable.js";
import { eventTypes, flag, payloadField } from "../declaration.js";
import { nameEvent, quoteValue, readId, remember } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  isSeenFromStart,
  type RuleChecker,
  type Scenario,
  type Step,
} from "../stream-rule.js";

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
  severity: { reader: "error", writer: "error" },
});

const eventAfterEnd = defineFinding({
  id: "lifecycle-after-end",
  summary: "an event refers to something that had ended",
  explanation:
    "After the terminal event of an id, readers have closed it. Later events are lost or shown in the wrong place. Event types that the protocol allows after the end, such as a revert by an operator, are accepted.",
  hint: "Send all events of an id before its terminal event.",
  severity: { reader: "error", writer: "error" },
});

const startMissing = defineFinding({
  id: "lifecycle-without-start",
  summary: "an event refers to something that never started",
  explanation:
    "This is checked only in streams that were seen from their first event without a gap, because the start may otherwise be in the missing part.",
  hint: "Send the starting event first, with the same id.",
  severity: { reader: "error", writer: "error" },
});

const endMissing = defineFinding({
  id: "lifecycle-left-open",
  summary: "the stream ends while something that started has not ended",
  explanation:
    "A reader shows the call or the approval as running forever. A writer that crashes cannot prevent it, so this is a note. It is checked only in streams that were seen from their first event without a gap, at the terminal event of the stream.",
  hint: "Send the terminal event of each id before that of the stream.",
  severity: { reader: "off", writer: "note" },
});

/** The state of one thing. */
interface ThingState {
  /** The type and the name of the event that started it; undefined if its end was the first event about it. */
  readonly start: { readonly type: string; readonly event: string; readonly epoch: number } | undefined;
  /** The name of the event that ended it; undefined before that. */
  readonly end: string | undefined;
}

type ThingStates = Map<string, ThingState>;

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
      after: eventTypes("Event types that may come after the end."),
      needsStart: flag("No event refers to it before its start."),
      endsInStream: flag("Writers end it before the terminal event of its stream."),
    },
  },
  example: [{ key: "task_id", start: ["tool_task_spawned"], end: [], needsStart: true, profile: "writer" }],
  findings: [startRepeated, endRepeated, eventAfterEnd, startMissing, endMissing],
  describe({ key, start, end, after = [], needsStart, endsInStream }, { anyEvent, code }) {
    const exceptions = after.length > 0 ? ` except ${anyEvent(after)}` : "";
    const ending = end.length > 0 ? ` and ends once, with ${anyEvent(end)}` : "";
    const sentences = [`Each ${code(key)} starts with ${anyEvent(start)}${ending}.`];
    if (end.length > 0) sentences.push(`No event with this ${code(key)} comes after the end${exceptions}.`);
    if (needsStart) sentences.push(`No event with this ${code(key)} comes before the start.`);
    if (endsInStream) sentences.push("Writers end it before they end the stream.");
    return sentences.join(" ");
  },
  comparison: { identify: ({ key }) => key },
  createCheckers: createLifecycleChecker,
  generation: {
    listReservedTypes: (declared, protocol) => [
      ...declared.start,
      ...declared.end,
      ...(declared.needsStart
        ? [...listLifecycleMembers(protocol, declared), ...listLateTypes(declared)]
        : []),
    ],
    createScenario: createLifecycleScenario,
  },
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
function listLateTypes({ after = [], needsStart = false }: Lifecycle): readonly string[] {
  return needsStart ? after : [];
}

function createLifecycleScenario(declared: Lifecycle, protocol: Protocol): Scenario {
  const { key, start, end } = declared;
  const members = [...listLifecycleMembers(protocol, declared), ...listLateTypes(declared)];
  return {
    name: `lifecycle of ${key}`,
    types: [...start, ...members, ...end],
    propose({ random, size, createUniqueValue, requiredType }) {
      const pickType = (types: readonly string[]): string | undefined =>
        types.find((type) => type === requiredType) ?? types[random.below(types.length)];
      const first = pickType(start);
      const last = pickType(end);
      const fixedFields = { [key]: createUniqueValue(first ?? last ?? members[0] ?? "", key) };
      const middle = Array.from(
        { length: members.length === 0 ? 0 : size },
        () => members[random.below(members.length)],
      );
      const wantedMember = members.find((type) => type === requiredType);
      const hasEnd = random.chance(0.8) || last === requiredType;
      const types = [first, wantedMember, ...middle, hasEnd ? last : undefined];
      return types.flatMap((type) => (type === undefined ? [] : [{ type, fixedFields }]));
    },
  };
}

function reportAfterEnd(step: Step, key: string, endEvent: string): void {
  step.report(
    eventAfterEnd,
    `${describeReference(step, key)}, which ended with ${endEvent}.`,
    step.locate(key),
  );
}

function reportWithoutStart(step: Step, { key, start, needsStart = false }: Lifecycle): void {
  if (needsStart && isSeenFromStart(step.stream))
    step.report(
      startMissing,
      `${describeReference(step, key)}, but no ${start.join(" or ")} came before.`,
      step.locate(key),
    );
}

/** Returns the functions that check starts, ends, events in between, and events that may come after the end. */
function createLifecycleChecks(declared: Lifecycle) {
  const { key, needsStart = false } = declared;
  const checkStart = (things: ThingStates, step: Step): void => {
    const id = readId(step.payload[key]);
    if (id === undefined) return;
    const thing = things.get(id);
    const { epoch } = step.stream;
    if (thing?.end !== undefined) reportAfterEnd(step, key, thing.end);
    else if (thing?.start?.type === step.type && thing.start.epoch === epoch)
      step.report(
        startRepeated,
        `${describeReference(step, key)}, which had already started with ${thing.start.event}.`,
        step.locate(key),
      );
    else if (thing?.start === undefined || thing.start.epoch !== epoch)
      remember(
        things,
        id,
        { start: { type: step.type, event: nameEvent(step), epoch }, end: undefined },
        step,
      );
  };
  const checkEnd = (things: ThingStates, step: Step): void => {
    const id = readId(step.payload[key]);
    if (id === undefined) return;
    const thing = things.get(id);
    if (thing?.end !== undefined) {
      step.report(
        endRepeated,
        `${describeReference(step, key)}, which had already ended with ${thing.end}.`,
        step.locate(key),
      );
      return;
    }
    if (thing === undefined) reportWithoutStart(step, declared);
    if (thing !== undefined || needsStart)
      remember(things, id, { start: thing?.start, end: nameEvent(step) }, step);
  };
  const checkMember = (things: ThingStates, step: Step): void => {
    const id = readId(step.payload[key]);
    if (id === undefined) return;
    const thing = things.get(id);
    if (thing?.end !== undefined) reportAfterEnd(step, key, thing.end);
    else if (thing === undefined) reportWithoutStart(step, declared);
  };
  const checkLate = (things: ThingStates, step: Step): void => {
    const id = readId(step.payload[key]);
    if (id !== undefined && things.get(id) === undefined) reportWithoutStart(step, declared);
  };
  return { checkStart, checkEnd, checkMember, checkLate };
}

function createLifecycleChecker(declared: Lifecycle, protocol: Protocol): RuleChecker<ThingStates> {
  const { key, start, end, needsStart = false, endsInStream = false } = declared;
  const members = listLifecycleMembers(protocol, declared);
  const lateTypes = listLateTypes(declared);
  const { checkStart, checkEnd, checkMember, checkLate } = createLifecycleChecks(declared);
  const terminalTypes = endsInStream ? (protocol.stream?.rules?.terminal?.types ?? []) : [];
  return {
    start: () => new Map(),
    handlers: [
      { types: start, check: checkStart },
      { types: end, check: checkEnd },
      { types: members, check: checkMember },
      { types: lateTypes, check: checkLate },
      { types: terminalTypes, check: (ends, step) => reportOpen(ends, step, key) },
    ],
    comparable: {
      dependsOn: [
        "lifecycles",
        key,
        needsStart,
        sortUnique(start),
        sortUnique(end),
        ...(lateTypes.length > 0 ? [sortUnique(lateTypes)] : []),
      ],
      onlyRefuses: sortUnique(members),
      usesEpochs: true,
      refuses: [...start, ...end, ...members, ...lateTypes],
      remembers: [...start, ...end],
      allows: needsStart ? start : [],
      reads: createFieldUses([...new Set([...start, ...end, ...members, ...lateTypes])], key, { kind: "id" }),
      snapshot: (things, { stream }) =>
        sortEntries(things, ({ start, end }) =>
          // The start of a thing that has ended makes no difference.
          end === undefined && start?.epoch === stream.epoch ? start.type : end !== undefined,
        ),
    },
  };
}

/** The number of ids that a finding about open things names. */
const MAX_NAMED_IDS = 3;

function reportOpen(things: ThingStates, step: Step, key: string): void {
  if (!isSeenFromStart(step.stream)) return;
  const open: string[] = [];
  for (const [id, { end }] of things) if (end === undefined) open.push(quoteValue(id));
  if (open.length === 0) return;
  const rest = open.length > MAX_NAMED_IDS ? ` and ${open.length - MAX_NAMED_IDS} more` : "";
  const idList = open.slice(0, MAX_NAMED_IDS).join(", ");
  step.report(
    endMissing,
    `${nameEvent(step)} ends the stream, but no event has ended ${key} ${idList}${rest}.`,
  );
}

function describeReference(step: Step, key: string): string {
  return `${nameEvent(step)} refers to ${key} ${quoteValue(step.payload[key])}`;
}
