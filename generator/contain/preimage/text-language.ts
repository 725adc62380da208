/** Compares a set of texts, which a pattern describes, with another pattern. */
import { Budget, DEFAULT_LIMITS, LimitError } from "../budget.js";
import { findWord } from "../regex/find-word.js";
import { getAutomaton } from "../regex/nfa.js";
import type { TextRelation } from "./pull-back-keywords.js";

/** Returns how the texts that match `language` satisfy a pattern. */
export function relateTexts(language: string, pattern: string): TextRelation {
  const [texts, wanted] = [language, pattern].map((each) => getAutomaton(each, DEFAULT_LIMITS.maxStates));
  if (texts?.isExact !== true || wanted?.isExact !== true) return "some";
  const budget = new Budget(DEFAULT_LIMITS);
  const isEmpty = (positive: boolean): boolean => {
    const conditions = [
      { nfa: texts, positive: true },
      { nfa: wanted, positive },
    ];
    return findWord(conditions, { min: 0, max: Number.POSITIVE_INFINITY }, new Set(), budget).kind === "none";
  };
  try {
    if (isEmpty(false)) return "all";
    return isEmpty(true) ? "none" : "some";
  } catch (error) {
    if (error instanceof LimitError) return "some";
    throw error;
  }
}
