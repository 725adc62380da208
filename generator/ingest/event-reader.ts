import { documentReader } from "./document-reader.js";
import { detectFormat, type Form } from "./input-format.js";
import { lineReader } from "./line-reader.js";
import type { Input } from "./place.js";
import { type ByteReader, READ_LIMITS, type ReadLimits, type Sink } from "./place.js";
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
  let enough = 0;
  const begin = (complete: boolean): void => {
    const bytes = Buffer.concat(head);
    const form = detectFormat(input.name, bytes, complete || length > limits.line);
    enough = 2 * length;
    if (form === undefined) return;
    head = [];
    const bom = bytes.subarray(0, 3).equals(BOM) ? 3 : 0;
    reader = FORMS[form](input, sink, limits, share, bom);
    reader.push(form === "sse" ? bytes : bytes.subarray(bom));
  };
  return {
    push: (bytes) => {
      if (reader) {
        reader.push(bytes);
        return;
      }
      head.push(Buffer.from(bytes));
      length += bytes.length;
      if (length >= enough) begin(false);
    },
    end: () => {
      if (!reader) begin(true);
      reader?.end();
    },
  };
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

const FORMS: {
  readonly [form in Form]: (
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
