/** Formats text from schemas as Go source. Every function accepts any string. gofmt does not change the results. */
import { sanitizeText } from "../../text.js";
import { replaceInvisible, wrap } from "../text.js";

/** The words that Go linters want in capitals. */
const INITIALISMS = new Set(
  "ACL API ASCII CPU CSS DNS EOF GUID HTML HTTP HTTPS ID IP JSON LHS QPS RAM RHS RPC SLA SMTP SQL SSH TCP TLS TTL UDP UI UID URI URL UTF8 UUID VM XML XMPP XSRF XSS".split(
    " ",
  ),
);

/** Formats an exported Go identifier: `run_id` → `RunID`. Characters that identifiers must not contain separate words. */
export function formatGoName(name: string): string {
  const words = formatGoWords(name);
  return /^\p{Lu}/u.test(words) ? words : `X${words}`;
}

/** Joins the words of a name. The result can end an identifier, but it may be empty or begin with a digit. */
export function formatGoWords(name: string): string {
  return name
    .split(/[^\p{L}\p{Nd}]+/u)
    .flatMap((word) => word.split(/(?<=\p{Ll})(?=\p{Lu})/u))
    .map((word) => {
      const upper = word.toUpperCase();
      return INITIALISMS.has(upper) ? upper : word.replace(/^./u, (letter) => letter.toUpperCase());
    })
    .join("");
}

/** Formats a Go string literal. A lone surrogate becomes U+FFFD, as when Go reads JSON. */
export function formatGoString(text: string): string {
  return replaceInvisible(JSON.stringify(text.toWellFormed()), (hex) => `\\U${hex.padStart(8, "0")}`);
}

/** Formats the value of the json tag of a field. Returns undefined if such a tag cannot hold the name. */
export function formatGoTag(name: string, isOptional: boolean): string | undefined {
  if (name === "-" || !/^[\p{L}\p{Nd}!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$/u.test(name)) return undefined;
  return isOptional ? `${name},omitzero` : name;
}

/**
 * Formats a doc comment as lines: a paragraph for the text, and one for a deprecation. An empty text has no lines. The text
 * about a type must begin with the name of the type, since gofmt would change a text that looks like a heading or a link.
 */
export function formatGoDoc(text: string, indent: string, deprecated?: string): string[] {
  const formatParagraph = (paragraph: string): string[] =>
    paragraph === "" ? [] : wrap(paragraph, 100).map((line) => `${indent}// ${line}`);
  const description = formatParagraph(joinLines(text));
  const deprecation = deprecated === undefined ? [] : formatParagraph(`Deprecated: ${joinLines(deprecated)}`);
  const separator = description.length > 0 && deprecation.length > 0 ? [`${indent}//`] : [];
  return [...description, ...separator, ...deprecation];
}

/** Returns a text on one line. A blank separates two quotes of one kind, because gofmt replaces such pairs. */
function joinLines(text: string): string {
  return sanitizeText(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/(?<=`)`|(?<=')'/g, (quote) => ` ${quote}`);
}

/** Formats constants of one type, in columns as gofmt does. */
export function formatGoConstants(
  type: string,
  rows: readonly (readonly [name: string, value: string])[],
): string[] {
  const width = Math.max(...rows.map(([name]) => [...name].length));
  const lines = rows.map(([name, value]) => {
    const blanks = " ".repeat(width - [...name].length);
    return `\t${name}${blanks} ${type} = ${formatGoString(value)}`;
  });
  return rows.length === 0 ? [] : ["const (", ...lines, ")"];
}
