/**
 * Faults of the bytes on their way. Nothing is remembered between connections: a cut happens behind the entry that the
 * client asked for and never at it, so each reconnect with a cursor gets further, and one without meets the same cut
 * again.
 */
import { type FaultPlan, type FaultSetting, optionOf, settingsOf } from "./fault.js";
import { happens } from "./places.js";
import { chance, pick } from "./random.js";
import type { Piece, WireFaults } from "./stream.js";

/** The faults of one stream; `key` is its run's, undefined for the feed of `name`. Undefined if nothing is to go wrong. */
export function wireFaults(plan: FaultPlan, key: string | undefined, name: string): WireFaults | undefined {
  const settings = settingsOf(plan, "wire", key);
  if (settings.length === 0) return undefined;
  const { seed } = plan;
  const at = (fault: string, index: number): FaultSetting | undefined =>
    settings.find((setting) => setting.fault === fault && happens(setting, seed, name, index));
  return {
    begin: (start) => Math.max(0, Math.min(start, ...settings.map((setting) => beginOf(setting, start)))),
    *pieces(frame, index, start) {
      const bytes = at("split", index) ? withCrLf(frame) : frame;
      const end = at("cut", index) && index > start ? cutPlace(bytes, seed, name, index) : bytes.length;
      const stall = at("stall", index);
      const middle = stall ? 1 + pick(end - 1, seed, "stall place", name, index) : end;
      const cutUp = (part: Buffer): Iterable<Buffer> => (bytes === frame ? [part] : split(part));
      yield* cutUp(bytes.subarray(0, middle));
      if (stall) yield { pause: optionOf(stall, "ms") };
      if (middle < end) yield* cutUp(bytes.subarray(middle, end));
      if (end < bytes.length) yield "cut" satisfies Piece;
    },
  };
}

function beginOf(setting: FaultSetting, start: number): number {
  if (setting.fault === "redeliver") return 0;
  return setting.fault === "overlap" ? start - optionOf(setting, "count") : start;
}

/** Somewhere in the frame; often right before the line feed that would complete it. */
function cutPlace(bytes: Buffer, seed: number, name: string, index: number): number {
  if (chance(seed, "cut end", name, index) < 0.25) return bytes.length - 1;
  return 1 + pick(bytes.length - 1, seed, "cut place", name, index);
}

function withCrLf(frame: Buffer): Buffer {
  return Buffer.from(frame.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

/** The most pieces that one frame is cut into. */
const MOST_PIECES = 24;

/** Pieces that end between CR and LF and inside of characters; a long text is left whole behind the first ones. */
function* split(bytes: Buffer): Generator<Buffer> {
  let [from, count] = [0, 1];
  for (let at = 1; at < bytes.length; at++) {
    const [before = 0, here = 0] = [bytes[at - 1], bytes[at]];
    const inLineEnd = before === 0x0d && here === 0x0a;
    const inCharacter = (here & 0xc0) === 0x80;
    if (!inLineEnd && !(inCharacter && count < MOST_PIECES)) continue;
    yield bytes.subarray(from, at);
    from = at;
    count++;
  }
  yield bytes.subarray(from);
}
