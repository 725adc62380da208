/** If this fails, a text can be made for which `accrete redact` and `accrete validate` need far more steps than it has letters. */
import { readdirSync, readFileSync } from "node:fs";
import { Project, SyntaxKind } from "ts-morph";
import { describe, expect, it } from "vitest";
import { findSlowTexts } from "../../generator/contain/regex/find-slow-text.js";
import { FORMS } from "../../generator/redact/secret-forms.js";
import { chooseCases } from "../depth.js";

/** The patterns are larger than those of most schemas. */
const MAX_STEPS = 24_000_000;
/** Counts above this become this one, so that what is bounded costs a few steps, and only what is unbounded grows. */
const MAX_COUNT = 3;

/**
 * Simplifies a pattern for the search of slow texts, which knows no lookbehinds. Without them, the pattern begins at more
 * places, so it is not slow if the simpler one is not.
 */
function simplifyPattern(source: string): string {
  return removeLookbehinds(source).replace(
    /\{(\d+)(,?)(\d*)\}/g,
    (_, least: string, comma: string, most: string) =>
      `{${Math.min(Number(least), MAX_COUNT)}${comma}${most && Math.min(Number(most), MAX_COUNT)}}`,
  );
}

/** Returns a pattern without its groups that look behind. */
function removeLookbehinds(source: string): string {
  const start = source.search(/\(\?<[!=]/);
  if (start < 0) return source;
  let depth = 0;
  let isInClass = false;
  for (let at = start; at < source.length; at++) {
    const letter = source[at];
    if (letter === "\\") at++;
    else if (letter === "]") isInClass = false;
    else if (isInClass) continue;
    else if (letter === "[") isInClass = true;
    else if (letter === "(") depth++;
    else if (letter === ")" && --depth === 0)
      return removeLookbehinds(source.slice(0, start) + source.slice(at + 1));
  }
  return source;
}

/** Returns the regular expressions that a file states as literals. */
function listLiterals(file: string): string[] {
  const source = new Project({ useInMemoryFileSystem: true }).createSourceFile(
    "x.ts",
    readFileSync(file, "utf8"),
  );
  return source
    .getDescendantsOfKind(SyntaxKind.RegularExpressionLiteral)
    .map((literal) => literal.getText().replace(/^\/|\/[a-z]*$/g, ""));
}

describe("no pattern is slow", () => {
  const folder = "generator/redact";
  const patterns = [
    ...FORMS.map(({ pattern }) => pattern.source),
    // The parts of a match are searched by patterns of their own.
    ...FORMS.flatMap(({ parts }) => (parts === undefined ? [] : [parts.source])),
    ...readdirSync(folder).flatMap((file) => listLiterals(`${folder}/${file}`)),
  ];
  it.each(chooseCases([...new Set(patterns.map(simplifyPattern))], 24))("%s", (source) => {
    expect(findSlowTexts(source, MAX_STEPS)).toBe("none");
  });
});
