/** Known forms of secrets in texts: keys, tokens and passwords whose shape or label gives them away. */
import { isObject, type Json, join } from "../json.js";

/** A part of a text, from and to in UTF-16 code units. */
interface SecretSpan {
  readonly start: number;
  readonly stop: number;
  /** The id of the form, for messages. */
  readonly form: SecretForm;
}

/**
 * A form of secrets. `pattern` finds it; the group `secret` is the part that must go, the whole match if there is no
 * such group. No pattern needs more than a bounded number of steps per character.
 */
interface Form {
  readonly id: string;
  readonly pattern: RegExp;
}

/** The words that end the name of a setting with a secret value. `TOKENS` is not among them: it counts tokens of a model. */
const LABEL =
  "(?:SECRET|PASSWORD|PASSWD|PWD|TOKEN|API[_-]?KEY|ACCESS[_-]?KEY|ACCOUNT[_-]?KEY|PRIVATE[_-]?KEY|CREDENTIALS?)";

/** Values that hold no secret: placeholders, masks, references to variables, calls and words about the state of a secret. */
const VALUES_WITHOUT_SECRET = [
  "[$<*%]",
  "\\[redacted",
  "x{3,}(?!\\w)",
  "\\.{3}",
  "(?:null|true|false|undefined|none|string|number|boolean|required|optional|missing|invalid|expired|unknown|denied|hidden|redacted|removed|changed|wrong|incorrect)(?!\\w)",
  "(?:process\\.env|os\\.environ|self|this|config|settings|options|args|req|request|env)(?:\\.|\\[)",
  "[A-Za-z_][\\w.]{0,80}\\(",
  // Prose: a lower-case word and another word after it.
  "(?<=:[ \\t]{1,3})[a-z]{1,30}[,;]?[ \\t]+\\w",
].join("|");

/** The value of a labelled secret. */
const VALUE = `(?<secret>(?!${VALUES_WITHOUT_SECRET})[^\\s"'&;,)}\\]\\\\]{6,400})`;

/** Quotation marks around a name or a value, also escaped ones of JSON in JSON. */
const QUOTE = `\\\\{0,3}["']?`;

/** The forms, the most specific first. The prefixes are those that the issuers document for secret scanning. */
const FORMS = [
  {
    id: "private-key",
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY-----(?<secret>[\s\S]{16,}?)(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY-----|(?:-{0,5}|-----(?:E|EN|END[ A-Z0-9]{0,60}-{0,4}))$)/dg,
  },
  { id: "json-web-token", pattern: /\beyJ[\w-]{8,400}\.eyJ[\w-]{8,4000}\.[\w-]{8,}/dg },
  { id: "aws-access-key", pattern: /\b(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA)[A-Z0-9]{16}\b/dg },
  { id: "github-token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})\b/dg },
  { id: "gitlab-token", pattern: /\bgl(?:pat|dt|rt|ptt|ft|soat)-[\w-]{20,}/dg },
  { id: "slack-token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/dg },
  { id: "stripe-key", pattern: /\b(?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,255}\b/dg },
  { id: "model-provider-key", pattern: /\bsk-(?:ant-|proj-|svcacct-|or-)?(?=[\w-]{0,60}\d)[\w-]{20,}/dg },
  { id: "google-api-key", pattern: /\bAIza[\w-]{35}/dg },
  { id: "package-registry-token", pattern: /\b(?:npm_[A-Za-z0-9]{36}\b|pypi-[\w-]{50,})/dg },
  { id: "hugging-face-token", pattern: /\bhf_[A-Za-z0-9]{30,255}\b/dg },
  { id: "sendgrid-key", pattern: /\bSG\.[\w-]{16,200}\.[\w-]{16,}/dg },
  {
    id: "authorization-header",
    pattern: /\b(?:bearer|basic)[ \t]{1,3}(?<secret>[A-Za-z0-9+/._~-]{12,}={0,2})/dgi,
  },
  {
    id: "url-password",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/?#]{0,80}:(?<secret>(?![$<*%])[^\s@/?#]{3,200})@/dgi,
  },
  {
    id: "secret-option",
    pattern: new RegExp(
      `(?<!\\w)--[a-z-]{0,30}(?:password|passwd|token|secret|api-?key)[ \\t]{1,3}["']?(?!-)${VALUE}`,
      "dgi",
    ),
  },
  {
    id: "labelled-secret",
    pattern: new RegExp(
      `(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}[_.-]){0,6}${LABEL}(?![A-Za-z0-9])(?:[_.-][A-Za-z0-9]{1,30}){0,2}${QUOTE}[ \\t]{0,3}[=:][ \\t]{0,3}${QUOTE}${VALUE}`,
      "dgi",
    ),
  },
] as const satisfies readonly Form[];

/** The id of a known form of secrets. */
type SecretForm = (typeof FORMS)[number]["id"];

/** The names of fields whose string value is a secret whatever it looks like. */
const SECRET_FIELD =
  /^(?:[a-z0-9]+[_-])*(?:password|passwd|client[_-]?secret|secret[_-]?key|api[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|private[_-]?key|authorization)$/i;

/** Values of such fields that hold no secret. */
const PLACEHOLDER = /^(?:[*x.•]+|\[[^\]]*\]|<[^>]*>|\$\{?\w+\}?|%\w+%)?$/i;

/** Returns the secrets in a text, by their place. Where two forms overlap, the longer stretch is one secret. */
export function findSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { id, pattern } of FORMS)
    for (const { indices } of text.matchAll(pattern)) {
      const { secret } = indices?.groups ?? {};
      const [start, stop] = secret ?? indices?.[0] ?? [0, 0];
      spans.push({ start, stop, form: id });
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

/** A string with secrets. */
interface SecretValue {
  readonly pointer: string;
  readonly spans: readonly { readonly start: number; readonly stop: number }[];
  /** The form of its first secret; `secret-field` if the name of its field gives it away. */
  readonly form: SecretForm | "secret-field";
}

/** Returns the strings of a value that hold secrets, at any depth. */
export function findSecretValues(value: Json, pointer = ""): SecretValue[] {
  if (typeof value === "string") {
    const spans = findSecrets(value);
    return spans[0] === undefined ? [] : [{ pointer, spans, form: spans[0].form }];
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => findSecretValues(item, join(pointer, index)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]): SecretValue[] => {
    const at = join(pointer, name);
    if (typeof each !== "string" || !SECRET_FIELD.test(name) || PLACEHOLDER.test(each))
      return findSecretValues(each, at);
    return [{ pointer: at, spans: [{ start: 0, stop: each.length }], form: "secret-field" }];
  });
}

/** Matches every JSON text with a secret, and few others. Escaped letters may hide a form, so they count, too. */
const HINT =
  /-----BEGIN|\beyJ|\b(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA)[A-Z0-9]{16}|\bgh[pousr]_|github_pat_|\bgl[a-z]{2,4}-|\bxox[a-z]-|\b[sr]k[_-]|whsec_|AIza|\bnpm_|pypi-|\bhf_|\bSG\.|[Bb][Ee][Aa][Rr][Ee][Rr]|[Bb][Aa][Ss][Ii][Cc] |:\/\/[^"\s/@]{0,300}@|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Aa][Ss][Ss][Ww]|[Pp][Ww][Dd]|[Tt][Oo][Kk][Ee][Nn](?![Ss_])|(?:[Aa][Pp][Ii]|[Aa][Cc][Cc][Ee][Ss][Ss]|[Aa][Cc][Cc][Oo][Uu][Nn][Tt]|[Pp][Rr][Ii][Vv][Aa][Tt][Ee])[_-]?[Kk][Ee][Yy]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt]|[Aa][Uu][Tt][Hh][Oo][Rr][Ii][Zz]|\\u00/;

/** Returns whether a JSON text may hold a secret. Most texts hold none, and this is much faster than parsing them. */
export function mayHoldSecrets(json: string): boolean {
  return HINT.test(json);
}
