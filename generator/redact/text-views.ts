/**
 * Other readings of a text, in which secrets are found that its letters hide: without invisible characters, with escapes
 * decoded, with lines joined, and texts in base64. Each place in a reading belongs to a place in the text.
 */

/** A part of a text. Its ends count UTF-16 code units. */
interface Span {
  readonly start: number;
  readonly stop: number;
}

/** A reading of a text, or of a part of it. */
export interface TextView {
  readonly text: string;
  /** Returns the part of the original text that a part of the reading stands for. */
  readonly locate: (span: Span) => Span;
}

/** A part of a text that reads otherwise. */
interface Substitution extends Span {
  readonly text: string;
}

/** Creates a reading in which parts are replaced. They are given in their order. */
function substitute(text: string, parts: readonly Substitution[]): TextView {
  const pieces: string[] = [];
  // For each part, its place in the reading.
  const places: Span[] = [];
  let from = 0;
  let length = 0;
  for (const part of parts) {
    pieces.push(text.slice(from, part.start), part.text);
    const start = length + part.start - from;
    length = start + part.text.length;
    places.push({ start, stop: length });
    from = part.stop;
  }
  pieces.push(text.slice(from));
  /** Returns the number of parts that end at or before a place. */
  const countBefore = (at: number): number => {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle]?.stop ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  /** Returns the place in the text of the letter at a place in the reading. */
  const locateLetter = (at: number): Span => {
    const index = countBefore(at);
    const place = places[index];
    const part = parts[index];
    if (place && part && at >= place.start) return part;
    const before = index - 1;
    const start = at - (places[before]?.stop ?? 0) + (parts[before]?.stop ?? 0);
    return { start, stop: start + 1 };
  };
  return {
    text: pieces.join(""),
    locate: ({ start, stop }) => ({ start: locateLetter(start).start, stop: locateLetter(stop - 1).stop }),
  };
}

/** Returns the parts of a text that a pattern matches, each with its replacement. */
function listSubstitutions(
  text: string,
  pattern: RegExp,
  replace: (match: RegExpMatchArray) => string | undefined,
): Substitution[] {
  const parts: Substitution[] = [];
  for (const match of text.matchAll(pattern)) {
    const replacement = replace(match);
    if (replacement !== undefined)
      parts.push({ start: match.index, stop: match.index + match[0].length, text: replacement });
  }
  return parts;
}

const ESCAPE = "\\u001b";
/** Matches control sequences of terminals and characters without a width. */
const INVISIBLE = new RegExp(
  [
    `${ESCAPE}\\[[0-?]{0,40}[ -/]{0,4}[@-~]`,
    `${ESCAPE}\\][^\\u0007\\u001b]{0,2000}(?:\\u0007|${ESCAPE}\\\\)`,
    `${ESCAPE}[()][A-Z0-9]`,
    "[\\u00ad\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff]",
  ].join("|"),
  "g",
);
const MAY_BE_INVISIBLE = new RegExp(
  `[${ESCAPE}\\u00ad\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff]`,
);

/** Returns a text without invisible characters; undefined if it has none. */
export function stripInvisible(text: string): TextView | undefined {
  if (!MAY_BE_INVISIBLE.test(text)) return undefined;
  const parts = listSubstitutions(text, INVISIBLE, () => "");
  return parts.length === 0 ? undefined : substitute(text, parts);
}

const MAY_BE_ESCAPED = /%[0-9A-Fa-f]{2}|\\["'/\\nrtu]|&(?:quot|amp|lt|gt|apos|#\d{2,3}|#x[0-9a-f]{2});/;
/** Matches escapes of JSON and of programming languages, percent-encoded bytes and entities of HTML. */
const ESCAPES =
  /%([0-7][0-9A-Fa-f])|((?:%[89A-Fa-f][0-9A-Fa-f])+)|\\u\{?([0-9A-Fa-f]{4})\}?|\\(["'/\\nrt])|&(quot|amp|lt|gt|apos|#\d{2,3}|#x[0-9a-f]{2});|(?<=%[0-9A-Fa-f]{2}[^\s&%]{0,200})&/g;
const CONTROLS: { readonly [letter: string]: string } = { n: "\n", r: "\r", t: "\t" };
const ENTITIES: { readonly [name: string]: string } = { quot: '"', amp: "&", lt: "<", gt: ">", apos: "'" };

/** Returns a text with its escapes decoded once; undefined if it has none. */
export function decodeEscapes(text: string): TextView | undefined {
  if (!MAY_BE_ESCAPED.test(text)) return undefined;
  const parts = listSubstitutions(text, ESCAPES, ([, byte, bytes, unit, letter, entity]) => {
    const hex = byte ?? unit;
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (bytes !== undefined) return Buffer.from(bytes.replaceAll("%", ""), "hex").toString();
    if (letter !== undefined) return CONTROLS[letter] ?? letter;
    // The sign between the parameters of a URL ends a value, which may contain the same sign encoded.
    if (entity === undefined) return "\n";
    if (!entity.startsWith("#")) return ENTITIES[entity];
    return String.fromCharCode(Number(entity.replace("#x", "0x").replace("#", "")));
  });
  return parts.length === 0 ? undefined : substitute(text, parts);
}

/** The columns at which terminals and formatters break lines. */
const WIDTHS: ReadonlySet<number> = new Set([72, 75, 76, 78, 79, 80, 100, 120, 132, 160]);

/** A text with joined lines. */
interface JoinedLines extends TextView {
  /** The places in the reading at which lines were joined. */
  readonly joints: readonly {
    readonly at: number;
    /** True if the line was broken by a sign, or at the width of a terminal. */
    readonly isSure: boolean;
  }[];
}

/** Returns a text in which lines are joined that were broken between letters of a word; undefined if there are none. */
export function joinBrokenLines(text: string): JoinedLines | undefined {
  if (!text.includes("\n")) return undefined;
  const parts: Substitution[] = [];
  const joints: { at: number; isSure: boolean }[] = [];
  let removed = 0;
  for (const match of text.matchAll(/([\\=]?)\r?\n[ \t]{0,20}(?=[\w%+/.~-])/g)) {
    const start = match.index;
    if (!/[\w%+/.~-]/.test(text[start - 1] ?? "")) continue;
    const stop = start + match[0].length;
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    const isSure = match[1] !== "" || (/\n$/.test(match[0]) && WIDTHS.has(start - lineStart));
    parts.push({ start, stop, text: "" });
    joints.push({ at: start - removed, isSure });
    removed += stop - start;
  }
  return parts.length === 0 ? undefined : { ...substitute(text, parts), joints };
}

/** The least number of letters of a text in base64 that is read. */
const LEAST_BASE64 = 24;
/** The least width of lines in base64 that belong together. All but the last have the same width. */
const LEAST_LINE = 60;
const BASE64 = /[A-Za-z0-9+/_-]{24,}/g;
const LINE_OF_BASE64 = /\r?\n([A-Za-z0-9+/]{1,200})(?=[=\r\n]|$)/y;

/** Returns the texts that parts of a text encode as base64. */
export function decodeBase64Texts(text: string): TextView[] {
  const views: TextView[] = [];
  BASE64.lastIndex = 0;
  for (let match = BASE64.exec(text); match !== null; match = BASE64.exec(text)) {
    if (!mayEncodeText(match[0])) continue;
    const width = match[0].length;
    const lines: Span[] = [{ start: match.index, stop: match.index + width }];
    for (let isFull = width >= LEAST_LINE; isFull; ) {
      LINE_OF_BASE64.lastIndex = lines.at(-1)?.stop ?? 0;
      const line = LINE_OF_BASE64.exec(text)?.[1] ?? "";
      if (line === "" || line.length > width) break;
      lines.push({ start: LINE_OF_BASE64.lastIndex - line.length, stop: LINE_OF_BASE64.lastIndex });
      isFull = line.length === width;
    }
    BASE64.lastIndex = lines.at(-1)?.stop ?? text.length;
    views.push(createBase64View(text, lines));
  }
  return views;
}

/** Returns whether a word begins like an encoded text: its first bytes are printable ASCII characters. */
function mayEncodeText(word: string): boolean {
  return /^[\t\n\r\x20-\x7e]+$/.test(Buffer.from(word.slice(0, LEAST_BASE64), "base64").toString("latin1"));
}

function createBase64View(text: string, lines: readonly Span[]): TextView {
  const letters = lines.map(({ start, stop }) => text.slice(start, stop)).join("");
  const width = lines[0] === undefined ? 1 : lines[0].stop - lines[0].start;
  /** Returns the place in the text of the letter at an index of the joined lines, of which all but the last are full. */
  const locateLetter = (index: number): number =>
    (lines[Math.floor(index / width)]?.start ?? 0) + (index % width);
  const bytes = Buffer.from(letters, "base64");
  return {
    // Each character stands for one byte, so that places are easily found.
    text: bytes.toString("latin1"),
    locate: ({ start, stop }) => {
      const last = Math.min(Math.ceil((stop * 4) / 3), letters.length) - 1;
      const end = locateLetter(last) + 1;
      const isEnd = stop === bytes.length;
      return {
        start: locateLetter(Math.floor((start * 4) / 3)),
        stop: isEnd ? end + (/^={1,2}/.exec(text.slice(end, end + 2))?.[0].length ?? 0) : end,
      };
    },
  };
}
