/** A picture of a terminal: what a command printed, with its colours, as SVG. */

const SIZE = { font: 13, line: 18, cell: 7.83, edge: 16, bar: 30 };

/** Colours of the SGR codes that picocolors uses, on a dark ground. */
const COLORS: { readonly [code: string]: string } = {
  "31": "#ff7b72",
  "32": "#7ee787",
  "33": "#e3b341",
  "34": "#79c0ff",
  "35": "#d2a8ff",
  "36": "#76e3ea",
  "90": "#8b949e",
};

interface Style {
  readonly fill?: string | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
}

interface Piece extends Style {
  readonly text: string;
}

/** Draws `printed` with its ANSI colours, wrapped at `columns`, below the line of the command that printed it. */
export function drawTerminal(command: string, printed: string, columns: number): string {
  const prompt: Piece[] = [
    { text: "$ ", fill: COLORS["90"] },
    { text: command, bold: true },
  ];
  const lines = [prompt, ...splitLines(printed.trimEnd())].flatMap((line) => wrapLine(line, columns));
  const width = Math.round(columns * SIZE.cell + 2 * SIZE.edge);
  const height = SIZE.bar + lines.length * SIZE.line + SIZE.edge;
  const rows = lines.map((line, index) => {
    const y = SIZE.bar + (index + 1) * SIZE.line - 4;
    return `<text x="${SIZE.edge}" y="${y}">${line.map(formatPiece).join("")}</text>`;
  });
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, index) => `<circle cx="${SIZE.edge + 5 + index * 18}" cy="15" r="5" fill="${fill}"/>`,
  );
  const font = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${font}" font-size="${SIZE.font}" fill="#e6edf3">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    dots.join(""),
    ...rows,
    "</svg>\n",
  ].join("\n");
}

/** Splits a text into lines, and these into pieces of one style. */
function splitLines(printed: string): Piece[][] {
  let style: Style = {};
  return printed.split("\n").map((line) => {
    const pieces: Piece[] = [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what colours are made of
    for (const [, code, text] of line.matchAll(/\u001b\[(\d+)m|([^\u001b]+)/g)) {
      if (code !== undefined) style = applyStyle(style, code);
      else if (text !== undefined) pieces.push({ ...style, text });
    }
    return pieces;
  });
}

/** Returns the style after an SGR code. */
function applyStyle(style: Style, code: string): Style {
  if (code === "0") return {};
  if (code === "1") return { ...style, bold: true };
  if (code === "2") return { ...style, dim: true };
  if (code === "22") return { ...style, bold: false, dim: false };
  return { ...style, fill: COLORS[code] };
}

/** Splits a line into rows of at most `columns`, after a space if there is one. */
function wrapLine(line: readonly Piece[], columns: number): Piece[][] {
  const letters = line.flatMap((piece) => [...piece.text].map((text) => ({ ...piece, text })));
  const rows: Piece[][] = [];
  for (let rest = letters; rows.length === 0 || rest.length > 0; ) {
    const space = rest.slice(0, columns).findLastIndex(({ text }) => text === " ");
    const end = rest.length <= columns || space < columns / 2 ? columns : space + 1;
    rows.push(joinPieces(rest.slice(0, end)));
    rest = rest.slice(end);
  }
  return rows;
}

/** Joins neighbours of the same style. */
function joinPieces(letters: readonly Piece[]): Piece[] {
  const pieces: Piece[] = [];
  for (const letter of letters) {
    const last = pieces.at(-1);
    const isSame = last && last.fill === letter.fill && last.bold === letter.bold && last.dim === letter.dim;
    if (isSame) pieces.splice(-1, 1, { ...last, text: last.text + letter.text });
    else pieces.push(letter);
  }
  return pieces;
}

function formatPiece({ text, fill, bold, dim }: Piece): string {
  const marks = [
    fill && ` fill="${fill}"`,
    bold && ' font-weight="bold"',
    dim && ' fill-opacity="0.65"',
  ].filter(Boolean);
  // SVG drops plain spaces at the beginning of a text.
  const plain = text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replaceAll(" ", "\u00a0");
  return marks.length > 0 ? `<tspan${marks.join("")}>${plain}</tspan>` : plain;
}
