/** Matches a pattern as ECMAScript describes it, one way after the other, to count the steps. */
import type { AST } from "@eslint-community/regexpp";
import { parsePattern } from "../../regex/parse-pattern.js";
import { requireUnicodeSource } from "./pattern-syntax.js";

/** Continues the match behind a part; returns whether the rest of the pattern matches. */
type Continue = (position: number) => boolean;

/** Reads forwards, or backwards as in a look-behind. */
type Direction = 1 | -1;

class TooManySteps extends Error {}

const IS_WORD = /^\w$/;

/** Returns the number of steps in which a backtracking matcher searches a text for a pattern, at most `maxSteps`. */
type CountSteps = (text: string, maxSteps: number) => number;

/** Creates the counter of a pattern; undefined if the pattern cannot be parsed. */
export function createStepCounter(source: string): CountSteps | undefined {
  const pattern = parsePattern(requireUnicodeSource(source), "u")?.pattern;
  if (!pattern) return undefined;
  const tests: Search["tests"] = new Map();
  return (text, maxSteps) => {
    const search: Search = { tests, chars: Array.from(text), captures: new Map(), steps: 0, maxSteps };
    try {
      for (let start = 0; start <= search.chars.length; start++) {
        search.captures.clear();
        if (matchAny(search, pattern.alternatives, start, 1, () => true)) break;
      }
    } catch (error) {
      // A text that nests too deep for the stack is one that takes many steps.
      if (error instanceof TooManySteps || error instanceof RangeError) return maxSteps;
      throw error;
    }
    return search.steps;
  };
}

/** The search of a text. */
interface Search {
  /** The tests of single characters. */
  readonly tests: Map<AST.Node, RegExp>;
  readonly chars: readonly string[];
  readonly captures: Map<AST.CapturingGroup, readonly [start: number, end: number]>;
  steps: number;
  readonly maxSteps: number;
}

function takeStep(search: Search): void {
  search.steps++;
  if (search.steps > search.maxSteps) throw new TooManySteps();
}

function matchAny(
  search: Search,
  alternatives: readonly AST.Alternative[],
  at: number,
  direction: Direction,
  next: Continue,
): boolean {
  return alternatives.some(({ elements }) => {
    const ordered = direction === 1 ? elements : elements.toReversed();
    const matchFrom = (index: number, position: number): boolean => {
      const element = ordered[index];
      return element === undefined
        ? next(position)
        : match(search, element, position, direction, (end) => matchFrom(index + 1, end));
    };
    return matchFrom(0, at);
  });
}

function match(
  search: Search,
  element: AST.Element,
  at: number,
  direction: Direction,
  next: Continue,
): boolean {
  takeStep(search);
  switch (element.type) {
    case "Group":
      return matchAny(search, element.alternatives, at, direction, next);
    case "CapturingGroup":
      return capture(search, element, at, direction, next);
    case "Quantifier":
      return repeat(search, element, 0, at, direction, next);
    case "Assertion":
      return holds(search, element, at) && next(at);
    case "Backreference":
      return readAgain(search, element, at, direction, next);
    default:
      return readsCharacter(search, element, direction === 1 ? at : at - 1) && next(at + direction);
  }
}

function repeat(
  search: Search,
  node: AST.Quantifier,
  count: number,
  at: number,
  direction: Direction,
  next: Continue,
): boolean {
  const matchMore = (): boolean =>
    count < node.max &&
    match(
      search,
      node.element,
      at,
      direction,
      // An iteration that reads nothing fails, once there are enough iterations.
      (position) =>
        (position !== at || count < node.min) && repeat(search, node, count + 1, position, direction, next),
    );
  if (count < node.min) return matchMore();
  return node.greedy ? matchMore() || next(at) : next(at) || matchMore();
}

function holds(search: Search, assertion: AST.Assertion, at: number): boolean {
  const isWord = (position: number): boolean => IS_WORD.test(search.chars[position] ?? "");
  switch (assertion.kind) {
    case "start":
      return at === 0;
    case "end":
      return at === search.chars.length;
    case "word":
      return (isWord(at - 1) !== isWord(at)) !== assertion.negate;
    case "lookahead":
    case "lookbehind": {
      const direction = assertion.kind === "lookahead" ? 1 : -1;
      return matchAny(search, assertion.alternatives, at, direction, () => true) !== assertion.negate;
    }
  }
}

function capture(
  search: Search,
  group: AST.CapturingGroup,
  at: number,
  direction: Direction,
  next: Continue,
): boolean {
  const { captures } = search;
  return matchAny(search, group.alternatives, at, direction, (position) => {
    const earlier = captures.get(group);
    captures.set(group, direction === 1 ? [at, position] : [position, at]);
    if (next(position)) return true;
    if (earlier === undefined) captures.delete(group);
    else captures.set(group, earlier);
    return false;
  });
}

function readAgain(
  search: Search,
  { resolved }: AST.Backreference,
  at: number,
  direction: Direction,
  next: Continue,
): boolean {
  const { chars, captures } = search;
  const captured = [resolved].flat().map((group) => captures.get(group));
  const [start, end] = captured.find((each) => each !== undefined) ?? [0, 0];
  const from = direction === 1 ? at : at - (end - start);
  for (let offset = 0; offset < end - start; offset++) {
    takeStep(search);
    if (chars[start + offset] !== chars[from + offset]) return false;
  }
  return next(at + direction * (end - start));
}

function readsCharacter({ chars, tests }: Search, node: AST.Element, at: number): boolean {
  const char = chars[at];
  const test = tests.get(node) ?? new RegExp(`^(?:${node.raw})$`, "u");
  tests.set(node, test);
  return char !== undefined && test.test(char);
}
