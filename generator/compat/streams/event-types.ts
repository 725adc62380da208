/** Finds the event types that a stream may need so that machines refuse it. */
import { createPlan } from "../../conform/check-plan.js";
import type { Machine } from "../../conform/machine/language.js";
import { listNodes } from "../../conform/machine/walk.js";
import { formatCanonicalJson, type Json } from "../../json.js";
import { listContextTypes, remembersTypes } from "./normal-machines.js";
import type { StreamSides } from "./stream-sides.js";

/** Event types that the machines treat alike, so that a few of them represent all. */
export interface TypeGroup {
  readonly types: readonly string[];
  /** The stability rank of the types. */
  readonly rank: number;
  /** The number of types that events are made of; more than one if a machine compares types with each other. */
  readonly count: number;
}

/** The greatest number of types of a group that are compared with each other. */
const MAX_COMPARED_TYPES = 3;

/** Returns the groups of event types that matter to machines: those of their clauses, and of the rules that they depend on. */
export function groupEventTypes(sides: StreamSides, machines: readonly Machine[]): TypeGroup[] {
  const { small, large, types } = sides;
  const contextTypes = new Set(
    machines.flatMap((machine) => [...listContextTypes(machine, small), ...listContextTypes(machine, large)]),
  );
  const isNamed = (type: string): boolean =>
    contextTypes.has(type) ||
    machines.some(({ clauses }) => clauses.some(({ on }) => typeof on !== "string" && on.includes(type)));
  const hasGeneralClause = machines.some(({ clauses }) =>
    clauses.some(({ on }) => on === "every" || on === "after-terminal"),
  );
  const plans = [createPlan(small, []), createPlan(large, [])];
  const typeLists = machines.flatMap(listComparedTypes);
  const groups = new Map<string, string[]>();
  for (const [type, rank] of types) {
    if (!isNamed(type) && !hasGeneralClause) continue;
    const key = formatCanonicalJson([
      machines.map(({ clauses }) =>
        clauses.flatMap(({ on }, index) => (typeof on !== "string" && on.includes(type) ? [index] : [])),
      ),
      typeLists.map((list) => list.includes(type)),
      plans.map((plan): Json => {
        const { isOpening, isTerminal, isGapMarker } = plan.types.get(type) ?? plan.undeclared;
        return [isOpening, isTerminal, isGapMarker, plan.types.has(type)];
      }),
      rank,
    ]);
    groups.set(key, [...(groups.get(key) ?? []), type]);
  }
  const countClauses = createClauseCounter(sides);
  return [...groups.values()].map((members) => {
    const isCompared = machines.some(
      (machine) =>
        remembersTypes(machine) &&
        members.some((type) => machine.clauses.some(({ on }) => on.includes(type))),
    );
    return {
      rank: types.get(members[0] ?? "") ?? 0,
      // Events that few other rules are about are more likely to be allowed anywhere.
      types: [...members].sort((a, b) => countClauses(a) - countClauses(b) || (a < b ? -1 : 1)),
      count: isCompared ? MAX_COMPARED_TYPES : 1,
    };
  });
}

/** Returns the lists of event types that a machine compares the type of an event with. */
function listComparedTypes(machine: Machine): readonly (readonly Json[])[] {
  return listNodes(machine.clauses).flatMap((node) => {
    if (node.op === "in") return [node.values];
    if (node.op !== "equal" && node.op !== "differ") return [];
    return [node.of.flatMap((value) => (value.op === "constant" ? [value.value] : []))];
  });
}

/** Returns a function that counts the clauses of the smaller side that name a type. */
function createClauseCounter({ smallMachines }: StreamSides): (type: string) => number {
  const clauses = smallMachines.flatMap(({ machine }) => machine.clauses);
  return (type) => clauses.filter(({ on }) => typeof on !== "string" && on.includes(type)).length;
}
