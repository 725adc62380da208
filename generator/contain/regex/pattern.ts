/**
 * What a `pattern` means: a search, unanchored, over code points (u mode). Patterns that are only legal without the
 * u flag, such as `\-`, are rewritten to their equal in u mode. A look-ahead right after `^` is split off as a pattern
 * of its own, since `^(?=X)Y` is the conjunction of `^X` and `^Y`.
 */
import { Unsupported } from "../budget.js";

/** A part of a pattern; a string must match it, or must not. */
export interface PatternPart {
  readonly source: string;
  readonly negate: boolean;
  /** How many characters the string must have besides. */
  readonly size?: { readonly min: number; readonly max: number };
}

/** All of a text are characters of one kind, and there are so many. */
const SIZED = /^(\^(?:\.|\[(?:[^\]\\]|\\.)*\]|\\[dDwWsS]))\{(\d+)(?:(,)(\d*))?\}\$$/u;
/** A repetition of more is a matter of counting, not of automata. */
const FEW = 100;

const KNOWN_ESCAPE = /[\^$\\.*+?()[\]{}|/dDwWsSbBnrtvf0-9cxupPk]/;
const compiled = new Map<string, RegExp>();

/** The pattern as a regular expression in u mode; throws `Unsupported` when it is none in any mode. */
export function regExp(source: string): RegExp {
  const known = compiled.get(source);
  if (known) return known;
  if (compiled.size > 2_000) compiled.clear();
  const made = new RegExp(unicodeSource(source), "u");
  compiled.set(source, made);
  return made;
}

/** The text of the pattern in u mode; the pattern itself where that is legal. */
export function unicodeSource(source: string): string {
  if (isLegal(source, "u")) return source;
  const rewritten = dropIdentityEscapes(source);
  const changesMeaning = /\\([pP]\{|u\{|k<)/.test(source); // these mean something else without the u flag
  if (!changesMeaning && isLegal(source, "") && isLegal(rewritten, "u")) return rewritten;
  throw new Unsupported(`the pattern ${JSON.stringify(source)} is not a regular expression in u mode`);
}

function isLegal(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function dropIdentityEscapes(source: string): string {
  let result = "";
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const char = source[i] ?? "";
    const next = source[i + 1] ?? "";
    if (char === "\\") {
      const keep = KNOWN_ESCAPE.test(next) || (inClass && next === "-");
      result += keep ? char + next : next;
      i++;
    } else {
      if (char === "[") inClass = true;
      if (char === "]") inClass = false;
      const literal = !inClass && (char === "}" || char === "{") && !isQuantifier(source, i);
      result += literal ? `\\${char}` : char;
    }
  }
  return result;
}

function isQuantifier(source: string, index: number): boolean {
  const open = source.lastIndexOf("{", index);
  return open >= 0 && /^\{\d+(,\d*)?\}/.test(source.slice(open));
}

/** The pattern split at the look-aheads that follow its `^`, and from a large count of its characters; else whole. */
export function splitPattern(source: string): readonly PatternPart[] {
  const sized = sizedPattern(source);
  if (sized) return [sized];
  const whole = [{ source, negate: false }];
  if (!source.startsWith("^(?=") && !source.startsWith("^(?!")) return whole;
  if (hasBackreference(source) || alternatives(source).length > 1) return whole;
  const parts: PatternPart[] = [];
  let rest = source.slice(1);
  while (rest.startsWith("(?=") || rest.startsWith("(?!")) {
    const end = groupEnd(rest);
    if (end < 0 || /^[*+?{]/.test(rest.slice(end + 1))) return whole;
    parts.push({ source: `^(?:${rest.slice(3, end)})`, negate: rest[2] === "!" });
    rest = rest.slice(end + 1);
  }
  if (rest !== "") parts.push({ source: `^${rest}`, negate: false });
  return parts;
}

/** The length of a text as JSON Schema counts it. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function sizedPattern(source: string): PatternPart | undefined {
  const [, start, least, comma, most] = SIZED.exec(source) ?? [];
  if (start === undefined) return undefined;
  const min = Number(least);
  const max = comma === undefined ? min : most ? Number(most) : Number.POSITIVE_INFINITY;
  const isLarge = Math.max(min, Number.isFinite(max) ? max : 0) > FEW;
  return isLarge ? { source: `${start}*$`, negate: false, size: { min, max } } : undefined;
}

/** Whether a pattern refers to what a group of it has matched. */
export function hasBackreference(source: string): boolean {
  return /\\[1-9k]/.test(source.replace(/\\\\/g, ""));
}

/** Whether a pattern is a choice between sequences of characters: without groups and repetitions. */
export function isPlain(source: string): boolean {
  return !/[(*+?{]/.test(source.replace(/\\./gs, ""));
}

/** The patterns between which a pattern chooses; itself alone where a backreference may reach from one into another. */
export function alternatives(source: string): readonly string[] {
  if (hasBackreference(source)) return [source];
  const choices: string[] = [];
  let from = 0;
  scan(source, (char, depth, index) => {
    if (char !== "|" || depth !== 0) return;
    choices.push(source.slice(from, index));
    from = index + 1;
  });
  return [...choices, source.slice(from)];
}

function groupEnd(source: string): number {
  let end = -1;
  scan(source, (char, depth, index) => {
    if (char === ")" && depth === 0 && end < 0) end = index;
  });
  return end;
}

function scan(source: string, visit: (char: string, depth: number, index: number) => void): void {
  let depth = 0;
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const char = source[i] ?? "";
    if (char === "\\") i++;
    else if (inClass) inClass = char !== "]";
    else if (char === "[") inClass = true;
    else {
      if (char === ")") depth--;
      visit(char, depth, i);
      if (char === "(") depth++;
    }
  }
}
