/** Finds secrets in texts and values, also where escapes, invisible characters, line breaks or base64 hide them. */
import { isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { COMMAND_PROGRAMS } from "./command-secrets.js";
import { mayHoldEncodedText } from "./encoded-text.js";
import { PUBLIC_NAMES } from "./kubernetes-secrets.js";
import { createLiteralSearch, MAX_GROUPS } from "./literal-search.js";
import { FORMS, type Form, SECRET_FIELD } from "./secret-forms.js";
import { isEncodedAccount, isPlaceholder } from "./secret-values.js";
import {
  decodeBase64Texts,
  decodeEscapes,
  joinBrokenLines,
  stripInvisible,
  type TextView,
} from "./text-views.js";

/** A part of a text. Its ends count UTF-16 code units. */
interface SecretSpan {
  readonly start: number;
  readonly stop: number;
  /** The id of the form, for messages. */
  readonly form: string;
}

/** The edges of literals that may stand anywhere. */
const ANYWHERE = { beginsWord: false, endsWord: false } as const;

/** Signs that a literal may be written in another way. */
const DISGUISES = [
  // Escapes of printable ASCII characters in JSON.
  { ...ANYWHERE, literals: [2, 3, 4, 5, 6, 7].map((digit) => `\\u00${digit}`) },
  // Percent-encoded letters and signs that nobody needs to encode.
  { ...ANYWHERE, literals: listPercentEncoded("-._ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") },
  // Invisible characters between the letters of a word.
  {
    ...ANYWHERE,
    isInWord: true,
    literals: ["\\u001b[", "\\u00ad", "\\u200b", "\\u200c", "\\u200d", "\\u2060", "\\ufeff"],
  },
  { ...ANYWHERE, isInWord: true, literals: ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"] },
  { ...ANYWHERE, literals: [..."0123456789abcdefghijklmnopqrstuvwxyz"].map((letter) => `\u00ad${letter}`) },
];

function listPercentEncoded(letters: string): string[] {
  return [...letters].map((letter) => `%${letter.charCodeAt(0).toString(16)}`);
}

/** Values of such fields that hold no secret. */
const PLACEHOLDER = /^(?:[*x.•]+|\[[^\]]*\]|<[^>]*>|\$\{?\w+\}?|%\w+%)?$/i;

/** The result of `createLiteralSearch`, which most commands do not need. */
let search: ReturnType<typeof createLiteralSearch> | undefined;

/** Finds the forms whose literals a text contains. The form at index `n` has the bit `n % MAX_GROUPS`. */
function searchLiterals(bytes: Uint8Array, start: number, stop: number): number {
  search ??= createLiteralSearch([...FORMS, SECRET_FIELD, ...DISGUISES]);
  return search(bytes, start, stop);
}

/**
 * Returns whether the JSON text from `start` to `stop` may hold a secret. Most texts hold none, and this is much faster
 * than parsing them.
 */
export function mayHoldSecrets(json: Uint8Array, start = 0, stop = json.length): boolean {
  return searchLiterals(json, start, stop) !== 0 || mayHoldEncodedText(json, start, stop);
}

/** The most readings of a reading: a text may be encoded several times. */
const MAX_DEPTH = 4;

/** Returns the secrets in a text, by their place. Where two forms overlap, their union is one secret. */
export function findSecrets(text: string): SecretSpan[] {
  return mergeSpans(listSecrets(text, 0)).filter(({ start, stop }) => !MASKED.test(text.slice(start, stop)));
}

function listSecrets(text: string, depth: number): SecretSpan[] {
  if (depth > MAX_DEPTH) return [];
  const listIn = (view: TextView | undefined): SecretSpan[] =>
    view === undefined
      ? []
      : listSecrets(view.text, depth + 1).map(({ start, stop, form }) => ({
          ...view.locate({ start, stop }),
          form,
        }));
  const visible = stripInvisible(text);
  if (visible !== undefined) return listIn(visible);
  const bytes = Buffer.from(text);
  const found = searchLiterals(bytes, 0, bytes.length);
  const encoded = mayHoldEncodedText(bytes, 0, bytes.length) ? decodeBase64Texts(text).flatMap(listIn) : [];
  if (found === 0) return encoded;
  const spans = FORMS.flatMap((form, index) =>
    (found & (1 << (index % MAX_GROUPS))) === 0
      ? []
      : locateSecrets(form, text).map((span) => ({ ...span, form: form.id })),
  );
  return [...spans, ...encoded, ...listBrokenTokens(text, spans, found), ...listIn(decodeEscapes(text))];
}

/** Returns the tokens that line breaks cut, and that are not found whole in one line. */
function listBrokenTokens(text: string, known: readonly SecretSpan[], found: number): SecretSpan[] {
  const view = joinBrokenLines(text);
  if (view === undefined) return [];
  const starts = new Set(known.map(({ start }) => start));
  return FORMS.flatMap((form, index) => {
    if (form.isToken !== true || (found & (1 << (index % MAX_GROUPS))) === 0) return [];
    return locateSecrets(form, view.text).flatMap((span): SecretSpan[] => {
      const crossed = view.joints.filter(({ at }) => at > span.start && at < span.stop);
      const place = view.locate(span);
      const last = crossed.at(-1);
      if (last === undefined) return [];
      // A token that is found in one line may end there. The next line continues it only if it looks like that.
      const continues = last.isSure && /\d|[a-z][A-Z]/.test(view.text.slice(last.at, span.stop));
      return starts.has(place.start) && !continues ? [] : [{ ...place, form: form.id }];
    });
  });
}

/** Returns spans in their order, without overlaps. */
function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.stop - a.stop)) {
    const last = merged.at(-1);
    if (last && span.start < last.stop) {
      if (span.stop > last.stop) merged[merged.length - 1] = { ...last, stop: span.stop };
    } else merged.push(span);
  }
  return merged;
}

/** Matches a secret that was masked already, and signs that end a text. */
const MASKED = /^[*\s"'}\]),;:.]*$/;

/** Returns the places of a form in a text. */
function locateSecrets(
  { pattern, parts, findAfter, accepts }: Pick<Form, "pattern" | "parts" | "findAfter" | "accepts">,
  text: string,
): readonly { readonly start: number; readonly stop: number }[] {
  return [...text.matchAll(pattern)].flatMap(({ index, indices }) => {
    if (findAfter !== undefined) return findAfter(text, ...(indices?.[0] ?? [0, 0]));
    const [start, stop] = indices?.groups?.secret ?? indices?.[0] ?? [0, 0];
    const places =
      parts === undefined
        ? [{ start, stop }]
        : locateSecrets({ pattern: parts }, text.slice(start, stop)).map((part) => ({
            start: start + part.start,
            stop: start + part.stop,
          }));
    return places.filter((part) => {
      const secret = text.slice(part.start, part.stop);
      if (MASKED.test(secret) || isPlaceholder(secret)) return false;
      return accepts?.(secret, text.slice(index, part.start)) !== false;
    });
  });
}

/** A string with secrets. */
interface SecretValue {
  readonly pointer: string;
  readonly spans: readonly { readonly start: number; readonly stop: number }[];
  /** The form of its first secret; `secret-field` if it is recognised by the name of its field. */
  readonly form: string;
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
    if (typeof each !== "string")
      return isSecretData(value, name) ? findSecretData(each, at) : findSecretValues(each, at);
    if (COOKIE_FIELD.test(name)) return findCookies(each, at);
    if (isSecretField(value, name, each) && !PLACEHOLDER.test(each))
      return [{ pointer: at, spans: [{ start: 0, stop: each.length }], form: "secret-field" }];
    return findNamedSecrets(name, each, at);
  });
}

/** Returns whether the field of an object holds a secret, whatever the form of its text. */
function isSecretField(object: JsonObject, name: string, text: string): boolean {
  if (name === "auth") return isEncodedAccount(text);
  // The private part of a JSON Web Key, and the variable of a container.
  if (name === "d") return typeof object.kty === "string";
  if (name === "value") return typeof object.name === "string" && SECRET_FIELD.pattern.test(object.name);
  return SECRET_FIELD.pattern.test(name);
}

/** Returns whether a field holds the values of a Kubernetes secret. */
function isSecretData(object: JsonObject, name: string): boolean {
  return object.kind === "Secret" && (name === "data" || name === "stringData");
}

function findSecretData(data: Json, pointer: string): SecretValue[] {
  if (!isObject(data)) return [];
  return Object.entries(data).flatMap(([name, text]): SecretValue[] =>
    typeof text !== "string" || text === "" || PUBLIC_NAMES.test(name) || PLACEHOLDER.test(text)
      ? []
      : [
          {
            pointer: joinPointer(pointer, name),
            spans: [{ start: 0, stop: text.length }],
            form: "kubernetes-secret",
          },
        ],
  );
}

/** Matches the names of fields that may be labels of secrets. */
const MAY_BE_LABEL = /secret|token|pass|pwd|key|cred/i;

/** Returns the secrets in the text of a field. Its name may be the label of one. */
function findNamedSecrets(name: string, text: string, pointer: string): SecretValue[] {
  const spans = findSecrets(text);
  if (spans.length === 0 && name.length <= 100 && /^\S{6,}$/.test(text) && MAY_BE_LABEL.test(name)) {
    const label = `${name}="`;
    return selectSpans(findSecrets(`${label}${text}"`), label.length, text.length, pointer);
  }
  return spans[0] === undefined ? [] : [{ pointer, spans, form: spans[0].form }];
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
