import { createDocumentReader } from "./document-reader.js";
import { detectFormat, type InputFormat } from "./input-format.js";
import { createLineReader } from "./line-reader.js";
import { type ByteReader, type Input, READ_LIMITS, type ReadLimits, type Sink } from "./place.js";
import { createSseReader } from "./sse-reader.js";
import type { Share } from "./stream-share.js";

/** Creates a reader of one input. The reader detects the format from the first bytes. */
export function createEventReader(
  input: Input,
  sink: Sink,
  share: Share,
  limits: ReadLimits = READ_LIMITS,
): ByteReader {
  let reader: ByteReader | undefined;
  let head: Buffer[] = [];
  let length = 0;
  /** The length at which the format is detected again. It doubles, so that the first bytes are not read too often. */
  let nextDetection = 0;
  const chooseReader = (isComplete: boolean): void => {
    const bytes = Buffer.concat(head);
    const format = input.format ?? detectFormat(input.name, bytes, isComplete || length > limits.line);
    nextDetection = 2 * length;
    if (format === undefined) return;
    head = [];
    const bomLength = bytes.subarray(0, 3).equals(BOM) ? 3 : 0;
    reader = READERS[format](input, sink, limits, share, bomLength);
    reader.push(format === "sse" ? bytes : bytes.subarray(bomLength));
  };
  return {
    push: (bytes) => {
      if (reader) {
        reader.push(bytes);
        return;
      }
      head.push(Buffer.from(bytes));
      length += bytes.length;
      if (length >= nextDetection) chooseReader(false);
    },
    end: () => {
      if (!reader) chooseReader(true);
      reader?.end();
    },
  };
}

/** The byte order mark of UTF-8. */
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Creates the reader of a format; `offset` is the number of bytes of the input before the first one that is pushed. */
const READERS: {
  readonly [format in InputFormat]: (
    input: Input,
    sink: Sink,
    limits: ReadLimits,
    share: Share,
    offset: number,
  ) => ByteReader;
} = {
  lines: createLineReader,
  document: (input, sink, limits, _share, offset) => createDocumentReader(input, sink, limits, offset),
  sse: createSseReader,
};
