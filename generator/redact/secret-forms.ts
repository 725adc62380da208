/** Known forms of secrets in texts: keys, tokens and passwords that are recognised by their shape or their label. */
import { isObject, type Json, joinPointer } from "../json.js";
import {
  ARGUMENT,
  COMMAND_PROGRAMS,
  COOKIE_NAME,
  COOKIE_VALUE,
  COOKIES,
  findCommandSecrets,
  PROGRAM,
  VALUES_WITHOUT_SECRET,
} from "./command-secrets.js";
import { createLiteralSearch, type LiteralGroup } from "./literal-search.js";

/** A part of a text. Its ends count UTF-16 code units. */
interface SecretSpan {
  readonly start: number;
  readonly stop: number;
  /** The id of the form, for messages. */
  readonly form: SecretForm;
}

/**
 * A form of secrets. `pattern` finds it; the group `secret` is the part to mask, or the whole match if there is no
 * such group. No pattern needs more than a bounded number of steps per character. Each match contains one of the
 * literals, which are searched for first.
 */
interface Form extends LiteralGroup {
  readonly id: string;
  readonly pattern: RegExp;
  /** True if the secret may be an argument of its own, after the one that names it. */
  readonly isOption?: boolean;
  /** Finds the secrets in that part, if it holds more than secrets. It has the same group. */
  readonly parts?: RegExp;
  /** Finds the secrets after a match, from its start and its end. The match itself is then not a secret. */
  readonly findAfter?: (
    text: string,
    start: number,
    stop: number,
  ) => readonly { readonly start: number; readonly stop: number }[];
}

/** The edges of literals with which a match begins. */
const PREFIX = { beginsWord: true, endsWord: false } as const;
/** The edges of literals that are whole words, or whole parts of a name such as `client_secret`. */
const WORD = { beginsWord: true, endsWord: true } as const;
/** The edges of literals that may stand anywhere. */
const ANYWHERE = { beginsWord: false, endsWord: false } as const;

/** The words that end the name of a setting with a secret value. `TOKENS` is not among them: it counts tokens of a model. */
const LABEL =
  "(?:SECRET|PASSWORD|PASSWD|PWD(?![\"']?[ \\t]{0,3}[=:][ \\t]{0,3}[\"']?(?:[/~.]|[A-Za-z]:))|(?:AUTH|ACCESS|REFRESH|SESSION)?TOKEN|CLIENTSECRET|(?<=:)_AUTH|API[_-]?KEY|ACCESS[_-]?KEY|ACCOUNT[_-]?KEY|PRIVATE[_-]?KEY|CREDENTIALS?)";

/** Returns `first` and `second` as one word, and joined by `_` and by `-`. */
const joinWords = (first: string, second: string): string[] =>
  ["", "_", "-"].map((separator) => first + separator + second);

/** The literals of `LABEL`. */
const LABEL_LITERALS = [
  ...["secret", "password", "passwd", "pwd", "token", "credential", "credentials"],
  ...["authtoken", "accesstoken", "refreshtoken", "sessiontoken", "clientsecret", "_auth"],
  ...["api", "access", "account", "private"].flatMap((word) => joinWords(word, "key")),
];

/** The value of a labelled secret. */
const VALUE = `(?<secret>(?!${VALUES_WITHOUT_SECRET})[^\\s"'&;,)}\\]\\\\]{6,})`;

/** Quotation marks around a name or a value, also escaped ones of JSON in JSON. */
const QUOTE = `\\\\{0,3}["']?`;

/** Matches the secret in an argument, without quotation marks. A shorter value is a setting. */
const OPTION_VALUE = new RegExp(
  `^\\\\{0,3}["']?(?<secret>(?!${VALUES_WITHOUT_SECRET})(?:[^"'\\\\]|\\\\(?!["'\\\\])){2,})`,
  "dg",
);

/** The names of environment variables, up to the value, whose values are secrets. Those of keys and files have a form. */
const VARIABLE = [
  "(?:[A-Z][A-Z0-9_]{0,60})?(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN)=",
  `(?:(?:[A-Z][A-Z0-9_]{0,60}_|SSH|PG)?PASS|[A-Z][A-Z0-9_]{0,60}_PWD)=(?!["']?(?:[/~.]|[A-Za-z]:))`,
  `(?!(?:CACHE|PRIMARY|FOREIGN|UNIQUE|SORT|PARTITION|PUBLIC|OBJECT|GROUP|ROW|HOST|INDEX|STATE|CONFIG)_KEY=)(?:[A-Z][A-Z0-9_]{0,60}_)?(?:AUTH|KEY)=(?!["']?(?:[/~.]|[A-Za-z]:))(?=[^\\s]{0,200}\\d)(?=["']?[^\\s"']{8})`,
].join("|");

/** The forms, the most specific first. The prefixes are those that the issuers document for secret scanning. */
export const FORMS = [
  {
    id: "private-key",
    ...ANYWHERE,
    literals: ["private key-----", "private key block-----"],
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?<secret>[\s\S]{16,}?)(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?:-{0,5}|-----(?:E|EN|END[ A-Z0-9]{0,60}-{0,4}))$)/dg,
  },
  {
    id: "json-web-token",
    ...PREFIX,
    literals: ["eyj"],
    pattern: /\beyJ[\w-]{8,400}\.eyJ[\w-]{8,40000}\.[\w-]{8,}/dg,
  },
  {
    id: "aws-access-key",
    ...PREFIX,
    literals: ["akia", "asia", "aida", "aroa", "agpa", "anpa"],
    pattern: /\b(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA)[A-Z0-9]{16}\b/dg,
  },
  {
    id: "github-token",
    ...PREFIX,
    literals: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})\b/dg,
  },
  {
    id: "gitlab-token",
    ...PREFIX,
    literals: ["glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-"],
    pattern: /\bgl(?:pat|dt|rt|ptt|ft|soat)-[\w-]{20,}/dg,
  },
  {
    id: "slack-token",
    ...PREFIX,
    literals: ["xox", "xapp-", "hooks.slack.com/"],
    pattern:
      /\b(?:(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>T[\w/-]{10,}))/dg,
  },
  {
    id: "stripe-key",
    ...PREFIX,
    literals: ["sk_", "rk_", "whsec_"],
    pattern: /\b(?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,255}\b/dg,
  },
  {
    id: "model-provider-key",
    ...PREFIX,
    literals: ["sk-"],
    pattern: /\bsk-(?:ant-|proj-|svcacct-|or-)?(?=[\w-]{0,60}\d)[\w-]{20,}/dg,
  },
  { id: "google-api-key", ...PREFIX, literals: ["aiza"], pattern: /\bAIza[\w-]{35}/dg },
  {
    id: "package-registry-token",
    ...PREFIX,
    literals: ["npm_", "pypi-"],
    pattern: /\b(?:npm_[A-Za-z0-9]{36}\b|pypi-[\w-]{50,})/dg,
  },
  { id: "hugging-face-token", ...PREFIX, literals: ["hf_"], pattern: /\bhf_[A-Za-z0-9]{30,255}\b/dg },
  { id: "sendgrid-key", ...PREFIX, literals: ["sg."], pattern: /\bSG\.[\w-]{16,200}\.[\w-]{16,}/dg },
  {
    id: "authorization-header",
    ...WORD,
    literals: ["bearer", "basic"],
    pattern: /\b(?:bearer|basic)[ \t]{1,3}(?<secret>[A-Za-z0-9+/._~-]{12,}={0,2})/dgi,
  },
  {
    id: "url-password",
    ...ANYWHERE,
    literals: ["://", ":\\/", ":/\\"],
    // A long user without a password is a token.
    pattern:
      /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s:@/?#]{0,80}:|(?=[a-z-]{0,60}\d)(?=\w{20,200}@))(?<secret>(?![$<*%])[^\s@/?#]{1,200})@/dgi,
  },
  {
    // Each scheme of the header, such as `Authorization: token …`. A value without digits may be prose.
    id: "authorization-value",
    ...WORD,
    literals: ["authorization"],
    pattern: new RegExp(
      `\\b(?:proxy-)?authorization${QUOTE}[ \\t]{0,3}[:=][ \\t]{0,3}${QUOTE}(?:[a-z][\\w-]{0,20}[ \\t]{1,3})?(?<secret>(?!${VALUES_WITHOUT_SECRET}|\\S{1,60}[ \\t]{1,3}\\*)(?=[^\\s"',;\\\\]{0,200}\\d)[^\\s"',;\\\\]{8,})`,
      "dgi",
    ),
  },
  {
    // A line of .netrc.
    id: "netrc-password",
    ...WORD,
    literals: ["machine"],
    pattern:
      /\bmachine\s{1,5}(?:[^\s.]{1,80}\.\S{1,200}|localhost|\S{1,200}(?=[ \t]{0,5}\r?\n))(?:\s{1,5}(?:login|account)\s{1,5}\S{1,200}){0,2}\s{1,5}password\s{1,5}(?<secret>(?![$<*%])\S+)/dg,
  },
  {
    id: "command-secret",
    ...WORD,
    literals: COMMAND_PROGRAMS,
    isOption: true,
    pattern: PROGRAM,
    findAfter: findCommandSecrets,
  },
  {
    // The name and the password of httpie.
    id: "auth-option",
    ...WORD,
    literals: ["--auth", "http -a", "https -a"],
    isOption: true,
    pattern:
      /(?<![A-Za-z0-9])(?:--auth|https? -a)(?:=|[ \t]{1,3})["']?(?!\d+:\d+\b)[^\s:"'=]{1,80}:(?<secret>(?!\/\/|[$<*%`])[^\s"'\\]+)/dg,
  },
  {
    id: "environment-secret",
    ...ANYWHERE,
    literals: ["password=", "passwd=", "passphrase=", "secret=", "token=", "pass=", "pwd=", "auth=", "key="],
    pattern: new RegExp(`(?<![A-Za-z0-9_])(?:${VARIABLE})(?<secret>${ARGUMENT})`, "dg"),
    parts: OPTION_VALUE,
  },
  {
    id: "cookie",
    ...WORD,
    literals: ["cookie"],
    pattern: new RegExp(
      `\\b(?:set-)?cookie${QUOTE}[ \\t]{0,3}[:=][ \\t]{0,3}${QUOTE}(?<secret>${COOKIE_NAME}=${COOKIE_VALUE}*(?:;[ \\t]{0,3}${COOKIE_NAME}(?:=${COOKIE_VALUE}*)?){0,50})`,
      "dgi",
    ),
    parts: COOKIES,
  },
  {
    id: "secret-option",
    beginsWord: false,
    endsWord: true,
    literals: ["password", "passwd", "token", "secret", "api-key", "apikey"],
    isOption: true,
    pattern: new RegExp(
      `(?<!\\w)--[a-z-]{0,30}(?:password|passwd|token|secret|api-?key)(?:=|[ \\t]{1,3}(?!-)(?=["']|[^\\s"']{6}))(?<secret>${ARGUMENT})`,
      "dgi",
    ),
    parts: OPTION_VALUE,
  },
  {
    id: "labelled-secret",
    ...WORD,
    literals: LABEL_LITERALS,
    pattern: new RegExp(
      `(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}[_.-]){0,6}${LABEL}(?![A-Za-z0-9])(?:[_.-][A-Za-z0-9]{1,30}){0,2}${QUOTE}[ \\t]{0,3}[=:][ \\t]{0,3}${QUOTE}${VALUE}`,
      "dgi",
    ),
  },
] as const satisfies readonly Form[];

/** The id of a known form of secrets. */
type SecretForm = (typeof FORMS)[number]["id"];

/** The names of fields whose string value is a secret, whatever its form. */
export const SECRET_FIELD = {
  ...WORD,
  literals: [
    ...["password", "passwd", "secret", "token", "authorization"],
    ...["clientsecret", "secretkey", "accesstoken", "refreshtoken", "authtoken"],
    ...["api", "private"].flatMap((word) => joinWords(word, "key")),
  ],
  pattern:
    /^(?:[a-z0-9]+[_-])*(?:password|passwd|client[_-]?secret|secret[_-]?key|api[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|private[_-]?key|authorization)$/i,
};

/** Values of such fields that hold no secret. */
const PLACEHOLDER = /^(?:[*x.•]+|\[[^\]]*\]|<[^>]*>|\$\{?\w+\}?|%\w+%)?$/i;

/** The result of `createLiteralSearch`, which most commands do not need. */
let search: ReturnType<typeof createLiteralSearch> | undefined;

/** Finds the forms whose literals a text contains, by their index. */
function searchLiterals(bytes: Uint8Array, start: number, stop: number): number {
  search ??= createLiteralSearch([
    ...FORMS,
    SECRET_FIELD,
    // The escapes of printable ASCII characters in JSON, which may hide a part of a literal.
    { ...ANYWHERE, literals: [2, 3, 4, 5, 6, 7].map((digit) => `\\u00${digit}`) },
  ]);
  return search(bytes, start, stop);
}

/**
 * Returns whether the JSON text from `start` to `stop` may hold a secret. Most texts hold none, and this is much faster
 * than parsing them.
 */
export function mayHoldSecrets(json: Uint8Array, start = 0, stop = json.length): boolean {
  return searchLiterals(json, start, stop) !== 0;
}

/** Returns the secrets in a text, by their place. Where two forms overlap, their union is one secret. */
export function findSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const bytes = Buffer.from(text);
  const found = searchLiterals(bytes, 0, bytes.length);
  if (found === 0) return spans;
  for (const [index, form] of FORMS.entries()) {
    if ((found & (1 << index)) === 0) continue;
    for (const { start, stop } of locateSecrets(form, text))
      if (!MASKED.test(text.slice(start, stop))) spans.push({ start, stop, form: form.id });
  }
  spans.sort((a, b) => a.start - b.start || b.stop - a.stop);
  const merged: SecretSpan[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && span.start < last.stop) {
      if (span.stop > last.stop) merged[merged.length - 1] = { ...last, stop: span.stop };
    } else merged.push(span);
  }
  return merged;
}

/** Matches a secret that was masked already. */
const MASKED = /^[*\s]*$/;

/** Returns the places of a form in a text. */
function locateSecrets(
  { pattern, parts, findAfter }: Pick<Form, "pattern" | "parts" | "findAfter">,
  text: string,
): readonly { readonly start: number; readonly stop: number }[] {
  return [...text.matchAll(pattern)].flatMap(({ indices }) => {
    if (findAfter !== undefined) return findAfter(text, ...(indices?.[0] ?? [0, 0]));
    const [start, stop] = indices?.groups?.secret ?? indices?.[0] ?? [0, 0];
    if (parts === undefined) return [{ start, stop }];
    return locateSecrets({ pattern: parts }, text.slice(start, stop)).map((part) => ({
      start: start + part.start,
      stop: start + part.stop,
    }));
  });
}

/** A string with secrets. */
interface SecretValue {
  readonly pointer: string;
  readonly spans: readonly { readonly start: number; readonly stop: number }[];
  /** The form of its first secret; `secret-field` if it is recognised by the name of its field. */
  readonly form: SecretForm | "secret-field";
}

/** Returns the strings of a value that hold secrets, at any depth. */
export function findSecretValues(value: Json, pointer = ""): SecretValue[] {
  if (typeof value === "string") {
    const spans = findSecrets(value);
    return spans[0] === undefined ? [] : [{ pointer, spans, form: spans[0].form }];
  }
  if (Array.isArray(value)) return findListedSecrets(value, pointer);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]): SecretValue[] => {
    const at = joinPointer(pointer, name);
    if (typeof each === "string" && COOKIE_FIELD.test(name)) return findCookies(each, at);
    if (typeof each !== "string" || !SECRET_FIELD.pattern.test(name) || PLACEHOLDER.test(each))
      return findSecretValues(each, at);
    return [{ pointer: at, spans: [{ start: 0, stop: each.length }], form: "secret-field" }];
  });
}

/** The names of fields whose value is that of a header with cookies. */
const COOKIE_FIELD = /^(?:set[_-])?cookie$/i;

/** Returns the secrets in the value of a header that a field holds without its name. */
function findCookies(value: string, pointer: string): SecretValue[] {
  const header = "cookie: ";
  return selectSpans(findSecrets(header + value), header.length, value.length, pointer);
}

/** The forms that may be spread over the arguments of a command. */
const OPTION_FORMS: ReadonlySet<string> = new Set(
  FORMS.filter((form: Form) => form.isOption === true).map(({ id }) => id),
);

/** Matches the item of a list of arguments that names a program whose arguments hold secrets. */
const PROGRAM_ITEM = new RegExp(`^(?:\\S*[\\\\/])?((?:${COMMAND_PROGRAMS.join("|")})(?:\\.exe)?)$`, "i");

/** The numbers of arguments that are read before an argument: the first ones of the program, and the last ones. */
const FIRST_ARGUMENTS = 3;
const LAST_ARGUMENTS = 8;

/** Returns the secrets in the items of a list. An item is also read as an argument of the program before it. */
function findListedSecrets(items: readonly Json[], pointer: string): SecretValue[] {
  let command: string[] = [];
  return items.flatMap((item, index) => {
    const at = joinPointer(pointer, index);
    const found = findSecretValues(item, at);
    if (typeof item !== "string") return found;
    const program = PROGRAM_ITEM.exec(item)?.[1];
    const option = items[index - 1];
    const isValue = typeof option === "string" && /^-\S+$/.test(option);
    const words = command.length > 0 ? command : isValue ? [option] : [];
    const argument = words.length > 0 ? findArgumentSecrets(words, item, at) : [];
    if (program !== undefined) command = [program];
    else if (command.length > 0)
      command = [
        ...command.slice(0, FIRST_ARGUMENTS),
        ...command.slice(FIRST_ARGUMENTS).slice(1 - LAST_ARGUMENTS),
        item,
      ];
    return [...found, ...argument];
  });
}

/** Returns the secrets in an argument that stands after these words. */
function findArgumentSecrets(words: readonly string[], argument: string, pointer: string): SecretValue[] {
  const mark = argument.startsWith("-") ? "" : (["'", '"'].find((each) => !argument.includes(each)) ?? "");
  const before = `${words.join(" ")} ${mark}`;
  const secrets = findSecrets(before + argument + mark).filter(({ form }) => OPTION_FORMS.has(form));
  return selectSpans(secrets, before.length, argument.length, pointer);
}

/** Returns the parts of secrets that stand in the `length` characters from `start` on, as those of one string. */
function selectSpans(
  secrets: readonly SecretSpan[],
  start: number,
  length: number,
  pointer: string,
): SecretValue[] {
  const inside = secrets.filter((secret) => secret.start < start + length && secret.stop > start);
  const [first] = inside;
  if (first === undefined) return [];
  const spans = inside.map((secret) => ({
    start: Math.max(0, secret.start - start),
    stop: Math.min(length, secret.stop - start),
  }));
  return [{ pointer, spans, form: first.form }];
}
