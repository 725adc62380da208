/** Groups renames that change the same part of several names in the same way. */
import { LETTER_CASES } from "../../protocol/names.js";
import { normalizeName, splitWords } from "./likeness.js";

/** The change that a rename makes to a part of a name. `*` stands for the rest: `approval.*` → `gate.*`. */
export interface Pattern {
  readonly from: string;
  readonly to: string;
}

/** Members that follow one pattern. */
export interface Family<T> extends Pattern {
  readonly members: readonly T[];
}

/**
 * Groups members into families with at least `minSize` members, the largest first; `single` has the others. Members whose
 * names changed only in letter case and separators are one family.
 */
export function findFamilies<T>(
  members: readonly T[],
  getNames: (member: T) => Pattern,
  minSize: number,
): { families: Family<T>[]; single: T[] } {
  const families: Family<T>[] = [];
  const withSameLetters = members.filter((member) => hasSameLetters(getNames(member)));
  let remaining = members;
  if (withSameLetters.length >= minSize) {
    remaining = members.filter((member) => !withSameLetters.includes(member));
    families.push({ ...describeCaseChange(withSameLetters.map(getNames)), members: withSameLetters });
  }
  const patterns = new Map(remaining.map((member) => [member, listPatterns(getNames(member))]));
  for (;;) {
    const pattern = findCommonestPattern(remaining.map((member) => patterns.get(member) ?? []));
    const followers = remaining.filter((member) =>
      patterns.get(member)?.some((each) => areSamePatterns(each, pattern)),
    );
    if (!pattern || followers.length < Math.max(1, minSize)) return { families, single: [...remaining] };
    families.push({ ...pattern, members: followers });
    remaining = remaining.filter((member) => !followers.includes(member));
  }
}

/** Applies a pattern to a name; undefined if the name does not match. */
export function applyPattern({ from, to }: Pattern, name: string): string | undefined {
  const starTexts = matchStars(from.split("*"), name);
  const parts = to.split("*");
  if (!starTexts || parts.length !== starTexts.length + 1) return undefined;
  return parts.map((part, index) => part + (starTexts[index] ?? "")).join("");
}

/**
 * Returns the texts that the stars between `parts` stand for. Undefined if the name does not match, if a text is empty, or
 * if there are not one or two stars.
 */
function matchStars(parts: readonly string[], name: string): string[] | undefined {
  const head = parts[0] ?? "";
  const tail = parts.at(-1) ?? "";
  const between = parts.slice(1, -1);
  if (parts.length < 2 || between.length > 1 || !name.startsWith(head) || !name.endsWith(tail))
    return undefined;
  const middle = name.slice(head.length, name.length - tail.length);
  const [separator] = between;
  const texts = separator === undefined ? [middle] : splitOnce(middle, separator);
  return texts.every((text) => text !== "") ? texts : undefined;
}

/** Splits a text at the first `separator` that is not at its beginning. Without one, the second part is empty. */
function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator, 1);
  return index === -1 ? [text, ""] : [text.slice(0, index), text.slice(index + separator.length)];
}

/** Returns the ways to read a rename as a change of a part of the name, the most specific first. */
export function listPatterns({ from, to }: Pattern): Pattern[] {
  if (hasSameLetters({ from, to })) return [];
  const oldTokens = splitTokens(from);
  const newTokens = splitTokens(to);
  const maxCommon = Math.min(oldTokens.length, newTokens.length);
  let start = 0;
  while (start < maxCommon && oldTokens[start] === newTokens[start]) start++;
  let end = 0;
  while (end < maxCommon - start && oldTokens.at(-1 - end) === newTokens.at(-1 - end)) end++;
  const head = oldTokens.slice(0, start);
  const tail = oldTokens.slice(oldTokens.length - end);
  const oldPart = oldTokens.slice(start, oldTokens.length - end).join("");
  const newPart = newTokens.slice(start, newTokens.length - end).join("");
  // The common beginning and the common end may each be part of the pattern, or a star may stand for them.
  const heads = [head.join(""), ...(start > 0 ? [`*${findSeparator(head.at(-1))}`] : [])];
  const tails = [tail.join(""), ...(end > 0 ? [`${findSeparator(tail[0])}*`] : [])];
  const patterns = heads.flatMap((before) =>
    tails.map((after) => ({ from: `${before}${oldPart}${after}`, to: `${before}${newPart}${after}` })),
  );
  return [
    ...patterns.filter((each) => each.from.includes("*")),
    ...findCommonMiddle(oldTokens, newTokens),
    ...findMovedWord(from, to),
  ];
}

/** Finds a pattern that changes both ends of a name: `RemoteStop` → `RequestStopRequest` is `Remote*` → `Request*Request`. */
function findCommonMiddle(old: readonly string[], now: readonly string[]): Pattern[] {
  if (old[0] === now[0] || old.at(-1) === now.at(-1)) return [];
  let best = { start: 0, other: 0, length: 0 };
  for (const start of old.keys())
    for (const other of now.keys()) {
      let length = 0;
      while (start + length < old.length && old[start + length] === now[other + length]) length++;
      if (length > best.length) best = { start, other, length };
    }
  const { start, other, length } = best;
  const fillStar = (tokens: readonly string[], first: number): string =>
    `${tokens.slice(0, first).join("")}*${tokens.slice(first + length).join("")}`;
  return length === 0 ? [] : [{ from: fillStar(old, start), to: fillStar(now, other) }];
}

/** Finds a pattern in which the last word becomes the first, or the first the last: `run_end` → `end_run`. */
function findMovedWord(from: string, to: string): Pattern[] {
  const old = splitWords(from);
  const now = splitWords(to);
  const first = old[0] ?? "";
  const last = old.at(-1) ?? "";
  const separator = /[^\p{L}\p{N}]/u.exec(from)?.[0] ?? "";
  if (old.length < 2) return [];
  if (areEqualWords(now, [last, ...old.slice(0, -1)]))
    return [{ from: `*${separator}${last}`, to: `${last}${separator}*` }];
  if (areEqualWords(now, [...old.slice(1), first]))
    return [{ from: `${first}${separator}*`, to: `*${separator}${first}` }];
  return [];
}

function areEqualWords(a: readonly string[], b: readonly string[]): boolean {
  return a.join(" ") === b.join(" ");
}

/** Splits a name into words and separators. A capital letter after a small letter or a digit begins a word. */
export function splitTokens(name: string): string[] {
  // The three positions of a split: after a separator, before a separator, and before such a capital letter.
  return name.split(/(?<=[^\p{L}\p{N}])|(?=[^\p{L}\p{N}])|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
}

/** Returns the token if it is a separator; otherwise "". */
function findSeparator(token = ""): string {
  return /^[^\p{L}\p{N}]$/u.test(token) ? token : "";
}

function hasSameLetters({ from, to }: Pattern): boolean {
  return normalizeName(from) === normalizeName(to);
}

/** Returns the letter cases before and after a change that all these names have in common. */
function describeCaseChange(names: readonly Pattern[]): Pattern {
  const findLetterCase = (all: readonly string[]): string | undefined =>
    Object.entries(LETTER_CASES).find(([, pattern]) => all.every((name) => pattern.test(name)))?.[0];
  return {
    from: findLetterCase(names.map(({ from }) => from)) ?? "one case",
    to: findLetterCase(names.map(({ to }) => to)) ?? "another case",
  };
}

/** Returns the most common pattern. Of equally common ones, returns the more specific one, then the first in order. */
function findCommonestPattern(lists: readonly (readonly Pattern[])[]): Pattern | undefined {
  const counts = new Map<string, { pattern: Pattern; count: number; rank: number }>();
  for (const patterns of lists)
    for (const [rank, pattern] of patterns.entries()) {
      const key = JSON.stringify([pattern.from, pattern.to]);
      const known = counts.get(key) ?? { pattern, count: 0, rank };
      counts.set(key, { pattern, count: known.count + 1, rank: Math.min(known.rank, rank) });
    }
  const [first] = [...counts].sort(
    ([a, x], [b, y]) => y.count - x.count || x.rank - y.rank || (a < b ? -1 : 1),
  );
  return first?.[1].pattern;
}

function areSamePatterns(a: Pattern, b: Pattern | undefined): boolean {
  return a.from === b?.from && a.to === b.to;
}
