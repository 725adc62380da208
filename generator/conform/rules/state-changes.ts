/** Decides which change of a state machine takes an event: the first that fits its values and the state. */
import type { FieldValues, StateChange, StateMachine } from "../../protocol/stream-rules.js";

/** A change as it applies to events of one type: the states in which no earlier change takes such an event. */
interface AppliedChange extends StateChange {
  readonly states: readonly string[];
  /** The index of the change among those of the type. */
  readonly index: number;
}

/**
 * Returns the changes that can take an event of one type, each with the states in which it does. `changes` are those of the
 * type. In the same state, an earlier change takes each event whose values a later one asks for, if it asks for no others.
 * The event has the values `given`, and perhaps more.
 */
export function applyChanges(
  machine: StateMachine,
  changes: readonly StateChange[],
  given: FieldValues = {},
): AppliedChange[] {
  const all = listStates(machine);
  return changes.flatMap((change, index) => {
    const { when = {}, from = all } = change;
    if (areContrary(given, when)) return [];
    const earlier = changes
      .slice(0, index)
      .filter((each) => isImplied(each.when ?? {}, { ...given, ...when }));
    const states = from.filter((state) => !earlier.some(({ from: taken = all }) => taken.includes(state)));
    return states.length === 0 ? [] : [{ ...change, states, index }];
  });
}

/** Events of one type with the same values. */
export interface EventCase {
  readonly when: FieldValues;
  readonly changes: readonly AppliedChange[];
  /** The states in which the events come; undefined if they come in all states. */
  readonly states?: readonly string[];
  /** True if the states depend on the values. */
  readonly isSpecial: boolean;
}

/** Returns the cases of an event type by the values that changes ask for. Those with most values come first. */
export function listCases(machine: StateMachine, changes: readonly StateChange[]): EventCase[] {
  const values = new Map(
    changes.map(({ when = {} }) => [JSON.stringify(Object.entries(when).sort()), when] as const),
  );
  const cases = [...values.values()]
    .sort((a, b) => Object.keys(b).length - Object.keys(a).length)
    .map((when) => {
      const own = changes.filter((change) => isImplied(change.when ?? {}, when));
      const applied = applyChanges(machine, own, when);
      const states = new Set(applied.flatMap((change) => change.states));
      return {
        when,
        changes: applied,
        ...(states.size < listStates(machine).length && { states: [...states] }),
      };
    });
  const texts = new Set(cases.map(({ states }) => JSON.stringify(states && [...states].sort())));
  const isSpecial = texts.size > 1 || !values.has("[]");
  return cases.map((each) => ({ ...each, isSpecial }));
}

/** Returns the states that a machine names, the initial one first. */
export function listStates({ initial, changes }: StateMachine): string[] {
  return [...new Set([initial, ...changes.flatMap(({ from = [], to = initial }) => [...from, to])])];
}

/** Returns each event type that changes the state or is allowed by a change, with its changes. */
export function listTypes({ changes }: StateMachine): [type: string, changes: StateChange[]][] {
  const types = new Set(changes.flatMap((change) => change.types));
  return [...types].map((type) => [type, changes.filter((change) => change.types.includes(type))]);
}

/** Returns whether an event that has the values `given` has those of `wanted`. */
export function isImplied(wanted: FieldValues, given: FieldValues): boolean {
  return Object.entries(wanted).every(([field, value]) => given[field] === value);
}

/** Returns whether no event has both these and the other values. */
function areContrary(one: FieldValues, other: FieldValues): boolean {
  return Object.entries(one).some(([field, value]) => (other[field] ?? value) !== value);
}

/**
 * Returns a function that finds the shortest sequence of event types that leads a machine without things, after some events, to a
 * state that forbids the fewest event types. `countForbidden` returns the number of event types that a state forbids.
 */
export function createFreePathFinder(
  machine: StateMachine,
  countForbidden: (state: string) => number,
): (sent: readonly string[]) => readonly string[] {
  const moves = listTypes(machine).map(([type, changes]) => {
    const applied = applyChanges(machine, changes).filter(({ when }) => when === undefined);
    const move = (state: string) => applied.find(({ states }) => states.includes(state))?.to ?? state;
    return [type, move] as const;
  });
  const moveByType = new Map(moves);
  const findPath = (start: string): readonly string[] => {
    const paths = new Map<string, readonly string[]>([[start, []]]);
    // A map that grows while it is visited also visits its new entries.
    for (const [state, path] of paths)
      for (const [type, move] of moves) {
        const next = move(state);
        if (!paths.has(next)) paths.set(next, [...path, type]);
      }
    const ranked = [...paths].sort(([a], [b]) => countForbidden(a) - countForbidden(b));
    return ranked[0]?.[1] ?? [];
  };
  const known = new Map<string, readonly string[]>();
  return (sent) => {
    const start = sent.reduce((state, type) => moveByType.get(type)?.(state) ?? state, machine.initial);
    const path = known.get(start) ?? findPath(start);
    known.set(start, path);
    return path;
  };
}
