import { isObject, type JsonObject, joinPointer } from "../../json.js";
import type { StateEvent } from "../../protocol/stream-rules.js";
import { formatReference } from "../../schema/reference.js";
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
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const transitionInvalid = defineFinding({
  id: "transition-invalid",
  summary: "something changes to a state that cannot follow its current state",
  explanation:
    "Readers use the state to decide which actions they offer, for example a button that applies a proposal. The same state may be reported again, because two event types may report one change. After a gap, states in between may have been missed, so a change is reported only if the new state cannot be reached in several steps either.",
  hint: "Send every change of state, in the order in which it happened.",
});

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
  draw({ name, moves }) {
    const changes = Object.entries(moves).flatMap(([from, next]) => next.map((to) => ({ from, to })));
    return changes.length === 0 ? undefined : { name, moves: changes };
  },
  comparison: { identify: ({ name }) => name },
  createMachines({ name, moves, events }) {
    const states = Object.keys(moves);
    const next = new Map(Object.entries(moves));
    const relate = (listNext: (state: string) => readonly string[]) =>
      Object.fromEntries(states.map((state) => [state, [...listNext(state)].sort()]));
    return {
      relations: {
        direct: relate((state) => [state, ...(next.get(state) ?? [])]),
        reachable: relate((state) => states.filter((to) => canReach(next, state, to))),
      },
      ...m.createMachine([THINGS], ...events.map((event) => createStateClause(name, states, event))),
    };
  },
});

const THINGS = m.table("things", 1, { state: "value", ...m.EVENT_CELLS });

function createStateClause(name: string, states: readonly string[], event: StateEvent): m.Clause {
  const thing = THINGS.rowsOf("thing", event.key);
  const { state: last, event: cause } = thing.cells;
  const to = event.state === undefined ? m.payload(event.to ?? "") : m.literal(event.state);
  const from = event.from === undefined ? m.NOTHING : m.payload(event.from);
  const reportChange = (hasOrigin: boolean, reason: readonly m.MessagePart[]): m.Statement => {
    const origin = hasOrigin ? m.message`from ${m.quote(from)} ` : [];
    return m.report(
      transitionInvalid,
      m.message`${m.NAME} changes ${name} ${m.quote(thing.key)} ${origin}to ${m.quote(to)}${reason}.`,
      event.to ?? event.key,
    );
  };
  const because = m.message`, although ${cause} set it to ${m.quote(last)}`;
  const isImpossible = m.any(
    m.all(thing.isCurrent, m.not(m.related("direct", last, to))),
    m.all(thing.exists, m.not(thing.isCurrent), m.not(m.related("reachable", last, to))),
  );
  const hasOtherOrigin = m.all(
    thing.isCurrent,
    m.is("text", from),
    m.different(last, from),
    m.different(last, to),
  );
  const isWrongChange = m.all(m.isIn(from, states), m.not(m.related("direct", from, to)));
  const check = m.choose(
    [isWrongChange, reportChange(true, [])],
    [isImpossible, reportChange(false, because)],
    [hasOtherOrigin, reportChange(true, because)],
  );
  const body = m.choose(
    [m.not(m.isIn(to, states)), thing.drop],
    [true, check, thing.set({ state: to, ...m.THIS_EVENT })],
  );
  return m.on([event.type], m.when(m.hasValues(event.when ?? {}), thing.find(...body)));
}

function canReach(next: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const reachedStates = new Set([from]);
  // The loop also visits the states that it adds.
  for (const state of reachedStates)
    for (const following of next.get(state) ?? []) reachedStates.add(following);
  return reachedStates.has(to);
}
