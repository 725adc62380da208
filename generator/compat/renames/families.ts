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
 * Groups members into families of at least `least`, the largest first; `single` has the others. Names that differ only in
 * letter case and separators are one family.
 */
export function findFamilies<T>(
  members: readonly T[],
  nameOf: (member: T) => Pattern,
  least: number,
): { families: Family<T>[]; single: T[] } {
  const families: Family<T>[] = [];
  const rewritten = members.filter((member) => hasSameLetters(nameOf(member)));
  let left = members;
  if (rewritten.length >= least) {
    left = members.filter((member) => !rewritten.includes(member));
    families.push({ ...describeCaseChange(rewritten.map(nameOf)), members: rewritten });
  }
  const known = new Map(left.map((member) => [member, listPatterns(nameOf(member))]));
  for (;;) {
    const pattern = findCommonestPattern(left.map((member) => known.get(member) ?? []));
    const followers = left.filter((member) =>
      known.get(member)?.some((each) => areSamePatterns(each, pattern)),
    );
    if (!pattern || followers.length < Math.max(1, least)) return { families, single: [...left] };
    families.push({ ...pattern, members: followers });
    left = left.filter((member) => !followers.includes(member));
  }
}

/** Applies a pattern to a name; undefined if the name does not match. */
export function applyPattern({ from, to }: Pattern, name: string): string | undefined {
  const rest = matchStars(from.split("*"), name);
  const parts = to.split("*");
  if (!rest || parts.length !== rest.length + 1) return undefined;
  return parts.map((part, index) => part + (rest[index] ?? "")).join("");
}

/** Returns the texts that the stars between `parts` stand for, none of them empty; there are one or two stars. */
function matchStars(parts: readonly string[], name: string): string[] | undefined {
  const [head = "", ...others] = parts;
  const tail = others.pop() ?? "";
  if (others.length > 1 || parts.length < 2 || !name.startsWith(head) || !name.endsWith(tail))
    return undefined;
  const middle = name.slice(head.length, name.length - tail.length);
  const [inner] = others;
  const at = inner === undefined ? middle.length : middle.indexOf(inner, 1);
  const rest = inner === undefined ? [middle] : [middle.slice(0, at), middle.slice(at + inner.length)];
  return at > 0 && rest.every((part) => part !== "") ? rest : undefined;
}

/** Returns the ways to read a rename as a change of a part of the name, the most specific first. */
export function listPatterns({ from, to }: Pattern): Pattern[] {
  if (hasSameLetters({ from, to })) return [];
  const [a, b] = [splitTokens(from), splitTokens(to)];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [head, tail] = [a.slice(0, start), a.slice(a.length - end)];
  const [old, now] = [a, b].map((all) => all.slice(start, all.length - end).join(""));
  const heads = [head.join(""), ...(start > 0 ? [`*${findSeparator(head.at(-1))}`] : [])];
  const tails = [tail.join(""), ...(end > 0 ? [`${findSeparator(tail[0])}*`] : [])];
  const parts = heads.flatMap((before) =>
    tails.map((after) => ({ from: `${before}${old}${after}`, to: `${before}${now}${after}` })),
  );
  return [...parts.filter((each) => each.from.includes("*")), ...findTurnedWords(from, to)];
}

/** Finds a pattern in which the last word becomes the first, or the first the last: `run_end` → `end_run`. */
function findTurnedWords(from: string, to: string): Pattern[] {
  const [old, now] = [splitWords(from), splitWords(to)];
  const [first, last] = [old[0] ?? "", old.at(-1) ?? ""];
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

/** Splits a name into words and separators. A capital letter begins a word. */
function splitTokens(name: string): string[] {
  return name.split(/(?<=[^\p{L}\p{N}])|(?=[^\p{L}\p{N}])|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
}

function findSeparator(token = ""): string {
  return /^[^\p{L}\p{N}]$/u.test(token) ? token : "";
}

function hasSameLetters({ from, to }: Pattern): boolean {
  return normalizeName(from) === normalizeName(to);
}

function describeCaseChange(names: readonly Pattern[]): Pattern {
  const findLetterCase = (all: readonly string[]): string | undefined =>
    Object.entries(LETTER_CASES).find(([, pattern]) => all.every((name) => pattern.test(name)))?.[0];
  return {
    from: findLetterCase(names.map(({ from }) => from)) ?? "one case",
    to: findLetterCase(names.map(({ to }) => to)) ?? "another case",
  };
}

/** Returns the most common pattern; of several, the more specific one, then the first in order. */
function findCommonestPattern(all: readonly (readonly Pattern[])[]): Pattern | undefined {
  const counts = new Map<string, { pattern: Pattern; count: number; rank: number }>();
  for (const patterns of all)
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
