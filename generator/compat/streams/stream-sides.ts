/** The two sides of one inclusion over streams, and the rules that only the larger one has. */

import { type Plan, type PlannedChecker, planChecks, type TypePlan } from "../../conform/check-plan.js";
import { type Comparable, convertState } from "../../conform/comparable.js";
import { formatCanonicalJson, type JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { DecodeWithProfile } from "../../runtime/runtime.js";
import { createEventMaker, type EventMaker } from "../../sample/event-maker.js";
import type { Profile } from "../../schema/readings.js";
import { createValidators } from "../../validators/protocol-validators.js";
import type { Direction } from "../change.js";
import { deriveEnvelopeStability, rankStability } from "../side.js";

/** One inclusion: every stream that writers of `small` may send is one that `large` allows. */
export interface StreamSides {
  readonly direction: Direction;
  readonly small: Protocol;
  readonly large: Protocol;
  /** The profile of `large`: writers in the backward direction, readers in the forward direction. */
  readonly profile: Profile;
  readonly smallPlan: Plan;
  readonly largePlan: Plan;
  /** The event types whose events may be valid alone on both sides, with their stability rank. */
  readonly types: ReadonlyMap<string, number>;
  /** Returns whether an event is valid alone on both sides. */
  accepts(event: JsonObject): boolean;
}

const decoders = new WeakMap<readonly object[], DecodeWithProfile<unknown, unknown>>();

/** Returns the decoder of a contract; versions that share their events share it. */
function createDecoder(protocol: Protocol): DecodeWithProfile<unknown, unknown> {
  const decoder = decoders.get(protocol.events) ?? createValidators(protocol).decodeEvent;
  decoders.set(protocol.events, decoder);
  return decoder;
}

/** Returns whether an event is valid alone for `profile`; readers accept types that they do not know. */
export function isValidEvent(protocol: Protocol, profile: Profile, event: JsonObject): boolean {
  const { kind } = createDecoder(protocol)(event, { profile });
  return kind === "known" || (kind === "unknown" && profile === "reader");
}

/** Creates a maker of events that writers of `protocol` may send. */
export function createWriterEventMaker(protocol: Protocol): EventMaker {
  return createEventMaker(protocol, (event) => isValidEvent(protocol, "writer", event));
}

/** Returns the sides of one direction of the comparison of `before` with `after`. */
export function makeSides(before: Protocol, after: Protocol, direction: Direction): StreamSides {
  const small = direction === "backward" ? before : after;
  const large = direction === "backward" ? after : before;
  const profile = direction === "backward" ? "writer" : "reader";
  const stability = new Map(before.events.map((event) => [event.type, rankStability(event.stability)]));
  const knownTypes = new Set(large.events.map(({ type }) => type));
  // Readers of the baseline do not know the stability of later types. To them these types are as stable as the envelope.
  const envelopeRank = rankStability(deriveEnvelopeStability(before));
  const types = small.events
    .map(({ type }) => type)
    .filter((type) => direction === "forward" || knownTypes.has(type))
    .map((type) => [type, stability.get(type) ?? envelopeRank] as const);
  return {
    direction,
    small,
    large,
    profile,
    smallPlan: planChecks(small, "writer"),
    largePlan: planChecks(large, profile),
    types: new Map(types),
    accepts: (event) => isValidEvent(small, "writer", event) && isValidEvent(large, profile, event),
  };
}

/** Returns the plan of a type on one side. */
export function createPlan(plan: Plan, type: string): TypePlan {
  return plan.types.get(type) ?? plan.undeclared;
}

/** Returns the checkers of the larger side that may refuse a stream which the smaller side sends. */
export function listDifferingCheckers({
  small,
  large,
  profile,
  smallPlan,
  largePlan,
  types,
}: StreamSides): PlannedChecker[] {
  const sameEpochs =
    formatCanonicalJson(listEpochMembers(small)) === formatCanonicalJson(listEpochMembers(large));
  const keptIds = new Set(smallPlan.checkers.map((checker) => identifyChecker(checker, small)));
  const isKept = (checker: PlannedChecker): boolean =>
    keptIds.has(identifyChecker(checker, large)) || refusesNoMore(checker.comparable, smallPlan, types);
  return largePlan.checkers.filter(
    (checker) =>
      checker.findings.some(({ severity }) => severity[profile] === "error") &&
      !(isKept(checker) && (sameEpochs || checker.comparable?.usesEpochs === false)),
  );
}

/** Returns whether a checker refuses no event of these types that the checkers of a plan do not refuse for the same reason. */
function refusesNoMore(
  comparable: Comparable | undefined,
  { checkers }: Plan,
  types: StreamSides["types"],
): boolean {
  if (comparable?.onlyRefuses === undefined) return false;
  const reason = formatCanonicalJson(comparable.dependsOn);
  const same = checkers
    .flatMap((other) => other.comparable ?? [])
    .filter((other) => formatCanonicalJson(other.dependsOn) === reason);
  const refusedTypes = new Set(same.flatMap(({ onlyRefuses = [] }) => onlyRefuses));
  return (
    same.length > 0 && comparable.onlyRefuses.every((type) => refusedTypes.has(type) || !types.has(type))
  );
}

/** Returns everything that a checker was made of, as a text. */
export function identifyComparable({ dependsOn, onlyRefuses = [] }: Comparable): string {
  return formatCanonicalJson([dependsOn, [...onlyRefuses]]);
}

/** Returns everything that a checker of `protocol` was made of, as a text. */
export function identifyChecker(
  { comparable, member, handlers }: PlannedChecker,
  { stream }: Protocol,
): string {
  if (comparable) return identifyComparable(comparable);
  // The checker does not describe itself, so it is identified by all declarations of its member.
  const declaredRules = JSON.stringify(stream?.rules?.[member] ?? null);
  return formatCanonicalJson([member, declaredRules, convertState(handlers.map(({ types }) => types))]);
}

/** Returns the parts of a contract that decide where events may be missing. */
function listEpochMembers({ stream }: Protocol) {
  const { gaps = [], terminal } = stream?.rules ?? {};
  const isNumbered = stream?.sequence !== undefined;
  const opens = isNumbered ? [] : (terminal?.opens ?? []);
  return [
    isNumbered,
    stream?.first ?? null,
    [...new Set(gaps.map(({ type }) => type))].sort(),
    [...opens].sort(),
  ];
}

/** Returns the checkers that only one side has, including those of rules for writers. They belong to changed rules. */
export function listChangedCheckers({ small, large, smallPlan }: StreamSides): Comparable[] {
  const smallCheckers = { protocol: small, checkers: smallPlan.checkers };
  const largeCheckers = { protocol: large, checkers: planChecks(large, "writer").checkers };
  return [
    ...listCheckersWithout(smallCheckers, largeCheckers),
    ...listCheckersWithout(largeCheckers, smallCheckers),
  ];
}

/** The checkers of one side. */
interface SideCheckers {
  readonly protocol: Protocol;
  readonly checkers: readonly PlannedChecker[];
}

/** Returns the checkers of one side that the other side does not have. */
function listCheckersWithout({ protocol, checkers }: SideCheckers, other: SideCheckers): Comparable[] {
  const otherIds = new Set(other.checkers.map((checker) => identifyChecker(checker, other.protocol)));
  return checkers.flatMap((checker) =>
    checker.comparable && !otherIds.has(identifyChecker(checker, protocol)) ? [checker.comparable] : [],
  );
}

/** Returns the descriptions of the checkers of both sides. */
export function listComparables({ smallPlan, largePlan }: StreamSides): Comparable[] {
  return [...smallPlan.checkers, ...largePlan.checkers].flatMap(({ comparable }) => comparable ?? []);
}
