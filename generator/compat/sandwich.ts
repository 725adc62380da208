/**
 * The additive sandwich of one event type: emit(baseline) ⊆ emit(current) ⊆ read(baseline). `left` is the first
 * inclusion, `right` the second; a witness is a complete event of the smaller side.
 */
import type { Containment } from "../contain/contain.js";
import { canonical } from "../json.js";
import type { EventType, Protocol } from "../model/protocol.js";
import { envelopeKey, eventKey } from "./literal-key.js";
import { bodySchema, messageSchema, type Oracle, unknownMessageSchema } from "./readings.js";

const CONTAINED: Containment = { verdict: "contained" };

/** Both sides of a comparison with what is needed to compare events quickly. */
export interface Sandwiches {
  readonly before: Protocol;
  readonly after: Protocol;
  readonly oracle: Oracle;
  /** Whether both envelopes let writers say the same. */
  readonly sameEnvelope: boolean;
  /** One half of the sandwich of the envelope alone. */
  readonly envelope: (half: Half) => Promise<Containment>;
  /** What both sides say of messages apart from their event types: halves of equal pairs are equal. */
  readonly frame: string;
}

/** The two inclusions that can break. */
export type Half = "left" | "right";

/** Prepares the comparison of `before` and `after`. */
export function prepareSandwiches(before: Protocol, after: Protocol, oracle: Oracle): Sandwiches {
  const [old, now] = [before, after].map((protocol) => canonical(unknownMessageSchema("writer", protocol)));
  const sameNames = before.envelope.discriminator === after.envelope.discriminator;
  const sameEnvelope = old === now && sameNames;
  const halves = new Map<Half, Promise<Containment>>();
  const envelope = (half: Half): Promise<Containment> => {
    const known = halves.get(half) ?? envelopeHalf({ before, after, oracle, sameEnvelope }, half);
    halves.set(half, known);
    return known;
  };
  const frame = `${envelopeKey(before)} ${envelopeKey(after)}`;
  return { before, after, oracle, sameEnvelope, envelope, frame };
}

/** One half of an event type's sandwich; what an event type says alike in several baselines is asked about once. */
export function halfOf(
  sides: Sandwiches,
  before: EventType,
  after: EventType,
  half: Half,
): Promise<Containment> {
  const keys = [eventKey(sides.before, before), eventKey(sides.after, after)];
  return sides.oracle.once([half, before.type, after.type, ...keys, sides.frame].join(" "), () =>
    askHalf(sides, before, after, half),
  );
}

/** Equal contracts are not asked about, and bodies alone are asked about first. */
async function askHalf(
  sides: Sandwiches,
  before: EventType,
  after: EventType,
  half: Half,
): Promise<Containment> {
  const { oracle } = sides;
  if ((await sides.envelope(half)).verdict === "contained") {
    const [old, now] = [bodySchema("writer", sides.before, before), bodySchema("writer", sides.after, after)];
    if (JSON.stringify(old) === JSON.stringify(now)) return CONTAINED;
    const [small, large] = half === "left" ? [old, now] : [now, bodySchema("reader", sides.before, before)];
    if ((await oracle.inside(small, large)).verdict === "contained") return CONTAINED;
  }
  const [old, now] = [
    messageSchema("writer", sides.before, before),
    messageSchema("writer", sides.after, after),
  ];
  return half === "left"
    ? oracle.inside(old, now)
    : oracle.inside(now, messageSchema("reader", sides.before, before));
}

/** The same for the envelope alone. A message is what its envelope and its body allow: where both are contained, it is. */
async function envelopeHalf(
  { before, after, oracle, sameEnvelope }: Pick<Sandwiches, "before" | "after" | "oracle" | "sameEnvelope">,
  half: Half,
): Promise<Containment> {
  if (sameEnvelope) return CONTAINED;
  if (before.envelope.discriminator !== after.envelope.discriminator)
    return { verdict: "undecided", reason: "the types stand in different fields" };
  const now = unknownMessageSchema("writer", after);
  return half === "left"
    ? oracle.inside(unknownMessageSchema("writer", before), now)
    : oracle.inside(now, unknownMessageSchema("reader", before));
}

/** An event of a type that is gone, which the current contract has no place for. */
export function goneSandwich({ before, oracle }: Sandwiches, event: EventType): Promise<Containment> {
  return oracle.inside(messageSchema("writer", before, event), false);
}

/** Whether readers of the baseline let an event type pass that they do not know; under an envelope that allows no more they do. */
export async function newSandwich(sides: Sandwiches, event: EventType): Promise<Containment> {
  const { before, after, oracle } = sides;
  if ((await sides.envelope("right")).verdict === "contained") return CONTAINED;
  return oracle.inside(messageSchema("writer", after, event), unknownMessageSchema("reader", before));
}
