import { isUtf8 } from "node:buffer";
import type { Json } from "../json.js";
import { isPlainJson } from "../source/member-count.js";
import { position } from "../source/source.js";
import { checksum } from "./content-identity.js";
import { deliver } from "./deliver.js";
import { findLineProblems } from "./line-reader.js";
import { type ByteReader, type Input, type Place, type ReadLimits, type Sink, tooLarge } from "./place.js";

/** Creates a reader of one JSON document, which is kept in memory: an event, a list of events, or a wrapper of either. */
export function documentReader(
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
      else parts.length = 0;
    },
    end: () => {
      const place = documentPlace(input, Buffer.concat(parts), offset);
      if (length > limit) sink.unreadable([tooLarge("document", limit)], place);
      else readDocument(place, sink);
      parts.length = 0;
    },
  };
}

type DocumentPlace = Place & { pointer: string; item: number; readonly bytes: Buffer };

function readDocument(place: DocumentPlace, sink: Sink): void {
  const { bytes } = place;
  const value = isUtf8(bytes) ? parse(bytes) : undefined;
  if (value === undefined || !isPlainJson(value, "", bytes, 0, bytes.length)) {
    const problems = findLineProblems(bytes);
    if (problems.length > 0) {
      sink.unreadable(problems, place);
      return;
    }
  }
  if (value !== undefined) deliver(value, place, sink, checksum(bytes));
}

function parse(bytes: Buffer): Json | undefined {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function documentPlace(input: Input, bytes: Buffer, offset: number): DocumentPlace {
  let text: string | undefined;
  const textOf = (): string => {
    text ??= bytes.toString("utf8");
    return text;
  };
  return {
    input,
    what: "document" as const,
    line: 1,
    offset,
    pointer: "",
    item: 0,
    bytes,
    text: textOf,
    at: (end) => ({
      file: input.name,
      ...position(textOf(), end),
      offset: offset + Buffer.byteLength(textOf().slice(0, end)),
    }),
    hint: () => undefined,
  };
}
