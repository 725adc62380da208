import { getItem } from "../get-item.js";

/** Splits bytes into lines. */
interface LineSplitter {
  /** Returns the lines that a chunk completes, except blank ones. */
  split(chunk: Buffer): readonly Buffer[];
  /** Returns the bytes after the last line end. */
  rest(): Buffer;
  restLength(): number;
}

const LINE_FEED = 0x0a;

/** Creates a splitter for a stream of bytes. */
export function createLineSplitter(): LineSplitter {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  const takeLine = (): Buffer => {
    const line = parts.length === 1 ? getItem(parts, 0) : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  return {
    split(chunk) {
      const lines: Buffer[] = [];
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        keep(chunk.subarray(start, end));
        lines.push(takeLine());
        start = end + 1;
      }
      if (start < chunk.length) keep(chunk.subarray(start));
      return lines.filter((line) => !isBlank(line));
    },
    rest: () => Buffer.concat(parts),
    restLength: () => length,
  };
}

function isBlank(line: Buffer): boolean {
  return line.length < 3 && line.toString("latin1").trim() === "";
}
