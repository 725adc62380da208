import type { PayloadAdjuster } from "../conform/stream-rule.js";
import { listDeclarations, STREAM_RULES } from "../conform/stream-rules.js";
import type { Json, JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { combineSeeds } from "../random.js";
import type { EventMaker } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { streamKey } from "../stream/stream-key.js";

/** One stream that is being generated, and its position. */
export interface StreamCursor {
  readonly key: string;
  /** The envelope fields that all events of the stream share. */
  readonly base: JsonObject;
  /** Adjust payloads to stream rules, for which they remember earlier events. */
  readonly adjusters: readonly PayloadAdjuster[];
  /** The next sequence number. */
  next: number;
  started: boolean;
}

/** The data that all events of a stream share. */
export type StreamBase = Pick<StreamCursor, "key" | "base">;

/** Returns a stream without events. */
export function createStreamCursor({ key, base }: StreamBase, protocol: Protocol): StreamCursor {
  const adjusters = listAdjusterMakers(protocol).map((createAdjuster) => createAdjuster());
  return { key, base, adjusters, next: protocol.stream?.first ?? 0, started: false };
}

/** Returns a function for each declaration of a protocol to which payloads are adjusted. */
const listAdjusterMakers = memoizeByObject(({ stream }: Protocol) =>
  STREAM_RULES.flatMap(({ member, generation }) => {
    const createAdjuster = generation?.createAdjuster;
    if (createAdjuster === undefined) return [];
    return listDeclarations(stream?.rules, member).map((declared) => () => createAdjuster(declared));
  }),
);

/** Makes the envelope fields of the stream with this index. None of `bases` has the same key. */
export function createStreamBase(maker: EventMaker, index: number, bases: readonly StreamBase[]): StreamBase {
  const { stream } = maker.protocol;
  const makeFields = (seed: number): { [name: string]: Json } => {
    const made: { [name: string]: Json } = { ...maker.makeEnvelope(seed, {}) };
    for (const { member, generation } of STREAM_RULES)
      for (const declared of listDeclarations(stream?.rules, member))
        generation?.adjustEnvelope?.(declared, made, index, bases[0]?.base);
    return made;
  };
  for (let attempt = 0; ; attempt++) {
    const made = makeFields(combineSeeds(index, attempt, 7));
    // Where the values repeat, such as those of examples, the index makes the key different.
    const text = stream?.key.find((name) => typeof made[name] === "string");
    if (text !== undefined && attempt > 8) made[text] = `${made[text]}${index}`;
    const key = streamKey(stream, made);
    if (attempt < 40 && bases.some((base) => base.key === key)) continue;
    return { key, base: made };
  }
}
