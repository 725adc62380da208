import { isObject, type Json, type JsonObject, joinPointer } from "../../json.js";
import type { StateEvent, Transitions } from "../../protocol/stream-rules.js";
import { formatReference } from "../../schema/reference.js";
import { compareTexts } from "../../text.js";
import {
  type CheckerDescription,
  createConditionUses,
  createFieldUses,
  isCurrentEpoch,
  sortEntries,
} from "../comparable.js";
import {
  collectMentions,
  type DeclarationPart,
  eventType,
  label,
  type MentionTarget,
  objectList,
  objectPart,
  payloadField,
  payloadValues,
} from "../declaration.js";
import { hasValues, listIds, nameEvent, quoteValue, remember } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  type PayloadAdjuster,
  type RuleChecker,
  type Scenario,
  type Step,
} from "../stream-rule.js";

const transitionInvalid = defineFinding({
  id: "transition-invalid",
  summary: "something changes to a state that cannot follow its current state",
  explanation:
    "Readers use the state to decide which actions they offer, for example a button that applies a proposal. The same state may be reported again, because two event types may report one change. After a gap, states in between may have been missed, so a change is reported only if the new state cannot be reached in several steps either.",
  hint: "Send every change of state, in the order in which it happened.",
  severity: { reader: "error", writer: "error" },
});

/** The last known state of a thing. */
interface KnownState {
  readonly name: string;
  readonly epoch: number;
  /** The name of the event that reported the state. */
  readonly event: string;
}

/** The states of things by id. */
type States = Map<string, KnownState>;

const MOVES: DeclarationPart = {
  schema: {
    type: "object",
    description: "For each state, the states that may follow it directly.",
    additionalProperties: { type: "array", items: { $ref: formatReference("name") } },
  },
  findMentions: (value, pointer, [declared]) =>
    Object.entries(value as JsonObject).flatMap(([state, next]) =>
      collectMentions(next, joinPointer(pointer, state), createStateTarget(declared)),
    ),
};

const STATE_EVENT = objectPart(
  {
    required: ["type", "key"],
    properties: {
      type: eventType("The event type."),
      key: payloadField("The field with the id of the thing, or a list of ids.", "type"),
      to: payloadField("The field with the new state.", "type"),
      state: {
        ...label("The new state, if it follows from the event type."),
        findMentions: (value, pointer, [, declared]) =>
          collectMentions(value, pointer, createStateTarget(declared)),
      },
      from: payloadField("The field with the previous state.", "type"),
      when: payloadValues("Only events with these values report a state."),
    },
  },
  { oneOf: [{ required: ["to"] }, { required: ["state"] }] },
);

function createStateTarget(declared: JsonObject | undefined): MentionTarget {
  const moves = declared?.moves;
  return { kind: "state", states: isObject(moves) ? Object.keys(moves) : [] };
}

/** Things that are in one of a few states. */
export const transitions = defineStreamRule({
  member: "transitions",
  declaration: {
    description:
      "States of things and the allowed changes between them. If no state may follow another one, each thing keeps its state, such as its kind.",
    required: ["name", "moves", "events"],
    properties: {
      name: label("The name of the things."),
      moves: MOVES,
      events: objectList("Event types that report the new state of a thing.", STATE_EVENT),
    },
  },
  example: [
    {
      name: "task",
      moves: {
        queued: ["running", "exited", "cancelled", "failed"],
        running: ["exited", "cancelled", "failed"],
        exited: [],
        cancelled: [],
        failed: [],
      },
      events: [{ type: "tool_task_status", key: "task_id", to: "status" }],
      profile: "writer",
    },
  ],
  findings: [transitionInvalid],
  describe({ name, moves, events }, { prose, code, allEvents, fields, values }) {
    const entries = Object.entries(moves);
    const changes = entries
      .filter(([, to]) => to.length > 0)
      .map(([from, to]) => `${code(from)} → ${values(to)}`);
    const finalStates = entries.filter(([, to]) => to.length === 0).map(([state]) => state);
    const reporters = allEvents(events.map(({ type }) => type));
    if (changes.length === 0)
      return `The ${prose(name)} never changes if it is ${values(finalStates)}. Reported by ${reporters}.`;
    if (finalStates.length > 0)
      changes.push(`${fields(finalStates)} ${finalStates.length === 1 ? "is" : "are"} final`);
    return `The states of each ${prose(name)}: ${changes.join("; ")}. Reported by ${reporters}.`;
  },
  comparison: { identify: ({ name }) => name },
  createCheckers: createTransitionChecker,
  generation: { createScenario: createStateScenario, createAdjuster: createStateAdjuster },
});

function createStateScenario({ name, events }: Transitions): Scenario {
  return {
    name: `states of ${name}`,
    types: [],
    propose({ random, size, createUniqueValue }) {
      const [first] = events;
      const id = first === undefined ? "" : createUniqueValue(first.type, first.key);
      // All events of the scenario are about one thing, also those with a list of ids.
      const thingId = Array.isArray(id) ? (id[0] as Json) : id;
      return Array.from({ length: size + 1 }, () => events[random.below(events.length)]).flatMap((event) => {
        if (event === undefined) return [];
        const isList = Array.isArray(createUniqueValue(event.type, event.key));
        return [{ type: event.type, fixedFields: { [event.key]: isList ? [thingId] : thingId } }];
      });
    },
  };
}

function createStateAdjuster({ moves, events }: Transitions): PayloadAdjuster {
  const states = new Map<string, string>();
  const readFirstId = (value: Json | undefined): string =>
    JSON.stringify(Array.isArray(value) ? value[0] : value);
  return {
    adjust(type, payload, random) {
      for (const { key, from, to, when = {} } of events.filter((event) => event.type === type)) {
        Object.assign(payload, when);
        const state = states.get(readFirstId(payload[key]));
        const next = state === undefined ? [] : (moves[state] ?? []);
        if (from !== undefined && state !== undefined) payload[from] = state;
        if (to !== undefined && next.length > 0) payload[to] = next[random.below(next.length)] as string;
      }
    },
    record(type, payload) {
      for (const { key, to, state } of events.filter((event) => event.type === type)) {
        const now = to === undefined ? state : payload[to];
        if (typeof now === "string") states.set(readFirstId(payload[key]), now);
      }
    },
  };
}

function createTransitionChecker(declared: Transitions): RuleChecker<States> {
  const { name, moves, events } = declared;
  const next = new Map(Object.entries(moves));
  const checkState = (states: States, step: Step, event: StateEvent, id: string): void => {
    const from = readText(step.payload, event.from);
    const to = event.state ?? readText(step.payload, event.to);
    if (to === undefined || !next.has(to)) {
      states.delete(id);
      return;
    }
    const { epoch } = step.stream;
    const violation = describeViolation(next, states.get(id), epoch, from, to);
    if (violation !== undefined) {
      const message = `${nameEvent(step)} changes ${name} ${quoteValue(id)} ${violation}.`;
      step.report(transitionInvalid, message, step.locate(event.to ?? event.key));
    }
    remember(states, id, { name: to, epoch, event: nameEvent(step) }, step);
  };
  return {
    start: () => new Map(),
    handlers: events.map((event) => ({
      types: [event.type],
      check(states, step) {
        if (event.when === undefined || hasValues(step.payload, event.when))
          for (const id of listIds(step.payload[event.key])) checkState(states, step, event, id);
      },
    })),
    comparable: describeTransitionChecker(declared),
  };
}

type AllowedChanges = ReadonlyMap<string, readonly string[]>;

/** Describes a change of state that is not allowed; undefined if it is allowed. */
function describeViolation(
  next: AllowedChanges,
  last: KnownState | undefined,
  epoch: number,
  from: string | undefined,
  to: string,
): string | undefined {
  const isDirect = (state: string): boolean => state === to || next.get(state)?.includes(to) === true;
  const describeChange = (): string =>
    `${from === undefined ? "" : `from ${quoteValue(from)} `}to ${quoteValue(to)}`;
  if (from !== undefined && next.has(from) && !isDirect(from)) return describeChange();
  if (!last) return undefined;
  const isCertain = last.epoch === epoch;
  const isPossible = isCertain ? isDirect(last.name) : canReach(next, last.name, to);
  const hasOtherOrigin = isCertain && from !== undefined && last.name !== from && last.name !== to;
  if (isPossible && !hasOtherOrigin) return undefined;
  const change = isPossible ? describeChange() : `to ${quoteValue(to)}`;
  return `${change}, although ${last.event} set it to ${quoteValue(last.name)}`;
}

function describeTransitionChecker({ moves, events }: Transitions): CheckerDescription<States> {
  const types = [...new Set(events.map(({ type }) => type))];
  // The order of events matters within one type only.
  const byType = [...events].sort((a, b) => compareTexts(a.type, b.type));
  const stateSamples = { kind: "listed", listed: Object.keys(moves), others: true } as const;
  const sortedMoves = Object.entries(moves).map(
    ([state, next]) => [state, [...new Set(next)].sort()] as const,
  );
  return {
    dependsOn: [
      "transitions",
      Object.fromEntries(sortedMoves),
      byType.map((event) => ({ ...event }) as JsonObject),
    ],
    usesEpochs: true,
    remembers: types,
    allows: types,
    reads: events.flatMap(({ type, key, to, from, when = {} }) => [
      ...createFieldUses([type], key, { kind: "id" }),
      ...(to === undefined ? [] : createFieldUses([type], to, stateSamples)),
      ...(from === undefined ? [] : createFieldUses([type], from, stateSamples)),
      ...createConditionUses(type, when),
    ]),
    snapshot: (states, context) =>
      sortEntries(states, ({ name, epoch }) => [name, isCurrentEpoch(epoch, context)]),
  };
}

function readText(payload: JsonObject, field: string | undefined): string | undefined {
  const value = field === undefined ? undefined : payload[field];
  return typeof value === "string" ? value : undefined;
}

function canReach(next: AllowedChanges, from: string, to: string): boolean {
  const reachedStates = new Set([from]);
  // The loop also visits the states that it adds.
  for (const state of reachedStates)
    for (const following of next.get(state) ?? []) reachedStates.add(following);
  return reachedStates.has(to);
}
