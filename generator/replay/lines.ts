/** Prints blocks as lines of styled pieces for a terminal. Control characters in the text of events are made visible. */
import { visible } from "../text.js";
import type { ApprovalBlock, Block, TextBlock, ToolBlock } from "../view/block.js";
import { type MarkdownBlock, parseMarkdown } from "../view/markdown.js";
import { type Styled, wrapLines } from "./columns.js";

/** The pieces of a line from left to right. */
export type Line = readonly Styled[];

/** The number of lines of output that a box shows, half of them from the beginning and half from the end. */
const OUTPUT_LINES = 40;

/** The number of characters of an unknown event that are shown. */
const MAX_JSON_LENGTH = 2000;

/** Returns the lines of a block, none wider than `width`. */
export function linesOf(block: Block, width: number): Line[] {
  switch (block.kind) {
    case "text":
      return textLines(block, width);
    case "tool":
      return toolLines(block, width);
    case "approval":
      return wrapLines([...titlePieces(block), ...factPieces(block.facts)], width);
    case "gap":
      return wrapLines(
        [styled("open", `┄ ${describeGap(block.first, block.last)}`), ...factPieces(block.facts)],
        width,
      );
    case "notice":
    case "cost":
      return indentLines("· ", [styled(block.tone, block.summary), ...factPieces(block.facts)], width);
    case "unknown":
      return wrapLines([styled("open", `? ${block.type}`), styled("soft", `  ${json(block.value)}`)], width);
    case "fault":
      return wrapLines(
        block.value === undefined
          ? [styled("bad", `! ${block.problem}`)]
          : [styled("bad", `! event ${block.problem}`), styled("soft", `  ${json(block.value)}`)],
        width,
      );
  }
}

/** Returns the lines for facts that a tool call or an approval gets after it was printed. */
export function updateLines(
  block: ToolBlock | ApprovalBlock,
  facts: Iterable<readonly [string, string]>,
  width: number,
): Line[] {
  return wrapLines([...titlePieces(block), ...factPieces(facts)], width);
}

/** Returns the line that names the stream of the following blocks. */
export function streamLine(name: string, width: number): Line[] {
  return wrapLines([styled("soft", `── ${name}`)], width);
}

/** Returns the line that stands for a text of reasoning that is hidden. */
export function hiddenReasoningLines(width: number): Line[] {
  return wrapLines([styled("soft", "~ reasoning is hidden; --reasoning shows it")], width);
}

function titlePieces(block: ToolBlock | ApprovalBlock): Styled[] {
  const title = block.kind === "tool" ? block.name || "tool call" : "approval";
  const subject = block.kind === "tool" ? [] : [plain("  "), plain(block.subject)];
  return [styled("strong", title), plain(" · "), styled(block.tone, block.state || "open"), ...subject];
}

function factPieces(facts: Iterable<readonly [string, string]>): Styled[] {
  return [...facts].flatMap(([name, text]) => [styled("soft", `  ${name}`), plain(` ${text}`)]);
}

function describeGap(first: number | undefined, last: number | undefined): string {
  if (last === undefined) return "events may be missing here";
  if (first === undefined) return `events before ${last + 1} are missing`;
  return first === last ? `event ${first} is missing` : `events ${first} to ${last} are missing`;
}

const MARKS = { user: "> ", thinking: "~ ", assistant: "" };

function textLines({ speaker, text }: TextBlock, width: number): Line[] {
  const mark = MARKS[speaker];
  const base = speaker === "thinking" ? "soft" : "plain";
  const blocks = parseMarkdown(text);
  const lines = blocks.flatMap((block, index) => {
    const isSameList = block.kind === "item" && blocks[index - 1]?.kind === "item";
    return [...(index === 0 || isSameList ? [] : [[]]), ...markdownLines(block, base, width - mark.length)];
  });
  return mark === "" ? lines : lines.map((line) => [styled("soft", mark), ...line]);
}

function markdownLines(block: MarkdownBlock, base: string, width: number): Line[] {
  switch (block.kind) {
    case "paragraph":
      return wrapLines(spans(block.spans, base), width);
    case "heading":
      return wrapLines(
        block.spans.map(({ text }) => styled("strong", text)),
        width,
      );
    case "item": {
      const marker = `${"  ".repeat(block.indent)}${block.marker} `;
      return indentLines(marker, spans(block.spans, base), width);
    }
    case "quote":
      return indentLines("▏ ", spans(block.spans, "soft"), width, true);
    case "code":
      return indentLines("  ", [styled("code", block.text)], width, true);
    case "rule":
      return [[styled("soft", "─".repeat(Math.min(width, 20)))]];
  }
}

function spans(all: readonly Styled[], base: string): Styled[] {
  return all.map(({ style, text }) => styled(style === "plain" ? base : style, text));
}

/** Indents lines by a marker, which is shown on the first line, or on every line. */
function indentLines(marker: string, pieces: readonly Styled[], width: number, each = false): Line[] {
  const lines = wrapLines(pieces, Math.max(1, width - marker.length));
  const blank = " ".repeat(marker.length);
  return lines.map((line, index) => [styled("soft", index === 0 || each ? marker : blank), ...line]);
}

function toolLines(block: ToolBlock, width: number): Line[] {
  const inner = Math.max(1, width - 2);
  const input = block.input === undefined ? [] : wrapLines([styled("code", `› ${block.input}`)], inner);
  const output = block.output.flatMap(({ channel, text, dropped }) => {
    const note = dropped > 0 ? [[styled("soft", `… ${dropped} characters before this`)]] : [];
    const style = channel === "stderr" ? "bad" : "plain";
    return [...note, ...wrapLines([styled(style, text.replace(/\r?\n$/, ""))], inner)];
  });
  const facts = factPieces(block.facts);
  const [first = plain(""), ...rest] = facts;
  const foot =
    facts.length === 0 ? [] : wrapLines([{ ...first, text: first.text.trimStart() }, ...rest], inner);
  return [
    ...wrapLines(titlePieces(block), inner).map((line, at) => addBorder(at === 0 ? "╭ " : "│ ", line)),
    ...[...input, ...shorten(output), ...foot].map((line) => addBorder("│ ", line)),
    [styled("soft", "╰")],
  ];
}

function addBorder(sign: string, line: Line): Line {
  return [styled("soft", sign), ...line];
}

function shorten(lines: readonly Line[]): readonly Line[] {
  const left = lines.length - OUTPUT_LINES;
  if (left <= 0) return lines;
  const half = OUTPUT_LINES / 2;
  return [...lines.slice(0, half), [styled("soft", `… ${left} lines`)], ...lines.slice(-half)];
}

function styled(style: string, text: string): Styled {
  return { style, text: visible(text) };
}

function plain(text: string): Styled {
  return styled("plain", text);
}

function json(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > MAX_JSON_LENGTH ? `${text.slice(0, MAX_JSON_LENGTH)}…` : text;
}
