/**
 * Parses server-sent events as WHATWG HTML defines them, from bytes that arrive in pieces. In addition to the standard,
 * each frame has its place, for reports about feeds.
 */
import { createLineSplitter, type LinePlace } from "./line-splitter.js";

/** One event of a feed. */
export interface SseFrame {
  /** The name of the event; `message` if the feed gives none. */
  readonly event: string;
  /** Its data lines, joined by line feeds. */
  readonly data: string;
  /** The last event id in effect, after which to resume; empty if there is none. */
  readonly id: string;
  /** The id that the frame itself has; undefined if `id` is that of an earlier frame. */
  readonly ownId: string | undefined;
  /** The place of its first field: lines count from 1, bytes from the beginning of the feed. */
  readonly line: number;
  readonly offset: number;
  /** The places where the texts of its data lines begin; columns count bytes from 1. */
  readonly parts: readonly { readonly line: number; readonly column: number; readonly offset: number }[];
  /** True if it had bytes that are not UTF-8, which are replaced by U+FFFD. */
  readonly malformed: boolean;
  /** True if its data was longer than the limit and is left out. */
  readonly oversized: boolean;
}

/** The options of a parser. */
export interface SseOptions {
  /** The most bytes of data that a frame may have; 64 MiB by default. */
  readonly limit?: number;
  /** The last event id of an earlier connection. */
  readonly lastEventId?: string;
}

/** Parses the bytes of one connection. Never throws, whatever a feed sends. */
export interface SseParser {
  /** Returns the frames that these bytes complete. */
  push(bytes: Uint8Array): SseFrame[];
  /** Returns the incomplete frame at the end of the feed, which clients must not deliver; undefined if there is none. */
  end(): SseFrame | undefined;
  /** Returns the last event id so far, also of frames without data. */
  lastEventId(): string;
  /** Returns the milliseconds to wait before reconnecting, if the feed sent them. */
  retry(): number | undefined;
}

/** The fields of the frame that is being read. */
interface Draft {
  event: string;
  ownId: string | undefined;
  data: string[];
  length: number;
  parts: { line: number; column: number; offset: number }[];
  begin: LinePlace | undefined;
  malformed: boolean;
  oversized: boolean;
}

/** The state of a parser. */
interface ParserState {
  readonly limit: number;
  draft: Draft;
  id: string;
  /** The id of the current frame. It is in effect when the frame is complete: otherwise the feed must send the frame again. */
  nextId: string;
  retry: number | undefined;
  frames: SseFrame[];
}

/** Creates a parser for one connection. */
export function createSseParser({ limit = 64 * 2 ** 20, lastEventId: id = "" }: SseOptions = {}): SseParser {
  const feed: ParserState = { limit, draft: createDraft(), id, nextId: id, retry: undefined, frames: [] };
  const splitter = createLineSplitter((bytes, place) => takeLine(feed, bytes, place), limit);
  return {
    push: (bytes) => {
      feed.frames = [];
      splitter.push(bytes);
      return feed.frames;
    },
    end: () => {
      splitter.end();
      return feed.draft.begin === undefined ? undefined : createFrame(feed.draft, feed.nextId);
    },
    lastEventId: () => feed.id,
    retry: () => feed.retry,
  };
}

function takeLine(feed: ParserState, bytes: Uint8Array, place: LinePlace): void {
  const { draft } = feed;
  // The splitter leaves out the bytes of a line that is longer than the limit.
  if (place.length > bytes.length) {
    if (place.first === COLON) return;
    draft.oversized = true;
    draft.begin ??= place;
    return;
  }
  const bom = place.offset === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (bytes.length === bom) completeFrame(feed);
  if (bytes.length === bom || bytes[bom] === COLON) return;
  draft.begin ??= place;
  const colon = bytes.indexOf(COLON, bom);
  const end = colon === -1 ? bytes.length : colon;
  const start = colon === -1 ? end : end + (bytes[end + 1] === SPACE ? 2 : 1);
  const name = decodeText(bytes.subarray(bom, end)).text;
  const { text, malformed } = decodeText(bytes.subarray(start));
  draft.malformed ||= malformed;
  if (Object.hasOwn(FIELDS, name)) FIELDS[name]?.(feed, text, place, start + 1);
}

const FIELDS: {
  readonly [name: string]: (feed: ParserState, value: string, place: LinePlace, column: number) => void;
} = {
  event: ({ draft }, value) => {
    draft.event = value;
  },
  data: ({ draft, limit }, value, { line, offset }, column) => {
    draft.parts.push({ line, column, offset: offset + column - 1 });
    draft.length += value.length + 1;
    draft.oversized ||= draft.length > limit;
    if (draft.oversized) draft.data = [];
    else draft.data.push(value);
  },
  id: (feed, value) => {
    if (!value.includes("\0")) feed.nextId = feed.draft.ownId = value;
  },
  retry: (feed, value) => {
    if (/^\d+$/.test(value)) feed.retry = Number(value);
  },
};

/** Completes a frame. A frame without data is not delivered, but its id is in effect. */
function completeFrame(feed: ParserState): void {
  feed.id = feed.nextId;
  if (feed.draft.parts.length > 0 || feed.draft.oversized) feed.frames.push(createFrame(feed.draft, feed.id));
  feed.draft = createDraft();
}

const COLON = 0x3a;
const SPACE = 0x20;

function createDraft(): Draft {
  return {
    event: "",
    ownId: undefined,
    data: [],
    length: 0,
    parts: [],
    begin: undefined,
    malformed: false,
    oversized: false,
  };
}

function createFrame(draft: Draft, id: string): SseFrame {
  const { event, ownId, data, parts, begin, malformed, oversized } = draft;
  const { line, offset } = begin ?? { line: 1, offset: 0 };
  const text = data.join("\n");
  return { event: event || "message", data: text, id, ownId, line, offset, parts, malformed, oversized };
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

function decodeText(bytes: Uint8Array): { text: string; malformed: boolean } {
  try {
    return { text: strictDecoder.decode(bytes), malformed: false };
  } catch {
    return { text: lenientDecoder.decode(bytes), malformed: true };
  }
}
