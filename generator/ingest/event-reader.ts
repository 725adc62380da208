import { documentReader } from "./document-reader.js";
import { detectFormat, type InputFormat } from "./input-format.js";
import { lineReader } from "./line-reader.js";
import { type ByteReader, type Input, READ_LIMITS, type ReadLimits, type Sink } from "./place.js";
import { sseReader } from "./sse-reader.js";
import type { Share } from "./stream-share.js";

/** Creates a reader of one input, which detects the format from the first bytes. */
export function eventReader(
  input: Input,
  sink: Sink,
  share: Share,
  limits: ReadLimits = READ_LIMITS,
): ByteReader {
  let reader: ByteReader | undefined;
  let head: Buffer[] = [];
  let length = 0;
  let nextDetection = 0;
  const begin = (complete: boolean): void => {
    const bytes = Buffer.concat(head);
    const format = detectFormat(input.name, bytes, complete || length > limits.line);
    nextDetection = 2 * length;
    if (format === undefined) return;
    head = [];
    const bom = bytes.subarray(0, 3).equals(BOM) ? 3 : 0;
    reader = READERS[format](input, sink, limits, share, bom);
    reader.push(format === "sse" ? bytes : bytes.subarray(bom));
  };
  return {
    push: (bytes) => {
      if (reader) {
        reader.push(bytes);
        return;
      }
      head.push(Buffer.from(bytes));
      length += bytes.length;
      if (length >= nextDetection) begin(false);
    },
    end: () => {
      if (!reader) begin(true);
      reader?.end();
    },
  };
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

const READERS: {
  readonly [format in InputFormat]: (
    input: Input,
    sink: Sink,
    limits: ReadLimits,
    share: Share,
    bom: number,
  ) => ByteReader;
} = {
  lines: lineReader,
  document: (input, sink, limits, _share, bom) => documentReader(input, sink, limits, bom),
  sse: sseReader,
};
