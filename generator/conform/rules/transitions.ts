import { isObject, type Json, type JsonObject, join } from "../../json.js";
import type { StateEvent, Transitions } from "../../protocol/stream-rules.js";
import { referenceTo } from "../../schema/reference.js";
import { type CheckerDescription, entriesOf, isCurrent, readConditions, readField } from "../comparable.js";
import {
  type DeclarationPart,
  eventType,
  label,
  type Mention,
  mention,
  objectList,
  objectPart,
  payloadField,
  payloadValues,
} from "../declaration.js";
import { hasValues, named, quote, remember } from "../step.js";
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
    "Readers offer actions by state, such as apply for a proposal. The same state may be reported again, because two event types may report one change. After a gap, states in between may have been missed, so only changes that no path allows are reported there.",
  hint: "Send every change of state, in the order in which it happened.",
  severity: { reader: "error", writer: "error" },
});

interface State {
  readonly name: string;
  readonly epoch: number;
  readonly event: string;
}

type States = Map<string, State>;

const MOVES: DeclarationPart = {
  schema: {
    type: "object",
    description: "For each state, the states that may follow it directly.",
    additionalProperties: { type: "array", items: { $ref: referenceTo("name") } },
  },
  mentions: (value, pointer, [declared]) =>
    Object.entries(value as JsonObject).flatMap(([state, next]) =>
      mention(next, join(pointer, state), statesOf(declared)),
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
        mentions: (value, pointer, [, declared]) => mention(value, pointer, statesOf(declared)),
      },
      from: payloadField("The field with the previous state.", "type"),
      when: payloadValues("Only events with these values report a state."),
    },
  },
  { oneOf: [{ required: ["to"] }, { required: ["state"] }] },
);

function statesOf(declared: JsonObject | undefined): Mention["is"] {
  const moves = declared?.moves;
  return { kind: "state", states: isObject(moves) ? Object.keys(moves) : [] };
}

/** Things that are in one of a few states. */
export const transitions = defineStreamRule({
  member: "transitions",
  declaration: {
    description: "States of things and the allowed changes between them.",
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
  sentence({ name, moves, events }, { prose, code, allEvents, fields, values }) {
    const entries = Object.entries(moves);
    const changes = entries
      .filter(([, to]) => to.length > 0)
      .map(([from, to]) => `${code(from)} → ${values(to)}`);
    const final = entries.filter(([, to]) => to.length === 0).map(([state]) => state);
    const ends = final.length === 0 ? [] : [`${fields(final)} ${final.length === 1 ? "is" : "are"} final`];
    const reporters = allEvents(events.map(({ type }) => type));
    return `The states of each ${prose(name)}: ${[...changes, ...ends].join("; ")}. Reported by ${reporters}.`;
  },
  comparison: { identify: ({ name }) => name },
  createCheckers: createTransitionChecker,
  generation: { scenario: stateScenario, adjust: stateAdjuster },
});

function stateScenario({ name, events }: Transitions): Scenario {
  return {
    name: `states of ${name}`,
    types: [],
    propose({ random, size, fresh }) {
      const [first] = events;
      const id = first === undefined ? "" : fresh(first.type, first.key);
      const single = Array.isArray(id) ? (id[0] as Json) : id;
      return Array.from({ length: size + 1 }, () => events[random.below(events.length)]).flatMap((event) => {
        if (event === undefined) return [];
        const isList = Array.isArray(fresh(event.type, event.key));
        return [{ type: event.type, wanted: { [event.key]: isList ? [single] : single } }];
      });
    },
  };
}

function stateAdjuster(declared: readonly Transitions[]): PayloadAdjuster {
  const states = new Map<string, string>();
  const idOf = (value: Json | undefined): string => JSON.stringify(Array.isArray(value) ? value[0] : value);
  return {
    adjust(type, payload, random) {
      for (const { moves, events } of declared)
        for (const { type: of, key, from, to, when = {} } of events) {
          if (of !== type) continue;
          Object.assign(payload, when);
          const state = states.get(idOf(payload[key]));
          const next = state === undefined ? [] : (moves[state] ?? []);
          if (from !== undefined && state !== undefined) payload[from] = state;
          if (to !== undefined && next.length > 0) payload[to] = next[random.below(next.length)] as string;
        }
    },
    record(type, payload) {
      for (const { events } of declared)
        for (const { type: of, key, to, state } of events) {
          const now = to === undefined ? state : payload[to];
          if (of === type && typeof now === "string") states.set(idOf(payload[key]), now);
        }
    },
  };
}

function createTransitionChecker(declared: Transitions): RuleChecker<States> {
  const { name, moves, events } = declared;
  const next = new Map(Object.entries(moves));
  const direct = (from: string, to: string): boolean => from === to || next.get(from)?.includes(to) === true;
  const judge = (
    states: States,
    step: Step,
    from: string | undefined,
    to: string,
    id: string,
  ): string | undefined => {
    const before = states.get(id);
    if (from !== undefined && next.has(from) && !direct(from, to))
      return `from ${quote(from)} to ${quote(to)}`;
    if (!before) return undefined;
    const sure = before.epoch === step.stream.epoch;
    if (sure ? !direct(before.name, to) : !reachable(next, before.name, to))
      return `to ${quote(to)}, though ${before.event} made it ${quote(before.name)}`;
    if (from === undefined || !sure || before.name === from || before.name === to) return undefined;
    return `from ${quote(from)} to ${quote(to)}, though ${before.event} made it ${quote(before.name)}`;
  };
  const handler = (event: StateEvent) => ({
    types: [event.type],
    check(states: States, step: Step): void {
      if (!hasValues(step.payload, event.when ?? {})) return;
      const [from, to] = [textOf(step.payload, event.from), event.state ?? textOf(step.payload, event.to)];
      for (const id of idsOf(step.payload[event.key])) {
        if (to === undefined || !next.has(to)) {
          states.delete(id);
          continue;
        }
        const wrong = judge(states, step, from, to, id);
        if (wrong !== undefined)
          step.report(
            transitionInvalid,
            step.at(event.to ?? event.key),
            `${named(step)} moves ${name} ${quote(id)} ${wrong}.`,
          );
        remember(states, id, { name: to, epoch: step.stream.epoch, event: named(step) }, step);
      }
    },
  });
  const handlers = events.map(handler);
  const comparable = compareTransitions(declared);
  return { start: () => new Map(), handlers, comparable };
}

function compareTransitions({ moves, events }: Transitions): CheckerDescription<States> {
  const types = [...new Set(events.map(({ type }) => type))];
  // Events of one type are looked at in their order; that of different types means nothing.
  const byType = [...events].sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  const states = { kind: "listed", listed: Object.keys(moves), others: true } as const;
  const sorted = Object.entries(moves).map(([state, next]) => [state, [...new Set(next)].sort()] as const);
  return {
    madeOf: ["transitions", Object.fromEntries(sorted), byType.map((event) => ({ ...event }) as JsonObject)],
    usesEpochs: true,
    remembers: types,
    allows: types,
    reads: events.flatMap(({ type, key, to, from, when = {} }) => [
      ...readField([type], key, { kind: "id" }),
      ...(to === undefined ? [] : readField([type], to, states)),
      ...(from === undefined ? [] : readField([type], from, states)),
      ...readConditions(type, when),
    ]),
    snapshot: (known, context) => entriesOf(known, ({ name, epoch }) => [name, isCurrent(epoch, context)]),
  };
}

function textOf(payload: JsonObject, field: string | undefined): string | undefined {
  const value = field === undefined ? undefined : payload[field];
  return typeof value === "string" ? value : undefined;
}

function idsOf(value: Json | undefined): readonly string[] {
  const ids: readonly (Json | undefined)[] = Array.isArray(value) ? value : [value];
  return ids.filter((id) => typeof id === "string");
}

function reachable(next: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const state of seen) for (const following of next.get(state) ?? []) seen.add(following);
  return seen.has(to);
}
