import type { Json, JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { combineSeeds } from "../random.js";
import type { EventMaker } from "../sample/event-maker.js";
import { streamKey } from "../stream/stream-key.js";
import { type Ledger, ledger } from "./ledger.js";

/** One stream that is being written. */
export interface Line {
  readonly key: string;
  readonly base: JsonObject;
  readonly ledger: Ledger;
  next: number;
  begun: boolean;
}

/** What is the same for all events of a stream. */
export type LineBase = Pick<Line, "key" | "base">;

/** A stream that has not begun. */
export function openLine({ key, base }: LineBase, { stream }: Protocol): Line {
  return { key, base, ledger: ledger(stream?.rules ?? {}), next: stream?.first ?? 0, begun: false };
}

/** The envelope of the stream with number `index`, whose key none of `lines` has. */
export function lineBase({ model, base }: EventMaker, index: number, lines: readonly LineBase[]): LineBase {
  const { stream } = model;
  const { hierarchy, aliases = [] } = stream?.rules ?? {};
  const fields = (seed: number): { [name: string]: Json } => {
    const made: { [name: string]: Json } = { ...base(seed, {}) };
    if (hierarchy) made[hierarchy.parent] = index % 2 === 0 ? "" : (lines[0]?.base[hierarchy.id] ?? "");
    if (hierarchy && typeof made[hierarchy.id] === "string")
      made[hierarchy.id] = `${made[hierarchy.id]}-${index}`;
    for (const field of aliases.map(({ field }) => field)) delete made[field];
    return made;
  };
  for (let attempt = 0; ; attempt++) {
    const made = fields(combineSeeds(index, attempt, 7));
    const text = stream?.key.find((name) => attempt > 4 && typeof made[name] === "string");
    if (text !== undefined && attempt > 8) made[text] = `${made[text]}${index}`;
    const key = streamKey(stream, made);
    if (attempt < 40 && lines.some((line) => line.key === key)) continue;
    return { key, base: made };
  }
}
