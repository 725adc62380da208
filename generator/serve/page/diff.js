/** Compares two texts line by line. */

/** @typedef {{ kind: "same" | "removed" | "added", text: string }} DiffLine */

/** The largest product of the numbers of lines that are compared; beyond it, all lines count as changed. */
const MAX_WORK = 250_000;

/**
 * Returns the lines of both texts, with the fewest changes.
 * @param {string} before
 * @param {string} after
 * @returns {DiffLine[]}
 */
function compareLines(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
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
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
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
      const [row, below] = [/** @type {Uint32Array} */ (table[i]), /** @type {Uint32Array} */ (table[i + 1])];
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
 * Finds the edit in the input of a tool: the text before and after, or a patch. Returns undefined if there is none.
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
  const without = (/** @type {readonly string[]} */ names) =>
    Object.entries(fields).filter(([name]) => !names.includes(name));
  for (const [before, after] of PAIRS) {
    const [old, current] = [fields[before], fields[after]];
    if (typeof old === "string" && typeof current === "string")
      return { lines: compareLines(old, current), rest: without([before, after]) };
  }
  for (const name of ["diff", "patch"]) {
    const patch = fields[name];
    if (typeof patch === "string")
      return { lines: patch.split("\n").map(readPatchLine), rest: without([name]) };
  }
  return undefined;
}

/**
 * @param {string} line
 * @returns {DiffLine}
 */
function readPatchLine(line) {
  if (line.startsWith("+") && !line.startsWith("+++")) return createLine("added", line.slice(1));
  if (line.startsWith("-") && !line.startsWith("---")) return createLine("removed", line.slice(1));
  return createLine("same", line.startsWith(" ") ? line.slice(1) : line);
}
