/**
 * Decides which lines of a file a thread parses. Each thread parses all lines of some streams, so that it sees whole
 * streams. The stream of a line is guessed from its raw text; the thread that parses the line checks the guess.
 */
import { hashText } from "../hash.js";

/** The lines that belong to a thread. */
export interface Share {
  /** Returns whether every line must be parsed. */
  includesAll(): boolean;
  /** Returns whether the line that is in `text` from `start` to `stop` must be parsed. */
  includes(text: string, start: number, stop: number): boolean;
  /** Returns the stream that the line in `text` from `start` to `stop` seems to belong to; undefined if it is uncertain. */
  guessStream(text: string, start: number, stop: number): string | undefined;
}

/** The share of one of several threads. It includes every line until `setKey` sets the key of streams. */
export interface StreamShare extends Share {
  /** Sets the key of streams. */
  setKey(key: readonly string[] | undefined): void;
  /** Returns the index of the thread that a stream belongs to. */
  findThread(stream: string): number;
  readonly index: number;
  readonly threadCount: number;
}

/** Creates the share of a single thread, which includes every line. */
export function createFullShare(): StreamShare {
  return createStreamShare(0, 1);
}

/** Creates the share of the thread `index`, from 0. */
export function createStreamShare(index: number, threadCount: number): StreamShare {
  /** The texts before the values of the fields of the key, such as `"session":"`. */
  let prefixes: string[] = [];
  const findValue = (prefix: string, text: string, start: number, stop: number): string | undefined => {
    const prefixStart = text.indexOf(prefix, start);
    if (prefixStart === -1 || prefixStart >= stop) return undefined;
    const valueStart = prefixStart + prefix.length;
    const valueStop = text.indexOf('"', valueStart);
    if (valueStop === -1 || valueStop > stop) return undefined;
    const value = text.slice(valueStart, valueStop);
    return UNESCAPED_TEXT.test(value) ? value : undefined;
  };
  const guessStream = (text: string, start: number, stop: number): string | undefined => {
    const [prefix] = prefixes;
    if (prefix === undefined) return undefined;
    if (prefixes.length === 1) return findValue(prefix, text, start, stop);
    const values = prefixes.map((each) => findValue(each, text, start, stop));
    return values.includes(undefined) ? undefined : values.join("/");
  };
  const findThread = (stream: string): number => hashText(stream) % threadCount;
  return {
    index,
    threadCount,
    findThread,
    guessStream,
    setKey: (key) => {
      prefixes = (key ?? []).map((field) => `${JSON.stringify(field)}:"`);
    },
    includesAll: () => threadCount === 1 || prefixes.length === 0,
    includes: (text, start, stop) => {
      const stream = guessStream(text, start, stop);
      return stream === undefined || findThread(stream) === index;
    },
  };
}

/** Matches texts that are the same in the line, in the value and in the key of a stream: printable ASCII without `"`, `/`, `\` and `~`. */
const UNESCAPED_TEXT = /^[\x20-\x21\x23-\x2e\x30-\x5b\x5d-\x7d]*$/;
