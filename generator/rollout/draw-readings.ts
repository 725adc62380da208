/** Draws who can read whom as SVG: a grid with the versions of writers as rows and those of readers as columns. */
import { escapeXml } from "../report/junit.js";
import { describeAnswer } from "./describe-rollout.js";
import type { ReadingAnswer, ReadingTable } from "./reading-table.js";

const SIZE = { font: 13, letter: 7.5, line: 16, row: 40, edge: 16 };

/** The word of each kind of cell, and its fill and text colours on light and on dark pages. */
const LOOKS = {
  reads: { word: "reads", light: ["#dafbe1", "#116329"], dark: ["#12361f", "#7ee2a0"] },
  refuses: { word: "refuses", light: ["#ffebe9", "#a40e26"], dark: ["#4b1113", "#ffb1ab"] },
  unproven: { word: "not proven", light: ["#fff8c5", "#7d4e00"], dark: ["#3b2e04", "#eac55f"] },
} as const;

const PAGE = { light: ["#ffffff", "#1f2328"], dark: ["#0d1117", "#e6edf3"] } as const;

/** Returns the picture. */
export function drawReadings({ sent, read, find }: ReadingTable): string {
  const { font, letter, line, row, edge } = SIZE;
  const headers = read.map((name) => `reader ${name}`.split(/ (?=with )/).map(shorten));
  const labels = sent.map((name) => shorten(`writer ${name}`));
  const measure = (texts: readonly string[]): number =>
    Math.ceil(Math.max(...texts.map((text) => text.length), "not proven".length) * letter) + 2 * edge;
  const [first, cell] = [measure(labels), measure(headers.flat())];
  const top = edge + Math.max(...headers.map((lines) => lines.length)) * line + edge / 2;
  const width = first + read.length * cell + edge;
  const height = top + sent.length * row + edge;
  const columns = headers.flatMap((lines, column) =>
    lines.map((text, index) => drawText(first + (column + 0.5) * cell, edge + (index + 0.5) * line, text)),
  );
  const rows = sent.flatMap((writer, index) => [
    drawText(first / 2, top + (index + 0.5) * row, labels[index] ?? ""),
    ...read.map((reader, column) => {
      const answer = find(writer, reader);
      const place = { x: first + column * cell, y: top + index * row, width: cell };
      return answer === undefined ? "" : drawCell(place, answer);
    }),
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui,sans-serif" font-size="${font}" role="img" aria-label="Which readers accept the events of which writers">`,
    `<style>${createStyles("light")} @media (prefers-color-scheme: dark) { ${createStyles("dark")} }</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    '<g class="text">',
    ...columns,
    ...rows,
    "</g>",
    "</svg>\n",
  ].join("\n");
}

function createStyles(theme: "light" | "dark"): string {
  const [page, text] = PAGE[theme];
  const cells = Object.entries(LOOKS).map(([name, { [theme]: colors }]) => {
    return `.${name} { fill: ${colors[1]} } .${name} rect { fill: ${colors[0]} }`;
  });
  return [`.page { fill: ${page} } .text { fill: ${text} }`, ...cells].join(" ");
}

function drawCell(
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  answer: ReadingAnswer,
): string {
  const kind = classifyAnswer(answer);
  const title = `<title>${escapeXml(`events of ${answer.sent}, reader ${answer.read}: ${describeAnswer(answer)}`)}</title>`;
  const box = `<rect x="${x + 2}" y="${y + 2}" width="${width - 4}" height="${SIZE.row - 4}" rx="6"/>`;
  return `<g class="${kind}">${title}${box}${drawText(x + width / 2, y + SIZE.row / 2, LOOKS[kind].word)}</g>`;
}

function classifyAnswer({ refused }: ReadingAnswer): keyof typeof LOOKS {
  if (refused.length === 0) return "reads";
  return refused.some(({ kind }) => kind !== "unproven") ? "refuses" : "unproven";
}

/** The longest text of a cell, in characters. */
const MAX_TEXT = 40;

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

function drawText(x: number, y: number, text: string): string {
  return `<text x="${x}" y="${y + SIZE.font / 3}" text-anchor="middle">${escapeXml(text)}</text>`;
}
