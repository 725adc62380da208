import type { Preparation } from "../../protocol/stream-rules.js";
import { type CheckerDescription, entriesOf, isCurrent, readConditions, readField } from "../comparable.js";
import { eventType, eventTypes, objectPart, payloadField, payloadValues } from "../declaration.js";
import { hasValues, idOf, named, quote } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
  seenFromStart,
} from "../stream-rule.js";

const preparationLate = defineFinding({
  id: "preparation-late",
  summary: "an event that prepares some work comes while the work is running",
  explanation:
    "A snapshot, for example, is taken before a tool changes files. The event is too late if work of the same name is running and began without such an event. Work that has no such event at all is accepted, and nothing is reported if events may be missing.",
  hint: "Send the preparing event first, and then the event that begins the work.",
  severity: { reader: "error", writer: "error" },
});

/** Events that precede the work that they prepare. */
export const preparations = defineStreamRule({
  member: "preparations",
  declaration: {
    description: "Events that prepare some work and precede it.",
    required: ["type", "name", "work"],
    properties: {
      type: eventType("The event type that prepares."),
      name: payloadField("Its field with the name of the work.", "type"),
      when: payloadValues("Only events with these values count as preparation."),
      failed: eventTypes("Event types that report a failed preparation; the next work needs none."),
      work: objectPart({
        description: "The work that is prepared.",
        required: ["start", "end", "key", "name"],
        properties: {
          start: eventType("The event type that begins it."),
          end: eventTypes("Event types that end it."),
          key: payloadField("The field of all of them with its id.", "start", "end"),
          name: payloadField("The field of the start with its name.", "start"),
        },
      }),
    },
  },
  example: [
    {
      type: "checkpoint_created",
      name: "tool_name",
      when: { auto: true },
      failed: ["checkpoint_failed"],
      work: { start: "tool_started", end: ["tool_ended", "tool_failed"], key: "tool_id", name: "name" },
    },
  ],
  findings: [preparationLate],
  sentence({ type, name, when = {}, work }, { event, code }) {
    const conditions = Object.entries(when).map(([field, value]) => `${code(field)} is ${code(`${value}`)}`);
    const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
    return `${event(type)}${where} comes before the ${event(work.start)} whose ${code(work.name)} equals its ${code(name)}.`;
  },
  comparison: { identify: ({ type, work }) => [type, work.start] },
  createCheckers: createPreparationChecker,
});

/** The running work of one name. */
interface Running {
  readonly epoch: number;
  /** Whether a preparation came before its first start, or may have been missed. */
  readonly prepared: boolean;
  /** The event of its first start. */
  readonly first: string;
  open: number;
}

interface State {
  readonly running: Map<string, Running>;
  /** The names of running work by id. */
  readonly names: Map<string, string>;
  /** Names whose preparation no work has used yet. */
  readonly ready: Set<string>;
  /** Whether the last preparation failed. Its event need not name the work. */
  failed: boolean;
}

/** How many names and ids are followed at once. */
const MAX_WORK = 1000;

function createPreparationChecker(declared: Preparation): RuleChecker<State> {
  const { type, failed = [], work } = declared;
  return {
    start: () => ({ running: new Map(), names: new Map(), ready: new Set(), failed: false }),
    handlers: [
      { types: [type], check: (state, step) => checkPreparation(state, step, declared) },
      {
        types: failed,
        check(state) {
          state.failed = true;
        },
      },
      { types: [work.start], check: (state, step) => recordStart(state, step, declared) },
      {
        types: work.end,
        check({ running, names }, { payload }) {
          const id = idOf(payload[work.key]) ?? "";
          const ended = running.get(names.get(id) ?? "");
          names.delete(id);
          if (ended) ended.open--;
        },
      },
    ],
    comparable: comparePreparations(declared),
  };
}

/** How much work of one name at the same time a comparison of contracts follows. */
const MAX_COMPARED_WORK = 2;

function comparePreparations({
  type,
  name,
  when = {},
  failed = [],
  work,
}: Preparation): CheckerDescription<State> {
  const { start, end, key } = work;
  return {
    usesEpochs: true,
    refuses: [type],
    remembers: [type, ...failed, start, ...end],
    allows: [type, ...failed, ...end],
    reads: [
      ...readConditions(type, when),
      ...readField([type], name, { kind: "id" }),
      ...readField([start], work.name, { kind: "id" }),
      ...readField([start, ...end], key, { kind: "id" }),
    ],
    snapshot({ running, names, ready, failed: hasFailed }, context) {
      if ([...running.values()].some(({ open }) => Math.abs(open) > MAX_COMPARED_WORK)) return undefined;
      return [
        entriesOf(running, ({ epoch, prepared, open }) => [isCurrent(epoch, context), prepared, open]),
        entriesOf(names, (one) => one),
        [...ready].sort(),
        hasFailed,
      ];
    },
  };
}

function checkPreparation(
  { running, ready }: State,
  step: Step,
  { name: field, when = {} }: Preparation,
): void {
  const name = step.payload[field];
  if (typeof name !== "string") return;
  if (!hasValues(step.payload, when)) return;
  const work = running.get(name);
  if (work && work.open > 0 && !work.prepared && work.epoch === step.stream.epoch)
    step.report(
      preparationLate,
      `${named(step)} prepares for ${quote(name)}, but comes after ${work.first}, which starts it.`,
      step.at(field),
    );
  if (ready.size < MAX_WORK) ready.add(name);
}

function recordStart(state: State, step: Step, { work }: Preparation): void {
  const name = step.payload[work.name];
  const id = idOf(step.payload[work.key]);
  if (typeof name !== "string" || id === undefined) return;
  const { epoch } = step.stream;
  let running = state.running.get(name);
  if (!running || running.open <= 0 || running.epoch !== epoch) {
    const prepared = state.ready.has(name) || state.failed || !seenFromStart(step.stream);
    running = { epoch, prepared, first: named(step), open: 0 };
    if (state.running.size >= MAX_WORK || state.names.size >= MAX_WORK) {
      state.running.clear();
      state.names.clear();
      state.ready.clear();
      step.limited(`more than ${MAX_WORK} prepared names that are followed at once`);
    }
    state.running.set(name, running);
  }
  running.open++;
  state.names.set(id, name);
  state.ready.delete(name);
  state.failed = false;
}
