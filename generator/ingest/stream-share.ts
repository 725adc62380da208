/**
 * Decides which lines of a file a thread parses. Threads share streams, not bytes, so that each thread sees its streams
 * whole. The stream is searched in the raw line; the thread that parses the line checks the result.
 */
import { hashText } from "../hash.js";

/** The share as a reader of lines sees it. */
export interface Share {
  /** Returns whether every line must be parsed. */
  takesAll(): boolean;
  /** Returns whether the line that is in `text` from `from` to `to` must be parsed. */
  takes(text: string, from: number, to: number): boolean;
  /** Returns the stream that such a line seems to belong to; undefined if it is uncertain. */
  hint(text: string, from: number, to: number): string | undefined;
}

/** The share of one of `of` threads. It includes every line until `setKey` sets the key of streams. */
export interface StreamShare extends Share {
  /** Sets the key of streams. */
  setKey(key: readonly string[] | undefined): void;
  /** Returns the number of the thread of a stream. */
  owner(stream: string): number;
  readonly index: number;
  readonly of: number;
}

/** Creates the share of thread `index`, from 0, of `of` threads. */
export function createStreamShare(index: number, of: number): StreamShare {
  let prefixes: string[] = [];
  const findField = (which: number, text: string, from: number, to: number): string | undefined => {
    const prefix = prefixes[which] as string;
    const at = text.indexOf(prefix, from);
    if (at === -1 || at >= to) return undefined;
    const start = at + prefix.length;
    const stop = text.indexOf('"', start);
    if (stop === -1 || stop > to) return undefined;
    const value = text.slice(start, stop);
    return PLAIN.test(value) ? value : undefined;
  };
  const hint = (text: string, from: number, to: number): string | undefined => {
    if (prefixes.length === 0) return undefined;
    if (prefixes.length === 1) return findField(0, text, from, to);
    const values = prefixes.map((_, which) => findField(which, text, from, to));
    return values.includes(undefined) ? undefined : values.join("/");
  };
  const owner = (stream: string): number => hashText(stream) % of;
  return {
    index,
    of,
    owner,
    hint,
    setKey: (key) => {
      prefixes = (key ?? []).map((field) => `${JSON.stringify(field)}:"`);
    },
    takesAll: () => of === 1 || prefixes.length === 0,
    takes: (text, from, to) => {
      const stream = hint(text, from, to);
      return stream === undefined || owner(stream) === index;
    },
  };
}

/** Texts that are the same in the line, in the value and in the key of a stream: without escapes and beyond-ASCII characters. */
const PLAIN = /^[\x20-\x21\x23-\x2e\x30-\x5b\x5d-\x7d]*$/;
