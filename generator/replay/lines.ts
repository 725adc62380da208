/** What each kind of block looks like on a terminal, as lines of styled pieces. Pure; text of events is made visible. */
import { visible } from "../text.js";
import type { ApprovalBlock, Block, TextBlock, ToolBlock } from "../view/block.js";
import { type MarkdownBlock, parseMarkdown } from "../view/markdown.js";
import { type Styled, wrap } from "./columns.js";

/** A line, its pieces from left to right. */
export type Line = readonly Styled[];

/** How many lines of output a box shows: as many from the beginning as from the end. */
const OUTPUT_LINES = 40;

/** How much of an unknown event is shown. */
const OPAQUE_LENGTH = 2000;

/** The lines of a block, none wider than `width`. */
export function linesOf(block: Block, width: number): Line[] {
  switch (block.kind) {
    case "text":
      return textLines(block, width);
    case "tool":
      return toolLines(block, width);
    case "approval":
      return flow(
        [...head("approval", block), plain("  "), plain(block.subject), ...told(block.facts)],
        width,
      );
    case "gap":
      return flow([styled("open", `┄ ${missing(block.first, block.last)}`), ...told(block.facts)], width);
    case "notice":
    case "cost":
      return hang("· ", [styled(block.tone, block.summary), ...told(block.facts)], width);
    case "unknown":
      return flow([styled("open", `? ${block.type}`), styled("soft", `  ${json(block.value)}`)], width);
    case "fault":
      return flow(
        block.value === undefined
          ? [styled("bad", `! ${block.problem}`)]
          : [styled("bad", `! event ${block.problem}`), styled("soft", `  ${json(block.value)}`)],
        width,
      );
  }
}

/** What came to a tool call or an approval after it was shown: these facts. */
export function afterwards(
  block: ToolBlock | ApprovalBlock,
  facts: Iterable<readonly [string, string]>,
  width: number,
): Line[] {
  const subject = block.kind === "tool" ? [] : [plain("  "), plain(block.subject)];
  const what = block.kind === "tool" ? block.name || "tool call" : "approval";
  return flow([...head(what, block), ...subject, ...told(facts)], width);
}

/** The line that names the stream that follows. */
export function streamLine(name: string, width: number): Line[] {
  return flow([styled("soft", `── ${name}`)], width);
}

function head(what: string, { state, tone }: ToolBlock | ApprovalBlock): Styled[] {
  return [styled("strong", what), plain(" · "), styled(tone, state || "open")];
}

function told(facts: Iterable<readonly [string, string]>): Styled[] {
  return [...facts].flatMap(([name, text]) => [styled("soft", `  ${name}`), plain(` ${text}`)]);
}

function missing(first: number | undefined, last: number | undefined): string {
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
    const apart = index > 0 && !(block.kind === "item" && blocks[index - 1]?.kind === "item");
    return [...(apart ? [[]] : []), ...markdownLines(block, base, width - mark.length)];
  });
  return mark === "" ? lines : lines.map((line) => [styled("soft", mark), ...line]);
}

function markdownLines(block: MarkdownBlock, base: string, width: number): Line[] {
  switch (block.kind) {
    case "paragraph":
      return flow(spans(block.spans, base), width);
    case "heading":
      return flow(
        block.spans.map(({ text }) => styled("strong", text)),
        width,
      );
    case "item": {
      const marker = `${"  ".repeat(block.indent)}${block.marker} `;
      return hang(marker, spans(block.spans, base), width);
    }
    case "quote":
      return hang("▏ ", spans(block.spans, "soft"), width, true);
    case "code":
      return hang("  ", [styled("code", block.text)], width, true);
    case "rule":
      return [[styled("soft", "─".repeat(Math.min(width, 20)))]];
  }
}

function spans(all: readonly Styled[], base: string): Styled[] {
  return all.map(({ style, text }) => styled(style === "plain" ? base : style, text));
}

/** Lines behind a marker, which stands before the first of them or before all. */
function hang(marker: string, pieces: readonly Styled[], width: number, each = false): Line[] {
  const lines = flow(pieces, Math.max(1, width - marker.length));
  const blank = " ".repeat(marker.length);
  return lines.map((line, index) => [styled("soft", index === 0 || each ? marker : blank), ...line]);
}

function toolLines(block: ToolBlock, width: number): Line[] {
  const inner = Math.max(1, width - 2);
  const input = block.input === undefined ? [] : flow([styled("code", `› ${block.input}`)], inner);
  const output = block.output.flatMap(({ channel, text, dropped }) => {
    const note = dropped > 0 ? [[styled("soft", `… ${dropped} characters before this`)]] : [];
    const style = channel === "stderr" ? "bad" : "plain";
    return [...note, ...flow([styled(style, text.replace(/\r?\n$/, ""))], inner)];
  });
  const facts = told(block.facts);
  const [first = plain(""), ...rest] = facts;
  const foot = facts.length === 0 ? [] : flow([{ ...first, text: first.text.trimStart() }, ...rest], inner);
  return [
    ...flow(head(block.name || "tool call", block), inner).map((line, at) =>
      edge(at === 0 ? "╭ " : "│ ", line),
    ),
    ...[...input, ...shortened(output), ...foot].map((line) => edge("│ ", line)),
    [styled("soft", "╰")],
  ];
}

function edge(sign: string, line: Line): Line {
  return [styled("soft", sign), ...line];
}

function shortened(lines: readonly Line[]): readonly Line[] {
  const left = lines.length - OUTPUT_LINES;
  if (left <= 0) return lines;
  const half = OUTPUT_LINES / 2;
  return [...lines.slice(0, half), [styled("soft", `… ${left} lines`)], ...lines.slice(-half)];
}

function flow(pieces: readonly Styled[], width: number): Line[] {
  return wrap(pieces, width);
}

function styled(style: string, text: string): Styled {
  return { style, text: visible(text) };
}

function plain(text: string): Styled {
  return styled("plain", text);
}

function json(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > OPAQUE_LENGTH ? `${text.slice(0, OPAQUE_LENGTH)}…` : text;
}
