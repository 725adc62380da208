import { isUtf8 } from "node:buffer";
import { parseJson } from "../json.js";
import { isPlainJson } from "../source/plain-json.js";
import { locateOffset } from "../source/source.js";
import { computeChecksum } from "./content-identity.js";
import { deliverValues } from "./deliver.js";
import { checkLineText } from "./line-reader.js";
import {
  type ByteReader,
  createSizeFinding,
  type Input,
  type Place,
  type ReadLimits,
  type Sink,
} from "./place.js";

/** Creates a reader of one JSON document: an event, a list of events, or a wrapper of either. The document is kept in memory. */
export function createDocumentReader(
  input: Input,
  sink: Sink,
  { document: limit }: ReadLimits,
  offset: number,
): ByteReader {
  const parts: Buffer[] = [];
  let length = 0;
  return {
    push: (bytes) => {
      length += bytes.length;
      if (length <= limit) parts.push(Buffer.from(bytes));
      // A document that is too long is not kept.
      else parts.length = 0;
    },
    end: () => {
      const place = createDocumentPlace(input, Buffer.concat(parts), offset);
      if (length > limit) sink.reportUnreadable([createSizeFinding("document", limit)], place);
      else readDocument(place, sink);
      parts.length = 0;
    },
  };
}

type DocumentPlace = Place & { pointer: string; itemIndex: number; readonly bytes: Buffer };

function readDocument(place: DocumentPlace, sink: Sink): void {
  const { bytes } = place;
  const value = isUtf8(bytes) ? parseJson(bytes.toString("utf8")) : undefined;
  if (value === undefined || !isPlainJson(value, "", bytes, 0, bytes.length)) {
    const findings = checkLineText(bytes);
    if (findings.length > 0) {
      sink.reportUnreadable(findings, place);
      return;
    }
  }
  if (value !== undefined) deliverValues(value, place, sink, computeChecksum(bytes));
}

function createDocumentPlace(input: Input, bytes: Buffer, offset: number): DocumentPlace {
  let text: string | undefined;
  const decodeText = (): string => {
    text ??= bytes.toString("utf8");
    return text;
  };
  return {
    input,
    textKind: "document" as const,
    line: 1,
    offset,
    pointer: "",
    itemIndex: 0,
    bytes,
    text: decodeText,
    locateOffset: (textOffset) => ({
      file: input.name,
      ...locateOffset(decodeText(), textOffset),
      offset: offset + Buffer.byteLength(decodeText().slice(0, textOffset)),
    }),
    guessStream: () => undefined,
  };
}
