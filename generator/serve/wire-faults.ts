/**
 * Faults on the wire. They keep no state between connections: a cut happens after the entry that the client's cursor
 * leads to, so that each reconnect with a cursor gets further. A client without a cursor meets the same cut again.
 */
import { draw, drawShare, isPlace } from "./draw.js";
import { type FaultPlan, type FaultSetting, optionOf, settingsOf } from "./fault.js";
import type { Piece, WireFaults } from "./stream.js";

/** Returns the faults of one stream: of the run with this key, or of the feed with this name. Undefined if there are none. */
export function createWireFaults(
  plan: FaultPlan,
  key: string | undefined,
  name: string,
): WireFaults | undefined {
  const settings = settingsOf(plan, "wire", key);
  if (settings.length === 0) return undefined;
  const { seed } = plan;
  const settingAt = (fault: string, index: number): FaultSetting | undefined =>
    settings.find((setting) => setting.fault === fault && isPlace(setting, seed, name, index));
  return {
    firstIndex(start) {
      const indexes = settings.map((setting) => firstIndexWith(setting, start));
      return Math.max(0, Math.min(start, ...indexes));
    },
    *pieces(frame, index, start) {
      const isSplit = settingAt("split", index) !== undefined;
      const bytes = isSplit ? withCrLf(frame) : frame;
      const isCut = settingAt("cut", index) !== undefined && index > start;
      const end = isCut ? drawCut(bytes, seed, name, index) : bytes.length;
      const stall = settingAt("stall", index);
      const middle = stall ? 1 + draw(end - 1, seed, "stall place", name, index) : end;
      const split = (part: Buffer): Iterable<Buffer> => (isSplit ? splitBytes(part) : [part]);
      yield* split(bytes.subarray(0, middle));
      if (stall) yield { pause: optionOf(stall, "ms") };
      if (middle < end) yield* split(bytes.subarray(middle, end));
      if (isCut) yield "cut" satisfies Piece;
    },
  };
}

function firstIndexWith(setting: FaultSetting, start: number): number {
  if (setting.fault === "redeliver") return 0;
  return setting.fault === "overlap" ? start - optionOf(setting, "count") : start;
}

/** Draws a place in a frame: often right before the line feed that would complete it. */
function drawCut(bytes: Buffer, seed: number, name: string, index: number): number {
  if (drawShare(seed, "cut end", name, index) < 0.25) return bytes.length - 1;
  return 1 + draw(bytes.length - 1, seed, "cut place", name, index);
}

function withCrLf(frame: Buffer): Buffer {
  return Buffer.from(frame.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

/** The largest number of pieces of one frame. */
const MAX_PIECES = 24;

/** Splits bytes between CR and LF and inside of characters. Further characters of a long text stay whole. */
function* splitBytes(bytes: Buffer): Generator<Buffer> {
  let [from, count] = [0, 1];
  for (let at = 1; at < bytes.length; at++) {
    const [before = 0, here = 0] = [bytes[at - 1], bytes[at]];
    const inLineEnd = before === 0x0d && here === 0x0a;
    const inCharacter = (here & 0xc0) === 0x80;
    if (!inLineEnd && !(inCharacter && count < MAX_PIECES)) continue;
    yield bytes.subarray(from, at);
    from = at;
    count++;
  }
  yield bytes.subarray(from);
}
