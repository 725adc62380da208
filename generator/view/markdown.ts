/**
 * A small part of Markdown as data: paragraphs, headings, lists, quotes, code, emphasis. Nothing in it is active: no
 * HTML, no images, and a link is its text and its address. Total: any text gives blocks that hold all of it. Linear in
 * the length of the text.
 */

/** A piece of a line. */
interface Span {
  readonly style: "plain" | "strong" | "emphasis" | "code";
  readonly text: string;
}

/** A part of the text. */
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

/** The blocks of a text. */
export function parseMarkdown(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  const paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) blocks.push({ kind: "paragraph", spans: spansOf(paragraph.join("\n")) });
    paragraph.length = 0;
  };
  const lines = text.split(/\r\n?|\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      flush();
      const code: string[] = [];
      while (++index < lines.length && !closes(lines[index] ?? "", fence)) code.push(lines[index] ?? "");
      blocks.push({ kind: "code", text: code.join("\n") });
      continue;
    }
    const block = lineBlock(line);
    if (block === undefined && line.trim() !== "") paragraph.push(line.trim());
    else flush();
    if (block) blocks.push(block);
  }
  flush();
  return blocks;
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}

/** A block of one line, or undefined if the line is part of a paragraph. */
function lineBlock(line: string): MarkdownBlock | undefined {
  const heading = /^ {0,3}(#{1,6}) +(\S.*)$/.exec(line);
  if (heading) return { kind: "heading", level: heading[1]?.length ?? 1, spans: spansOf(heading[2] ?? "") };
  if (/^ {0,3}([-*_])(?: *\1){2,} *$/.test(line)) return { kind: "rule" };
  const item = /^( *)([-*+]|\d{1,9}[.)]) +(\S.*)$/.exec(line);
  if (item) {
    const [, space = "", mark = "", text = ""] = item;
    const marker = /\d/.test(mark) ? mark : "•";
    return { kind: "item", marker, indent: Math.min(space.length >> 1, 8), spans: spansOf(text) };
  }
  const quote = /^ {0,3}> ?(.*)$/.exec(line);
  return quote ? { kind: "quote", spans: spansOf(quote[1] ?? "") } : undefined;
}

/** Every branch ends at the next mark of its own kind, so that no text makes it look far ahead more than once. */
const MARKS =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])[*]([^*\s][^*\n]*)[*](?![\w*])|(?<!\w)_([^_\s][^_\n]*)_(?!\w)/g;

/** How long a line may be for its marks to count; what is longer is no prose. */
const LONGEST = 10_000;

function spansOf(text: string): Span[] {
  if (text.length > LONGEST) return [{ style: "plain", text }];
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    const [whole, code, strong, star, underscore] = match;
    if (match.index > end) spans.push({ style: "plain", text: text.slice(end, match.index) });
    const style = code !== undefined ? "code" : strong !== undefined ? "strong" : "emphasis";
    spans.push({ style, text: code ?? strong ?? star ?? underscore ?? whole });
    end = match.index + whole.length;
  }
  if (end < text.length) spans.push({ style: "plain", text: text.slice(end) });
  return spans;
}
