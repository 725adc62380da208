import { getItem } from "../get-item.js";
import { areEqual, formatCanonicalJson, isObject, type Json, joinPointer } from "../json.js";
import { formatCount, formatLiteral, sanitizeLine } from "../text.js";

/** A pointer at which two snapshots differ. A value is absent if its snapshot has nothing there. */
interface Difference {
  readonly pointer: string;
  readonly expected?: Json;
  readonly actual?: Json;
}

/** The greatest number of differences that are described. */
const MAX_DIFFERENCES = 5;

/** The greatest length of a value that is printed in full. */
const MAX_VALUE = 200;

/** Describes the differences of two snapshots in lines: the JSON pointer of each, and both values. */
export function describeDifferences(expected: Json, actual: Json): string {
  const differences = listDifferences(expected, actual, "");
  const lines = differences.slice(0, MAX_DIFFERENCES).flatMap((difference) => {
    const { expectedText, actualText } = formatValues(difference);
    const place = difference.pointer === "" ? "the whole snapshot" : sanitizeLine(difference.pointer);
    return [`  ${place}`, `    expected: ${expectedText}`, `    actual:   ${actualText}`];
  });
  const more = differences.length - MAX_DIFFERENCES;
  return [...lines, ...(more > 0 ? [`  and ${formatCount(more, "more difference")}`] : [])].join("\n");
}

function listDifferences(expected: Json, actual: Json, pointer: string): readonly Difference[] {
  if (areEqual(expected, actual)) return [];
  if (Array.isArray(expected) && Array.isArray(actual)) return compareLists(expected, actual, pointer);
  if (!isObject(expected) || !isObject(actual)) return [{ pointer, expected, actual }];
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...names].flatMap((name) => {
    const at = joinPointer(pointer, name);
    if (!Object.hasOwn(actual, name)) return [{ pointer: at, expected: expected[name] ?? null }];
    if (!Object.hasOwn(expected, name)) return [{ pointer: at, actual: actual[name] ?? null }];
    return listDifferences(expected[name] ?? null, actual[name] ?? null, at);
  });
}

/** Compares lists so that an item that was inserted or is missing does not make the items after it different. */
function compareLists(
  expected: readonly Json[],
  actual: readonly Json[],
  pointer: string,
): readonly Difference[] {
  const differences: Difference[] = [];
  const commonItems = findCommonItems(expected, actual);
  let expectedStart = 0;
  let actualStart = 0;
  // Compares the items before each common item, and those after the last one.
  for (const [expectedEnd, actualEnd] of [...commonItems, [expected.length, actual.length] as const]) {
    const expectedItems = expected.slice(expectedStart, expectedEnd);
    const actualItems = actual.slice(actualStart, actualEnd);
    for (const [index, item] of expectedItems.entries()) {
      const other = actualItems[index];
      if (other === undefined)
        differences.push({ pointer: joinPointer(pointer, expectedStart + index), expected: item });
      else differences.push(...listDifferences(item, other, joinPointer(pointer, actualStart + index)));
    }
    for (const [index, item] of actualItems.entries())
      if (index >= expectedItems.length)
        differences.push({ pointer: joinPointer(pointer, actualStart + index), actual: item });
    expectedStart = expectedEnd + 1;
    actualStart = actualEnd + 1;
  }
  return differences;
}

/** The indexes of an item that two lists have in common. */
type CommonItem = readonly [expected: number, actual: number];

/** Returns a longest common subsequence of two lists. Returns no items for lists for which the search would take long. */
function findCommonItems(expected: readonly Json[], actual: readonly Json[]): CommonItem[] {
  if (expected.length * actual.length > 250_000) return [];
  const rows = expected.map(formatCanonicalJson);
  const columns = actual.map(formatCanonicalJson);
  // The length of the longest common subsequence of the items from each pair of indexes.
  const lengths = Array.from({ length: rows.length + 1 }, () => new Uint16Array(columns.length + 1));
  const getLength = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = rows.length - 1; row >= 0; row--)
    for (let column = columns.length - 1; column >= 0; column--) {
      const longest =
        rows[row] === columns[column]
          ? getLength(row + 1, column + 1) + 1
          : Math.max(getLength(row + 1, column), getLength(row, column + 1));
      getItem(lengths, row)[column] = longest;
    }
  const commonItems: CommonItem[] = [];
  let row = 0;
  let column = 0;
  while (row < rows.length && column < columns.length)
    if (rows[row] === columns[column]) {
      commonItems.push([row, column]);
      row++;
      column++;
    } else if (getLength(row + 1, column) >= getLength(row, column + 1)) row++;
    else column++;
  return commonItems;
}

/** Writes both values as JSON. Of long values, the part with the first difference is printed. */
function formatValues({ expected, actual }: Difference): { expectedText: string; actualText: string } {
  const a = expected === undefined ? undefined : formatLiteral(expected);
  const b = actual === undefined ? undefined : formatLiteral(actual);
  let difference = 0;
  if (a !== undefined && b !== undefined)
    while (difference < a.length && a[difference] === b[difference]) difference++;
  return { expectedText: shorten(a, difference), actualText: shorten(b, difference) };
}

/** Shortens a text to the part around the index `difference`. */
function shorten(text: string | undefined, difference: number): string {
  if (text === undefined) return "nothing";
  if (text.length <= MAX_VALUE) return text;
  const from = Math.max(0, difference - 40);
  const part = text.slice(from, from + MAX_VALUE);
  const rest = text.length - from - part.length;
  return `${from > 0 ? "… " : ""}${part}${rest > 0 ? ` … (${formatCount(text.length, "character")})` : ""}`;
}
