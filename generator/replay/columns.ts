/** How wide text is on a terminal, and breaking it into lines. Pure functions over text without control characters. */

const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Signs that take two columns: pictures, and the scripts of East Asia. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1b000}-\u{1b2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}])/u;
const NARROW = /^[\x20-\x7e]*$/;
const ZERO = /^\p{M}+$/u;

/** The columns that a text takes. */
export function columns(text: string): number {
  if (NARROW.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of SEGMENTS.segment(text)) sum += widthOf(segment);
  return sum;
}

function widthOf(sign: string): number {
  if (ZERO.test(sign)) return 0;
  return WIDE.test(sign) ? 2 : 1;
}

/** A piece of text that looks the same all over. */
export interface Styled {
  readonly style: string;
  readonly text: string;
}

/** Lines of at most `width` columns, broken between words where that is possible. Line feeds stay. */
export function wrap(pieces: readonly Styled[], width: number): Styled[][] {
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
        const size = columns(word);
        const blank = word.startsWith(" ");
        if (used > 0 && used + size > width) {
          next();
          if (blank) continue;
        }
        for (const [index, part] of (size > width ? cut(word, width) : [word]).entries()) {
          if (index > 0) next();
          line.push({ style, text: part });
          used += columns(part);
        }
      }
    }
  return lines;
}

/** A word in parts of at most `width` columns. */
function cut(word: string, width: number): string[] {
  const parts: string[] = [];
  let part = "";
  let used = 0;
  for (const { segment } of SEGMENTS.segment(word)) {
    const size = widthOf(segment);
    if (part !== "" && used + size > width) {
      parts.push(part);
      part = "";
      used = 0;
    }
    part += segment;
    used += size;
  }
  return part === "" ? parts : [...parts, part];
}
