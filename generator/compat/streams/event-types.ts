/** Finds the event types that a stream may need so that machines refuse it. */
import { createPlan } from "../../conform/check-plan.js";
import type { Machine } from "../../conform/machine/language.js";
import { isAbout, listNodes } from "../../conform/machine/walk.js";
import { groupBy } from "../../group-by.js";
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

/** Returns the event types that change what machines do with all later events. */
export function findContextTypes({ small, large }: StreamSides, machines: readonly Machine[]): Set<string> {
  return new Set(
    [small, large].flatMap((protocol) => machines.flatMap((machine) => listContextTypes(machine, protocol))),
  );
}

/** Returns a function that describes what an event type means for streams of both sides. */
export function createTypeDescriber({ small, large }: StreamSides): (type: string) => Json {
  const plans = [createPlan(small, []), createPlan(large, [])];
  return (type) =>
    plans.map(({ types, undeclared }): Json => {
      const { isOpening, isTerminal, isGapMarker } = types.get(type) ?? undeclared;
      return [isOpening, isTerminal, isGapMarker, types.has(type)];
    });
}

/** Returns the groups of event types that matter to machines: those of their clauses, and of the rules that they depend on. */
export function groupEventTypes(sides: StreamSides, machines: readonly Machine[]): TypeGroup[] {
  const contextTypes = findContextTypes(sides, machines);
  const clauses = machines.flatMap((machine) => machine.clauses);
  const isRelevant = ([type]: readonly [string, number]): boolean =>
    contextTypes.has(type) ||
    clauses.some(
      (clause) => isAbout(clause, type) || clause.on === "every" || clause.on === "after-terminal",
    );
  const typeLists = machines.flatMap(listComparedTypes);
  const describeType = createTypeDescriber(sides);
  const groups = groupBy([...sides.types].filter(isRelevant), ([type, rank]) =>
    formatCanonicalJson([
      clauses.map((clause) => isAbout(clause, type)),
      typeLists.map((list) => list.includes(type)),
      describeType(type),
      rank,
    ]),
  );
  const comparing = machines.filter(remembersTypes).flatMap((machine) => machine.clauses);
  const smallClauses = sides.smallMachines.flatMap(({ machine }) => machine.clauses);
  const countClauses = (type: string): number =>
    smallClauses.filter((clause) => isAbout(clause, type)).length;
  return [...groups.values()].map((members) => {
    const isCompared = members.some(([type]) => comparing.some((clause) => isAbout(clause, type)));
    return {
      rank: members[0]?.[1] ?? 0,
      // Events that few other rules are about are more likely to be allowed anywhere.
      types: members
        .map(([type]) => type)
        .sort((a, b) => countClauses(a) - countClauses(b) || (a < b ? -1 : 1)),
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
