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
  /** They adjust payloads to the stream rules, and remember earlier events for that. */
  readonly adjusters: readonly PayloadAdjuster[];
  /** The next sequence number. */
  next: number;
  /** True if the events that open the stream were sent. */
  isStarted: boolean;
}

/** The data that all events of a stream share. */
export type StreamBase = Pick<StreamCursor, "key" | "base">;

/** Returns a stream without events. */
export function createStreamCursor({ key, base }: StreamBase, protocol: Protocol): StreamCursor {
  const adjusters = listAdjusterMakers(protocol).map((createAdjuster) => createAdjuster());
  return { key, base, adjusters, next: protocol.stream?.first ?? 0, isStarted: false };
}

/** Returns a function for each declaration of a protocol to which payloads are adjusted. */
const listAdjusterMakers = memoizeByObject((protocol: Protocol) =>
  STREAM_RULES.flatMap(({ member, generation }) => {
    const createAdjuster = generation?.createAdjuster;
    if (createAdjuster === undefined) return [];
    return listDeclarations(protocol.stream?.rules, member).map(
      (declared) => () => createAdjuster(declared, protocol),
    );
  }),
);

/** Makes the envelope fields of the stream with this index. None of `bases` has the same key. */
export function createStreamBase(maker: EventMaker, index: number, bases: readonly StreamBase[]): StreamBase {
  const { stream } = maker.protocol;
  const makeFields = (seed: number): { [name: string]: Json } => {
    const fields: { [name: string]: Json } = { ...maker.makeEnvelope(seed, {}) };
    for (const { member, generation } of STREAM_RULES)
      for (const declared of listDeclarations(stream?.rules, member))
        generation?.adjustEnvelope?.(declared, fields, index, bases[0]?.base);
    return fields;
  };
  for (let attempt = 0; ; attempt++) {
    const fields = makeFields(combineSeeds(index, attempt, 7));
    // If the values repeat after some attempts, as those of examples do, the index makes the key different.
    const textField = stream?.key.find((name) => typeof fields[name] === "string");
    if (textField !== undefined && attempt > 8) fields[textField] = `${fields[textField]}${index}`;
    const key = streamKey(stream, fields);
    // After 40 attempts, a key that another stream has is accepted.
    if (attempt >= 40 || bases.every((base) => base.key !== key)) return { key, base: fields };
  }
}
