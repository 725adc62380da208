/** Finds the major version that events follow where the envelopes of several majors accept them. */
import type { Json } from "../json.js";
import { envelopeFields } from "../protocol/message-layout.js";
import type { Profile } from "../schema/readings.js";
import type { Validators } from "../validators/protocol-validators.js";

/** The major that most events follow, and the other majors that equally many follow. */
export interface AssumedMajor {
  readonly id: string;
  /** How many of the events it accepts. */
  readonly count: number;
  /** The other majors that accept as many. */
  readonly others: readonly string[];
}

/** Returns the majors of each protocol that some event may fit equally well; empty where envelopes tell all apart. */
export function alikeMajors(all: readonly Validators[]): readonly Validators[] {
  return all.filter((one) =>
    all.some((other) => other !== one && other.protocol.name === one.protocol.name && areAlike(one, other)),
  );
}

/** Whether neither envelope requires a field that the other one does not declare. */
function areAlike(a: Validators, b: Validators): boolean {
  const requiresMore = (one: Validators, other: Validators): boolean => {
    const declared = envelopeFields(other.protocol.envelope);
    const { required } = one.protocol.envelope.schema;
    return Array.isArray(required) && required.some((name) => !Object.hasOwn(declared, String(name)));
  };
  return !requiresMore(a, b) && !requiresMore(b, a);
}

/**
 * Returns the major among `alike` that accepts most of the events, the newest where several accept equally many;
 * undefined if none accepts any.
 */
export function assumeMajor(
  events: readonly Json[],
  alike: readonly Validators[],
  profile: Profile,
): AssumedMajor | undefined {
  const accepted = alike
    .map(({ protocol, decodeEvent }) => ({
      ...{ id: protocol.id, name: protocol.name, major: protocol.major },
      count: events.filter((event) => decodeEvent(event, { profile }).kind === "known").length,
    }))
    .sort((a, b) => b.count - a.count || b.major - a.major);
  const [best] = accepted;
  if (best === undefined || best.count === 0) return undefined;
  const others = accepted.filter(
    ({ id, name, count }) => id !== best.id && name === best.name && count === best.count,
  );
  return { id: best.id, count: best.count, others: others.map(({ id }) => id) };
}
