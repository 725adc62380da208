/** Measures text on a terminal and breaks it into lines. The text must not contain control characters. */

const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Characters that take two columns: emoji, and the scripts of East Asia. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1b000}-\u{1b2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}])/u;
const NARROW = /^[\x20-\x7e]*$/;
const ZERO = /^\p{M}+$/u;

/** Returns the number of columns that a text takes. */
export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of SEGMENTS.segment(text)) sum += widthOf(segment);
  return sum;
}

function widthOf(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** A piece of text in one style. */
export interface Styled {
  readonly style: string;
  readonly text: string;
}

/** Breaks pieces into lines of at most `width` columns, between words if possible. Line feeds are kept. */
export function wrapLines(pieces: readonly Styled[], width: number): Styled[][] {
  let line: Styled[] = [];
  let used = 0;
  const lines = [line];
  const next = (): void => {
    line = [];
    lines.push(line);
    used = 0;
  };
  for (const { style, text } of pieces)
    for (const [word] of text.matchAll(/\n| +|[^ \n]+/g)) {
      if (word === "\n") next();
      else {
        const size = columnsOf(word);
        const blank = word.startsWith(" ");
        if (used > 0 && used + size > width) {
          next();
          if (blank) continue;
        }
        for (const [index, part] of (size > width ? cutWord(word, width) : [word]).entries()) {
          if (index > 0) next();
          line.push({ style, text: part });
          used += columnsOf(part);
        }
      }
    }
  return lines;
}

/** Cuts a word into parts of at most `width` columns. */
function cutWord(word: string, width: number): string[] {
  const parts: string[] = [];
  let used = width;
  for (const { segment } of SEGMENTS.segment(word)) {
    const size = widthOf(segment);
    if (parts.length > 0 && used + size <= width) parts.push(`${parts.pop()}${segment}`);
    else {
      parts.push(segment);
      used = 0;
    }
    used += size;
  }
  return parts;
}
