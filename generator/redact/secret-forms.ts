/** Known forms of secrets in texts: keys, tokens and passwords whose shape or label gives them away. */

/** A part of a text, from and to in UTF-16 code units. */
interface SecretSpan {
  readonly start: number;
  readonly stop: number;
  /** The id of the form, for messages. */
  readonly form: SecretForm;
}

/**
 * A form of secrets. `pattern` finds it; the group `secret` is the part that must go, the whole match if there is no
 * such group.
 */
interface Form {
  readonly id: string;
  readonly pattern: RegExp;
}

/**
 * The words that end the name of a setting with a secret value. `TOKENS` is not among them: it counts tokens of a model.
 */
const LABEL =
  "(?:SECRET|PASSWORD|PASSWD|PWD|TOKEN|API[_-]?KEY|ACCESS[_-]?KEY|ACCOUNT[_-]?KEY|PRIVATE[_-]?KEY|CREDENTIALS?)";

/** The forms, the most specific first. The prefixes are those that the issuers document for secret scanning. */
const FORMS = [
  {
    id: "private-key",
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----(?<secret>[\s\S]{16,}?)(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----|$)/dg,
  },
  { id: "json-web-token", pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/dg },
  { id: "aws-access-key", pattern: /\b(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA)[A-Z0-9]{16}\b/dg },
  { id: "github-token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})\b/dg },
  { id: "gitlab-token", pattern: /\bgl(?:pat|dt|rt|ptt|ft|soat)-[\w-]{20,}/dg },
  { id: "slack-token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/dg },
  { id: "stripe-key", pattern: /\b(?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}\b/dg },
  { id: "model-provider-key", pattern: /\bsk-(?:ant-|proj-|svcacct-|or-)?[\w-]{20,}/dg },
  { id: "google-api-key", pattern: /\bAIza[\w-]{35}/dg },
  { id: "package-registry-token", pattern: /\b(?:npm_[A-Za-z0-9]{36}\b|pypi-[\w-]{50,})/dg },
  { id: "hugging-face-token", pattern: /\bhf_[A-Za-z0-9]{30,}\b/dg },
  { id: "sendgrid-key", pattern: /\bSG\.[\w-]{16,}\.[\w-]{16,}/dg },
  {
    id: "authorization-header",
    pattern: /\b(?:bearer|basic)[ \t]+(?<secret>[A-Za-z0-9+/._~-]{12,}={0,2})/dgi,
  },
  {
    id: "url-password",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/?#]{0,80}:(?<secret>[^\s@/?#]{3,200})@/dgi,
  },
  {
    id: "labelled-secret",
    pattern: new RegExp(
      `(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}[_.-]){0,6}${LABEL}(?![A-Za-z0-9])(?:[_.-][A-Za-z0-9]{1,30}){0,2}["']?[ \\t]{0,3}(?:=|:)[ \\t]{0,3}["']?(?<secret>(?!\\$|<|\\*|\\[redacted|null\\b|true\\b|false\\b|undefined\\b)[^\\s"'&;,)}\\]]{6,400})`,
      "dgi",
    ),
  },
] as const satisfies readonly Form[];

/** The id of a known form of secrets. */
type SecretForm = (typeof FORMS)[number]["id"];

/** The names of fields whose string value is a secret whatever it looks like. */
const SECRET_FIELD =
  /^(?:[a-z0-9]+[_-])*(?:password|passwd|client[_-]?secret|secret[_-]?key|api[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|private[_-]?key|authorization)$/i;

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

/** Returns whether a field of this name holds a secret by its name alone. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}
