/** Writes parts of pictures as SVG. Colours and fonts are in style.css. */
import { shorten, toPlainText } from "../emit/catalog/markdown.js";
import { escapeXml } from "../text.js";

/** A place in a picture, in pixels from its upper left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The height of a line of text. */
export const LINE_HEIGHT = 16;

/** The width of a character of the font, and of one that takes the place of two. */
const CHARACTER_WIDTH = 7.3;
const MAX_CHARACTERS = 80;

/** Returns a text as a picture shows it: one line without invisible characters, shortened if it is very long. */
export function toLabel(text: string, max = MAX_CHARACTERS): string {
  return shorten(toPlainText(text) || "(empty)", max);
}

/** Returns the width of a text, or a little more. */
export function measureText(text: string): number {
  const widths = [...text].map((character) => ((character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2));
  return CHARACTER_WIDTH * widths.reduce((sum, width) => sum + width, 0);
}

/** Writes the lines of a text around a point. */
export function writeText(lines: readonly string[], { x, y }: Point): string {
  const top = y - ((lines.length - 1) * LINE_HEIGHT) / 2;
  return lines
    .map(
      (line, index) =>
        `<text x="${round(x)}" y="${round(top + index * LINE_HEIGHT)}">${escapeXml(line)}</text>`,
    )
    .join("");
}

/** Writes a box around a point. */
export function writeBox({ x, y }: Point, width: number, height: number, kind: string): string {
  return `<rect class="${kind}" x="${round(x - width / 2)}" y="${round(y - height / 2)}" width="${round(width)}" height="${round(height)}" rx="6"/>`;
}

/** Writes a curve along points, with a head at the last one. */
export function writeArrow(points: readonly Point[]): string {
  const [first, ...others] = points;
  const last = others.at(-1);
  const before = points.at(-2);
  if (first === undefined || last === undefined || before === undefined) return "";
  const curves = others.slice(0, -1).map((point, index) => {
    const next = others[index + 1] ?? last;
    return `Q${format(point)} ${format({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`;
  });
  const angle = Math.atan2(last.y - before.y, last.x - before.x);
  const head = [0.4, -0.4].map((turn) => ({
    x: last.x - 9 * Math.cos(angle + turn),
    y: last.y - 9 * Math.sin(angle + turn),
  }));
  return `<path class="line" d="M${format(first)} ${curves.join(" ")} L${format(last)}"/><path class="head" d="M${format(last)} L${head.map(format).join(" L")} Z"/>`;
}

/** Writes a picture with its title, and below it the same as lines of text, for everybody who does not see pictures. */
export function writePicture(
  title: string,
  { width, height }: { readonly width: number; readonly height: number },
  content: readonly string[],
  lines: readonly string[],
): string {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return `<div class="picture" tabindex="0"><svg role="img" aria-label="${escapeXml(toLabel(title))}" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">${content.join("")}</svg></div>
<details><summary>As text</summary>${writeLines(lines)}</details>
`;
}

/** Writes lines of text in place of a picture. */
export function writeLines(lines: readonly string[]): string {
  return `<pre tabindex="0">${escapeXml(lines.join("\n"))}</pre>`;
}

function format({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
