/** Measures text on a terminal and breaks it into lines. The text must not contain control characters. */

const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Characters that take two columns: emoji, and the scripts of East Asia. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1b000}-\u{1b2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}])/u;
/** Text of which every character takes one column. */
const NARROW = /^[\x20-\x7e]*$/;
/** Marks without a base character, which take no column. */
const ZERO = /^\p{M}+$/u;

/** Returns the number of columns that a text occupies. */
export function countColumns(text: string): number {
  if (NARROW.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of SEGMENTS.segment(text)) sum += measureCharacter(segment);
  return sum;
}

/** Returns the number of columns of one character. */
function measureCharacter(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** A piece of text in one style. */
export interface StyledText {
  readonly style: string;
  readonly text: string;
}

/** Breaks pieces into lines of at most `width` columns, between words if possible. A line feed begins a new line. */
export function wrapLines(pieces: readonly StyledText[], width: number): StyledText[][] {
  let line: StyledText[] = [];
  let used = 0;
  const lines = [line];
  const beginLine = (): void => {
    line = [];
    lines.push(line);
    used = 0;
  };
  for (const { style, text } of pieces)
    for (const [word] of text.matchAll(/\n| +|[^ \n]+/g)) {
      if (word === "\n") beginLine();
      else {
        const size = countColumns(word);
        const isBlank = word.startsWith(" ");
        if (used > 0 && used + size > width) {
          beginLine();
          if (isBlank) continue;
        }
        const parts = size > width ? cutWord(word, width) : [word];
        for (const [index, part] of parts.entries()) {
          if (index > 0) beginLine();
          line.push({ style, text: part });
          used += countColumns(part);
        }
      }
    }
  return lines;
}

/** Cuts a word into parts of at most `width` columns. */
function cutWord(word: string, width: number): string[] {
  const parts: string[] = [];
  let used = 0;
  for (const { segment } of SEGMENTS.segment(word)) {
    const size = measureCharacter(segment);
    if (parts.length > 0 && used + size <= width) parts.push(`${parts.pop()}${segment}`);
    else {
      parts.push(segment);
      used = 0;
    }
    used += size;
  }
  return parts;
}
