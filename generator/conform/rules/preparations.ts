import type { Preparation } from "../../protocol/stream-rules.js";
import {
  type CheckerDescription,
  createConditionUses,
  createFieldUses,
  isCurrentEpoch,
  sortEntries,
} from "../comparable.js";
import { eventType, eventTypes, objectPart, payloadField, payloadValues } from "../declaration.js";
import { hasValues, nameEvent, quoteValue, readId } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  isSeenFromStart,
  type RuleChecker,
  type Step,
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
  describe({ type, name, when = {}, work }, { event, code }) {
    const conditions = Object.entries(when).map(([field, value]) => `${code(field)} is ${code(`${value}`)}`);
    const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
    return `${event(type)}${where} comes before the ${event(work.start)} whose ${code(work.name)} equals its ${code(name)}.`;
  },
  comparison: { identify: ({ type, work }) => [type, work.start] },
  createCheckers: createPreparationChecker,
});

/** The running work of one name. */
interface RunningWork {
  readonly epoch: number;
  /** True if a preparation came before its first start, or may have been missed. */
  readonly prepared: boolean;
  /** The event of its first start. */
  readonly first: string;
  open: number;
}

interface PreparationState {
  readonly running: Map<string, RunningWork>;
  /** The names of running work by id. */
  readonly names: Map<string, string>;
  /** Names whose preparation no work has used yet. */
  readonly ready: Set<string>;
  /** True if the last preparation failed. Its event need not name the work. */
  failed: boolean;
}

/** The greatest number of names, and of ids, that are followed at once. */
const MAX_WORK = 1000;

function createPreparationChecker(declared: Preparation): RuleChecker<PreparationState> {
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
          const id = readId(payload[work.key]) ?? "";
          const ended = running.get(names.get(id) ?? "");
          names.delete(id);
          if (ended) ended.open--;
        },
      },
    ],
    comparable: describePreparationChecker(declared),
  };
}

/** The largest amount of simultaneous work of one name that a comparison of contracts follows. */
const MAX_COMPARED_WORK = 2;

function describePreparationChecker({
  type,
  name,
  when = {},
  failed = [],
  work,
}: Preparation): CheckerDescription<PreparationState> {
  const { start, end, key } = work;
  return {
    usesEpochs: true,
    refuses: [type],
    remembers: [type, ...failed, start, ...end],
    allows: [type, ...failed, ...end],
    reads: [
      ...createConditionUses(type, when),
      ...createFieldUses([type], name, { kind: "id" }),
      ...createFieldUses([start], work.name, { kind: "id" }),
      ...createFieldUses([start, ...end], key, { kind: "id" }),
    ],
    snapshot({ running, names, ready, failed: hasFailed }, context) {
      if ([...running.values()].some(({ open }) => Math.abs(open) > MAX_COMPARED_WORK)) return undefined;
      return [
        sortEntries(running, ({ epoch, prepared, open }) => [isCurrentEpoch(epoch, context), prepared, open]),
        sortEntries(names, (name) => name),
        [...ready].sort(),
        hasFailed,
      ];
    },
  };
}

function checkPreparation(
  { running, ready }: PreparationState,
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
      `${nameEvent(step)} prepares for ${quoteValue(name)}, but comes after ${work.first}, which starts it.`,
      step.locate(field),
    );
  if (ready.size < MAX_WORK) ready.add(name);
}

function recordStart(state: PreparationState, step: Step, { work }: Preparation): void {
  const name = step.payload[work.name];
  const id = readId(step.payload[work.key]);
  if (typeof name !== "string" || id === undefined) return;
  const { epoch } = step.stream;
  let running = state.running.get(name);
  if (!running || running.open <= 0 || running.epoch !== epoch) {
    const prepared = state.ready.has(name) || state.failed || !isSeenFromStart(step.stream);
    running = { epoch, prepared, first: nameEvent(step), open: 0 };
    if (state.running.size >= MAX_WORK || state.names.size >= MAX_WORK) {
      state.running.clear();
      state.names.clear();
      state.ready.clear();
      step.reportLimit(`more than ${MAX_WORK} prepared names that are followed at once`);
    }
    state.running.set(name, running);
  }
  running.open++;
  state.names.set(id, name);
  state.ready.delete(name);
  state.failed = false;
}
