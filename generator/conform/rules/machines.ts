import { isObject, type Json, type JsonObject } from "../../json.js";
import { selectEventTypes } from "../../protocol/event-families.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { FieldValues, StateBan, StateChange, StateMachine } from "../../protocol/stream-rules.js";
import {
  collectMentions,
  type DeclarationPart,
  eventTypes,
  eventTypesAndFamilies,
  label,
  labels,
  objectList,
  objectPart,
  payloadFieldOfSome,
  payloadValues,
} from "../declaration.js";
import * as m from "../machine/build.js";
import { quoteValue } from "../machine/interpret.js";
import type { Condition, Machine, MessagePart, Statement, Table, Value } from "../machine/language.js";
import { type CatalogTerms, defineFinding, defineStreamRule, type StateMove } from "../stream-rule.js";

const changeImpossible = defineFinding({
  id: "state-change-impossible",
  summary: "an event changes a state that it cannot follow",
  explanation:
    "Readers keep the state of each run, turn or approval, and decide by it what they show and offer. An event that skips a state leaves them with a box that never closes. If events may be missing since the last change, the state is unknown and nothing is reported.",
  hint: "Send every change of state, in the order in which it happened.",
  severity: { reader: "error", writer: "error" },
});

const stateForbids = defineFinding({
  id: "state-forbids-event",
  summary: "an event comes while something is in a state that forbids it",
  explanation:
    "Readers have drawn the thing as waiting or ended and do not expect that the work goes on. If events may be missing since the last change, the state is unknown and nothing is reported.",
  hint: "Send the event that changes the state first, or do not let the work go on.",
  severity: { reader: "error", writer: "error" },
});

/** Mentions a state, or a list of states, of the innermost declaration with changes. */
function stateNames(part: DeclarationPart): DeclarationPart {
  return {
    ...part,
    findMentions: (value, pointer, owners) => {
      const declared = owners.find(({ changes }) => Array.isArray(changes));
      return collectMentions(value, pointer, { kind: "state", states: listDeclaredStates(declared) });
    },
  };
}

function listDeclaredStates(declared: JsonObject | undefined): readonly string[] {
  const changes = (declared?.changes ?? []) as readonly Json[];
  const named = [declared?.initial, ...changes.map((change) => isObject(change) && change.to)];
  return named.filter((state) => typeof state === "string");
}

const KEY: DeclarationPart = {
  ...label("The field with the id of the thing, or with a list of ids; without it, the thing is the stream."),
  findMentions: (value, pointer, [declared]) => {
    const changes = (declared?.changes ?? []) as readonly Json[];
    const types = changes.flatMap((change) => (isObject(change) ? ((change.types ?? []) as string[]) : []));
    return collectMentions(value, pointer, { kind: "field", types });
  },
};

/** State machines of the protocol's own. */
export const machines = defineStreamRule({
  member: "machines",
  declaration: {
    description:
      "State machines: things of a stream, or the stream itself, that are in one of a few states. Events change the state, and a state may forbid events.",
    required: ["name", "initial", "changes"],
    properties: {
      name: label("The name of the thing."),
      key: KEY,
      initial: label("The state before any event has changed it."),
      changes: objectList(
        "Events that change the state. The first change that fits the event and the current state counts.",
        objectPart({
          required: ["types"],
          properties: {
            types: eventTypes("The event types."),
            when: payloadValues("Only events with these values change the state.", "types"),
            from: stateNames(labels("The states in which the events may come; without it, any state.")),
            to: label("The state that follows; without it, the state stays."),
          },
        }),
      ),
      forbids: objectList(
        "Events that do not come in some states.",
        objectPart({
          required: ["in", "types"],
          properties: {
            in: stateNames(labels("The states.")),
            types: eventTypesAndFamilies(
              "The event types that do not come. `tool.*` stands for all event types whose names begin with `tool.`.",
            ),
            except: eventTypesAndFamilies("Event types of these families that may come."),
            when: payloadValues("Only events with these values are forbidden.", "types"),
            same: payloadFieldOfSome(
              "Only events with the same value in this field are forbidden: the id of the thing, or the value of the last event that changed its state and has the field, which is no list.",
            ),
          },
        }),
      ),
    },
  },
  example: [
    {
      name: "approval",
      key: "approval_id",
      initial: "new",
      changes: [
        { types: ["approval.requested"], from: ["new"], to: "pending" },
        { types: ["approval.resolved"], from: ["pending"], to: "resolved" },
      ],
      forbids: [{ in: ["pending"], types: ["tool.started"], same: "tool_call_id" }],
    },
  ],
  findings: [changeImpossible, stateForbids],
  describe: describeMachine,
  draw: (declared) => ({ name: declared.name, initial: declared.initial, moves: listMoves(declared) }),
  comparison: { identify: ({ name }) => name, ordered: ["changes"] },
  createMachines: createStateMachine,
});

function describeMachine(
  { name, key, initial, forbids = [] }: StateMachine,
  { prose, code, values, anyEvent }: CatalogTerms,
): string {
  const subject = key === undefined ? `The ${prose(name)}` : `Each ${prose(name)} (${code(key)})`;
  const bans = forbids.map(({ in: states, types, except = [], when = {}, same }) => {
    const fields = Object.entries(when).map(
      ([field, value]) => ` with ${code(field)} ${code(String(value))}`,
    );
    const owner = same === undefined ? "" : ` with the same ${code(same)}`;
    const exceptions = except.length === 0 ? "" : `, except ${anyEvent(except)}`;
    return ` While it is ${values(states)}, there is no ${anyEvent(types)}${fields.join("")}${owner}${exceptions}.`;
  });
  return `${subject} has states, which the diagram shows, and is ${code(initial)} at first.${bans.join("")}`;
}

/** Returns the changes of state for a diagram: from each state, those that no earlier change takes. */
function listMoves({ initial, changes }: StateMachine): StateMove[] {
  const named = [initial, ...changes.flatMap(({ from = [], to = initial }) => [...from, to])];
  const states = [...new Set(named)];
  const moves = new Map<
    string,
    StateMove & { readonly types: string[]; readonly values: readonly string[] }
  >();
  for (const type of new Set(changes.flatMap(({ types }) => types))) {
    const own = changes.filter(({ types }) => types.includes(type));
    for (const [index, { when = {}, from = states, to }] of own.entries()) {
      if (to === undefined && from === states) continue;
      const earlier = own.slice(0, index);
      const meets = ({ from: other = states }: StateChange, state: string): boolean => other.includes(state);
      const open = from.filter(
        (state) => !earlier.some((each) => meets(each, state) && isImplied(each.when ?? {}, when)),
      );
      const isRest =
        Object.keys(when).length === 0 && open.some((state) => earlier.some((each) => meets(each, state)));
      const values = Object.entries(when).map(([field, value]) => `${field} ${String(value)}`);
      for (const state of to === undefined ? open : joinStates(open, states)) {
        const target = to ?? state ?? "";
        const labels = isRest ? ["otherwise"] : values;
        const key = JSON.stringify([state ?? null, target, labels]);
        const move = moves.get(key) ?? {
          ...(state !== undefined && { from: state }),
          to: target,
          types: [],
          values: labels,
        };
        move.types.push(type);
        moves.set(key, move);
      }
    }
  }
  return [...moves.values()].map(({ types, values, ...move }) => ({
    ...move,
    cause: [types.join(" or "), ...values].join(", "),
  }));
}

/** Returns one name for many states, so that a diagram has one arrow for them; undefined stands for all states. */
function joinStates(some: readonly string[], all: readonly string[]): readonly (string | undefined)[] {
  const others = all.filter((state) => !some.includes(state));
  if (others.length === 0) return [undefined];
  return others.length < some.length - 1 ? [`any state but ${others.join(" and ")}`] : some;
}

const THING = "thing";
const STATE: Value = m.cell(THING, "state");
/** True if no event can be missing since the state was set. */
const IS_CURRENT = m.isCurrent(THING, "epoch");
/** True if nothing has changed the state, and no event can be missing. */
const IS_UNTOUCHED = m.all(m.not(m.exists(THING)), m.SEEN_FROM_START);

/**
 * Remembers the state of each thing, and, for each other field by whose value events are forbidden, the things with this
 * value that are in a state which forbids some.
 */
function createStateMachine(declared: StateMachine, protocol: Protocol): Machine {
  const { key, changes, forbids = [] } = declared;
  const holders = createHolders(declared);
  const bans = forbids.map((ban) => ({
    ban,
    types: selectEventTypes(protocol, ban.types, ban.except ?? []),
    holder: holders.find((holder) => holder.bans.includes(ban)),
  }));
  const types = [...bans.flatMap((ban) => ban.types), ...changes.flatMap((change) => change.types)];
  const createBody = (type: string): Statement[] => {
    const ownBans = bans.filter((ban) => ban.types.includes(type));
    // An event that one state forbids and that leads to another one is checked first.
    const held = ownBans.flatMap(({ ban, holder }) => holder?.check(ban) ?? []);
    const own = [
      ...ownBans.flatMap(({ ban, holder }) => (holder ? [] : [checkOwnState(declared, ban)])),
      ...changeState(
        declared,
        changes.filter((change) => change.types.includes(type)),
        holders,
      ),
    ];
    return own.length === 0 ? held : [...held, findThing(key, ...own)];
  };
  // Types with the same meaning share a clause.
  const clauses = new Map<string, { readonly types: string[]; readonly body: Statement[] }>();
  for (const type of new Set(types)) {
    const body = createBody(type);
    const text = JSON.stringify(body);
    const clause = clauses.get(text) ?? { types: [], body };
    clause.types.push(type);
    clauses.set(text, clause);
  }
  return m.createMachine(
    {
      things: m.table(key === undefined ? 0 : 1, {
        state: "value",
        event: "event",
        epoch: "epoch",
        ...Object.fromEntries(holders.flatMap(({ cell }) => (cell === undefined ? [] : [[cell, "value"]]))),
      }),
      ...Object.fromEntries(holders.map(({ name, table }) => [name, table])),
    },
    [...clauses.values()].map(({ types, body }) => m.on(types, ...body)),
  );
}

/** Finds the thing that the event names, or each of them. */
function findThing(key: string | undefined, ...body: Statement[]): Statement {
  if (key === undefined) return m.find(THING, "things", [], ...body);
  return m.each("id", "ids", m.payload(key), m.find(THING, "things", [m.item("id")], ...body));
}

/** Returns the condition that the thing is certainly in one of these states. */
function isIn(states: readonly string[], { initial }: StateMachine): Condition {
  const isSet = m.all(IS_CURRENT, m.isIn(STATE, [...states].sort()));
  return states.includes(initial) ? m.any(isSet, IS_UNTOUCHED) : isSet;
}

function nameThing({ name, key }: StateMachine, id: Value): MessagePart[] {
  return key === undefined ? [`the ${name}`] : m.message`the ${name} ${m.quote(id)}`;
}

/** Reports the event if the thing is in a state that forbids it. */
function checkOwnState(declared: StateMachine, { in: states, when = {} }: StateBan): Statement {
  const place = declared.key === undefined ? undefined : m.inPayload(declared.key);
  const state = m.quote(m.firstOf(STATE, m.literal(declared.initial)));
  const head = [
    ...m.message`${m.NAME} comes while `,
    ...nameThing(declared, m.item("id")),
    ...m.message` is ${state}`,
  ];
  const since = m.message`, since ${m.plain(m.cell(THING, "event"))}.`;
  return m.when(
    m.all(m.hasValues(when), isIn(states, declared)),
    ...m.choose(
      [m.exists(THING), m.report(stateForbids, [...head, ...since], place)],
      [true, m.report(stateForbids, [...head, "."], place)],
    ),
  );
}

/** The things that forbid events with the same value in a field other than the key, or all events of the stream. */
interface Holder {
  /** The name of the table. */
  readonly name: string;
  readonly table: Table;
  /** The cell of the thing with its last value; absent if the events of the whole stream are forbidden. */
  readonly cell?: string;
  readonly bans: readonly StateBan[];
  /** Returns the check of an event that a ban forbids. */
  check(ban: StateBan): Statement;
  /** Forgets that the thing forbids events. */
  readonly release: readonly Statement[];
  /** Remembers the value of the event, and what its thing forbids in the state that follows. */
  hold(state: string): readonly Statement[];
}

function createHolders(declared: StateMachine): Holder[] {
  const { key, forbids = [] } = declared;
  const others = forbids.filter(({ same }) => same !== key);
  return [...new Set(others.map(({ same }) => same))].sort().map((same, index): Holder => {
    const name = `holders${index}`;
    const cell = same === undefined ? undefined : `value${index}`;
    const bans = others.filter((ban) => ban.same === same);
    const value = cell === undefined ? m.literal("") : m.cell(THING, cell);
    const id = key === undefined ? m.literal("") : m.item("id");
    const place = same === undefined ? undefined : m.inPayload(same);
    const checkRows = (ban: StateBan, of: Value): Statement =>
      m.eachRowOf(
        "holder",
        name,
        of,
        m.when(
          m.all(m.isCurrent("holder", "epoch"), m.isIn(m.cell("holder", "state"), [...ban.in].sort())),
          m.report(
            stateForbids,
            [
              ...m.message`${m.NAME} comes while `,
              ...nameThing(declared, m.keyOf("holder")),
              ...m.message` is ${m.quote(m.cell("holder", "state"))}, since ${m.plain(m.cell("holder", "event"))}.`,
            ],
            place,
          ),
          m.STOP,
        ),
      );
    const find = (...body: Statement[]): Statement => m.find("holder", name, [value, id], ...body);
    return {
      name,
      table: m.table(2, { state: "value", event: "event", epoch: "epoch" }, { grouped: true }),
      ...(cell !== undefined && { cell }),
      bans,
      check: (ban) =>
        m.when(
          m.hasValues(ban.when ?? {}),
          same === undefined
            ? checkRows(ban, m.literal(""))
            : m.each("value", "ids", m.payload(same), checkRows(ban, m.item("value"))),
        ),
      release: [find(m.drop("holder"))],
      hold: (state) => [
        ...(cell === undefined || same === undefined
          ? []
          : [m.when(m.present(m.payload(same)), m.set(THING, { [cell]: m.payload(same) }))]),
        ...(bans.some((ban) => ban.in.includes(state))
          ? [find(m.set("holder", { state: m.literal(state), event: m.EVENT, epoch: m.EPOCH }))]
          : []),
      ],
    };
  });
}

/** Changes the state as the first change that fits says. `changes` are those of one event type. */
function changeState(
  declared: StateMachine,
  changes: readonly StateChange[],
  holders: readonly Holder[],
): Statement[] {
  const release = holders.flatMap((holder) => holder.release);
  const moveTo = (to: string | undefined): Statement[] =>
    to === undefined
      ? []
      : [
          ...release,
          m.set(THING, { state: m.literal(to), event: m.EVENT, epoch: m.EPOCH }),
          ...holders.flatMap((holder) => holder.hold(to)),
        ];
  // After this the state is unknown.
  const forget = [...release, m.set(THING, { epoch: m.NOTHING })];
  const moveToOneOf = (possible: readonly StateChange[]): Statement[] => {
    const [first, ...others] = new Set(possible.map(({ to }) => to));
    return others.length === 0 ? moveTo(first) : forget;
  };
  const isKnown = m.any(IS_CURRENT, IS_UNTOUCHED);
  const fitting = changes.flatMap(({ when = {}, from, to }, index) => {
    const hasValues = m.hasValues(when);
    if (from === undefined) return [[hasValues, ...moveTo(to)] as const];
    const possible = changes.slice(index).filter((later) => !areContrary(when, later.when ?? {}));
    return [
      [m.all(hasValues, isIn(from, declared)), ...moveTo(to)] as const,
      [m.all(hasValues, m.not(isKnown)), ...moveToOneOf(possible)] as const,
    ];
  });
  const unfitting = listValues(changes).flatMap((when) => {
    const possible = changes.filter((change) => isImplied(change.when ?? {}, when));
    if (possible.some(({ from }) => from === undefined)) return [];
    return [[m.hasValues(when), reportChange(declared, possible), ...moveToOneOf(possible)] as const];
  });
  return m.choose(...fitting, ...unfitting);
}

/** Returns the different values that changes ask for. Those that ask for most come first. */
function listValues(changes: readonly StateChange[]): FieldValues[] {
  const byText = new Map(
    changes.map(({ when = {} }) => [JSON.stringify(Object.entries(when).sort()), when] as const),
  );
  return [...byText.values()].sort((a, b) => Object.keys(b).length - Object.keys(a).length);
}

/** Returns whether an event that has the values `given` has those of `wanted`. */
function isImplied(wanted: FieldValues, given: FieldValues): boolean {
  return Object.entries(wanted).every(([field, value]) => given[field] === value);
}

/** Returns whether no event has both these and the other values. */
function areContrary(one: FieldValues, other: FieldValues): boolean {
  return Object.entries(one).some(([field, value]) => (other[field] ?? value) !== value);
}

function reportChange(declared: StateMachine, changes: readonly StateChange[]): Statement {
  const allowed = [...new Set(changes.flatMap(({ from = [] }) => from))].map((each) => quoteValue(each));
  return m.report(
    changeImpossible,
    [
      ...m.message`${m.NAME} comes while `,
      ...nameThing(declared, m.item("id")),
      ...m.message` is ${m.quote(m.firstOf(STATE, m.literal(declared.initial)))}; it comes only while it is ${allowed.join(" or ")}.`,
    ],
    declared.key === undefined ? undefined : m.inPayload(declared.key),
  );
}
