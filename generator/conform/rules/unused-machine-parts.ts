/** Finds the parts of a state machine that never have an effect. */
import { joinPointer } from "../../json.js";
import { coversType, selectEventTypes } from "../../protocol/event-families.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { StateBan, StateMachine } from "../../protocol/stream-rules.js";
import type { UnusedPart } from "../stream-rule.js";
import { applyChanges, isImplied, listTypes } from "./state-changes.js";

/** Returns the parts of a machine that never have an effect. Names that do not exist are not reported. */
export function findUnusedMachineParts(machine: StateMachine, protocol: Protocol): UnusedPart[] {
  const bans = machine.forbids ?? [];
  return [
    ...findUnusedChanges(machine),
    ...findUnreachedStates(machine),
    ...bans.flatMap((ban, index) =>
      [
        ...findUnusedFamilies(ban, bans.slice(0, index), protocol),
        ...findMissingValues(ban, machine, protocol),
      ].map(({ pointer, message }) => ({ pointer: joinPointer("/forbids", index) + pointer, message })),
    ),
  ];
}

function findUnusedChanges(machine: StateMachine): UnusedPart[] {
  return listTypes(machine).flatMap(([type, changes]) => {
    const used = new Set(applyChanges(machine, changes).map(({ index }) => index));
    const unused = changes.filter((_, index) => !used.has(index));
    return unused.map((change) => ({
      pointer: joinPointer("/changes", machine.changes.indexOf(change), "types", change.types.indexOf(type)),
      message: `Earlier changes take each ${type} that this change could take.`,
    }));
  });
}

/** Finds states in `from` and `in` to which changes lead, but only from states that are not reached either. */
function findUnreachedStates(machine: StateMachine): UnusedPart[] {
  const moves = listTypes(machine).flatMap(([, changes]) => applyChanges(machine, changes));
  const reached = new Set([machine.initial]);
  // A set that grows while it is visited also visits its new elements.
  for (const state of reached)
    for (const { states, to } of moves) if (to !== undefined && states.includes(state)) reached.add(to);
  const find = (states: readonly string[], ...place: (string | number)[]): UnusedPart[] =>
    states.flatMap((state, index) =>
      reached.has(state) || !machine.changes.some(({ to }) => to === state)
        ? []
        : [
            {
              pointer: joinPointer("", ...place, index),
              message: `No allowed sequence of changes leads to the state ${JSON.stringify(state)}.`,
            },
          ],
    );
  return [
    ...machine.changes.flatMap(({ from = [] }, index) => find(from, "changes", index, "from")),
    ...(machine.forbids ?? []).flatMap((ban, index) => find(ban.in, "forbids", index, "in")),
  ];
}

/** Finds a ban whose exceptions leave no event type, and one that earlier bans make superfluous. */
function findUnusedFamilies(ban: StateBan, earlier: readonly StateBan[], protocol: Protocol): UnusedPart[] {
  const listTypesOf = ({ types, except = [] }: StateBan): string[] =>
    selectEventTypes(protocol, types, except);
  const types = listTypesOf(ban);
  if (types.length === 0)
    return selectEventTypes(protocol, ban.types, []).length === 0
      ? []
      : [{ pointer: "/except", message: "The exceptions cover each event type that is forbidden." }];
  const wider = earlier.filter(
    ({ when = {}, has, same }) =>
      has === undefined && isImplied(when, ban.when ?? {}) && (same === undefined || same === ban.same),
  );
  const isCovered = types.every((type) =>
    ban.in.every((state) =>
      wider.some((other) => other.in.includes(state) && listTypesOf(other).includes(type)),
    ),
  );
  return isCovered ? [{ pointer: "", message: "Earlier bans forbid these events in these states." }] : [];
}

/** Finds bans that need a value of an earlier event that changed the state, where there is none. */
function findMissingValues(
  { in: states, types, same }: StateBan,
  { key, initial, changes }: StateMachine,
  protocol: Protocol,
): UnusedPart[] {
  if (same === key) return [];
  const moving = changes.filter(({ to }) => to !== undefined);
  const hasField = (names: readonly string[]): boolean =>
    same === undefined ||
    protocol.events.some(
      (event) =>
        names.some((name) => coversType(name, event.type)) && collectEventFields(protocol, event).has(same),
    );
  if (!hasField(types)) return [];
  if (!hasField(moving.flatMap((change) => change.types)))
    return [
      { pointer: "/same", message: `No event that changes the state has the field ${JSON.stringify(same)}.` },
    ];
  if (!states.includes(initial) || moving.some(({ to }) => to === initial)) return [];
  const reason = same === undefined ? "no event has named a thing" : `no event has given a value of ${same}`;
  const message = `While the state is still ${JSON.stringify(initial)}, ${reason}, so nothing is forbidden.`;
  return [{ pointer: joinPointer("/in", states.indexOf(initial)), message }];
}
