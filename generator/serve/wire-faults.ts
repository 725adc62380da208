/**
 * Faults on the wire. They keep no state between connections: a cut or a stall never happens at the first event that the
 * client asks for, so that each reconnect with a cursor gets further. A client without a cursor gets the same fault at the
 * same event again.
 */
import type { Piece } from "./answer.js";
import { drawFraction, drawNumber, isFaultPlace } from "./draw.js";
import { type FaultPlan, type FaultSetting, readOption, selectSettings } from "./fault.js";

/** The wire faults of one stream. They have no state, so that the same connection fails in the same way again. */
export interface WireFaults {
  /** Returns the index of the first delivery that is sent on a connection whose cursor points to delivery `start`. */
  findFirstIndex(start: number): number;
  /** Returns the pieces that send the frame of delivery `index` on a connection whose cursor points to delivery `start`. */
  createPieces(frame: Buffer, index: number, start: number): Iterable<Piece>;
}

/** Returns the faults of one stream: of the run with this key, or of the feed with this name. Undefined if there are none. */
export function createWireFaults(
  plan: FaultPlan,
  key: string | undefined,
  name: string,
): WireFaults | undefined {
  const settings = selectSettings(plan, "wire", key);
  if (settings.length === 0) return undefined;
  const { seed } = plan;
  const findSetting = (fault: string, index: number): FaultSetting | undefined =>
    settings.find((setting) => setting.fault === fault && isFaultPlace(setting, seed, name, index));
  return {
    findFirstIndex(start) {
      const indexes = settings.map((setting) => moveStart(setting, start));
      return Math.max(0, Math.min(start, ...indexes));
    },
    *createPieces(frame, index, start) {
      const isSplit = findSetting("split", index) !== undefined;
      const isFirst = index <= start;
      const bytes = isSplit ? replaceLineEnds(frame) : frame;
      const isCut = !isFirst && findSetting("cut", index) !== undefined;
      const end = isCut ? drawCut(bytes, seed, name, index) : bytes.length;
      const stall = isFirst ? undefined : findSetting("stall", index);
      const middle = stall ? 1 + drawNumber(end - 1, seed, "stall place", name, index) : end;
      const split = (part: Buffer): Iterable<Buffer> => (isSplit ? splitBytes(part) : [part]);
      yield* split(bytes.subarray(0, middle));
      if (stall) yield { pause: readOption(stall, "ms") };
      if (middle < end) yield* split(bytes.subarray(middle, end));
      if (isCut) yield "cut" satisfies Piece;
    },
  };
}

/** Returns where a setting lets a connection begin that would begin at `start`. */
function moveStart(setting: FaultSetting, start: number): number {
  if (setting.fault === "redeliver") return 0;
  return setting.fault === "overlap" ? start - readOption(setting, "count") : start;
}

/** Draws a place in a frame: often right before the line feed that would complete it. */
function drawCut(bytes: Buffer, seed: number, name: string, index: number): number {
  if (drawFraction(seed, "cut end", name, index) < 0.25) return bytes.length - 1;
  return 1 + drawNumber(bytes.length - 1, seed, "cut place", name, index);
}

/** Returns a frame whose lines end with CR LF. */
function replaceLineEnds(frame: Buffer): Buffer {
  return Buffer.from(frame.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

/** The largest number of pieces of one frame. */
const MAX_PIECES = 24;

/** Splits bytes between CR and LF and inside of characters. Further characters of a long text stay whole. */
function* splitBytes(bytes: Buffer): Generator<Buffer> {
  let [from, count] = [0, 1];
  for (let index = 1; index < bytes.length; index++) {
    const [previous = 0, current = 0] = [bytes[index - 1], bytes[index]];
    const isInLineEnd = previous === 0x0d && current === 0x0a;
    const isInCharacter = (current & 0xc0) === 0x80;
    if (!isInLineEnd && !(isInCharacter && count < MAX_PIECES)) continue;
    yield bytes.subarray(from, index);
    from = index;
    count++;
  }
  yield bytes.subarray(from);
}
