/** Finds the edit in the input of a tool, and compares the text before and after it line by line. */
import { formatCount } from "./format.js";

/** @typedef {{ kind: "same" | "removed" | "added" | "left-out", text: string }} DiffLine */

/** The largest product of the numbers of lines that are compared; beyond it, all lines count as changed. */
const MAX_WORK = 250_000;

/**
 * Returns the lines of both texts, with the fewest changes.
 * @param {string} before
 * @param {string} after
 * @returns {DiffLine[]}
 */
function compareLines(before, after) {
  // A line feed at the end of both texts begins no line.
  const isTerminated = before.endsWith("\n") && after.endsWith("\n");
  const a = splitLines(before, isTerminated);
  const b = splitLines(after, isTerminated);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const middle = compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [
    ...a.slice(0, start).map((text) => createLine("same", text)),
    ...middle,
    ...a.slice(a.length - end).map((text) => createLine("same", text)),
  ];
}

/**
 * @param {string} text
 * @param {boolean} isTerminated True if the text ends with a line feed that begins no line.
 */
function splitLines(text, isTerminated) {
  if (text === "") return [];
  return (isTerminated ? text.slice(0, -1) : text).split("\n");
}

/**
 * @param {DiffLine["kind"]} kind
 * @param {string} text
 * @returns {DiffLine}
 */
function createLine(kind, text) {
  return { kind, text };
}

/**
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 * @returns {DiffLine[]}
 */
function compareMiddle(a, b) {
  if (a.length * b.length > MAX_WORK)
    return [...a.map((text) => createLine("removed", text)), ...b.map((text) => createLine("added", text))];
  const common = measureCommonLines(a, b);
  /** @type {DiffLine[]} */
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i];
    const right = b[j];
    if (left !== undefined && left === right) {
      lines.push(createLine("same", left));
      i++;
      j++;
    } else if (left !== undefined && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? -1)) {
      lines.push(createLine("removed", left));
      i++;
    } else {
      lines.push(createLine("added", right ?? ""));
      j++;
    }
  }
  return lines;
}

/**
 * Returns, for each pair of positions, the number of lines that the rests of both lists have in common.
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 */
function measureCommonLines(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = /** @type {Uint32Array} */ (table[i]);
      const below = /** @type {Uint32Array} */ (table[i + 1]);
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return table;
}

/** The names under which tools take the text before and after an edit. */
const PAIRS = /** @type {const} */ ([
  ["old_text", "new_text"],
  ["old_string", "new_string"],
  ["oldText", "newText"],
  ["old_str", "new_str"],
  ["old", "new"],
  ["before", "after"],
]);

/**
 * Finds the edit in the input of a tool: the text before and after, or a patch. Returns undefined if there is none. The
 * rest are the other fields of the input.
 * @param {string} input
 * @returns {{ lines: DiffLine[], rest: [string, unknown][] } | undefined}
 */
export function findEdit(input) {
  if (!input.startsWith("{")) return undefined;
  /** @type {Record<string, unknown>} */
  let fields;
  try {
    fields = JSON.parse(input);
  } catch {
    return undefined;
  }
  const listOtherFields = (/** @type {readonly string[]} */ names) =>
    Object.entries(fields).filter(([name]) => !names.includes(name));
  for (const [before, after] of PAIRS) {
    const old = fields[before];
    const current = fields[after];
    if (typeof old === "string" && typeof current === "string")
      return { lines: compareLines(old, current), rest: listOtherFields([before, after]) };
  }
  for (const name of ["diff", "patch"]) {
    const patch = fields[name];
    if (typeof patch === "string") return { lines: readPatch(patch), rest: listOtherFields([name]) };
  }
  return undefined;
}

/** The lines with which a patch begins to change another file. */
const FILE_HEADER = /^(?:diff |Index: |\*\*\* )/;

/**
 * Returns the lines of a patch. The lines with the names of files also begin with signs, but are no changes. In a patch
 * with lines of `@@`, only the lines after these are changes.
 * @param {string} patch
 */
function readPatch(patch) {
  const lines = splitLines(patch, patch.endsWith("\n"));
  const hasHunks = lines.some((line) => line.startsWith("@@"));
  let isInHunk = !hasHunks;
  return lines.map((line, index) => {
    const isHeader = FILE_HEADER.test(line) || isFileName(lines, index);
    if (isHeader) isInHunk = !hasHunks;
    else if (line.startsWith("@@")) isInHunk = true;
    return isInHunk && !isHeader ? readHunkLine(line) : createLine("same", line);
  });
}

/**
 * Returns true if a line of a patch names the file before or after the change.
 * @param {readonly string[]} lines
 * @param {number} index
 */
function isFileName(lines, index) {
  const line = lines[index] ?? "";
  if (line.startsWith("--- ")) return (lines[index + 1] ?? "").startsWith("+++ ");
  return line.startsWith("+++ ") && (lines[index - 1] ?? "").startsWith("--- ");
}

/**
 * @param {string} line
 * @returns {DiffLine}
 */
function readHunkLine(line) {
  if (line.startsWith("+")) return createLine("added", line.slice(1));
  if (line.startsWith("-")) return createLine("removed", line.slice(1));
  return createLine("same", line.startsWith(" ") ? line.slice(1) : line);
}

/** The number of unchanged lines that are shown before and after a change. */
const CONTEXT_LINES = 3;
/** The greatest number of lines of a shown edit. The inspector shows the whole event. */
const MAX_LINES = 400;
/** The greatest length of a shown line. */
const MAX_LINE_LENGTH = 1000;

/**
 * Returns the lines of an edit that are shown. A line of the kind `left-out` stands for unchanged lines far from a change,
 * and for all lines beyond the limit.
 * @param {readonly DiffLine[]} lines
 * @returns {DiffLine[]}
 */
export function shortenDiff(lines) {
  const shown = findShownLines(lines);
  if (shown.size === 0) return [createLine("left-out", "No line is changed")];
  /** @type {DiffLine[]} */
  const result = [];
  let left = 0;
  for (const [index, { kind, text }] of lines.entries()) {
    if (result.length >= MAX_LINES) {
      left += lines.length - index;
      break;
    }
    if (!shown.has(index)) {
      left++;
      continue;
    }
    if (left > 0) result.push(createLeftOut(left));
    left = 0;
    result.push(createLine(kind, showControls(text.slice(0, MAX_LINE_LENGTH))));
  }
  return left > 0 ? [...result, createLeftOut(left)] : result;
}

/**
 * Returns the indexes of the lines that are changed or near a change.
 * @param {readonly DiffLine[]} lines
 */
function findShownLines(lines) {
  /** @type {Set<number>} */
  const shown = new Set();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    for (let near = index - CONTEXT_LINES; near <= index + CONTEXT_LINES; near++) shown.add(near);
  }
  return shown;
}

/** @param {number} count */
function createLeftOut(count) {
  return createLine("left-out", `${formatCount(count, "line")} left out`);
}

/** Control characters but the tab, and characters that change the direction of the text after them. */
const CONTROLS = /(?!\t)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Makes control characters visible, so that a line shows what it contains.
 * @param {string} text
 */
function showControls(text) {
  return text.replace(CONTROLS, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}
