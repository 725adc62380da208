/** Draws text with the colours of a terminal. */
import anser from "/-/packages/anser.js";
import { createElement } from "./dom.js";

/** The styles of ANSI sequences that have a class in the style sheet. */
const CLASSES = new Set(["bold", "dim", "italic", "underline", "strikethrough"]);

/**
 * Returns the pieces of a text with the colours that its ANSI sequences state. All other sequences are left out.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function drawAnsi(text) {
  if (!text.includes("\u001b")) return [text];
  const pieces = anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true });
  return pieces.map((piece) => {
    const { content, fg, bg, fg_truecolor, bg_truecolor, decorations } = piece;
    const names = decorations.filter((name) => CLASSES.has(name));
    const classes = [fg && `${fg}-fg`, bg && `${bg}-bg`, ...names].filter(Boolean).join(" ");
    if (classes === "") return content;
    const span = createElement("span", { class: classes }, content);
    span.style.color = findColor(fg, fg_truecolor);
    span.style.backgroundColor = findColor(bg, bg_truecolor);
    return span;
  });
}

/**
 * Returns a colour that has no class in the style sheet: of the palette of 256 colours, or any other. Empty for the
 * 16 colours with names.
 * @param {string | null} name
 * @param {string} components
 */
function findColor(name, components) {
  if (name === "ansi-truecolor") return `rgb(${components})`;
  const index = Number(/^ansi-palette-(\d+)$/.exec(name ?? "")?.[1] ?? Number.NaN);
  if (Number.isNaN(index)) return "";
  if (index >= 232)
    return `rgb(${Array(3)
      .fill(8 + 10 * (index - 232))
      .join()})`;
  const levels = [0, 95, 135, 175, 215, 255];
  const cube = index - 16;
  return `rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((level) => levels[level]).join()})`;
}
