/**
 * Checks the two inclusions of one event type. The backward one is emit(baseline) ⊆ emit(current), and the forward one
 * is emit(current) ⊆ read(baseline). A witness is a complete event of the smaller side.
 */
import type { Containment } from "../../contain/contain.js";
import { canonical, type Json, type JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Profile } from "../../schema/readings.js";
import type { Direction } from "../change.js";
import { createEnvelopeKey, createEventKey } from "../diff/literal-key.js";
import type { Subject } from "../subjects.js";
import {
  type ContainmentCache,
  createBodySchema,
  createMessageSchema,
  createUnknownMessageSchema,
} from "./readings.js";

const CONTAINED: Containment = { verdict: "contained" };

/** Both versions of a comparison, and the checks that all of their event types share. */
export interface InclusionChecks {
  readonly before: Protocol;
  readonly after: Protocol;
  readonly cache: ContainmentCache;
  /** Whether writers may send the same envelopes in both versions. */
  readonly sameEnvelope: boolean;
  /** Checks one inclusion of the envelope without the event types. */
  readonly envelope: (direction: Direction) => Promise<Containment>;
  /**
   * A key of both envelopes. If two comparisons have the same key, equal pairs of event types have equal inclusions.
   */
  readonly frame: string;
}

type Envelopes = Pick<InclusionChecks, "before" | "after" | "cache" | "sameEnvelope">;

/** Two versions of one event type, or of one resource. */
export interface EventPair {
  readonly before: Subject;
  readonly after: Subject;
}

/** Returns whether a pair consists of event types. Otherwise it consists of resources, which have no envelope. */
export function isEventPair({ before }: EventPair): boolean {
  return before.resource === undefined;
}

/** Prepares the comparison of `before` and `after`. */
export function prepareInclusionChecks(
  before: Protocol,
  after: Protocol,
  cache: ContainmentCache,
): InclusionChecks {
  const [old, now] = [before, after].map((protocol) =>
    canonical(createUnknownMessageSchema("writer", protocol)),
  );
  const sameNames = before.envelope.discriminator === after.envelope.discriminator;
  const sameEnvelope = old === now && sameNames;
  const envelopes = new Map<Direction, Promise<Containment>>();
  const envelope = (direction: Direction): Promise<Containment> => {
    const answer =
      envelopes.get(direction) ?? checkEnvelope({ before, after, cache, sameEnvelope }, direction);
    envelopes.set(direction, answer);
    return answer;
  };
  const frame = `${createEnvelopeKey(before)} ${createEnvelopeKey(after)}`;
  return { before, after, cache, sameEnvelope, envelope, frame };
}

/**
 * Checks one inclusion of an event type. Versions that are equal in several baselines are checked once. The bodies are
 * checked first, which is faster than checking complete messages.
 */
export function checkInclusion(
  sides: InclusionChecks,
  pair: EventPair,
  direction: Direction,
): Promise<Containment> {
  const { before, after } = pair;
  const keys = [createEventKey(sides.before, before), createEventKey(sides.after, after)];
  return sides.cache.memoize(
    [direction, before.type, after.type, ...keys, sides.frame].join(" "),
    async () => {
      const isEnvelopeContained =
        isEventPair(pair) && (await sides.envelope(direction)).verdict === "contained";
      if (isEnvelopeContained && (await isBodyContained(sides, pair, direction))) return CONTAINED;
      return sides.cache.checkSubset(...createMessageSchemas(sides, pair, direction));
    },
  );
}

/** Returns the schemas of complete messages: the smaller side of an inclusion, then the larger one. */
export function createMessageSchemas(
  sides: Pick<InclusionChecks, "before" | "after">,
  pair: EventPair,
  direction: Direction,
): readonly [small: JsonObject, large: JsonObject] {
  return createSchemas(sides, pair, direction, createMessageSchema);
}

async function isBodyContained(
  sides: InclusionChecks,
  pair: EventPair,
  direction: Direction,
): Promise<boolean> {
  const [old, now] = createSchemas(sides, pair, "backward", createBodySchema);
  if (JSON.stringify(old) === JSON.stringify(now)) return true;
  const bodies = createSchemas(sides, pair, direction, createBodySchema);
  return (await sides.cache.checkSubset(...bodies)).verdict === "contained";
}

/** Returns the schemas of both sides of an inclusion. */
function createSchemas<T extends Json>(
  { before, after }: Pick<InclusionChecks, "before" | "after">,
  pair: EventPair,
  direction: Direction,
  createSchema: (profile: Profile, protocol: Protocol, event: Subject) => T,
): readonly [small: T, large: T] {
  return direction === "backward"
    ? [createSchema("writer", before, pair.before), createSchema("writer", after, pair.after)]
    : [createSchema("writer", after, pair.after), createSchema("reader", before, pair.before)];
}

/** Checks one inclusion of the envelope. A message is contained if both its envelope and its body are. */
async function checkEnvelope(sides: Envelopes, direction: Direction): Promise<Containment> {
  if (sides.sameEnvelope) return CONTAINED;
  if (sides.before.envelope.discriminator !== sides.after.envelope.discriminator)
    return { verdict: "undecided", reason: "the event types are named in different fields" };
  const { before, after, cache } = sides;
  const now = createUnknownMessageSchema("writer", after);
  return direction === "backward"
    ? cache.checkSubset(createUnknownMessageSchema("writer", before), now)
    : cache.checkSubset(now, createUnknownMessageSchema("reader", before));
}

/**
 * Finds an event of a removed type. The schema `false` stands for the current contract, which does not know the type.
 */
export function checkRemovedType({ before, cache }: InclusionChecks, event: Subject): Promise<Containment> {
  return cache.checkSubset(createMessageSchema("writer", before, event), false);
}

/**
 * Checks whether readers of the baseline accept a new event type. They do if the envelope allows no more than before.
 */
export async function checkAddedType(sides: InclusionChecks, event: Subject): Promise<Containment> {
  const { before, after, cache } = sides;
  if ((await sides.envelope("forward")).verdict === "contained") return CONTAINED;
  return cache.checkSubset(
    createMessageSchema("writer", after, event),
    createUnknownMessageSchema("reader", before),
  );
}
