/** Finds the event types that a stream may need so that a rule of the larger side refuses it. */

import type { Plan, PlannedChecker } from "../../conform/check-plan.js";
import type { Comparable } from "../../conform/comparable.js";
import { formatCanonicalJson, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { createPlan, listChangedCheckers, listComparables, type StreamSides } from "./stream-sides.js";

/** Event types that both sides treat alike, so that one of them represents all. The most stable come first. */
export type TypeClass = readonly [string, ...string[]];

/**
 * Returns the classes of event types that matter to `checker`: those that the checker and its `versions` name, and those
 * that other rules require before them.
 */
export function findRelevantTypes(
  sides: StreamSides,
  checker: PlannedChecker,
  versions: readonly Comparable[],
): readonly TypeClass[] {
  return groupIntoClasses(sides, selectTypes(sides, checker, versions));
}

function selectTypes(
  sides: StreamSides,
  { comparable, handlers }: PlannedChecker,
  versions: readonly Comparable[],
): ReadonlySet<string> {
  const { small, large, smallPlan, types } = sides;
  const relevantTypes = new Set<string>([...listEpochTypes(small), ...listEpochTypes(large)]);
  const neutral = listNeutralTypes(sides);
  // If each version of the rule remembers both of two types, or neither, one type can represent the other.
  const createMemoryKey = (type: string): string =>
    versions.map((each) => each.remembersOtherType?.(type) === true).join();
  const addRepresentatives = (isWanted: (type: string) => boolean): void => {
    const memoryKeys = new Set([...types.keys()].filter(isWanted).map(createMemoryKey));
    for (const memoryKey of memoryKeys) {
      const isInGroup = (type: string) => isWanted(type) && createMemoryKey(type) === memoryKey;
      const neutralTypes = neutral.filter(isInGroup);
      const representatives = neutralTypes.length > 0 ? neutralTypes : [...types.keys()].filter(isInGroup);
      for (const type of representatives) relevantTypes.add(type);
    }
  };
  const add = (known: Comparable): void => {
    for (const type of known.remembers) relevantTypes.add(type);
    if (known.refuses === "every") addRepresentatives(() => true);
    else for (const type of known.refuses) relevantTypes.add(type);
    if (known.remembersOtherType) addRepresentatives((type) => known.remembersOtherType?.(type) === true);
  };
  if (comparable) for (const version of versions) add(version);
  else
    for (const { types: handledTypes } of handlers)
      if (typeof handledTypes !== "string") for (const type of handledTypes) relevantTypes.add(type);
  addEnablingTypes(smallPlan, relevantTypes);
  return new Set([...types.keys()].filter((type) => relevantTypes.has(type)));
}

/** Adds the event types after which the smaller side may send events that it could not send before. */
function addEnablingTypes({ checkers }: Plan, found: Set<string>): void {
  const comparables = checkers.flatMap(({ comparable }) => comparable ?? []);
  // Added types may need further types, so the search is repeated until it adds nothing.
  let oldSize: number;
  do {
    oldSize = found.size;
    for (const { refuses, allows } of comparables)
      if (refuses === "every" || refuses.some((type) => found.has(type)))
        for (const type of allows) found.add(type);
  } while (found.size !== oldSize);
}

/** Returns the other versions of a rule: changed checkers of the same kind that have an event type in common with it. */
export function findVersions(sides: StreamSides, askedChecker: Comparable): Comparable[] {
  return listChangedCheckers(sides).filter(
    (checker) => checker !== askedChecker && areVersions(checker, askedChecker),
  );
}

function areVersions(one: Comparable, other: Comparable): boolean {
  if (classifyChecker(one) !== classifyChecker(other)) return false;
  if (one.refuses === "every" || other.refuses === "every") return true;
  const types = new Set([...other.refuses, ...other.remembers]);
  return [...one.refuses, ...one.remembers].some((type) => types.has(type));
}

/** Returns the kind of rule that a checker belongs to. */
export function classifyChecker({ dependsOn }: Comparable): Json {
  return Array.isArray(dependsOn) ? (dependsOn[0] ?? null) : null;
}

/** Returns the event types that report a gap and, if events have no numbers, those that open a stream. */
function listEpochTypes({ stream }: Protocol): string[] {
  const { gaps = [], terminal } = stream?.rules ?? {};
  return [
    ...gaps.map(({ type }) => type),
    ...(stream?.sequence === undefined ? (terminal?.opens ?? []) : []),
  ];
}

/**
 * Returns event types that no rule names: for each stability, one type that the larger side declares and one type that it
 * does not.
 */
function listNeutralTypes({ smallPlan, largePlan, types }: StreamSides): string[] {
  const isNeutral = (plan: Plan, type: string): boolean => {
    const { checks, isOpening, isTerminal, isGapMarker } = createPlan(plan, type);
    return (
      !isOpening && !isTerminal && !isGapMarker && checks.every(({ handler }) => handler.types === "every")
    );
  };
  const classKeys = new Map<string, string>();
  for (const [type, rank] of types)
    if (isNeutral(smallPlan, type) && isNeutral(largePlan, type)) {
      const key = `${rank} ${largePlan.types.has(type)}`;
      if (!classKeys.has(key)) classKeys.set(key, type);
    }
  return [...classKeys.values()];
}

/** Groups the types that both sides treat alike. */
function groupIntoClasses(sides: StreamSides, selected: ReadonlySet<string>): TypeClass[] {
  const comparables = listComparables(sides);
  const comparedTypes = new Set(
    comparables.flatMap(({ comparesTypes, refuses }) => (comparesTypes ? refuses : [])),
  );
  const classes = new Map<string, [string, ...string[]]>();
  for (const type of [...selected].sort()) {
    const handledTypes = [sides.smallPlan, sides.largePlan].map((plan) => {
      const { checks, isOpening, isTerminal, isGapMarker } = createPlan(plan, type);
      const places = checks.map(({ slot, checker, handler }) => [slot, checker.handlers.indexOf(handler)]);
      return [places, isOpening, isTerminal, isGapMarker, plan.types.has(type)];
    });
    const fields = comparables.map(({ reads }) =>
      reads.flatMap((use) => (use.type === type ? [[use.field, use.samples.kind]] : [])),
    );
    const key = formatCanonicalJson([
      handledTypes,
      fields,
      sides.types.get(type) ?? 0,
      comparedTypes.has(type) ? type : null,
    ] as Json);
    const members = classes.get(key);
    if (members) members.push(type);
    else classes.set(key, [type]);
  }
  return [...classes.values()];
}
