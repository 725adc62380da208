/**
 * Splits bytes that arrive in pieces into lines. Lines end with LF, CR or CRLF as in SSE, wherever the pieces are cut. At
 * most `limit` bytes of a line are kept. A longer line is passed on without its bytes.
 */

/** Receives the bytes of one line without its end. They are valid only during the call. */
type TakeLine = (bytes: Uint8Array, place: LinePlace) => void;

/** The place of a line. */
export interface LinePlace {
  /** Counts from 1. */
  readonly line: number;
  /** Bytes before the line. */
  readonly offset: number;
  /** The number of its bytes. It is greater than the number of the bytes passed on if the line is too long. */
  readonly length: number;
  /** Its first byte, also if it is too long; undefined if it is empty. */
  readonly first: number | undefined;
}

/** Receives the bytes of a source in pieces. */
interface LineSplitter {
  push(bytes: Uint8Array): void;
  /** Passes on the bytes after the last end of a line. Returns whether there were any. */
  end(): boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const NO_BYTES = new Uint8Array(0);

/** Creates a splitter that calls `take` for every line, also for empty ones. */
export function createLineSplitter(take: TakeLine, limit: number): LineSplitter {
  let parts: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  let offset = 0;
  let afterCr = false;
  let first: number | undefined;

  const holdPart = (part: Uint8Array): void => {
    if (length === 0) first = part[0];
    length += part.length;
    if (length > limit) parts = [];
    // A copy, because `slice` of a Buffer is a view of bytes that may change.
    else if (part.length > 0) parts.push(new Uint8Array(part));
  };
  const finishLine = (last: Uint8Array, endLength: number): void => {
    const whole = length + last.length;
    let bytes = last;
    if (whole > limit) bytes = NO_BYTES;
    else if (parts.length > 0) bytes = concatenate([...parts, last], whole);
    take(bytes, { line, offset, length: whole, first: length === 0 ? last[0] : first });
    offset += whole + endLength;
    line++;
    parts = [];
    length = 0;
  };

  const push = (bytes: Uint8Array): void => {
    let start = 0;
    if (afterCr && bytes[0] === LF) {
      start = 1;
      offset++;
    }
    if (bytes.length > 0) afterCr = false;
    let cr = bytes.indexOf(CR, start);
    let lf = bytes.indexOf(LF, start);
    while (cr !== -1 || lf !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      const both = end === cr && bytes[end + 1] === LF;
      finishLine(bytes.subarray(start, end), both ? 2 : 1);
      start = end + (both ? 2 : 1);
      afterCr = end === cr && !both && start === bytes.length;
      if (cr !== -1 && cr < start) cr = bytes.indexOf(CR, start);
      if (lf !== -1 && lf < start) lf = bytes.indexOf(LF, start);
    }
    holdPart(bytes.subarray(start));
  };
  const end = (): boolean => {
    const hasRest = length > 0;
    if (hasRest) finishLine(NO_BYTES, 0);
    return hasRest;
  };
  return { push, end };
}

function concatenate(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
