/** Escapes text from schemas, which is untrusted in every output. Every function accepts any string. */
import { createBanner, sanitizeText } from "../text.js";

/** Escapes a line of text for a block comment, so that it neither ends the comment nor holds a tag. */
export function escapeCommentLine(line: string): string {
  return line.replace(/(^|[\s{])@/g, "$1\\@").replace(/\*\//g, "*\\/");
}

/** Formats `text` as a JSDoc comment, with lines of at most about `width` characters. Tags and comment ends are escaped. */
export function formatDocComment(text: string, indent = "", width = 110): string {
  const lines = sanitizeText(text)
    .split("\n")
    .flatMap((line) => wrap(line.trimEnd(), width - indent.length - 3))
    .map(escapeCommentLine);
  const [first = ""] = lines;
  if (lines.length === 1) return `${indent}/** ${first} */`;
  return [
    `${indent}/**`,
    ...lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}`),
    `${indent} */`,
  ].join("\n");
}

/** Breaks `line` at blanks so that no part is longer than `width`, except single long words. */
export function wrap(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/ +/)) {
    if (current !== "" && current.length + 1 + word.length > width && !word.startsWith("@")) {
      lines.push(current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current];
}

/** Replaces each invisible character, which source code should not contain, by `format` of its code point in hexadecimal. */
export function replaceInvisible(text: string, format: (hex: string) => string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    format((character.codePointAt(0) ?? 0).toString(16)),
  );
}

/** The first lines of every generated TypeScript or JavaScript file. */
export const BANNER = `// ${createBanner()}\n// Change the schemas and run \`accrete generate\`.\n`;
