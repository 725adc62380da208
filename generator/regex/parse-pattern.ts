/** Parses regular expressions, and rewrites patterns in u mode. */
import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

const parser = new RegExpParser();

/** Returns the syntax tree of a regular expression; undefined if it is not a regular expression, or if the parser does not know its syntax. */
export function parsePattern(
  source: string,
  flags: string,
): { readonly pattern: AST.Pattern; readonly flags: AST.Flags } | undefined {
  try {
    const mode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
    return {
      pattern: parser.parsePattern(source, 0, source.length, mode),
      flags: parser.parseFlags(flags, 0, flags.length),
    };
  } catch {
    return undefined;
  }
}

/**
 * Returns the pattern as it is written in u mode, with the same meaning. Returns undefined if it is not a regular expression, or
 * if it cannot be written in u mode with the same meaning.
 */
export function toUnicodeSource(source: string): string | undefined {
  if (isRegExp(source, "u")) return source;
  // These escapes mean something else without the u flag.
  const changesMeaning = /\\([pP]\{|u\{|k<)/.test(source);
  if (changesMeaning || !isRegExp(source, "")) return undefined;
  const rewritten = rewriteEscapes(source);
  return isRegExp(rewritten, "u") ? rewritten : undefined;
}

function isRegExp(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/** The escapes of u mode. Every other escape stands for the escaped character, and u mode does not allow its backslash. */
const KNOWN_ESCAPE = /^\\[\^$\\.*+?()[\]{}|/dDwWsSbBnrtvf0-9cxupPk]/;

/** Removes backslashes that u mode does not allow, and escapes single braces. */
function rewriteEscapes(source: string): string {
  const parsed = parsePattern(source, "");
  if (!parsed) return source;
  let result = "";
  let copiedUpTo = 0;
  visitRegExpAST(parsed.pattern, {
    onCharacterEnter({ raw, start, end: stop, parent }) {
      const isInClass = parent.type !== "Alternative" && parent.type !== "Quantifier";
      const isDropped = /^\\./s.test(raw) && !KNOWN_ESCAPE.test(raw) && !(isInClass && raw === "\\-");
      const isBrace = !isInClass && (raw === "{" || raw === "}");
      result += source.slice(copiedUpTo, start);
      if (isDropped) result += raw.slice(1);
      else result += isBrace ? `\\${raw}` : raw;
      copiedUpTo = stop;
    },
  });
  return result + source.slice(copiedUpTo);
}
