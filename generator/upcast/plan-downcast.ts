/** Plans how events of a later version become events of an earlier one, for readers that are behind. */
import { areEqual, splitPointer } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { listStepPlaces } from "../protocol/step-places.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import { collectSites, hasField } from "./collect-sites.js";
import { PlacePairs } from "./place-pairs.js";
import { mergeTypes, planRequiredFields, planUpcast, type UpcastPlan } from "./plan-upcast.js";
import { type Gap, listDistinct, type PlannedStep } from "./planned-step.js";
import { areCompatible, belongsTo, dropDepths, findParent, listOldConditions } from "./site-conditions.js";
import type { OwnValueTest } from "./steps/step-kind.js";
import { readStep } from "./steps/step-kinds.js";
import { findNewType, listNewTypes } from "./upcast-event.js";

/** The event types of the earlier version, and those that their events get. */
interface TypePairs {
  /** The types of the earlier version by those of the later one. */
  readonly old: ReadonlyMap<string, readonly string[]>;
  /** The types of the later version. */
  readonly all: readonly string[];
}

/** Plans the inverse of the steps from `to` to `from`, the last one first. Steps without an inverse are gaps. */
export function planDowncast(from: Protocol, to: Protocol): UpcastPlan {
  const forward = planUpcast(to, from, true);
  const pairs = pairTypes(from, to, forward);
  const declaredCount = from.upcasts?.find((each) => each.from === to.major)?.steps.length ?? 0;
  const statements = [...planUpcast(to, from).gaps, ...forward.gaps];
  const gaps: Gap[] = listDistinct(statements, (gap) => JSON.stringify(gap));
  const steps: PlannedStep[] = [];
  for (const [index, { step, reason }] of [...forward.steps.entries()].reverse()) {
    if (step.step === "rename-type") continue;
    const before = forward.steps.slice(0, index).map((each) => each.step);
    // Renames of one object have the conditions of their branches already.
    const isRename =
      index >= declaredCount && step.step === "move" && findParent(step.from) === findParent(step.to);
    if (!isRename && isAmbiguousMove(step, before, { from, to })) {
      const ambiguous =
        "another branch of the earlier version may have a value at the new place, which would move, too.";
      gaps.push(createGap(step, reason, ambiguous));
      continue;
    }
    const inverse = invertStep(step, pairs, (place, value) =>
      isOwnValue(to, step, findOldPlace(place, before), value),
    );
    if (typeof inverse === "string") gaps.push(createGap(step, reason, inverse));
    else for (const each of inverse) steps.push({ step: each, reason: `the inverse of ${reason}` });
  }
  const renames = invertTypes(pairs, from, to);
  return {
    steps: [...steps, ...renames.steps, ...planDefaults(from, to, pairs)],
    gaps: [...gaps, ...renames.gaps],
  };
}

function createGap(step: UpcastStep, statement: string, reason: string): Gap {
  const [place] = listStepPlaces(step);
  return { type: step.types?.join(", ") ?? "", place: place?.pointer ?? "", statement, reason };
}

function pairTypes(from: Protocol, to: Protocol, { steps }: UpcastPlan): TypePairs {
  const renames = steps.map(({ step }) => step);
  const old = new Map<string, readonly string[]>();
  for (const { type } of to.events) {
    for (const now of listNewTypes(type, renames)) old.set(now, [...(old.get(now) ?? []), type]);
  }
  return { old, all: from.events.map(({ type }) => type) };
}

/** Returns the steps that give events the types of the earlier version, and the types for which this is not certain. */
function invertTypes(
  { old }: TypePairs,
  from: Protocol,
  to: Protocol,
): { readonly steps: readonly PlannedStep[]; readonly gaps: readonly Gap[] } {
  const steps: PlannedStep[] = [];
  const gaps: Gap[] = [];
  const { discriminator } = to.envelope;
  const field = discriminator === from.envelope.discriminator ? {} : { field: discriminator };
  for (const [type, [before = type, ...others]] of old) {
    // A type that the earlier version has, too, is still that one.
    if (before === type || others.includes(type)) continue;
    const statement = `the event type ${type}`;
    if (others.length > 0) {
      const reason = `${[before, ...others].join(" and ")} became this type, and nothing tells which one it was.`;
      gaps.push({ type, place: "", statement, reason });
    } else
      steps.push({
        step: { step: "rename-type", types: [type], to: before, ...field },
        reason: `the inverse of ${statement}`,
      });
  }
  return { steps, gaps };
}

/** Returns the inverse of a step; a sentence if there is none. */
function invertStep(step: UpcastStep, pairs: TypePairs, isOwn: OwnValueTest): UpcastStep[] | string {
  const inverse = readStep(step).invert(isOwn);
  if (typeof inverse === "string") return inverse;
  const { types, streamsWith, streamsWithout, when = {}, through = [] } = step;
  const move = (pointer: string): string =>
    step.step === "move" && `${pointer}/`.startsWith(`${step.from}/`)
      ? step.to + pointer.slice(step.from.length)
      : pointer;
  if (Object.keys(when).length > 0 && through.some((loop) => move(loop) !== loop))
    return "it moves the way to lower depths in one branch only.";
  const conditions = new Map(Object.entries(when).map(([place, values]) => [move(place), values]));
  const touched = new Set(listStepPlaces(step).map(({ pointer }) => pointer));
  if (
    inverse.length > 0 &&
    step.step !== "move" &&
    [...conditions.keys()].some((place) => touched.has(place))
  ) {
    const isReplacement = step.step === "constant" && areEqual(when[step.to] ?? [], [step.replaces ?? null]);
    if (!isReplacement) return "its condition is about the value that it changes.";
    conditions.delete(step.to);
  }
  const translated = [types, streamsWith, streamsWithout].map((names) => translateTypes(names, pairs));
  if (translated.includes(null)) return "it concerns some of the event types that became one type.";
  const [newTypes, present, absent] = translated;
  return inverse.map((each): UpcastStep => {
    const values = { ...Object.fromEntries(conditions), ...each.when };
    return {
      ...each,
      ...(newTypes && { types: newTypes }),
      ...(present && streamsWith && { streamsWith: present }),
      ...(absent && streamsWithout && { streamsWithout: absent }),
      ...(Object.keys(values).length > 0 && { when: values }),
      ...(through.length > 0 && { through: through.map(move) }),
    };
  });
}

/**
 * Returns the types of the later version that events of these types get. All types that come from the earlier version by
 * default. Undefined if these are all types of the later version; null if only some events of a type had such a type before.
 */
function translateTypes(
  names: readonly string[] | undefined,
  { old, all }: TypePairs,
): readonly string[] | undefined | null {
  const isNamed = (type: string): boolean => names === undefined || matchesType(names, type);
  const found: string[] = [];
  for (const [type, before] of old) {
    // A type that the earlier version has, too, keeps the statements about itself.
    const own = before.includes(type) ? [type] : before;
    if (own.length > 0 && own.every(isNamed)) found.push(type);
    else if (own.some(isNamed)) return null;
  }
  return found.length === all.length ? undefined : found;
}

/** Returns the place that a value had before these steps. */
function findOldPlace(place: string, steps: readonly UpcastStep[]): string {
  return steps.reduceRight(
    (later, step) =>
      step.step === "move" && `${later}/`.startsWith(`${step.to}/`)
        ? step.from + later.slice(step.to.length)
        : later,
    place,
  );
}

/**
 * Returns whether a move without conditions on values concerns one branch of the earlier version, and the place to which it
 * leads is one of another branch, too, so that its inverse would move other values.
 */
function isAmbiguousMove(
  step: UpcastStep,
  before: readonly UpcastStep[],
  { from, to }: { readonly from: Protocol; readonly to: Protocol },
): boolean {
  if (step.step !== "move" || step.when !== undefined) return false;
  const old = dropDepths(findOldPlace(step.from, before));
  const name = splitPointer(old).at(-1) ?? "";
  const newName = splitPointer(step.to).at(-1) ?? "";
  return to.events.some((event) => {
    if (step.types !== undefined && !matchesType(step.types, event.type)) return false;
    const target = from.events.find(({ type }) => type === findNewType(event.type, before)) ?? event;
    const places = new PlacePairs({ from: to, to: from, event, target });
    const olds = places.listOldSites(findParent(old));
    const others = olds.filter(
      (site) =>
        !olds.some((each) => each !== site && belongsTo(each, site)) &&
        !olds.some((each) => belongsTo(site, each) && hasField(each, name)),
    );
    const news = places
      .listNewSites(dropDepths(findParent(step.to)))
      .filter((site) => hasField(site, newName));
    return others.some((other) => {
      const conditions = listOldConditions(other);
      return news.some((site) => areCompatible(conditions, places.listNewConditions(site)));
    });
  });
}

/** Returns whether the earlier version has a value at a place, besides the values that the step replaces, or may have it. */
function isOwnValue(to: Protocol, { types }: UpcastStep, place: string, value: string): boolean {
  const sites = to.events
    .filter(({ type }) => types === undefined || matchesType(types, type))
    .flatMap((event) => collectSites(to, event).list)
    .filter(({ path }) => dropDepths(path) === dropDepths(place));
  return (
    sites.length === 0 ||
    sites.some(({ values }) => values.length === 0 || values.some((each) => each.value === value))
  );
}

/** Returns the steps for fields that only the earlier version requires, where it states their value. */
function planDefaults(from: Protocol, to: Protocol, { old }: TypePairs): PlannedStep[] {
  const planned = from.events.flatMap((event) => {
    const [before] = old.get(event.type) ?? [];
    const target = to.events.find(({ type }) => type === before);
    if (target === undefined) return [];
    const steps = planRequiredFields({ from, to, event, target }, []);
    return steps.map(({ step, reason }) => ({ step: { ...step, types: [event.type] }, reason }));
  });
  return mergeTypes(planned, from);
}
