/**
 * Markdown as GitHub shows it, from untrusted text. Every function is total: any string in, and what is shown is that
 * text, with no link, image, HTML, mention, emoji or formula that it asks for. One piece of markup is honoured: text
 * between two single backticks becomes a code span, as the authors of descriptions mean it.
 */
import { visible } from "../../text.js";

/** The place of a text. In a cell a vertical bar would begin the next cell. */
export type Place = "text" | "cell";

/** Returns `value` on one line with invisible characters spelt out: the text that `prose` shows. */
export function toPlainText(value: string): string {
  return visible(value).replace(/\s+/g, " ").trim();
}

/** Formats `value` as a line of running text, which may also stand at the beginning of a line. */
export function formatProse(value: string, place: Place = "text"): string {
  return splitCode(toPlainText(value))
    .map(({ text, isCode }) => (isCode ? formatCode(text, place) : escapeText(text)))
    .join("")
    .replace(/^(\d+)([.)])(?=\s|$)/, "$1\\$2")
    .replace(/^[-+=]/, "\\$&");
}

/** Formats `value` as paragraphs. Empty lines in it separate them. */
export function formatParagraphs(value: string): string[] {
  return visible(value)
    .split(/\n\s*\n/)
    .map((paragraph) => formatProse(paragraph))
    .filter((paragraph) => paragraph !== "");
}

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
  const found: Piece[] = [];
  const add = (text: string, isCode: boolean): void => {
    const last = found.at(-1);
    if (last?.isCode === isCode) found[found.length - 1] = { text: last.text + text, isCode };
    else if (text !== "") found.push({ text, isCode });
  };
  for (const [i, part] of line.split(/(?<!`)`([^`]+)`(?!`)/).entries())
    if (i % 2 === 1) add(part, true);
    else
      for (const word of part.split(/( +)/)) {
        const [, before = "", core = "", after = ""] =
          /^([("']{0,3})(.*?)([)"'.,;!?]{0,3})$/.exec(word) ?? [];
        add(before, false);
        add(core, LINKED.test(word));
        add(after, false);
      }
  return found;
}

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

/** Returns the text in the code span of `value`, on one line; a line feed is `\n`, the empty string `""`. */
export function toPlainCode(value: string): string {
  return visible(value).replace(/\n/g, "\\n") || '""';
}

/** Formats `value` as a code span. */
export function formatCode(value: string, place: Place = "text"): string {
  const shown = toPlainCode(value);
  if (place === "cell" && shown.includes("\\|")) return formatHtmlCode(shown);
  const formatCodeBlock = "`".repeat(countLongestRun(shown) + 1);
  const strippable = shown.startsWith(" ") && shown.endsWith(" ") && shown.trim() !== "";
  const pad = strippable || shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  const inside = place === "cell" ? shown.replace(/\|/g, "\\|") : shown;
  return `${formatCodeBlock}${pad}${inside}${pad}${formatCodeBlock}`;
}

/** Returns code as HTML, for a backslash before a bar in a table. The comments separate characters that might link. */
function formatHtmlCode(shown: string): string {
  const inside = shown.replace(/[^A-Za-z0-9 ]/gu, (character) => `&#${character.codePointAt(0)};<!-- -->`);
  return `<code>${inside}</code>`;
}

/** Formats `content` as a block of code. */
export function fence(content: string, language: string): string {
  const shown = visible(content);
  const ticks = "`".repeat(Math.max(3, countLongestRun(shown) + 1));
  return `${ticks}${language}\n${shown}\n${ticks}`;
}

function countLongestRun(text: string): number {
  return [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);
}

/** Formats a link to the heading with `slug` in the same file. `label` is Markdown. */
export function formatLink(label: string, slug: string): string {
  return `[${label}](#${slug.toWellFormed().replace(/[^\p{L}\p{M}\p{N}_-]/gu, encodeCharacter)})`;
}

function encodeCharacter(character: string): string {
  return encodeURIComponent(character).replace(/[()]/, (bracket) => (bracket === "(" ? "%28" : "%29"));
}

/** Formats a table. The cells are Markdown for the place `"cell"`. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Returns at most `max` characters of `value`. The last one is an ellipsis if characters are missing. */
export function shorten(value: string, max: number): string {
  if (value.length <= max) return value;
  const beginning = [...value.slice(0, 2 * max)];
  if (value.length <= 2 * max && beginning.length <= max) return value;
  return `${beginning.slice(0, max - 1).join("")}…`;
}
