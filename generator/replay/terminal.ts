/**
 * Prints blocks as text for a terminal, where printed lines cannot change. A text or a tool call is printed when it is
 * complete, an approval when it is requested and again when it is decided, everything else at once. Incomplete blocks are
 * printed at the end.
 */
import pico from "picocolors";
import type { ApprovalBlock, Block, TextBlock, ToolBlock } from "../view/block.js";
import { toMilliseconds } from "../view/payload.js";
import { writeColors } from "./ansi.js";
import { formatBlock, formatHiddenReasoning, formatStreamName, formatUpdate, type Line } from "./lines.js";

/** The options of a terminal. */
interface TerminalOptions {
  /** The number of columns with the margin; at least 20 are used. */
  readonly width: number;
  readonly color: boolean;
  /** True to print the colours in the output of tools. */
  readonly keepsAnsi: boolean;
  /** True to print the time since the first shown event before each block. */
  readonly showsTimes: boolean;
  /** True to print the reasoning of models. Otherwise, one line stands for each text of reasoning. */
  readonly showsReasoning: boolean;
}

/** Prints blocks in the order in which a view returns them. */
interface Terminal {
  /** Returns the text to print now. `formatStream` returns the name of a stream, for the line above its blocks. */
  take(blocks: readonly Block[], formatStream: (stream: string) => string): string;
  /** Returns the text of incomplete blocks. */
  end(): string;
}

/** The columns for sequence numbers, if the terminal is wide enough. */
const MARGIN = 6;

/** The additional columns for times. */
const TIME_COLUMNS = 11;

/** Returns a function that formats the seconds between the first time that it was given and a time. */
function createElapsedFormatter(): (time: Block["time"]) => string {
  let first: number | undefined;
  return (time) => {
    const now = toMilliseconds(time);
    if (now === undefined) return "";
    first ??= now;
    const seconds = (now - first) / 1000;
    return `${seconds < 0 ? "" : "+"}${seconds.toFixed(3)}s`;
  };
}

/** The greatest number of incomplete blocks; beyond that, the oldest one is printed. */
const MAX_OPEN = 1000;

/** Creates a terminal on which nothing is printed yet. */
export function createTerminal({
  width,
  color,
  keepsAnsi,
  showsReasoning,
  showsTimes,
}: TerminalOptions): Terminal {
  const columns = Math.max(20, width);
  const margin = columns < 48 ? 0 : MARGIN + (showsTimes ? TIME_COLUMNS : 0);
  const formatElapsed = createElapsedFormatter();
  const contentWidth = columns - margin;
  const paint = createPainter(color, keepsAnsi);
  /** Functions that print the incomplete blocks, by block. */
  const openBlocks = new Map<object, () => string>();
  /** The printed state and facts of blocks that may change. */
  const printedFactsByBlock = new WeakMap<object, ReadonlyMap<string, string>>();
  let stream: string | undefined;

  const print = (lines: readonly Line[], sequence: number | undefined, time: Block["time"]): string => {
    const elapsed = showsTimes ? formatElapsed(time) : "";
    return lines
      .map((line, index) => {
        const label = `${elapsed} ${sequence ?? ""}`.trim();
        const number = index === 0 ? label : "";
        // A number that is too long for the margin is printed on its own line.
        const isLong = number.length > margin - 2;
        const prefix = isLong ? `${number}\n${" ".repeat(margin)}` : `${number.padStart(margin - 2)}  `;
        const text = line.map((piece) => paint(piece.style, piece.text)).join("");
        const fullLine = margin === 0 ? text : paint("soft", prefix) + text;
        return `${fullLine.trimEnd()}\n`;
      })
      .join("");
  };
  const printInStream = (block: Block, name: string, lines: readonly Line[]): string => {
    const header =
      block.stream === stream || block.stream === ""
        ? ""
        : print(formatStreamName(name, contentWidth), undefined, undefined);
    if (block.stream !== "") stream = block.stream;
    return header + print(lines, block.sequence, block.time);
  };
  const show = (block: Block, name: string): string => {
    const printBlock = (): string => {
      if (canChange(block)) printedFactsByBlock.set(block, collectFacts(block));
      const isHidden = block.kind === "text" && block.speaker === "thinking" && !showsReasoning;
      return printInStream(
        block,
        name,
        isHidden ? formatHiddenReasoning(contentWidth) : formatBlock(block, contentWidth),
      );
    };
    if (!canChange(block)) return printBlock();
    const printedFacts = printedFactsByBlock.get(block);
    if (printedFacts) {
      const changed = [...collectFacts(block)].filter(([name, text]) => printedFacts.get(name) !== text);
      if (changed.length === 0 || block.kind === "text") return "";
      printedFactsByBlock.set(block, collectFacts(block));
      const facts = Object.fromEntries(changed.filter(([name]) => name !== STATE));
      return printInStream(block, name, formatUpdate(block, facts, contentWidth));
    }
    openBlocks.delete(block);
    if (isPrintable(block)) return printBlock();
    openBlocks.set(block, printBlock);
    return openBlocks.size > MAX_OPEN ? printOldest() : "";
  };
  const printOldest = (): string => {
    for (const [block, printBlock] of openBlocks) {
      openBlocks.delete(block);
      return printBlock();
    }
    return "";
  };
  return {
    take: (blocks, formatStream) => blocks.map((block) => show(block, formatStream(block.stream))).join(""),
    end: () => [...openBlocks.values()].map((printBlock) => printBlock()).join(""),
  };
}

function canChange(block: Block): block is TextBlock | ToolBlock | ApprovalBlock {
  return block.kind === "text" || block.kind === "tool" || block.kind === "approval";
}

/** Returns whether a block can be printed, even if it changes later. */
function isPrintable(block: TextBlock | ToolBlock | ApprovalBlock): boolean {
  if (block.kind === "approval") return true;
  return block.kind === "text" ? !block.open : block.tone !== "open";
}

/** The name of the state among the facts of a block. No field has an empty name. */
const STATE = "";

function collectFacts(block: TextBlock | ToolBlock | ApprovalBlock): ReadonlyMap<string, string> {
  return block.kind === "text" ? new Map() : new Map([[STATE, block.state], ...Object.entries(block.facts)]);
}

function createPainter(color: boolean, keepsAnsi: boolean): (style: string, text: string) => string {
  const colors = pico.createColors(color);
  const styles = new Map<string, (text: string) => string>([
    ["soft", colors.dim],
    ["strong", colors.bold],
    ["emphasis", colors.italic],
    ["code", colors.cyan],
    ["good", colors.green],
    ["bad", colors.red],
    ["open", colors.yellow],
  ]);
  return (style, text) => {
    if (text === "") return "";
    const colored = keepsAnsi ? writeColors(style, text) : undefined;
    return colored ?? styles.get(style)?.(text) ?? text;
  };
}
