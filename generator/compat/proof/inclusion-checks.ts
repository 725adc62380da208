/**
 * Checks the two inclusions of one event type. The backward one is emit(baseline) ⊆ emit(current), and the forward one
 * is emit(current) ⊆ read(baseline). A witness is a complete event of the smaller side.
 */
import type { Containment } from "../../contain/contain.js";
import { formatCanonicalJson, type Json, type JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Profile } from "../../schema/readings.js";
import type { Direction } from "../change.js";
import { createEnvelopeKey, createSubjectKey } from "../diff/literal-key.js";
import { listSubjects, type Subject } from "../subjects.js";
import {
  type ContainmentCache,
  createBodySchema,
  createMessageSchema,
  createUnknownMessageSchema,
} from "./readings.js";

const CONTAINED: Containment = { verdict: "contained" };

/** Both versions of a comparison, and the inclusions of their envelopes, which all event types share. */
export interface InclusionChecks {
  readonly before: Protocol;
  readonly after: Protocol;
  /** The baseline as the smaller side of an inclusion, if its writers send less than its schemas allow. */
  readonly oldWriters?: Protocol | undefined;
  readonly cache: ContainmentCache;
  /** True if writers may send the same envelopes in both versions. */
  readonly hasSameEnvelope: boolean;
  /** Checks one inclusion of the envelopes without the event types. */
  readonly checkEnvelope: (direction: Direction) => Promise<Containment>;
  /** A key of both envelopes. In comparisons with the same key, equal pairs of event types have equal inclusions. */
  readonly envelopesKey: string;
}

type Sides = Pick<InclusionChecks, "before" | "after" | "oldWriters">;
type Envelopes = Pick<InclusionChecks, "before" | "after" | "cache" | "hasSameEnvelope">;

/** Two versions of one event type, or of one resource. */
export interface SubjectPair {
  readonly before: Subject;
  readonly after: Subject;
}

/** Returns whether a pair consists of event types. Otherwise it consists of resources, which have no envelope. */
export function isEventPair({ before }: SubjectPair): boolean {
  return before.resource === undefined;
}

/** Prepares the comparison of `before` and `after`. */
export function prepareInclusionChecks(
  before: Protocol,
  after: Protocol,
  cache: ContainmentCache,
  oldWriters?: Protocol,
): InclusionChecks {
  const [old, now] = [before, after].map((protocol) =>
    formatCanonicalJson(createUnknownMessageSchema("writer", protocol)),
  );
  const hasSameDiscriminator = before.envelope.discriminator === after.envelope.discriminator;
  const hasSameEnvelope = old === now && hasSameDiscriminator;
  const answers = new Map<Direction, Promise<Containment>>();
  const checkEnvelope = (direction: Direction): Promise<Containment> => {
    const answer =
      answers.get(direction) ?? compareEnvelopes({ before, after, cache, hasSameEnvelope }, direction);
    answers.set(direction, answer);
    return answer;
  };
  const envelopesKey = `${createEnvelopeKey(before)} ${createEnvelopeKey(after)}`;
  return { before, after, oldWriters, cache, hasSameEnvelope, checkEnvelope, envelopesKey };
}

/**
 * Checks one inclusion of an event type. Versions that are equal in several baselines are checked once. The bodies are
 * checked first, which is faster than checking complete messages.
 */
export function checkInclusion(
  checks: InclusionChecks,
  pair: SubjectPair,
  direction: Direction,
): Promise<Containment> {
  const { before, after } = pair;
  const keys = [createSubjectKey(checks.before, before), createSubjectKey(checks.after, after)];
  return checks.cache.memoize(
    [direction, before.type, after.type, ...keys, checks.envelopesKey].join(" "),
    async () => {
      const isEnvelopeContained =
        isEventPair(pair) && (await checks.checkEnvelope(direction)).verdict === "contained";
      if (isEnvelopeContained && (await isBodyContained(checks, pair, direction))) return CONTAINED;
      return checks.cache.checkSubset(...createMessageSchemas(checks, pair, direction));
    },
  );
}

/** Returns the schemas of complete messages: the smaller side of an inclusion, then the larger one. */
export function createMessageSchemas(
  checks: Sides,
  pair: SubjectPair,
  direction: Direction,
): readonly [small: JsonObject, large: JsonObject] {
  return createSchemas(checks, pair, direction, createMessageSchema);
}

async function isBodyContained(
  checks: InclusionChecks,
  pair: SubjectPair,
  direction: Direction,
): Promise<boolean> {
  const [old, now] = createSchemas(checks, pair, "backward", createBodySchema);
  if (JSON.stringify(old) === JSON.stringify(now)) return true;
  const bodies = createSchemas(checks, pair, direction, createBodySchema);
  return (await checks.cache.checkSubset(...bodies)).verdict === "contained";
}

/** Returns the schemas of both sides of an inclusion. */
function createSchemas<T extends Json>(
  { before, after, oldWriters = before }: Sides,
  pair: SubjectPair,
  direction: Direction,
  createSchema: (profile: Profile, protocol: Protocol, event: Subject) => T,
): readonly [small: T, large: T] {
  if (direction === "forward")
    return [createSchema("writer", after, pair.after), createSchema("reader", before, pair.before)];
  const sent = oldWriters === before ? pair.before : findSubject(oldWriters, pair.before);
  return [createSchema("writer", oldWriters, sent), createSchema("writer", after, pair.after)];
}

/** Returns the version of a subject in an edited protocol. */
export function findSubject(protocol: Protocol, subject: Subject): Subject {
  return listSubjects(protocol).find(({ type }) => type === subject.type) ?? subject;
}

/** Checks one inclusion of the envelopes. A message is contained if both its envelope and its body are. */
async function compareEnvelopes(
  { before, after, cache, hasSameEnvelope }: Envelopes,
  direction: Direction,
): Promise<Containment> {
  if (hasSameEnvelope) return CONTAINED;
  if (before.envelope.discriminator !== after.envelope.discriminator)
    return { verdict: "undecided", reason: "the event types are named in different fields" };
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
export async function checkAddedType(checks: InclusionChecks, event: Subject): Promise<Containment> {
  const { before, after, cache } = checks;
  if ((await checks.checkEnvelope("forward")).verdict === "contained") return CONTAINED;
  return cache.checkSubset(
    createMessageSchema("writer", after, event),
    createUnknownMessageSchema("reader", before),
  );
}
