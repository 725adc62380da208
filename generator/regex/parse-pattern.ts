/** The regular-expression front end: how a pattern is spelled in u mode, and its syntax tree. */
import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

const parser = new RegExpParser();

/** Returns the syntax tree of a regular expression; undefined where it is not legal, or newer than the parser. */
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
 * Returns the pattern spelled in u mode, with the same meaning; the pattern itself where it is legal there. Undefined where it is
 * not a regular expression, or means something else in u mode.
 */
export function toUnicodeSource(source: string): string | undefined {
  if (isLegal(source, "u")) return source;
  const changesMeaning = /\\([pP]\{|u\{|k<)/.test(source); // these mean something else without the u flag
  if (changesMeaning || !isLegal(source, "")) return undefined;
  const rewritten = respellCharacters(source);
  return isLegal(rewritten, "u") ? rewritten : undefined;
}

function isLegal(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/** Escapes that u mode knows. All others stand for the escaped character, which u mode wants without the backslash. */
const KNOWN_ESCAPE = /^\\[\^$\\.*+?()[\]{}|/dDwWsSbBnrtvf0-9cxupPk]/;

function respellCharacters(source: string): string {
  const parsed = parsePattern(source, "");
  if (!parsed) return source;
  let result = "";
  let end = 0;
  visitRegExpAST(parsed.pattern, {
    onCharacterEnter({ raw, start, end: stop, parent }) {
      const isInClass = parent.type !== "Alternative" && parent.type !== "Quantifier";
      const isDropped = /^\\./s.test(raw) && !KNOWN_ESCAPE.test(raw) && !(isInClass && raw === "\\-");
      const isBrace = !isInClass && (raw === "{" || raw === "}");
      result += source.slice(end, start) + (isDropped ? raw.slice(1) : isBrace ? `\\${raw}` : raw);
      end = stop;
    },
  });
  return result + source.slice(end);
}
