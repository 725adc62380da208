/** Formats blocks as lines of styled pieces for a terminal. Control characters in the text of events are made visible. */
import { sanitizeText } from "../text.js";
import {
  type ApprovalBlock,
  type Block,
  describeGap,
  type Facts,
  type Output,
  type TextBlock,
  type ToolBlock,
} from "../view/block.js";
import { type MarkdownBlock, parseMarkdown } from "../view/markdown.js";
import { readColors } from "./ansi.js";
import { type StyledText, wrapLines } from "./columns.js";

/** The pieces of a line from left to right. */
export type Line = readonly StyledText[];

/** The number of lines of output that a box shows, half of them from the beginning and half from the end. */
const OUTPUT_LINES = 40;

/** The number of characters of an unknown event that are shown. */
const MAX_JSON_LENGTH = 2000;

/** Returns the lines of a block, none wider than `width`. */
export function formatBlock(block: Block, width: number): Line[] {
  switch (block.kind) {
    case "text":
      return formatText(block, width);
    case "tool":
      return formatToolCall(block, width);
    case "approval":
      return wrapLines([...createTitle(block), ...createFactPieces(block.facts)], width);
    case "gap":
      return wrapLines(
        [createStyled("open", `┄ ${describeGap(block).toLowerCase()}`), ...createFactPieces(block.facts)],
        width,
      );
    case "notice":
    case "cost":
      return indentLines(
        "· ",
        [createStyled(block.tone, block.label), ...createFactPieces(block.facts)],
        width,
      );
    case "unknown":
      return wrapLines(
        [createStyled("open", `? ${block.type}`), createStyled("soft", `  ${formatJson(block.value)}`)],
        width,
      );
    case "fault":
      return wrapLines(
        block.value === undefined
          ? [createStyled("bad", `! ${block.problem}`)]
          : [
              createStyled("bad", `! event ${block.problem}`),
              createStyled("soft", `  ${formatJson(block.value)}`),
            ],
        width,
      );
  }
}

/** Returns the lines of a change: facts that a tool call or an approval got after it was printed. */
export function formatUpdate(block: ToolBlock | ApprovalBlock, facts: Facts, width: number): Line[] {
  return wrapLines([...createTitle(block), ...createFactPieces(facts)], width);
}

/** Returns the line that names the stream of the following blocks. */
export function formatStreamName(name: string, width: number): Line[] {
  return wrapLines([createStyled("soft", `── ${name}`)], width);
}

/** Returns the line that stands for a text of reasoning that is hidden. */
export function formatHiddenReasoning(width: number): Line[] {
  return wrapLines([createStyled("soft", "~ reasoning is hidden; --reasoning shows it")], width);
}

function createTitle(block: ToolBlock | ApprovalBlock): StyledText[] {
  const title = block.kind === "tool" ? block.name || "tool call" : "approval";
  const subject = block.kind === "tool" ? [] : [createPlain("  "), createPlain(block.subject)];
  return [
    createStyled("strong", title),
    createPlain(" · "),
    createStyled(block.tone, block.state || "open"),
    ...subject,
  ];
}

function createFactPieces(facts: Facts): StyledText[] {
  return Object.entries(facts).flatMap(([name, text]) => [
    createStyled("soft", `  ${name.replaceAll(" ", "_")}=`),
    createPlain(quoteIfNeeded(text)),
  ]);
}

/** Returns a value of a fact as JSON if another program could not tell where it ends. */
function quoteIfNeeded(text: string): string {
  return /^[^\s"'=]+$/.test(text) ? text : JSON.stringify(text);
}

/** The marks before each line of a speaker's text. */
const MARKS = { user: "> ", thinking: "~ ", assistant: "" };

function formatText({ speaker, text }: TextBlock, width: number): Line[] {
  const mark = MARKS[speaker];
  const base = speaker === "thinking" ? "soft" : "plain";
  const blocks = parseMarkdown(text);
  const lines = blocks.flatMap((block, index) => {
    const isSameList = block.kind === "item" && blocks[index - 1]?.kind === "item";
    const formatted = formatMarkdown(block, base, width - mark.length);
    const hasBlankLine = index > 0 && !isSameList;
    return hasBlankLine ? [[], ...formatted] : formatted;
  });
  return mark === "" ? lines : lines.map((line) => [createStyled("soft", mark), ...line]);
}

function formatMarkdown(block: MarkdownBlock, base: string, width: number): Line[] {
  switch (block.kind) {
    case "paragraph":
      return wrapLines(convertStyles(block.spans, base), width);
    case "heading":
      return wrapLines(
        block.spans.map(({ text }) => createStyled("strong", text)),
        width,
      );
    case "item": {
      const marker = `${"  ".repeat(block.indent)}${block.marker} `;
      return indentLines(marker, convertStyles(block.spans, base), width);
    }
    case "quote":
      return indentLines("▏ ", convertStyles(block.spans, "soft"), width, true);
    case "code":
      return indentLines("  ", [createStyled("code", block.text)], width, true);
    case "rule":
      return [[createStyled("soft", "─".repeat(Math.min(width, 20)))]];
  }
}

/** Returns spans in the styles of the terminal; those without a style of their own have the style `base`. */
function convertStyles(spans: readonly StyledText[], base: string): StyledText[] {
  return spans.map(({ style, text }) => createStyled(style === "plain" ? base : style, text));
}

/** Indents lines by a marker, which is shown on the first line, or on every line if `isRepeated`. */
function indentLines(
  marker: string,
  pieces: readonly StyledText[],
  width: number,
  isRepeated = false,
): Line[] {
  const lines = wrapLines(pieces, Math.max(1, width - marker.length));
  const blank = " ".repeat(marker.length);
  return lines.map((line, index) => [
    createStyled("soft", index === 0 || isRepeated ? marker : blank),
    ...line,
  ]);
}

function formatToolCall(block: ToolBlock, width: number): Line[] {
  const innerWidth = Math.max(1, width - 2);
  const input =
    block.input === undefined ? [] : wrapLines([createStyled("code", `› ${block.input}`)], innerWidth);
  const output = block.output.flatMap((piece) => formatOutput(piece, innerWidth));
  const [first, ...rest] = createFactPieces(block.facts);
  const facts = first ? wrapLines([{ ...first, text: first.text.trimStart() }, ...rest], innerWidth) : [];
  return [
    ...wrapLines(createTitle(block), innerWidth).map((line, index) =>
      addBorder(index === 0 ? "╭ " : "│ ", line),
    ),
    ...[...input, ...shortenOutput(output), ...facts].map((line) => addBorder("│ ", line)),
    [createStyled("soft", "╰")],
  ];
}

function formatOutput({ channel, text, dropped, missing, masked = 0 }: Output, width: number): Line[] {
  const missingNote = missing > 0 ? [[createStyled("open", `┄ ${missing} bytes are missing`)]] : [];
  const maskedNote = masked > 0 ? [[createStyled("open", `┄ ${masked} bytes were masked`)]] : [];
  const droppedNote = dropped > 0 ? [[createStyled("soft", `… ${dropped} characters before this`)]] : [];
  const pieces = readColors(text.replace(/\r?\n$/, ""), channel === "stderr" ? "bad" : "plain");
  const lines = wrapLines(
    pieces.map((piece) => createStyled(piece.style, piece.text)),
    width,
  );
  return [...missingNote, ...maskedNote, ...droppedNote, ...lines];
}

function addBorder(border: string, line: Line): Line {
  return [createStyled("soft", border), ...line];
}

/** Leaves out the middle of long output. */
function shortenOutput(lines: readonly Line[]): readonly Line[] {
  const omittedCount = lines.length - OUTPUT_LINES;
  if (omittedCount <= 0) return lines;
  const half = OUTPUT_LINES / 2;
  return [...lines.slice(0, half), [createStyled("soft", `… ${omittedCount} lines`)], ...lines.slice(-half)];
}

function createStyled(style: string, text: string): StyledText {
  return { style, text: sanitizeText(text) };
}

function createPlain(text: string): StyledText {
  return createStyled("plain", text);
}

function formatJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > MAX_JSON_LENGTH ? `${text.slice(0, MAX_JSON_LENGTH)}…` : text;
}
