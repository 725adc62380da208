/** Finds the event types that a search has to send to find a stream that one rule of the larger side refuses. */

import type { Plan, PlannedChecker } from "../../conform/check-plan.js";
import type { Comparable } from "../../conform/comparable.js";
import { canonical, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { changedCheckers, comparables, planFor, type StreamSides } from "./stream-sides.js";

/** Event types that both sides treat alike, so that one of them represents all. The most stable come first. */
export type TypeClass = readonly [string, ...string[]];

/** The event types that a search considers. */
type TypeScope =
  /** The event types that the rule and its versions name. */
  | "named"
  /** Also the event types after which the smaller side may send one of these. */
  | "complete";

/**
 * Returns the classes of event types that matter to `checker`. Only a search with the complete scope can prove that no
 * stream exists.
 */
export function findRelevantTypes(
  sides: StreamSides,
  checker: PlannedChecker,
  scope: TypeScope,
): readonly TypeClass[] {
  return groupTypes(sides, selectTypes(sides, checker, scope));
}

function selectTypes(
  sides: StreamSides,
  { comparable, handlers }: PlannedChecker,
  scope: TypeScope,
): ReadonlySet<string> {
  const { small, large, smallPlan, types } = sides;
  const found = new Set<string>([...listEpochTypes(small), ...listEpochTypes(large)]);
  const add = (names: Iterable<string>): void => {
    for (const type of names) found.add(type);
  };
  const neutral = new Set(findNeutralTypes(sides));
  const addRepresentatives = (versions: readonly Comparable[], isWanted: (type: string) => boolean): void =>
    add(representTypes([...types.keys()].filter(isWanted), neutral, versions));
  const versions = comparable ? [comparable, ...findOtherVersions(sides, comparable)] : [];
  for (const version of versions) {
    add(version.remembers);
    if (version.refuses !== "every") add(version.refuses);
    else addRepresentatives(versions, () => true);
    if (version.remembersToo) addRepresentatives(versions, (type) => version.remembersToo?.(type) === true);
  }
  if (!comparable) for (const { types: handled } of handlers) if (typeof handled !== "string") add(handled);
  if (scope === "complete") addAllowingTypes(smallPlan, found);
  return new Set([...types.keys()].filter((type) => found.has(type)));
}

/**
 * Returns those of the event types that represent all of them. Types that the same versions remember are alike to the rule,
 * so neutral types represent them if there are any.
 */
function representTypes(
  types: readonly string[],
  neutral: ReadonlySet<string>,
  versions: readonly Comparable[],
): string[] {
  const groups = new Map<string, string[]>();
  for (const type of types) {
    const key = versions.map((version) => version.remembersToo?.(type) === true).join();
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(type);
  }
  return [...groups.values()].flatMap((group) => {
    const representatives = group.filter((type) => neutral.has(type));
    return representatives.length > 0 ? representatives : group;
  });
}

/** Adds the event types after which the smaller side may send events of the found types that it could not send before. */
function addAllowingTypes({ checkers }: Plan, found: Set<string>): void {
  const known = checkers.flatMap(({ comparable }) => comparable ?? []);
  let size: number;
  do {
    size = found.size;
    for (const { refuses, allows } of known)
      if (refuses === "every" || refuses.some((type) => found.has(type)))
        for (const type of allows) found.add(type);
  } while (found.size > size);
}

/** Returns the other versions of a rule: changed checkers of the same kind that have an event type in common with it. */
export function findOtherVersions(sides: StreamSides, asked: Comparable): Comparable[] {
  return changedCheckers(sides).filter((each) => each !== asked && areVersions(each, asked));
}

function areVersions(one: Comparable, other: Comparable): boolean {
  if (ruleKindOf(one) !== ruleKindOf(other)) return false;
  if (one.refuses === "every" || other.refuses === "every") return true;
  const types = new Set([...other.refuses, ...other.remembers]);
  return [...one.refuses, ...one.remembers].some((type) => types.has(type));
}

/** Returns the kind of rule that a checker belongs to: the first of the values that it depends on. */
export function ruleKindOf({ dependsOn }: Comparable): Json {
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

/** Returns event types that no rule names: for each stability, one that the larger side knows and one that it does not. */
function findNeutralTypes({ smallPlan, largePlan, types }: StreamSides): string[] {
  const isNeutral = (plan: Plan, type: string): boolean => {
    const { checks, isOpening, isTerminal, isGapMarker } = planFor(plan, type);
    return (
      !isOpening && !isTerminal && !isGapMarker && checks.every(({ handler }) => handler.types === "every")
    );
  };
  const found = new Map<string, string>();
  for (const [type, rank] of types)
    if (isNeutral(smallPlan, type) && isNeutral(largePlan, type)) {
      const key = `${rank} ${largePlan.types.has(type)}`;
      if (!found.has(key)) found.set(key, type);
    }
  return [...found.values()];
}

/** Groups the selected event types that the rules and both sides treat alike. */
function groupTypes(sides: StreamSides, selected: ReadonlySet<string>): TypeClass[] {
  const known = comparables(sides);
  // Types that a checker compares with each other cannot represent each other.
  const single = new Set(known.flatMap(({ comparesTypes, refuses }) => (comparesTypes ? refuses : [])));
  const classes = new Map<string, [string, ...string[]]>();
  for (const type of [...selected].sort()) {
    const handled = [sides.smallPlan, sides.largePlan].map((plan) => {
      const { checks, isOpening, isTerminal, isGapMarker } = planFor(plan, type);
      const places = checks.map(({ slot, checker, handler }) => [slot, checker.handlers.indexOf(handler)]);
      return [places, isOpening, isTerminal, isGapMarker, plan.types.has(type)];
    });
    const fields = known.map(({ reads }) =>
      reads.flatMap((use) => (use.type === type ? [[use.field, use.samples.kind]] : [])),
    );
    const key = canonical([
      handled,
      fields,
      sides.types.get(type) ?? 0,
      single.has(type) ? type : null,
    ] as Json);
    const members = classes.get(key);
    if (members) members.push(type);
    else classes.set(key, [type]);
  }
  return [...classes.values()];
}
