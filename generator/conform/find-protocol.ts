/** Finds the protocol and the major version that events belong to. */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { envelopeFields } from "../protocol/message-layout.js";
import type { Profile } from "../schema/readings.js";
import type { Validators } from "../validators/protocol-validators.js";

interface Candidate {
  readonly validators: Validators;
  /** 2: the envelope accepts the value and its type is declared. 1: the envelope accepts it. 0: it does not. */
  readonly fit: number;
  /** The number of fields of the value that the envelope declares. */
  readonly present: number;
  /** The share of the required fields that the value has. */
  readonly complete: number;
  readonly isAssumed: boolean;
  /** Returns whether the whole event is valid. Called only if the envelopes do not decide. */
  acceptsEvent(): boolean;
}

/**
 * Returns the protocol that an event belongs to, so that an invalid event is reported against the right contract. In
 * this order, it prefers an envelope that accepts the event, a declared event type, the envelope that declares most of
 * the fields, the protocol that accepts the whole event, `assumed` (the id of the protocol of the events around it), and
 * the newest major. Undefined if the value has too little in common with all of them.
 */
export function findProtocol(
  value: JsonObject,
  all: readonly Validators[],
  profile: Profile,
  assumed?: string,
): Validators | undefined {
  const candidates = all.map((validators) => createCandidate(validators, value, profile, assumed));
  const [best] = [...candidates].sort(
    (a, b) =>
      b.fit - a.fit ||
      b.present - a.present ||
      Number(b.acceptsEvent()) - Number(a.acceptsEvent()) ||
      Number(b.isAssumed) - Number(a.isAssumed) ||
      b.complete - a.complete ||
      compareMajors(a.validators, b.validators),
  );
  if (!best) return undefined;
  // Without one of its fields, an event may fit a protocol with fewer fields by chance.
  const expected = candidates.find(({ isAssumed, present }) => isAssumed && present > best.present);
  if (expected) return expected.validators;
  const isPlausible = best.fit > 0 || best.isAssumed || best.complete >= 0.5 || all.length === 1;
  return isPlausible ? best.validators : undefined;
}

/** Orders two majors of one protocol, the newer first. */
function compareMajors({ protocol: a }: Validators, { protocol: b }: Validators): number {
  return a.name === b.name ? b.major - a.major : 0;
}

function createCandidate(
  validators: Validators,
  value: JsonObject,
  profile: Profile,
  assumed: string | undefined,
): Candidate {
  const { protocol, profiles, decodeEvent } = validators;
  const { envelope, events } = profiles[profile];
  const type = own(value, protocol.envelope.discriminator);
  const required = requiredFields(validators);
  const has = (name: string): boolean => Object.hasOwn(value, name);
  const isDeclared = typeof type === "string" && events.has(type);
  let accepts: boolean | undefined;
  return {
    validators,
    fit: envelope(value) ? 1 + Number(isDeclared) : 0,
    present: declaredFields(validators).filter(has).length,
    complete: required.length === 0 ? 0 : required.filter(has).length / required.length,
    isAssumed: protocol.id === assumed,
    acceptsEvent() {
      accepts ??= decodeEvent(value, { profile }).kind === "known";
      return accepts;
    },
  };
}

function declaredFields({ protocol }: Validators): string[] {
  return Object.keys(envelopeFields(protocol.envelope));
}

function requiredFields({ protocol }: Validators): string[] {
  const { required } = protocol.envelope.schema;
  return Array.isArray(required) ? required.map(String) : [];
}

/**
 * Returns a function that decides whether an event that `protocol` knows certainly is its own, so that `findProtocol`
 * would return the same.
 */
export function isUnambiguously(protocol: Validators, all: readonly Validators[]): (value: Json) => boolean {
  const foreign = foreignFields(protocol, all);
  if (foreign === undefined) return () => false;
  return (value) => {
    if (!isObject(value)) return false;
    for (const name of foreign) if (value[name] !== undefined) return false;
    return true;
  };
}

/**
 * Returns fields of other protocols: an event that `protocol` knows certainly is its own if it has none of them. Another
 * protocol fits better only if its envelope declares more fields, and it does not fit without a required field.
 * Undefined if such a protocol requires no field that `protocol` does not declare.
 */
export function foreignFields(
  protocol: Validators,
  all: readonly Validators[],
): readonly string[] | undefined {
  const own = new Set(declaredFields(protocol));
  const isForeign = (name: string): boolean => !own.has(name);
  const others = all.filter((other) => other !== protocol && declaredFields(other).some(isForeign));
  const fields = others.flatMap((other) => requiredFields(other).find(isForeign) ?? []);
  return fields.length < others.length ? undefined : fields;
}

/** The major that most events follow. */
export interface AssumedMajor {
  readonly id: string;
  /** The number of events that it accepts. */
  readonly count: number;
  /** The other majors that accept as many. */
  readonly others: readonly string[];
}

/** Returns the majors of each protocol that some event may fit equally well; none if envelopes distinguish all majors. */
export function findSimilarMajors(all: readonly Validators[]): readonly Validators[] {
  return all.filter((one) =>
    all.some(
      (other) =>
        other !== one &&
        other.protocol.name === one.protocol.name &&
        declaresRequired(one, other) &&
        declaresRequired(other, one),
    ),
  );
}

/** Returns whether `one` declares every field that `other` requires. */
function declaresRequired(one: Validators, other: Validators): boolean {
  const declared = new Set(declaredFields(one));
  return requiredFields(other).every((name) => declared.has(name));
}

/** Returns the major that accepts most of the events, of several such majors the newest. Undefined if none accepts any. */
export function assumeMajor(
  events: readonly Json[],
  majors: readonly Validators[],
  profile: Profile,
): AssumedMajor | undefined {
  const counted = majors
    .map((major) => ({
      ...{ major, protocol: major.protocol },
      count: events.filter((event) => major.decodeEvent(event, { profile }).kind === "known").length,
    }))
    .sort((a, b) => b.count - a.count || b.protocol.major - a.protocol.major);
  const [best, ...rest] = counted;
  if (best === undefined || best.count === 0) return undefined;
  const others = rest.filter(
    ({ protocol, count }) => protocol.name === best.protocol.name && count === best.count,
  );
  return { id: best.protocol.id, count: best.count, others: others.map(({ protocol }) => protocol.id) };
}
