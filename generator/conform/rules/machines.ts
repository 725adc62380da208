import { groupBy } from "../../group-by.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import { findNearest, isMisspelt } from "../../nearest.js";
import { selectEventTypes } from "../../protocol/event-families.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { FieldValues, StateBan, StateChange, StateMachine } from "../../protocol/stream-rules.js";
import { memoizeByObject } from "../../sample/memoize.js";
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
  payloadFields,
  payloadValues,
} from "../declaration.js";
import * as m from "../machine/build.js";
import { quoteValue } from "../machine/interpret.js";
import { type CatalogTerms, defineFinding, defineStreamRule, type StateMove } from "../stream-rule.js";
import {
  applyChanges,
  type EventCase,
  isImplied,
  listCases,
  listStates,
  listTypes,
} from "./state-changes.js";
import { findUnusedMachineParts } from "./unused-machine-parts.js";

const changeImpossible = defineFinding({
  id: "state-change-impossible",
  summary: "an event changes a state that it cannot follow",
  explanation:
    "Readers keep the state of each run, turn or approval, and decide by it what they show and offer. An event that skips a state leaves them with a box that never closes. If events may be missing since the last change, the state is unknown and nothing is reported.",
  hint: "Send every change of state, in the order in which it happened.",
});

const stateForbids = defineFinding({
  id: "state-forbids-event",
  summary: "an event comes while something is in a state that forbids it",
  explanation:
    "Readers have drawn the thing as waiting or ended and do not expect that the work goes on. If events may be missing since the last change, the state is unknown and nothing is reported.",
  hint: "Send the event that changes the state first, or do not let the work go on.",
});

/** Mentions a state, or a list of states, of the innermost declaration with changes. */
function stateNames(part: DeclarationPart): DeclarationPart {
  return {
    ...part,
    findMentions: (value, pointer, owners) => {
      const states = listDeclaredStates(owners.find(({ changes }) => Array.isArray(changes)) ?? {});
      return collectMentions(value, pointer, { kind: "state", states });
    },
  };
}

/** Returns the states of a declaration: the initial one, and those that follow a change. */
const listDeclaredStates = memoizeByObject((declared: JsonObject): readonly string[] => {
  const initial = findMeantInitial(declared) ?? declared.initial ?? [];
  return [initial, listTexts(declared.changes, "to")].flat() as string[];
});

/** Returns the state that was meant by a misspelt initial state, which nothing else in the declaration names. */
function findMeantInitial({ initial, changes, forbids }: JsonObject): string | undefined {
  const ends = listTexts(changes, "to");
  const others = [...listTexts(changes, "from"), ...listTexts(forbids, "in")];
  if (typeof initial !== "string" || ends.includes(initial) || others.includes(initial)) return undefined;
  const unknown = others.filter((state) => !ends.includes(state));
  return findNearest(initial, unknown) ?? ends.find((state) => isMisspelt(initial, state));
}

/** Returns the texts in a member of the objects in a list. */
function listTexts(list: Json | undefined, member: string): string[] {
  const values = (Array.isArray(list) ? list : []).filter(isObject).flatMap((each) => each[member] ?? []);
  return values.filter((value) => typeof value === "string");
}

const INITIAL: DeclarationPart = {
  ...label("The state before any event has changed it."),
  findMentions: (value, pointer, [declared = {}]) => {
    const meant = findMeantInitial(declared);
    return meant === undefined ? [] : collectMentions(value, pointer, { kind: "state", states: [meant] });
  },
};

const KEY: DeclarationPart = {
  ...label("The field with the id of the thing, or with a list of ids; without it, the thing is the stream."),
  findMentions: (value, pointer, [declared]) =>
    collectMentions(value, pointer, { kind: "field", types: listTexts(declared?.changes, "types") }),
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
      initial: INITIAL,
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
            has: payloadFields("Only events with one of these fields are forbidden.", "types"),
            same: payloadFieldOfSome(
              "Only events with the same value in this field are forbidden: the id of the thing, or the value of the last event that changed its state and has the field, which is no list.",
              "types",
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
  findUnusedParts: findUnusedMachineParts,
  comparison: { identify: ({ name }) => name, ordered: ["changes"] },
  createMachines: createStateMachine,
});

function describeMachine(machine: StateMachine, terms: CatalogTerms): string {
  const { name, key, initial, forbids = [] } = machine;
  const { prose, code, values, anyEvent } = terms;
  const subject = key === undefined ? `The ${prose(name)}` : `Each ${prose(name)} (${code(key)})`;
  const describeValues = (when: FieldValues): string => {
    const fields = Object.entries(when).map(([field, value]) => `${code(field)} ${code(String(value))}`);
    return fields.length === 0 ? "" : ` with ${fields.join(" and ")}`;
  };
  const fieldText = (names: readonly string[]): string =>
    names.length === 0 ? "" : ` with ${names.map(code).join(" or ")}`;
  const limits = new Map<string, string[]>();
  for (const [type, changes] of listTypes(machine))
    for (const { when, states, isSpecial } of listCases(machine, changes)) {
      if (states === undefined) continue;
      const which = describeValues(when) || (isSpecial ? " with other values" : "");
      const limit = `${which} comes only while it is ${values(states)}.`;
      limits.set(limit, [...(limits.get(limit) ?? []), type]);
    }
  const bans = forbids.map(({ in: states, types, except = [], when = {}, has = [], same }) => {
    const owner = same === undefined ? "" : ` with the same ${code(same)}`;
    const exceptions = except.length === 0 ? "" : `, except ${anyEvent(except)}`;
    return `While it is ${values(states)}, there is no ${anyEvent(types)}${describeValues(when)}${fieldText(has)}${owner}${exceptions}.`;
  });
  return [
    `${subject} has states, which the diagram shows, and is ${code(initial)} at first.`,
    ...[...limits].map(([limit, types]) => `${anyEvent(types)}${limit}`),
    ...bans,
  ].join("\n");
}

/** Returns the changes of state for a diagram: from each state, those that no earlier change takes. */
function listMoves(machine: StateMachine): StateMove[] {
  const all = listStates(machine);
  const moves = new Map<
    string,
    StateMove & { readonly types: string[]; readonly values: readonly string[] }
  >();
  for (const [type, changes] of listTypes(machine)) {
    const applied = applyChanges(machine, changes);
    for (const [index, { when = {}, from, states, to }] of applied.entries()) {
      if (to === undefined && from === undefined) continue;
      const values = Object.entries(when).map(([field, value]) => `${field} ${String(value)}`);
      const isRest = applied
        .slice(0, index)
        .some((each) => each.states.some((state) => states.includes(state)));
      const labels = values.length === 0 && isRest ? ["otherwise"] : values;
      for (const state of to === undefined ? states : joinStates(states, all)) {
        const target = to ?? state ?? "";
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

/**
 * Remembers the state of each thing, and, for each other field by whose value events are forbidden, the things with this
 * value that are in a state which forbids some.
 */
function createStateMachine(declared: StateMachine, protocol: Protocol): m.Machine {
  const { key, forbids = [] } = declared;
  const tables = createBanTables(declared);
  const cells = tables.flatMap(({ cell }): [string, m.CellKind][] =>
    cell === undefined ? [] : [[cell, "value"]],
  );
  const things = m.table(THINGS.name, key === undefined ? 0 : 1, {
    ...STATE_CELLS,
    ...Object.fromEntries(cells),
  });
  const thing = things.rowsOf("thing", key);
  const bans = forbids.map((ban) => ({
    ban,
    types: selectEventTypes(protocol, ban.types, ban.except ?? []),
    table: tables.find((table) => table.bans.includes(ban)),
  }));
  const changes = new Map(listTypes(declared));
  const createBody = (type: string): m.Statement[] => {
    const ownBans = bans.filter((ban) => ban.types.includes(type));
    // An event that one state forbids and that leads to another one is checked first.
    const checks = ownBans.flatMap(({ ban, table }) => table?.check(ban) ?? []);
    const own = [
      ...ownBans.flatMap(({ ban, table }) => (table ? [] : [checkOwnState(declared, ban)])),
      ...changeState(declared, changes.get(type) ?? [], tables),
    ];
    return own.length === 0 ? checks : [...checks, thing.find(...own)];
  };
  // Types with the same meaning share a clause.
  const types = new Set([...bans.flatMap((ban) => ban.types), ...changes.keys()]);
  const bodies = [...types].map((type) => ({ type, body: createBody(type) }));
  return m.createMachine(
    [things, ...tables.map(({ bannedThings }) => bannedThings)],
    ...[...groupBy(bodies, ({ body }) => JSON.stringify(body)).values()].map((group) =>
      m.on(
        group.map(({ type }) => type),
        ...(group[0]?.body ?? []),
      ),
    ),
  );
}

const STATE_CELLS = { state: "value", ...m.EVENT_CELLS } as const;

/** A cell with the last value of a field. */
type ValueCell = `value${number}`;

/** The things of a machine. Those of one without key have no ids. */
const THINGS = m.table<keyof typeof STATE_CELLS | ValueCell>("things", 1, STATE_CELLS);
/** The thing that events name, as their conditions and messages see it. */
const THING = THINGS.row("thing");
/** True if nothing has changed the state, and no event can be missing. */
const IS_UNTOUCHED = m.all(m.not(THING.exists), m.SEEN_FROM_START);

/** Returns the condition that the thing is certainly in one of these states. */
function isIn(states: readonly string[], { initial }: StateMachine): m.Condition {
  const isSet = m.all(THING.isCurrent, m.isIn(THING.cells.state, [...states].sort()));
  return states.includes(initial) ? m.any(isSet, IS_UNTOUCHED) : isSet;
}

/** Returns the beginning of a message: an event comes while a thing is in a state. */
function describeState({ name, key }: StateMachine, id: m.Value, state: m.Value): m.MessagePart[] {
  const thing = key === undefined ? [`the ${name}`] : m.message`the ${name} ${m.quote(id)}`;
  return m.message`${m.NAME} comes while ${thing} is ${m.quote(state)}`;
}

/** Returns the beginning of a message about the thing that the event names. */
function describeOwnState(declared: StateMachine): m.MessagePart[] {
  return describeState(declared, m.item("id"), m.firstOf(THING.cells.state, m.literal(declared.initial)));
}

/** Returns the condition that the event is one of those that a ban is about. */
function isBanned({ when = {}, has = [] }: StateBan): m.Condition {
  const fields = has.map((field) => m.present(m.payload(field)));
  return fields.length === 0 ? m.hasValues(when) : m.all(m.hasValues(when), m.any(...fields));
}

/** Reports the event if the thing is in a state that forbids it. */
function checkOwnState(declared: StateMachine, ban: StateBan): m.Statement {
  const head = describeOwnState(declared);
  const { key } = declared;
  return m.when(
    m.all(isBanned(ban), isIn(ban.in, declared)),
    ...m.choose(
      [THING.exists, m.report(stateForbids, m.message`${head}, since ${THING.cells.event}.`, key)],
      [true, m.report(stateForbids, [...head, "."], key)],
    ),
  );
}

/** The things that forbid events with the same value in a field other than the key, or all events of the stream. */
interface BanTable {
  readonly bannedThings: m.NamedTable<keyof typeof STATE_CELLS>;
  /** The cell of the thing with its last value; absent if the events of the whole stream are forbidden. */
  readonly cell?: ValueCell;
  readonly bans: readonly StateBan[];
  /** Returns the check of an event that a ban forbids. */
  check(ban: StateBan): m.Statement;
  /** Forgets what the thing forbids. */
  readonly forget: m.Statement;
  /** Remembers the value of the event, and what its thing forbids in the state that follows. */
  remember(state: string): readonly m.Statement[];
}

function createBanTables(declared: StateMachine): BanTable[] {
  const { key, forbids = [] } = declared;
  const others = forbids.filter(({ same }) => same !== key);
  return [...new Set(others.map(({ same }) => same))].sort().map((same, index): BanTable => {
    const cell: ValueCell = `value${index}`;
    const bans = others.filter((ban) => ban.same === same);
    const id = key === undefined ? m.literal("") : m.item("id");
    const value: m.Value = same === undefined ? m.literal("") : THING.cell(cell);
    const bannedThings = m.table(`bans${index}`, 2, STATE_CELLS, { grouped: true });
    const row = bannedThings.row(`ban${index}`, value, id);
    const { state, event } = row.cells;
    const checkRows = (ban: StateBan, of: m.Value): m.Statement =>
      row.eachOf(
        of,
        m.when(
          m.all(row.isCurrent, m.isIn(state, [...ban.in].sort())),
          m.report(
            stateForbids,
            m.message`${describeState(declared, row.key, state)}, since ${event}.`,
            same,
          ),
          m.STOP,
        ),
      );
    const rememberValue = (field: string): m.Statement =>
      m.when(m.present(m.payload(field)), THING.set({ [cell]: m.payload(field) }));
    return {
      bannedThings,
      ...(same !== undefined && { cell }),
      bans,
      check: (ban) =>
        m.when(
          isBanned(ban),
          same === undefined
            ? checkRows(ban, m.literal(""))
            : m.eachId("value", m.payload(same), checkRows(ban, m.item("value"))),
        ),
      forget: row.find(row.drop),
      remember: (next) => [
        ...(same === undefined ? [] : [rememberValue(same)]),
        ...(bans.some((ban) => ban.in.includes(next))
          ? [row.find(row.set({ state: m.literal(next), ...m.THIS_EVENT }))]
          : []),
      ],
    };
  });
}

/** Changes the state as the first change that fits says. `changes` are those of one event type. */
function changeState(
  declared: StateMachine,
  changes: readonly StateChange[],
  tables: readonly BanTable[],
): m.Statement[] {
  const forget = tables.map((table) => table.forget);
  const moveTo = (to: string | undefined): m.Statement[] => {
    if (to === undefined) return [];
    const set = THING.set({ state: m.literal(to), ...m.THIS_EVENT });
    return [...forget, set, ...tables.flatMap((table) => table.remember(to))];
  };
  /** The state is unknown afterwards if the changes lead to different ones. */
  const moveToOneOf = (possible: readonly StateChange[]): m.Statement[] => {
    const [first, ...others] = new Set(possible.map(({ to }) => to));
    return others.length === 0 ? moveTo(first) : [...forget, THING.set({ epoch: m.NOTHING })];
  };
  const isUnknown = m.not(m.any(THING.isCurrent, IS_UNTOUCHED));
  const applied = applyChanges(declared, changes);
  const fitting = applied.flatMap(({ when = {}, from, states, to }, index) => {
    const hasValues = m.hasValues(when);
    if (from === undefined) return [[hasValues, ...moveTo(to)] as const];
    const fits = [m.all(hasValues, isIn(states, declared)), ...moveTo(to)] as const;
    if (applied.slice(0, index).some((earlier) => isImplied(earlier.when ?? {}, when))) return [fits];
    const possible = applyChanges(declared, applied.slice(index), when);
    return [fits, [m.all(hasValues, isUnknown), ...moveToOneOf(possible)] as const];
  });
  const unfitting = listCases(declared, changes).flatMap((each) =>
    each.states === undefined
      ? []
      : [[m.hasValues(each.when), reportChange(declared, each), ...moveToOneOf(each.changes)] as const],
  );
  return m.choose(...fitting, ...unfitting);
}

function reportChange(declared: StateMachine, { when, states = [], isSpecial }: EventCase): m.Statement {
  const fields = Object.entries(when).map(([field, value]) => `${field} ${quoteValue(value)}`);
  const values = fields.length === 0 ? "other values" : fields.join(" and ");
  const allowed = states.map((state) => quoteValue(state)).join(" or ");
  const limit = `; ${isSpecial ? `with ${values}, ` : ""}it comes only while it is ${allowed}.`;
  return m.report(changeImpossible, [...describeOwnState(declared), limit], declared.key);
}
