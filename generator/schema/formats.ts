import { fullFormats } from "ajv-formats/dist/formats.js";

/** A format that both readings assert. */
interface Format {
  readonly pattern: RegExp;
  /** The document that defines the format. */
  readonly source: string;
}

const leapYear = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const dayUpTo28 = "(?:0[1-9]|1\\d|2[0-8])";
const date = `(?:\\d{4}-(?:(?:0[1-9]|1[0-2])-${dayUpTo28}|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)|${leapYear}-02-29)`;
// A leap second is the last second of an hour in UTC. In a local time, the hour depends on the offset.
const time =
  "(?:[01]\\d|2[0-3]):(?:[0-5]\\d:[0-5]\\d|59:60)(?:\\.\\d+)?(?:[zZ]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";

const uriReference = fullFormats["uri-reference"] as RegExp;
const optionalScheme = "^(?:[a-z][a-z0-9+\\-.]*:)?";

/**
 * The formats that validators assert. All of them are regular expressions, so that generated code needs no library.
 * Dates follow the calendar and times RFC 3339, where ajv-formats is less strict. Most others come from ajv-formats.
 */
export const FORMATS: ReadonlyMap<string, Format> = new Map([
  ["date-time", { pattern: new RegExp(`^${date}[tT]${time}$`), source: "RFC 3339, section 5.6" }],
  ["date", { pattern: new RegExp(`^${date}$`), source: "RFC 3339, section 5.6" }],
  ["time", { pattern: new RegExp(`^${time}$`), source: "RFC 3339, section 5.6" }],
  ["uuid", { pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, source: "RFC 9562, section 4" }],
  ["uri", { pattern: requireScheme(uriReference), source: "RFC 3986" }],
  ["uri-reference", { pattern: uriReference, source: "RFC 3986" }],
  ...(
    [
      "duration",
      "email",
      "hostname",
      "ipv4",
      "ipv6",
      "json-pointer",
      "relative-json-pointer",
      "uri-template",
    ] as const
  ).map((name): [string, Format] => [name, { pattern: fullFormats[name] as RegExp, source: "ajv-formats" }]),
]);

/** Formats that are annotations only: no value is refused because of them. */
export const ANNOTATION_FORMATS: ReadonlySet<string> = new Set([
  "int32",
  "int64",
  "uint32",
  "uint64",
  "float",
  "double",
  "byte",
  "binary",
  "password",
  "regex",
  "idn-email",
  "idn-hostname",
  "iri",
  "iri-reference",
]);

/** Returns the pattern, without flags, of a format that validators assert; undefined for any other. */
export function getFormatPattern(name: string): string | undefined {
  const pattern = FORMATS.get(name)?.pattern;
  return pattern?.flags.includes("i") ? inlineIgnoreCase(pattern.source) : pattern?.source;
}

/** The parts of a pattern that matter for letter case: escapes, beginnings of groups, brackets, ranges of letters, letters. */
const TOKEN = /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|.)|\(\?.|[[\]]|[a-z]-[a-z]|[a-z]/gi;

/** Returns a pattern without the flag `i` that matches the same as `source` with it. Handles ASCII letters only. */
function inlineIgnoreCase(source: string): string {
  let isInClass = false;
  return source.replace(TOKEN, (token) => {
    if (token === "[" || token === "]") isInClass = token === "[";
    if (!/^[a-z]/i.test(token)) return token;
    if (isInClass) return token.toLowerCase() + token.toUpperCase();
    return token.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  });
}

/** Returns the pattern of a URI reference with a scheme that is not optional. */
function requireScheme(reference: RegExp): RegExp {
  if (!reference.source.startsWith(optionalScheme))
    throw new Error("ajv-formats has changed its uri-reference");
  // The last character of the optional scheme is the question mark that makes it optional.
  const scheme = optionalScheme.slice(0, -1);
  return new RegExp(scheme + reference.source.slice(optionalScheme.length), reference.flags);
}
