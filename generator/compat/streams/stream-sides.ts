/** The two sides of one inclusion over streams, and the rules that only the larger one has. */
import { type Comparable, wholeState } from "../../conform/comparable.js";
import type { Watch } from "../../conform/stream-rule.js";
import { type Plan, planOf, type TypePlan } from "../../conform/watch-plan.js";
import { canonical, type JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { DecodeEvent } from "../../runtime/runtime.js";
import type { Profile } from "../../schema/readings.js";
import { protocolValidators } from "../../validators/protocol-validators.js";
import type { Direction } from "../change.js";
import { envelopeStability, rankOf } from "../side.js";

/** One inclusion: every stream that writers of `small` may send is one that `large` allows. */
export interface StreamSides {
  readonly direction: Direction;
  readonly small: Protocol;
  readonly large: Protocol;
  /** How `large` is read: by writers backward, by readers forward. */
  readonly profile: Profile;
  readonly smallPlan: Plan;
  readonly largePlan: Plan;
  /** The event types whose events may be valid alone on both sides, with how stable they are. */
  readonly types: ReadonlyMap<string, number>;
  /** Whether an event is valid alone on both sides. */
  accepts(event: JsonObject): boolean;
}

const decoders = new WeakMap<readonly object[], DecodeEvent<unknown, unknown>>();

/** The decoder of a contract; versions that share their events share it. */
export function decoderOf(protocol: Protocol): DecodeEvent<unknown, unknown> {
  const known = decoders.get(protocol.events) ?? protocolValidators(protocol).decodeEvent;
  decoders.set(protocol.events, known);
  return known;
}

/** The sides of one direction of the comparison of `before` with `after`. */
export function makeSides(before: Protocol, after: Protocol, direction: Direction): StreamSides {
  const [small, large] = direction === "backward" ? [before, after] : [after, before];
  const profile = direction === "backward" ? "writer" : "reader";
  const [write, read] = [decoderOf(small), decoderOf(large)];
  const stability = new Map(before.events.map((event) => [event.type, rankOf(event.stability)]));
  const known = new Set(large.events.map(({ type }) => type));
  // Readers of the baseline do not know the stability of later types: for them these are as stable as the envelope.
  const common = rankOf(envelopeStability(before));
  const types = small.events
    .map(({ type }) => type)
    .filter((type) => direction === "forward" || known.has(type))
    .map((type) => [type, stability.get(type) ?? common] as const);
  return {
    ...{ direction, small, large, profile },
    smallPlan: planOf(small, "writer"),
    largePlan: planOf(large, profile),
    types: new Map(types),
    accepts: (event) => {
      if (write(event, { profile: "writer" }).kind !== "known") return false;
      const { kind } = read(event, { profile });
      return kind === "known" || (kind === "unknown" && profile === "reader");
    },
  };
}

/** The plan of a type on one side. */
export function planFor(plan: Plan, type: string): TypePlan {
  return plan.types.get(type) ?? plan.other;
}

/** The watches of the larger side that may refuse a stream which the smaller side sends. */
export function differingWatches({ small, large, profile, smallPlan, largePlan }: StreamSides): Watch[] {
  const sameEpochs = canonical(epochsOf(small)) === canonical(epochsOf(large));
  const kept = new Set(smallPlan.watches.map((watch) => identityOf(watch, small)));
  return largePlan.watches.filter(
    (watch) =>
      watch.rules.some(({ severity }) => severity[profile] === "error") &&
      !(kept.has(identityOf(watch, large)) && (sameEpochs || watch.comparable?.usesEpochs === false)),
  );
}

/** What a watch of `protocol` was made of, as a text. */
export function identityOf({ comparable, rules, handlers }: Watch, { stream }: Protocol): string {
  if (comparable) return canonical(comparable.madeOf);
  // The watch does not describe itself, so it is identified by all declarations of its kind.
  const declared = (stream?.rules ?? {}) as { readonly [member: string]: unknown };
  const members = rules.map(({ id, declaredBy = "" }) => [id, JSON.stringify(declared[declaredBy] ?? null)]);
  return canonical([members, wholeState(handlers.map(({ types }) => types))]);
}

/** Returns the parts of a contract that decide where events may be missing. */
function epochsOf({ stream }: Protocol) {
  const { gaps = [], terminal } = stream?.rules ?? {};
  const numbered = stream?.sequence !== undefined;
  const opens = numbered ? [] : (terminal?.opens ?? []);
  return [
    numbered,
    stream?.first ?? null,
    [...new Set(gaps.map(({ type }) => type))].sort(),
    [...opens].sort(),
  ];
}

/** The watches that only one side has, writers' rules included: versions of the rules that were changed. */
export function changedWatches({ small, large, smallPlan }: StreamSides): Comparable[] {
  const ours = { protocol: small, watches: smallPlan.watches };
  const theirs = { protocol: large, watches: planOf(large, "writer").watches };
  return [...onlyIn(ours, theirs), ...onlyIn(theirs, ours)];
}

interface OwnWatches {
  readonly protocol: Protocol;
  readonly watches: readonly Watch[];
}

function onlyIn({ protocol, watches }: OwnWatches, other: OwnWatches): Comparable[] {
  const kept = new Set(other.watches.map((watch) => identityOf(watch, other.protocol)));
  return watches.flatMap((watch) =>
    watch.comparable && !kept.has(identityOf(watch, protocol)) ? [watch.comparable] : [],
  );
}

/** Returns the descriptions of the watches of both sides. */
export function comparables({ smallPlan, largePlan }: StreamSides): Comparable[] {
  return [...smallPlan.watches, ...largePlan.watches].flatMap(({ comparable }) => comparable ?? []);
}
