/**
 * The additive sandwich of one event type: emit(baseline) ⊆ emit(current) ⊆ read(baseline). `left` is the first
 * inclusion, `right` the second; a witness is a complete event of the smaller side.
 */
import type { Containment } from "../../contain/contain.js";
import { canonical, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Profile } from "../../schema/readings.js";
import { envelopeKey, eventKey } from "../diff/literal-key.js";
import type { Subject } from "../subjects.js";
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

type Envelopes = Pick<Sandwiches, "before" | "after" | "oracle" | "sameEnvelope">;

/** Two versions of one event type, or of one resource. */
export interface EventPair {
  readonly before: Subject;
  readonly after: Subject;
}

/** Whether a pair is one of event types, which stand in an envelope, and not one of resources. */
export function isEventPair({ before }: EventPair): boolean {
  return before.resource === undefined;
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
export function halfOf(sides: Sandwiches, before: Subject, after: Subject, half: Half): Promise<Containment> {
  const keys = [eventKey(sides.before, before), eventKey(sides.after, after)];
  return sides.oracle.once([half, before.type, after.type, ...keys, sides.frame].join(" "), () =>
    askHalf(sides, before, after, half),
  );
}

/** Equal contracts are not asked about, and bodies alone are asked about first. */
async function askHalf(sides: Sandwiches, before: Subject, after: Subject, half: Half): Promise<Containment> {
  const pair = { before, after };
  const isEvent = before.resource === undefined;
  if (
    isEvent &&
    (await sides.envelope(half)).verdict === "contained" &&
    (await isBodyInside(sides, pair, half))
  )
    return CONTAINED;
  const [small, large] = messagesOf(sides, pair, half);
  return sides.oracle.inside(small, large);
}

/** Returns what has to be inside of what: complete messages of both sides. */
export function messagesOf(
  sides: Pick<Sandwiches, "before" | "after">,
  pair: EventPair,
  half: Half,
): readonly [small: Json, large: Json] {
  return halves(sides, pair, half, messageSchema);
}

async function isBodyInside(sides: Sandwiches, pair: EventPair, half: Half): Promise<boolean> {
  const [old, now] = halves(sides, pair, "left", bodySchema);
  if (JSON.stringify(old) === JSON.stringify(now)) return true;
  const [small, large] = halves(sides, pair, half, bodySchema);
  return (await sides.oracle.inside(small, large)).verdict === "contained";
}

type SchemaOf = (profile: Profile, protocol: Protocol, event: Subject) => Json;

/** What has to be inside of what. */
function halves(
  { before, after }: Pick<Sandwiches, "before" | "after">,
  pair: EventPair,
  half: Half,
  schemaOf: SchemaOf,
): readonly [small: Json, large: Json] {
  return half === "left"
    ? [schemaOf("writer", before, pair.before), schemaOf("writer", after, pair.after)]
    : [schemaOf("writer", after, pair.after), schemaOf("reader", before, pair.before)];
}

/** The same for the envelope alone. A message is what its envelope and its body allow: where both are contained, it is. */
async function envelopeHalf(sides: Envelopes, half: Half): Promise<Containment> {
  if (sides.sameEnvelope) return CONTAINED;
  if (sides.before.envelope.discriminator !== sides.after.envelope.discriminator)
    return { verdict: "undecided", reason: "the types stand in different fields" };
  const { before, after, oracle } = sides;
  const now = unknownMessageSchema("writer", after);
  return half === "left"
    ? oracle.inside(unknownMessageSchema("writer", before), now)
    : oracle.inside(now, unknownMessageSchema("reader", before));
}

/** An event of a type that is gone, which the current contract has no place for. */
export function goneSandwich({ before, oracle }: Sandwiches, event: Subject): Promise<Containment> {
  return oracle.inside(messageSchema("writer", before, event), false);
}

/** Whether readers of the baseline let an event type pass that they do not know; under an envelope that allows no more they do. */
export async function newSandwich(sides: Sandwiches, event: Subject): Promise<Containment> {
  const { before, after, oracle } = sides;
  if ((await sides.envelope("right")).verdict === "contained") return CONTAINED;
  return oracle.inside(messageSchema("writer", after, event), unknownMessageSchema("reader", before));
}
