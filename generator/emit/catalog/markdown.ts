/**
 * Formats untrusted text as Markdown for GitHub. Every function accepts any string. GitHub shows the text itself; no part
 * of it becomes a link, an image, HTML, a mention, an emoji or a formula. Only text between two single backticks becomes a
 * code span, as the authors of descriptions mean it.
 */
import { sanitizeText } from "../../text.js";

/** The place of a text in Markdown. In the cell of a table, a vertical bar would begin the next cell. */
export type Place = "text" | "cell";

/** Returns `value` on one line with escape sequences for invisible characters: the text that GitHub shows for `formatProse`. */
export function toPlainText(value: string): string {
  return sanitizeText(value).replace(/\s+/g, " ").trim();
}

/** Formats `value` as a line of running text, which may also stand at the beginning of a line. */
export function formatProse(value: string, place: Place = "text"): string {
  return splitCode(toPlainText(value))
    .map(({ text, isCode }) => (isCode ? formatCode(text, place) : escapeText(text)))
    .join("")
    .replace(NUMBERED_ITEM, "$1\\$2")
    .replace(BULLET_OR_UNDERLINE, "\\$&");
}

/** Matches the beginning of a line that GitHub shows as an item of a numbered list. */
const NUMBERED_ITEM = /^(\d+)([.)])(?=\s|$)/;

/** Matches the beginning of a line that GitHub shows as an item of a list, or as the underline of a heading. */
const BULLET_OR_UNDERLINE = /^[-+=]/;

/** Formats `value` as paragraphs. Empty lines in it separate them. */
export function formatParagraphs(value: string): string[] {
  return sanitizeText(value)
    .split(/\n\s*\n/)
    .map((paragraph) => formatProse(paragraph))
    .filter((paragraph) => paragraph !== "");
}

/** A part of a line that becomes a text or a code span. */
interface Piece {
  readonly text: string;
  readonly isCode: boolean;
}

/** Matches text that GitHub turns into a link, a mention, an emoji or a formula. It cannot be escaped, but is inert as code. */
const LINKED = /:\/\/|www\.|@|#\d|\bGH-\d|\$|:[\w+-]+:/i;

/**
 * Splits a line into text and code. Two pieces of code are never adjacent, because their backticks would run together.
 */
function splitCode(line: string): Piece[] {
  const pieces: Piece[] = [];
  const add = (text: string, isCode: boolean): void => {
    const last = pieces.at(-1);
    if (last?.isCode === isCode) pieces[pieces.length - 1] = { text: last.text + text, isCode };
    else if (text !== "") pieces.push({ text, isCode });
  };
  for (const [i, part] of line.split(CODE_SPAN).entries()) {
    // The group of the pattern puts code at the odd indexes.
    const isCode = i % 2 === 1;
    if (isCode) add(part, true);
    for (const word of isCode ? [] : part.split(/( +)/)) {
      const [, before = "", core = "", after = ""] = PUNCTUATED_WORD.exec(word) ?? [];
      add(before, false);
      add(core, LINKED.test(word));
      add(after, false);
    }
  }
  return pieces;
}

/** Matches text between two single backticks. */
const CODE_SPAN = /(?<!`)`([^`]+)`(?!`)/;

/** Matches a word with at most three brackets or punctuation marks on either side, which stay outside of code. */
const PUNCTUATED_WORD = /^([("']{0,3})(.*?)([)"'.,;!?]{0,3})$/;

/** Escapes markup. An underscore between letters or digits is not markup. */
function escapeText(text: string): string {
  return text.replace(
    /[&<>`|\\*[\]~#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g,
    (character) => ENTITIES[character] ?? `\\${character}`,
  );
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "`": "&#96;",
  "|": "&#124;",
};

/** Returns the text in the code span of `value`, on one line: `\n` for a line feed, `""` for an empty text. */
export function toPlainCode(value: string): string {
  return sanitizeText(value).replace(/\n/g, "\\n") || '""';
}

/** Formats `value` as a code span. */
export function formatCode(value: string, place: Place = "text"): string {
  const shown = toPlainCode(value);
  if (place === "cell" && shown.includes("\\|")) return formatHtmlCode(shown);
  const ticks = "`".repeat(countLongestRun(shown) + 1);
  // Markdown removes one blank at each end of a code span that has blanks at both ends.
  const losesBlanks = shown.startsWith(" ") && shown.endsWith(" ") && shown.trim() !== "";
  const padding = losesBlanks || shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  const code = place === "cell" ? shown.replace(/\|/g, "\\|") : shown;
  return `${ticks}${padding}${code}${padding}${ticks}`;
}

/** Formats code as HTML, since Markdown cannot show a backslash before a bar in a table. The comments separate characters that GitHub might turn into a link. */
function formatHtmlCode(shown: string): string {
  const escapedText = shown.replace(
    /[^A-Za-z0-9 ]/gu,
    (character) => `&#${character.codePointAt(0)};<!-- -->`,
  );
  return `<code>${escapedText}</code>`;
}

/** Formats `content` as a block of code. */
export function formatCodeBlock(content: string, language: string): string {
  const shown = sanitizeText(content);
  const ticks = "`".repeat(Math.max(3, countLongestRun(shown) + 1));
  return `${ticks}${language}\n${shown}\n${ticks}`;
}

function countLongestRun(text: string): number {
  // Most texts have none, and a search with a pattern takes longer than everything else here.
  if (!text.includes("`")) return 0;
  return Math.max(...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

/** Formats a link to the heading with `slug` in the same file, or in another one: `file.md#slug`. `label` is Markdown. */
export function formatLink(label: string, slug: string): string {
  const encode = (text: string, pattern: RegExp): string =>
    text.toWellFormed().replace(pattern, encodeCharacter);
  // No slug has a number sign.
  const at = slug.indexOf("#");
  const file = encode(slug.slice(0, Math.max(at, 0)), /[^\p{L}\p{M}\p{N}_./-]/gu);
  return `[${label}](${file}#${encode(slug.slice(at + 1), /[^\p{L}\p{M}\p{N}_-]/gu)})`;
}

function encodeCharacter(character: string): string {
  return encodeURIComponent(character).replace(/[()]/, (bracket) => (bracket === "(" ? "%28" : "%29"));
}

/** Formats a table. The cells are Markdown for the place `"cell"`. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const formatRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [formatRow(header), formatRow(header.map(() => "---")), ...rows.map(formatRow)].join("\n");
}

/** Returns at most `max` characters of `value`. The last one is an ellipsis if characters are missing. */
export function shorten(value: string, max: number): string {
  if (value.length <= max) return value;
  // A character has one or two code units.
  const firstCharacters = [...value.slice(0, 2 * max)];
  if (value.length <= 2 * max && firstCharacters.length <= max) return value;
  return `${firstCharacters.slice(0, max - 1).join("")}…`;
}
