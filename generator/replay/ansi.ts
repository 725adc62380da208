/** Reads the colours in the output of tools, and writes them again, so that no other control sequence reaches the terminal. */
import anser from "anser";
import type { StyledText } from "./columns.js";

/** The beginning of the style of a piece with its own colours. The codes of the colours follow. */
const PREFIX = "ansi:";

const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const DECORATIONS: ReadonlyMap<string, number> = new Map([
  ["bold", 1],
  ["dim", 2],
  ["italic", 3],
  ["underline", 4],
  ["strikethrough", 9],
]);

/** Returns the pieces of a text with colours, without their sequences. Pieces without colours have the style `base`. */
export function readColors(text: string, base: string): StyledText[] {
  if (!text.includes("\u001b[")) return [{ style: base, text }];
  const pieces = anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true });
  return pieces.map(({ content, fg, bg, fg_truecolor, bg_truecolor, decorations }) => {
    const codes = [
      ...decorations.flatMap((name) => DECORATIONS.get(name) ?? []),
      ...listColorCodes(fg, fg_truecolor, 30),
      ...listColorCodes(bg, bg_truecolor, 40),
    ];
    return { style: codes.length === 0 ? base : PREFIX + codes.join(";"), text: content };
  });
}

/** Returns the codes of a colour. `first` is the code of black; 8 more begins an extended colour, 60 more is bright black. */
function listColorCodes(
  name: string | null,
  components: string,
  first: 30 | 40,
): readonly (number | string)[] {
  const color = (name ?? "").replace(/^ansi-/, "");
  if (color === "truecolor") return [first + 8, 2, ...components.split(/,\s*/)];
  const palette = /^palette-(\d+)$/.exec(color)?.[1];
  if (palette !== undefined) return [first + 8, 5, palette];
  const index = COLORS.indexOf(color.replace(/^bright-/, ""));
  if (index === -1) return [];
  return [first + index + (color.startsWith("bright-") ? 60 : 0)];
}

/** Returns a text in the colours of a style; undefined if the style has none. */
export function writeColors(style: string, text: string): string | undefined {
  return style.startsWith(PREFIX) ? `\u001b[${style.slice(PREFIX.length)}m${text}\u001b[0m` : undefined;
}
