/** Draws who can read whom as SVG: a grid with the versions of writers as rows and those of readers as columns. */
import { escapeXml } from "../report/junit.js";
import { describeAnswer } from "./describe-rollout.js";
import type { ReadingAnswer, ReadingTable } from "./reading-table.js";

const SIZE = { font: 13, cell: { width: 132, height: 40 }, label: 132, edge: 16 };

/** The fill, the text colour and the word of a cell. */
const LOOKS = {
  reads: { fill: "#dafbe1", text: "#116329", word: "reads" },
  refuses: { fill: "#ffebe9", text: "#a40e26", word: "refuses" },
  unproven: { fill: "#fff8c5", text: "#7d4e00", word: "not proven" },
} as const;

/** Returns the picture. */
export function drawReadings({ sent, read, find }: ReadingTable): string {
  const { font, cell, label, edge } = SIZE;
  const width = label + read.length * cell.width + 2 * edge;
  const height = (sent.length + 1) * cell.height + 2 * edge;
  const columns = read.map((name, column) =>
    drawText(label + (column + 0.5) * cell.width, 0, `reader ${name}`),
  );
  const rows = sent.flatMap((writer, row) => [
    drawText(label / 2, row + 1, `writer ${writer}`),
    ...read.map((reader, column) => {
      const answer = find(writer, reader);
      return answer === undefined ? "" : drawCell(label + column * cell.width, row + 1, answer);
    }),
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui,sans-serif" font-size="${font}" role="img" aria-label="Which readers accept the events of which writers">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<g transform="translate(${edge} ${edge})" fill="#1f2328">`,
    ...columns,
    ...rows,
    "</g>",
    "</svg>\n",
  ].join("\n");
}

function drawCell(x: number, row: number, answer: ReadingAnswer): string {
  const { width, height } = SIZE.cell;
  const { fill, text, word } = LOOKS[classifyAnswer(answer)];
  const title = `<title>${escapeXml(`events of ${answer.sent}, reader ${answer.read}: ${describeAnswer(answer)}`)}</title>`;
  const box = `<rect x="${x + 2}" y="${row * height + 2}" width="${width - 4}" height="${height - 4}" rx="6" fill="${fill}"/>`;
  return `<g fill="${text}">${title}${box}${drawText(x + width / 2, row, word)}</g>`;
}

function classifyAnswer({ refused }: ReadingAnswer): keyof typeof LOOKS {
  if (refused.length === 0) return "reads";
  return refused.some(({ kind }) => kind !== "unproven") ? "refuses" : "unproven";
}

/** The longest text of a cell, in characters. */
const MAX_TEXT = 18;

function drawText(x: number, row: number, text: string): string {
  const shortText = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
  const y = (row + 0.5) * SIZE.cell.height + SIZE.font / 3;
  return `<text x="${x}" y="${y}" text-anchor="middle">${escapeXml(shortText)}</text>`;
}
