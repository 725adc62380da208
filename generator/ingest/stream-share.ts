/**
 * Which lines of a file a thread parses. Streams, not bytes, are shared out, so that each thread sees the streams it has
 * as a whole. The stream is looked up in the raw line; who parses the line checks that it was right.
 */
import { hashText } from "../hash.js";

/** What a reader of lines asks. */
export interface Share {
  /** Whether every line is to be parsed, so that there is no need to ask for each. */
  takesAll(): boolean;
  /** Whether the line that `text` holds from `from` to `to` is to be parsed. */
  takes(text: string, from: number, to: number): boolean;
  /** The stream that such a line seems to belong to; undefined if that is doubtful. */
  hint(text: string, from: number, to: number): string | undefined;
}

/** One thread's share of `of`. Until `follow` says what the key of a stream is, everything is taken. */
export interface StreamShare extends Share {
  follow(key: readonly string[] | undefined): void;
  /** The number of the thread that has a stream. */
  owner(stream: string): number;
  readonly index: number;
  readonly of: number;
}

/** The share of thread `index` of `of`, both numbers counting from 0 and 1. */
export function createStreamShare(index: number, of: number): StreamShare {
  let marks: string[] = [];
  const fieldOf = (which: number, text: string, from: number, to: number): string | undefined => {
    const mark = marks[which] as string;
    const at = text.indexOf(mark, from);
    if (at === -1 || at >= to) return undefined;
    const start = at + mark.length;
    const stop = text.indexOf('"', start);
    if (stop === -1 || stop > to) return undefined;
    const value = text.slice(start, stop);
    return PLAIN.test(value) ? value : undefined;
  };
  const hint = (text: string, from: number, to: number): string | undefined => {
    if (marks.length === 0) return undefined;
    if (marks.length === 1) return fieldOf(0, text, from, to);
    const values = marks.map((_, which) => fieldOf(which, text, from, to));
    return values.includes(undefined) ? undefined : values.join("/");
  };
  const owner = (stream: string): number => hashText(stream) % of;
  return {
    ...{ index, of, owner, hint },
    follow: (key) => {
      marks = (key ?? []).map((field) => `${JSON.stringify(field)}:"`);
    },
    takesAll: () => of === 1 || marks.length === 0,
    takes: (text, from, to) => {
      const stream = hint(text, from, to);
      return stream === undefined || owner(stream) === index;
    },
  };
}

/** Written the same in the line, in the value and in the key of a stream: no escapes, no character beyond ASCII. */
const PLAIN = /^[\x20-\x21\x23-\x2e\x30-\x5b\x5d-\x7d]*$/;
