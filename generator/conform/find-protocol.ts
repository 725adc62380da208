import { isObject, type JsonObject, own } from "../json.js";
import { envelopeFields } from "../protocol/message-layout.js";
import type { Profile } from "../schema/readings.js";
import type { Validators } from "../validators/protocol-validators.js";

interface Candidate {
  readonly validators: Validators;
  /** 2: the envelope accepts the value and its type is declared. 1: the envelope accepts it. 0: it does not. */
  readonly fit: number;
  /** How many fields that the envelope declares the value has. */
  readonly present: number;
  /** Which share of the required ones it has. */
  readonly complete: number;
  readonly home: boolean;
  /** Whether the whole event is valid. It is asked only where envelopes decide nothing. */
  known(): boolean;
}

/**
 * The protocol that an event belongs to, so that a broken one is reported as its own protocol's with the field that it
 * lacks. An envelope that accepts the event comes before one that does not, a known type before an unknown one; then
 * the one that knows most of the fields; then the one that accepts the whole event; then `home`, the protocol of the
 * events around it; then the newest major. Undefined if nothing speaks for any.
 */
export function findProtocol(
  value: JsonObject,
  all: readonly Validators[],
  profile: Profile,
  home?: string,
): Validators | undefined {
  const candidates = all.map((validators) => candidate(validators, value, profile, home));
  const [best] = [...candidates].sort(
    (a, b) =>
      b.fit - a.fit ||
      b.present - a.present ||
      Number(b.known()) - Number(a.known()) ||
      Number(b.home) - Number(a.home) ||
      b.complete - a.complete ||
      newerMajor(a, b),
  );
  if (!best) return undefined;
  // An event that lost a field may fit a neighbour with fewer fields by chance.
  const neighbour = candidates.find((one) => one.home && one.present > best.present);
  if (neighbour) return neighbour.validators;
  return best.fit > 0 || best.home || best.complete >= 0.5 || all.length === 1 ? best.validators : undefined;
}

/** Orders two majors of one protocol, the newer first. */
function newerMajor(
  { validators: { protocol: a } }: Candidate,
  { validators: { protocol: b } }: Candidate,
): number {
  return a.name === b.name ? b.major - a.major : 0;
}

function candidate(
  validators: Validators,
  value: JsonObject,
  profile: Profile,
  home: string | undefined,
): Candidate {
  const { protocol, profiles, decodeEvent } = validators;
  const { schema, discriminator } = protocol.envelope;
  const { envelope, events } = profiles[profile];
  const type = own(value, discriminator);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const has = (name: string): boolean => Object.hasOwn(value, name);
  let known: boolean | undefined;
  return {
    validators,
    known: () => {
      known ??= decodeEvent(value, { profile }).kind === "known";
      return known;
    },
    fit: envelope(value) ? (typeof type === "string" && events.has(type) ? 2 : 1) : 0,
    present: Object.keys(envelopeFields(protocol.envelope)).filter(has).length,
    complete: required.length === 0 ? 0 : required.filter(has).length / required.length,
    home: protocol.id === home,
  };
}

/** The name that users know a JSON value's type by. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return isObject(value as JsonObject) ? "an object" : `a ${typeof value}`;
}
