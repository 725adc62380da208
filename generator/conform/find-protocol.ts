/** Finds the protocol and the major version that events belong to. */
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { getEnvelopeFields } from "../protocol/message-layout.js";
import type { Profile } from "../schema/readings.js";
import type { Validators } from "../validators/protocol-validators.js";

/** A protocol to which an event may belong. */
interface Candidate {
  readonly validators: Validators;
  /** 2 if the envelope accepts the value and the event type is declared, 1 if the envelope accepts the value, else 0. */
  readonly fit: 0 | 1 | 2;
  /** The number of fields of the value that the envelope declares. */
  readonly declaredCount: number;
  /** The share of the required fields that the value has. */
  readonly requiredShare: number;
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
      b.declaredCount - a.declaredCount ||
      Number(b.acceptsEvent()) - Number(a.acceptsEvent()) ||
      Number(b.isAssumed) - Number(a.isAssumed) ||
      b.requiredShare - a.requiredShare ||
      compareMajors(a.validators, b.validators),
  );
  if (!best) return undefined;
  // Without one of its fields, an event may fit a protocol with fewer fields by chance.
  const expected = candidates.find(
    ({ isAssumed, declaredCount }) => isAssumed && declaredCount > best.declaredCount,
  );
  if (expected) return expected.validators;
  const isPlausible = best.fit > 0 || best.isAssumed || best.requiredShare >= 0.5 || all.length === 1;
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
  const type = getOwn(value, protocol.envelope.discriminator);
  const required = listRequiredFields(validators);
  const has = (name: string): boolean => Object.hasOwn(value, name);
  const isDeclared = typeof type === "string" && events.has(type);
  let accepts: boolean | undefined;
  return {
    validators,
    fit: getFit(envelope(value), isDeclared),
    declaredCount: listDeclaredFields(validators).filter(has).length,
    requiredShare: required.length === 0 ? 0 : required.filter(has).length / required.length,
    isAssumed: protocol.id === assumed,
    acceptsEvent() {
      accepts ??= decodeEvent(value, { profile }).kind === "known";
      return accepts;
    },
  };
}

function getFit(isAccepted: boolean, isDeclared: boolean): Candidate["fit"] {
  if (!isAccepted) return 0;
  return isDeclared ? 2 : 1;
}

function listDeclaredFields({ protocol }: Validators): string[] {
  return Object.keys(getEnvelopeFields(protocol.envelope));
}

function listRequiredFields({ protocol }: Validators): string[] {
  const { required } = protocol.envelope.schema;
  return Array.isArray(required) ? required.map(String) : [];
}

/**
 * Returns a test for events that `protocol` knows: if it is true, the event certainly belongs to `protocol`, and
 * `findProtocol` would return the same.
 */
export function createOwnEventTest(
  protocol: Validators,
  all: readonly Validators[],
): (value: Json) => boolean {
  const foreign = findForeignFields(protocol, all);
  if (foreign === undefined) return () => false;
  return (value) => {
    if (!isObject(value)) return false;
    for (const name of foreign) if (value[name] !== undefined) return false;
    return true;
  };
}

/**
 * Returns a function that finds the protocol of an event, as `findProtocol` does, if `last` is the protocol of the event before.
 * It tries that protocol first, because most events belong to it.
 */
export function createProtocolFinder(
  all: readonly Validators[],
): (event: JsonObject, last: Validators | undefined) => Validators | undefined {
  const ownEventTests = new Map(all.map((protocol) => [protocol, createOwnEventTest(protocol, all)]));
  return (event, last) => {
    if (last && ownEventTests.get(last)?.(event) && last.decodeEvent(event).kind === "known") return last;
    return findProtocol(event, all, "reader", last?.protocol.id);
  };
}

/**
 * Returns one required field of each protocol whose envelope declares a field that `protocol` does not declare. Only such a
 * protocol can fit an event better than `protocol`. An event that `protocol` knows and that has none of the returned fields
 * certainly belongs to `protocol`. Returns undefined if one of these protocols requires only fields that `protocol` declares.
 */
export function findForeignFields(
  protocol: Validators,
  all: readonly Validators[],
): readonly string[] | undefined {
  const ownFields = new Set(listDeclaredFields(protocol));
  const isForeign = (name: string): boolean => !ownFields.has(name);
  const others = all.filter((other) => other !== protocol && listDeclaredFields(other).some(isForeign));
  const fields = others.flatMap((other) => listRequiredFields(other).find(isForeign) ?? []);
  return fields.length < others.length ? undefined : fields;
}

/** The major that most events follow. */
export interface AssumedMajor {
  readonly id: string;
  /** The number of events that this major accepts. */
  readonly count: number;
  /** The other majors that accept the same number of events. */
  readonly others: readonly string[];
}

/** Returns the majors of each protocol that some event may fit equally well; none if envelopes distinguish all majors. */
export function findSimilarMajors(all: readonly Validators[]): readonly Validators[] {
  return all.filter((one) =>
    all.some(
      (other) =>
        other !== one &&
        other.protocol.name === one.protocol.name &&
        declaresRequiredFields(one, other) &&
        declaresRequiredFields(other, one),
    ),
  );
}

/** Returns whether `one` declares every field that `other` requires. */
function declaresRequiredFields(one: Validators, other: Validators): boolean {
  const declared = new Set(listDeclaredFields(one));
  return listRequiredFields(other).every((name) => declared.has(name));
}

/** Returns the major that accepts most events, and the newest of several such majors. Undefined if no major accepts an event. */
export function assumeMajor(
  events: readonly Json[],
  majors: readonly Validators[],
  profile: Profile,
): AssumedMajor | undefined {
  const counted = majors
    .map((major) => ({
      major,
      protocol: major.protocol,
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
