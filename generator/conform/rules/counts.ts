import type { EventCount } from "../../protocol/stream-rules.js";
import { createFieldUses, sortEntries } from "../comparable.js";
import { eventType, eventTypes, payloadField } from "../declaration.js";
import { nameEvent, quoteValue, readId, remember } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  type PayloadAdjuster,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";
import { createNumberUses } from "./ordered.js";

const countWrong = defineFinding({
  id: "count-wrong",
  summary: "a number is not the number of the events that it counts",
  explanation:
    "Readers wait for as many events as the number says, or show it beside those that came. This is checked only if the event that begins the count was seen, and no event can be missing since then.",
  hint: "Send every event that counts, and set the number when you have sent them.",
  severity: { reader: "error", writer: "error" },
});

/** A count that is in progress. */
interface Count {
  events: number;
  readonly epoch: number;
}

/** Counts by the id of the thing that they belong to. */
type Counts = Map<string, Count>;

/** Numbers of the events of a type. */
export const counts = defineStreamRule({
  member: "counts",
  declaration: {
    description: "Fields with the number of the events about one thing that came before.",
    required: ["type", "field", "of", "key", "start"],
    properties: {
      type: eventType("The event type with the number."),
      field: payloadField("Its field with the number.", "type"),
      of: eventTypes("The event types that are counted."),
      key: payloadField("The field of all of them with the id of the thing.", "type", "of", "start"),
      start: eventTypes("Event types of the thing that begin the count."),
    },
  },
  example: [
    {
      type: "turn.completed",
      field: "tool_calls",
      of: ["assistant.tool_call_proposed"],
      key: "turn_index",
      start: ["turn.started"],
    },
  ],
  findings: [countWrong],
  describe: ({ type, field, of, key, start }, { event, anyEvent, code }) =>
    `${code(field)} of ${event(type)} is the number of ${anyEvent(of)} with the same ${code(key)} since ${anyEvent(start)}.`,
  comparison: { identify: ({ type, field }) => [type, field] },
  createCheckers: createCountChecker,
  generation: { createAdjuster: createCountAdjuster },
});

function createCountChecker({ type, field, of, key, start }: EventCount): RuleChecker<Counts> {
  const check = (counts: Counts, step: Step): void => {
    const id = readId(step.payload[key]);
    const count = id === undefined ? undefined : counts.get(id);
    const number = step.payload[field];
    if (typeof number !== "number" || count?.epoch !== step.stream.epoch || number === count.events) return;
    step.report(
      countWrong,
      `${nameEvent(step)} has ${field} ${number} for ${key} ${quoteValue(id)}, but ${of.join(" or ")} came ${count.events === 1 ? "once" : `${count.events} times`}.`,
      step.locate(field),
    );
  };
  const begin = (counts: Counts, step: Step): void => {
    const id = readId(step.payload[key]);
    if (id !== undefined) remember(counts, id, { events: 0, epoch: step.stream.epoch }, step);
  };
  const add = (counts: Counts, step: Step): void => {
    const count = counts.get(readId(step.payload[key]) ?? "");
    if (count !== undefined) count.events++;
  };
  return {
    start: () => new Map(),
    handlers: [
      { types: start, check: begin },
      { types: of, check: add },
      { types: [type], check },
    ],
    comparable: {
      refuses: [type],
      remembers: [...start, ...of],
      allows: [...start, ...of],
      usesEpochs: true,
      reads: [
        ...createFieldUses([...new Set([type, ...of, ...start])], key, { kind: "id" }),
        ...createNumberUses(type, [field]),
      ],
      snapshot: (counts, { stream }) =>
        sortEntries(counts, ({ events, epoch }) =>
          epoch === stream.epoch ? Math.min(events, MAX_COUNT) : null,
        ),
    },
  };
}

/** The greatest number that a comparison of contracts distinguishes. It tries no greater ones. */
const MAX_COUNT = 3;

function createCountAdjuster({ type, field, of, key, start }: EventCount): PayloadAdjuster {
  const counts = new Map<string, number>();
  return {
    adjust(sentType, payload) {
      const count = sentType === type ? counts.get(readId(payload[key]) ?? "") : undefined;
      if (count !== undefined && payload[field] !== undefined) payload[field] = count;
    },
    record(sentType, payload) {
      const id = readId(payload[key]);
      if (id === undefined) return;
      if (start.includes(sentType)) counts.set(id, 0);
      else if (of.includes(sentType) && counts.has(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
    },
  };
}
