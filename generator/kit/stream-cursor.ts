/** One generated stream: its envelope fields, its next number, and what its rules need to know of earlier events. */
import type { PayloadAdjuster } from "../conform/stream-rule.js";
import { declarationsOf, STREAM_RULES } from "../conform/stream-rules.js";
import type { Json, JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { combineSeeds } from "../random.js";
import type { EventMaker } from "../sample/event-maker.js";
import { streamKey } from "../stream/stream-key.js";

/** One stream that is being generated. */
export interface StreamCursor {
  readonly key: string;
  readonly base: JsonObject;
  /** What the rules remember of the events so far. Each brings payloads into line with its declarations. */
  readonly adjusters: readonly PayloadAdjuster[];
  next: number;
  begun: boolean;
}

/** What is the same for all events of a stream. */
export type StreamBase = Pick<StreamCursor, "key" | "base">;

/** Returns a stream that has not begun. */
export function createStreamCursor({ key, base }: StreamBase, { stream }: Protocol): StreamCursor {
  const adjusters = STREAM_RULES.flatMap(({ member, generation }) =>
    declarationsOf(stream?.rules, member).flatMap((declared) => generation?.createAdjuster?.(declared) ?? []),
  );
  return { key, base, adjusters, next: stream?.first ?? 0, begun: false };
}

/** Returns the envelope fields of the stream with number `index`, whose key none of `bases` has. */
export function createStreamBase(
  { model, base }: EventMaker,
  index: number,
  bases: readonly StreamBase[],
): StreamBase {
  const { stream } = model;
  const fields = (seed: number): { [name: string]: Json } => {
    const made: { [name: string]: Json } = { ...base(seed, {}) };
    for (const { member, generation } of STREAM_RULES)
      for (const declared of declarationsOf(stream?.rules, member))
        generation?.adjustEnvelope?.(declared, made, index, bases[0]?.base);
    return made;
  };
  for (let attempt = 0; ; attempt++) {
    const made = fields(combineSeeds(index, attempt, 7));
    const text = stream?.key.find((name) => attempt > 4 && typeof made[name] === "string");
    if (text !== undefined && attempt > 8) made[text] = `${made[text]}${index}`;
    const key = streamKey(stream, made);
    if (attempt < 40 && bases.some((known) => known.key === key)) continue;
    return { key, base: made };
  }
}
