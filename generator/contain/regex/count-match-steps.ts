/** Matches a pattern as ECMAScript describes it, one way after the other, to count the steps. */
import type { AST } from "@eslint-community/regexpp";
import { parsePattern } from "../../regex/parse-pattern.js";
import { requireUnicodeSource } from "./pattern-syntax.js";

/** Continues the match behind a part; returns whether the rest of the pattern matches. */
type Continue = (position: number) => boolean;

class TooManySteps extends Error {}

/** Thrown at a part whose steps are not counted. */
class UncountedPart extends Error {}

const IS_WORD = /^\w$/;

/**
 * Returns the number of steps in which a backtracking matcher searches a text for a pattern, at most `maxSteps`. Returns
 * undefined if it comes to a look-behind or a backreference.
 */
export function countMatchSteps(source: string, text: string, maxSteps: number): number | undefined {
  const pattern = parsePattern(requireUnicodeSource(source), "u")?.pattern;
  if (!pattern) return undefined;
  const chars = Array.from(text);
  const tests = new Map<AST.Node, RegExp>();
  let steps = 0;

  const isWord = (position: number): boolean => IS_WORD.test(chars[position] ?? "");
  const matchAny = (alternatives: readonly AST.Alternative[], at: number, next: Continue): boolean =>
    alternatives.some(({ elements }) => matchAll(elements, 0, at, next));
  const matchAll = (elements: readonly AST.Element[], index: number, at: number, next: Continue): boolean => {
    const element = elements[index];
    return element === undefined
      ? next(at)
      : match(element, at, (position) => matchAll(elements, index + 1, position, next));
  };
  const repeat = (node: AST.Quantifier, count: number, at: number, next: Continue): boolean => {
    const matchMore = (): boolean =>
      count < node.max &&
      match(
        node.element,
        at,
        // An iteration that reads nothing fails, once there are enough iterations.
        (position) => (position !== at || count < node.min) && repeat(node, count + 1, position, next),
      );
    if (count < node.min) return matchMore();
    return node.greedy ? matchMore() || next(at) : next(at) || matchMore();
  };
  const holds = (assertion: AST.Assertion, at: number): boolean => {
    switch (assertion.kind) {
      case "start":
        return at === 0;
      case "end":
        return at === chars.length;
      case "word":
        return (isWord(at - 1) !== isWord(at)) !== assertion.negate;
      case "lookahead":
        return matchAny(assertion.alternatives, at, () => true) !== assertion.negate;
      case "lookbehind":
        throw new UncountedPart();
    }
  };
  const readsCharacter = (node: AST.Element, at: number): boolean => {
    const char = chars[at];
    const test = tests.get(node) ?? new RegExp(`^(?:${node.raw})$`, "u");
    tests.set(node, test);
    return char !== undefined && test.test(char);
  };
  const match = (element: AST.Element, at: number, next: Continue): boolean => {
    if (++steps > maxSteps) throw new TooManySteps();
    switch (element.type) {
      case "Group":
      case "CapturingGroup":
        return matchAny(element.alternatives, at, next);
      case "Quantifier":
        return repeat(element, 0, at, next);
      case "Assertion":
        return holds(element, at) && next(at);
      case "Backreference":
        throw new UncountedPart();
      default:
        return readsCharacter(element, at) && next(at + 1);
    }
  };

  try {
    for (let start = 0; start <= chars.length; start++)
      if (matchAny(pattern.alternatives, start, () => true)) break;
  } catch (error) {
    if (error instanceof UncountedPart) return undefined;
    // A text that nests too deep for the stack is one that takes many steps.
    if (error instanceof TooManySteps || error instanceof RangeError) return maxSteps;
    throw error;
  }
  return steps;
}
