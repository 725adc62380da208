/** Rewrites patterns as parts of longer ones. */
import { type AST, visitRegExpAST } from "@eslint-community/regexpp";
import { parsePattern } from "./parse-pattern.js";

/**
 * Returns the source of a pattern without anchors that matches exactly the texts in which `pattern` is found. No character at
 * which the text `excluded` begins is matched. Undefined if the pattern has anchors, look-arounds or references inside.
 */
export function readPatternBody(pattern: string, excluded?: string): string | undefined {
  const parsed = parsePattern(pattern, "u");
  const bodies = parsed?.pattern.alternatives.map((alternative) =>
    readAlternative(pattern, alternative, excluded),
  );
  return bodies?.every((body) => body !== undefined) ? bodies.join("|") : undefined;
}

function readAlternative(
  pattern: string,
  alternative: AST.Alternative,
  excluded: string | undefined,
): string | undefined {
  const { elements } = alternative;
  const [first, last] = [elements[0], elements.at(-1)];
  const isStart = first?.type === "Assertion" && first.kind === "start";
  const isEnd = last?.type === "Assertion" && last.kind === "end";
  const [start, end] = [isStart ? first.end : alternative.start, isEnd ? last.start : alternative.end];
  const units: AST.Node[] = [];
  let isPlain = true;
  const reject = (node: AST.Node): void => {
    if (node !== first && node !== last) isPlain = false;
  };
  const addUnit = (node: AST.Character | AST.CharacterSet): void => {
    if (node.parent.type === "Alternative" || node.parent.type === "Quantifier") units.push(node);
  };
  visitRegExpAST(alternative, {
    onAssertionEnter: reject,
    onBackreferenceEnter: reject,
    onCharacterEnter: addUnit,
    onCharacterSetEnter: addUnit,
    onCharacterClassEnter: (node) => units.push(node),
  });
  if (!isPlain || start > end) return undefined;
  let body = "";
  let copied = start;
  for (const unit of units) {
    body += pattern.slice(copied, unit.start) + excludeText(unit.raw, excluded);
    copied = unit.end;
  }
  const anything = `${excludeText("[\\s\\S]", excluded)}*`;
  return `${isStart ? "" : anything}${body}${pattern.slice(copied, end)}${isEnd ? "" : anything}`;
}

/** Returns a pattern of one character at which a text does not begin. */
export function excludeText(unit: string, excluded: string | undefined): string {
  const [first] = excluded ?? "";
  if (excluded === undefined || first === undefined || !new RegExp(`^${unit}$`, "u").test(first)) return unit;
  return `(?:(?!${escapeRegExp(excluded)})${unit})`;
}

/** Returns a pattern that matches a text only. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
