/** Finds secrets in the arguments of programs that take them: one table of programs, their options and what a value holds. */

/** A part of a text. Its ends count UTF-16 code units. */
interface Span {
  readonly start: number;
  readonly stop: number;
}

/** Programs, and their options whose values hold secrets. */
interface CommandForm {
  readonly programs: readonly string[];
  /** A regular expression of the words between the program and its options. */
  readonly words?: string;
  /** A regular expression of the options. An option of one letter may have its value attached. */
  readonly options: string;
  readonly value: keyof typeof VALUE_PARTS;
}

/** Values that hold no secret: placeholders, masks, references to variables, calls and words about the state of a secret. */
export const VALUES_WITHOUT_SECRET = [
  "[$<*%`]",
  "\\[redacted",
  "x{3,}(?!\\w)",
  "\\.{3}",
  "(?:null|true|false|yes|no|on|off|undefined|none|string|number|boolean|required|optional|missing|invalid|expired|unknown|denied|hidden|redacted|removed|changed|wrong|incorrect|enabled|disabled)(?![\\w-])",
  "(?:process\\.env|os\\.environ|self|this|config|settings|options|args|req|request|env)(?:\\.|\\[)",
  "[A-Za-z_][\\w.]{0,80}\\(",
  // The end of a usage line, such as `[-a password]`.
  "(?:password|passwd|pass|secret|token)\\]",
  // Prose: a lower-case word and another word after it.
  "(?<=:[ \\t]{1,3})[a-z]{1,30}[,;]?[ \\t]+\\w",
].join("|");

/** A secret up to the end of a value. */
const SECRET = `(?<secret>(?!["']?(?:${VALUES_WITHOUT_SECRET}))[^]+)$`;

/** The name of a cookie in a header, and a character of its value. */
export const COOKIE_NAME = "[\\w!#$%&'*+.^`|~-]{1,60}";
export const COOKIE_VALUE = `[^\\s"',;\\\\<]`;

/**
 * Matches the secrets in a text of cookies. Short values are settings such as a theme, and attributes of a cookie are no
 * secrets.
 */
export const COOKIES = new RegExp(
  `(?<![^;\\s"'\\\\])(?!(?:path|domain|expires|max-age|samesite)=)${COOKIE_NAME}=(?<secret>(?!${VALUES_WITHOUT_SECRET})${COOKIE_VALUE}{8,})`,
  "dgi",
);

/** The secrets in a value, by what the value is. */
const VALUE_PARTS = {
  /** The value is the secret. */
  secret: new RegExp(`^${SECRET}`, "dg"),
  /** A name and a secret, as in `name:secret`. Two numbers are the ids of a user and a group, and `//` belongs to a URL. */
  account: new RegExp(`^(?!\\d+:\\d+$)[^:]*:(?!//)${SECRET}`, "dg"),
  /** A secret alone, as the user of a service. */
  key: /^(?<secret>(?=[A-Za-z_-]{0,60}\d)[\w-]{20,200}):?$/dg,
  /** A key and a secret, as in `key=secret`. */
  pair: new RegExp(`^[^=]*=${SECRET}`, "dg"),
  cookies: COOKIES,
} as const;

/** The table. Options are case-sensitive: `mysql -P` takes a port. */
const COMMANDS: readonly CommandForm[] = [
  { programs: ["curl"], options: "-[a-zA-Z]{0,8}u|--(?:proxy-)?user|-E|--(?:proxy-)?cert", value: "account" },
  { programs: ["curl"], options: "-[a-zA-Z]{0,8}u|--user", value: "key" },
  { programs: ["curl"], options: "-[a-zA-Z]{0,8}b|--cookie", value: "cookies" },
  { programs: ["curl"], options: "--(?:proxy-)?pass", value: "secret" },
  { programs: ["sshpass", "twine"], options: "-p", value: "secret" },
  {
    programs: ["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mariadb"],
    // Only an attached value: `mysql -p name` asks for the password of the database `name`.
    options: "-p(?![ \\t=])",
    value: "secret",
  },
  {
    programs: ["docker", "podman", "nerdctl", "buildah", "skopeo", "oras", "helm"],
    words: "(?:registry[ \\t]+)?login",
    options: "-p",
    value: "secret",
  },
  { programs: ["az login", "oc login", "cf login"], options: "-p", value: "secret" },
  { programs: ["redis-cli"], options: "-a|--pass", value: "secret" },
  { programs: ["zip", "sqlcmd"], options: "-P", value: "secret" },
  {
    programs: ["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"],
    options: "-p",
    value: "secret",
  },
  { programs: ["ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"], options: "-w", value: "secret" },
  { programs: ["openssl"], options: "-pass(?:in|out)?[ \\t=]{1,3}pass:", value: "secret" },
  { programs: ["keytool", "jarsigner"], options: "-(?:src|dest)?(?:store|key)pass", value: "secret" },
  // The password is the last of three arguments.
  {
    programs: ["htpasswd"],
    options: "-[a-zA-Z]{0,5}b[a-zA-Z]{0,5}[ \\t]+[^\\s-]\\S*[ \\t]+\\S+",
    value: "secret",
  },
  { programs: ["vault"], options: "login(?<=vault[ \\t]{1,3}login)(?=[ \\t]+[^\\s-])", value: "secret" },
  {
    programs: ["aws"],
    words: "configure[ \\t]+set",
    options: "[\\w.]{0,60}(?:secret_access_key|session_token)",
    value: "secret",
  },
  { programs: ["ngrok"], options: "(?:add-)?authtoken(?=[ \\t])", value: "secret" },
  { programs: ["kubectl"], words: "create[ \\t]+secret", options: "--from-literal", value: "pair" },
];

/** The programs of the table. */
export const COMMAND_PROGRAMS = [...new Set(COMMANDS.flatMap(({ programs }) => programs))];

/** Matches a program of the table in a text. */
export const PROGRAM = new RegExp(
  `\\b(?:${[...COMMAND_PROGRAMS].sort((a, b) => b.length - a.length).join("|")})(?:\\.exe)?(?=["'\\\\]{0,3}[ \\t])`,
  "dgi",
);

const QUOTED = [`"[^"\\n]{0,4000}(?:"|$)`, `'[^'\\n]{0,4000}(?:'|$)`].join("|");
const ESCAPED_QUOTED = [`"`, "'"]
  .map((mark) => `\\\\{1,3}${mark}[^${mark}\\\\\\n]{0,4000}(?:\\\\{1,3}${mark}|$)`)
  .join("|");
/** An argument: a quoted text, or a text up to a blank, whose last part may be quoted as in `name:"secret"`. */
export const ARGUMENT = `(?:${QUOTED}|${ESCAPED_QUOTED}|[^\\s"'\`|;&<>()\\\\]+(?:(?<=[:=])(?:${QUOTED}))?)`;
/** Matches the text between a program and its option. The text does not leave the command. */
const GAP = `(?:[^|;\\n&]|&(?!&)|\\\\\\r?\\n){0,300}?`;

/** The table, with a regular expression that matches from the end of the program, or of an earlier value, to a value. */
const ROWS = COMMANDS.map(({ programs, words, options, value }) => ({
  programs: new Set(programs),
  words: words === undefined ? undefined : new RegExp(`["'\\\\]{0,3}[ \\t]+${words}(?![\\w-])`, "y"),
  argument: new RegExp(
    `${GAP}(?<![\\w-])(?:${options})(?:(?<=(?<![\\w-])-[a-zA-Z]{1,9}|pass:)|(?![\\w-]))(?:[ \\t=]|\\\\\\r?\\n){0,4}(?<argument>${ARGUMENT})`,
    "dy",
  ),
  parts: VALUE_PARTS[value],
}));

/** The most values of one option that are read after one program. */
const MAX_VALUES = 20;

/** Returns the secrets in the arguments of the program that stands in a text from `start` to `stop`. */
export function findCommandSecrets(text: string, start: number, stop: number): Span[] {
  const program = text
    .slice(start, stop)
    .toLowerCase()
    .replace(/\.exe$/, "");
  return ROWS.filter(({ programs }) => programs.has(program)).flatMap(({ words, argument, parts }) => {
    if (words === undefined) return findValues(text, stop, argument, parts);
    words.lastIndex = stop;
    return words.test(text) ? findValues(text, stop, argument, parts) : [];
  });
}

function findValues(text: string, from: number, argument: RegExp, parts: RegExp): Span[] {
  const spans: Span[] = [];
  argument.lastIndex = from;
  for (let count = 0; count < MAX_VALUES; count++) {
    const found = argument.exec(text)?.indices?.groups?.argument;
    if (found === undefined) break;
    const value = trimQuotes(text, { start: found[0], stop: found[1] });
    for (const { indices } of text.slice(value.start, value.stop).matchAll(parts)) {
      const [start, stop] = indices?.groups?.secret ?? [0, 0];
      spans.push(trimQuotes(text, { start: value.start + start, stop: value.start + stop }));
    }
    argument.lastIndex = found[1];
  }
  return spans;
}

/** Returns the part of a text between its quotation marks, or all of it if it has none. */
function trimQuotes(text: string, { start, stop }: Span): Span {
  const [opening = ""] = /^\\{0,3}["']/.exec(text.slice(start, start + 4)) ?? [];
  const isClosed =
    opening !== "" && stop - start >= 2 * opening.length && text.startsWith(opening, stop - opening.length);
  return { start: start + opening.length, stop: isClosed ? stop - opening.length : stop };
}
