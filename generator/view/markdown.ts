/**
 * Parses a small part of Markdown: paragraphs, headings, lists, quotes, code, emphasis. HTML, images and links stay text.
 * The blocks hold all of the text. Parsing takes time that is linear in the length of the text.
 */

/** A piece of text in one style. */
interface Span {
  readonly style: "plain" | "strong" | "emphasis" | "code";
  readonly text: string;
}

/** A block of the text. */
export type MarkdownBlock =
  | { readonly kind: "paragraph"; readonly spans: readonly Span[] }
  | { readonly kind: "heading"; readonly level: number; readonly spans: readonly Span[] }
  | {
      readonly kind: "item";
      readonly marker: string;
      readonly indent: number;
      readonly spans: readonly Span[];
    }
  | { readonly kind: "quote"; readonly spans: readonly Span[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "rule" };

/** Parses a text into blocks. */
export function parseMarkdown(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  const paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) blocks.push({ kind: "paragraph", spans: parseSpans(paragraph.join("\n")) });
    paragraph.length = 0;
  };
  const lines = text.split(/\r\n?|\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const fence = findOpeningFence(line);
    if (fence !== undefined) {
      flush();
      let end = index + 1;
      while (end < lines.length && !isClosingFence(lines[end] ?? "", fence)) end++;
      blocks.push({ kind: "code", text: lines.slice(index + 1, end).join("\n") });
      index = end;
      continue;
    }
    const block = parseLine(line);
    if (block === undefined && line.trim() !== "") paragraph.push(line.trim());
    else flush();
    if (block) blocks.push(block);
  }
  flush();
  return blocks;
}

/**
 * Returns the last position at or after `start` before which a text that grows at its end keeps its blocks. It is the end of
 * the last blank line outside code. `start` must be such a position, or 0.
 */
export function findStableEnd(text: string, start: number): number {
  let stableEnd = start;
  let lineStart = start;
  let fence: string | undefined;
  for (;;) {
    const lineEnd = text.indexOf("\n", lineStart);
    if (lineEnd === -1) return stableEnd;
    const line = text.slice(lineStart, lineEnd);
    lineStart = lineEnd + 1;
    if (fence === undefined) {
      fence = findOpeningFence(line);
      if (fence === undefined && line.trim() === "") stableEnd = lineStart;
    } else if (isClosingFence(line, fence)) fence = undefined;
  }
}

/** Returns the characters with which a line begins a block of code; undefined for other lines. */
function findOpeningFence(line: string): string | undefined {
  return /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
}

function isClosingFence(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}

/** Parses a block of one line. Returns undefined if the line is part of a paragraph. */
function parseLine(line: string): MarkdownBlock | undefined {
  const heading = /^ {0,3}(#{1,6}) +(\S.*)$/.exec(line);
  if (heading)
    return { kind: "heading", level: heading[1]?.length ?? 1, spans: parseSpans(heading[2] ?? "") };
  if (/^ {0,3}([-*_])(?: *\1){2,} *$/.test(line)) return { kind: "rule" };
  const item = /^( *)([-*+]|\d{1,9}[.)]) +(\S.*)$/.exec(line);
  if (item) {
    const [, space = "", mark = "", text = ""] = item;
    const marker = /\d/.test(mark) ? mark : "•";
    return {
      kind: "item",
      marker,
      indent: Math.min(Math.floor(space.length / 2), 8),
      spans: parseSpans(text),
    };
  }
  const quote = /^ {0,3}> ?(.*)$/.exec(line);
  return quote ? { kind: "quote", spans: parseSpans(quote[1] ?? "") } : undefined;
}

/**
 * Matches code, strong text and emphasis, which is written in two ways. Each group is the text between its marks. Every branch
 * ends at the next mark of the same kind, so that the search takes linear time.
 */
const MARKS =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])[*]([^*\s][^*\n]*)[*](?![\w*])|(?<!\w)_([^_\s][^_\n]*)_(?!\w)/g;

/** The marks of longer lines are not parsed. */
const MAX_LINE = 10_000;

function parseSpans(text: string): Span[] {
  if (text.length > MAX_LINE) return [{ style: "plain", text }];
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    const [whole, code, strong, star, underscore] = match;
    if (match.index > end) spans.push({ style: "plain", text: text.slice(end, match.index) });
    let style: Span["style"] = "emphasis";
    if (code !== undefined) style = "code";
    else if (strong !== undefined) style = "strong";
    spans.push({ style, text: code ?? strong ?? star ?? underscore ?? whole });
    end = match.index + whole.length;
  }
  if (end < text.length) spans.push({ style: "plain", text: text.slice(end) });
  return spans;
}
