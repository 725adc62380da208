import { canonical, equal, isObject, type Json, join } from "../json.js";
import { formatCount, formatLiteral, sanitizeLine } from "../text.js";

/** A place in which two snapshots differ. A value is absent if its snapshot has nothing there. */
interface Difference {
  readonly pointer: string;
  readonly expected?: Json;
  readonly actual?: Json;
}

/** The number of differences that are described. */
const MAX_DIFFERENCES = 5;

/** The greatest length of a value that is printed in full. */
const MAX_VALUE = 200;

/** Describes the differences of two snapshots in lines: the JSON pointer of each, and both values. */
export function describeDifferences(expected: Json, actual: Json): string {
  const differences = listDifferences(expected, actual, "");
  const lines = differences.slice(0, MAX_DIFFERENCES).flatMap((difference) => {
    const [wanted, found] = formatValues(difference.expected, difference.actual);
    const place = difference.pointer === "" ? "the whole snapshot" : sanitizeLine(difference.pointer);
    return [`  ${place}`, `    expected: ${wanted}`, `    actual:   ${found}`];
  });
  const more = differences.length - MAX_DIFFERENCES;
  return [...lines, ...(more > 0 ? [`  and ${formatCount(more, "more difference")}`] : [])].join("\n");
}

function listDifferences(expected: Json, actual: Json, pointer: string): readonly Difference[] {
  if (equal(expected, actual)) return [];
  if (Array.isArray(expected) && Array.isArray(actual)) return compareLists(expected, actual, pointer);
  if (!isObject(expected) || !isObject(actual)) return [{ pointer, expected, actual }];
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...names].flatMap((name) => {
    const at = join(pointer, name);
    if (!Object.hasOwn(actual, name)) return [{ pointer: at, expected: expected[name] as Json }];
    if (!Object.hasOwn(expected, name)) return [{ pointer: at, actual: actual[name] as Json }];
    return listDifferences(expected[name] as Json, actual[name] as Json, at);
  });
}

/** Compares lists so that an item that was inserted or is missing does not make the items after it different. */
function compareLists(
  expected: readonly Json[],
  actual: readonly Json[],
  pointer: string,
): readonly Difference[] {
  const differences: Difference[] = [];
  const common = [...findCommonItems(expected, actual), [expected.length, actual.length] as const];
  let [fromExpected, fromActual] = [0, 0];
  for (const [toExpected, toActual] of common) {
    const wanted = expected.slice(fromExpected, toExpected);
    const found = actual.slice(fromActual, toActual);
    for (const [index, item] of wanted.entries()) {
      const other = found[index];
      if (other === undefined)
        differences.push({ pointer: join(pointer, fromExpected + index), expected: item });
      else differences.push(...listDifferences(item, other, join(pointer, fromActual + index)));
    }
    for (const [index, item] of found.entries())
      if (index >= wanted.length)
        differences.push({ pointer: join(pointer, fromActual + index), actual: item });
    [fromExpected, fromActual] = [toExpected + 1, toActual + 1];
  }
  return differences;
}

/** Returns the indexes of a longest common subsequence of two lists. Lists that are very long are compared by index. */
function findCommonItems(expected: readonly Json[], actual: readonly Json[]): (readonly [number, number])[] {
  if (expected.length * actual.length > 250_000) return [];
  const [rows, columns] = [expected.map(canonical), actual.map(canonical)];
  // The length of the longest common subsequence of the items from each pair of indexes.
  const lengths = Array.from({ length: rows.length + 1 }, () => new Uint16Array(columns.length + 1));
  const getLength = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = rows.length - 1; row >= 0; row--)
    for (let column = columns.length - 1; column >= 0; column--) {
      const longest =
        rows[row] === columns[column]
          ? getLength(row + 1, column + 1) + 1
          : Math.max(getLength(row + 1, column), getLength(row, column + 1));
      (lengths[row] as Uint16Array)[column] = longest;
    }
  const common: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < rows.length && column < columns.length; )
    if (rows[row] === columns[column]) common.push([row++, column++]);
    else if (getLength(row + 1, column) >= getLength(row, column + 1)) row++;
    else column++;
  return common;
}

/** Writes two values as JSON. Of long values, the part with the first difference is printed. */
function formatValues(expected: Json | undefined, actual: Json | undefined): readonly [string, string] {
  const [a, b] = [expected, actual].map((value) => (value === undefined ? undefined : formatLiteral(value)));
  let same = 0;
  if (a !== undefined && b !== undefined) while (same < a.length && a[same] === b[same]) same++;
  return [shorten(a, same), shorten(b, same)];
}

function shorten(text: string | undefined, difference: number): string {
  if (text === undefined) return "nothing";
  if (text.length <= MAX_VALUE) return text;
  const from = Math.max(0, difference - 40);
  const part = text.slice(from, from + MAX_VALUE);
  const rest = text.length - from - part.length;
  return `${from > 0 ? "… " : ""}${part}${rest > 0 ? ` … (${formatCount(text.length, "character")})` : ""}`;
}
