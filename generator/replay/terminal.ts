/**
 * Blocks as text for a terminal that only grows: a text or a tool call is printed when it is complete, an approval as
 * soon as somebody is asked and again when it is decided, all else at once. Whatever was begun is printed at the end.
 */
import pico from "picocolors";
import type { ApprovalBlock, Block, TextBlock, ToolBlock } from "../view/block.js";
import { afterwards, type Line, linesOf, streamLine } from "./lines.js";

/** How to print. */
interface TerminalOptions {
  /** Columns, the margin included; at least 20 are used. */
  readonly width: number;
  readonly color: boolean;
}

/** Takes blocks as a view gives them. */
interface Terminal {
  /** What to print now; `stream` names the stream where it needs a name. */
  take(blocks: readonly Block[], nameOf: (stream: string) => string): string;
  /** What is left. */
  end(): string;
}

/** The margin for numbers, on lines that are wide enough to have one. */
const MARGIN = 6;

/** How many calls may be open at once before the oldest is printed as it is. */
const OPEN = 1000;

/** A terminal that shows nothing yet. */
export function createTerminal({ width, color }: TerminalOptions): Terminal {
  const whole = Math.max(20, width);
  const margin = whole < 48 ? 0 : MARGIN;
  const paint = painter(color);
  const open = new Map<object, () => string>();
  /** What was printed of blocks that may change: their state and facts. */
  const printed = new WeakMap<object, ReadonlyMap<string, string>>();
  let stream: string | undefined;

  const print = (lines: readonly Line[], sequence: number | undefined): string =>
    lines
      .map((line, index) => {
        const number = index === 0 && margin > 0 && sequence !== undefined ? String(sequence) : "";
        // A number that is too long for the margin has a line of its own.
        const over = number !== "" && number.length > margin - 2 ? `${number}\n` : "";
        const before = margin === 0 ? "" : `${(over === "" ? number : "").padStart(margin - 2)}  `;
        const text = line.map((piece) => paint(piece.style, piece.text)).join("");
        return `${paint("soft", over + before)}${text}`.trimEnd();
      })
      .map((line) => `${line}\n`)
      .join("");
  const printIn = (block: Block, name: string, lines: readonly Line[]): string => {
    const header =
      block.stream === stream || block.stream === ""
        ? ""
        : print(streamLine(name, whole - margin), undefined);
    if (block.stream !== "") stream = block.stream;
    return header + print(lines, block.sequence);
  };
  const show = (block: Block, name: string): string => {
    const room = whole - margin;
    const whenDone = (): string => {
      if (isLasting(block)) printed.set(block, factsOf(block));
      return printIn(block, name, linesOf(block, room));
    };
    if (!isLasting(block)) return whenDone();
    const before = printed.get(block);
    if (before) {
      const fresh = [...factsOf(block)].filter(([what, text]) => before.get(what) !== text);
      if (fresh.length === 0 || block.kind === "text") return "";
      printed.set(block, factsOf(block));
      const facts = fresh.filter(([what]) => what !== STATE);
      return printIn(block, name, afterwards(block, facts, room));
    }
    open.delete(block);
    if (isReady(block)) return whenDone();
    open.set(block, whenDone);
    const [oldest] = open.size > OPEN ? open : [];
    if (oldest) open.delete(oldest[0]);
    return oldest ? oldest[1]() : "";
  };
  return {
    take: (blocks, nameOf) => blocks.map((block) => show(block, nameOf(block.stream))).join(""),
    end: () => [...open.values()].map((whenDone) => whenDone()).join(""),
  };
}

function isLasting(block: Block): block is TextBlock | ToolBlock | ApprovalBlock {
  return block.kind === "text" || block.kind === "tool" || block.kind === "approval";
}

/** Whether a block can be printed, whatever may come to it. */
function isReady(block: TextBlock | ToolBlock | ApprovalBlock): boolean {
  return block.kind === "approval" || (block.kind === "text" ? !block.open : block.tone !== "open");
}

/** The state among the facts of a block: no field has an empty name. */
const STATE = "";

function factsOf(block: TextBlock | ToolBlock | ApprovalBlock): ReadonlyMap<string, string> {
  return block.kind === "text" ? new Map() : new Map([[STATE, block.state], ...block.facts]);
}

function painter(color: boolean): (style: string, text: string) => string {
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
  return (style, text) => (text === "" ? "" : (styles.get(style)?.(text) ?? text));
}
