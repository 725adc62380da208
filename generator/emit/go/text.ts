/**
 * Text from schemas as Go source. Each function is total and gives what gofmt leaves as it is.
 */
import { visible } from "../../text.js";
import { wrap } from "../text.js";

/** Characters that Go source must not or should not contain. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Words that Go writes in capitals. */
const INITIALISMS = new Set(["API", "CPU", "HTML", "HTTP", "ID", "JSON", "SQL", "UI", "URI", "URL", "UUID"]);

/** Formats an exported Go identifier: `run_id` → `RunID`. Characters that no identifier may hold separate words. */
export function formatGoName(name: string): string {
  const joined = name
    .split(/[^\p{L}\p{Nd}]+/u)
    .flatMap((word) => word.split(/(?<=\p{Ll})(?=\p{Lu})/u))
    .map((word) => {
      const upper = word.toUpperCase();
      return INITIALISMS.has(upper) ? upper : word.replace(/^./u, (letter) => letter.toUpperCase());
    })
    .join("");
  return /^\p{Lu}/u.test(joined) ? joined : `X${joined}`;
}

/** A Go string literal. A lone surrogate, which Go has not, becomes U+FFFD, as it does where Go reads JSON. */
export function formatGoString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    UNSEEN,
    (character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`,
  );
}

/** Formats the struct tag of a field. Returns undefined if encoding/json does not accept the name in a tag. */
export function formatGoTag(name: string, optional: boolean): string | undefined {
  if (!/^[\p{L}\p{Nd}!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$/u.test(name)) return undefined;
  // The tag "-" alone would omit the field, so the name "-" needs a comma.
  const comma = name === "-" ? "," : "";
  const options = optional ? ",omitempty" : comma;
  return `\`json:"${name}${options}"\``;
}

/**
 * A doc comment: one paragraph for the text, a second one for a deprecation; no lines for an empty text. Where a type is
 * documented, gofmt rewrites what begins a paragraph like a heading or a link: there `text` begins with the type's name.
 */
export function formatGoDoc(text: string, indent: string, deprecated?: string): string[] {
  const lines = (paragraph: string): string[] =>
    paragraph === "" ? [] : wrap(paragraph, 100).map((line) => `${indent}// ${line}`);
  const about = lines(oneLine(text));
  const warning = deprecated === undefined ? [] : lines(`Deprecated: ${oneLine(deprecated)}`);
  return about.length > 0 && warning.length > 0
    ? [...about, `${indent}//`, ...warning]
    : [...about, ...warning];
}

function oneLine(text: string): string {
  return visible(text)
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
