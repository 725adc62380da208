/** Decides whether the value of a label such as `password` is a secret, or a placeholder, a word, a path or code. */

/** Values that stand for a secret. */
const PLACEHOLDERS = [
  // Masks, and signs of places that are to be filled.

  /[xX*]{8}|\.{3}|…/,
  /^(?:\$(?!(?:\d|2[aby]|y|apr1|argon2id?)\$)|[<%{[]|@@)/,
  // Keys that their service calls public, and ids of keys.
  /^(?:pk[._](?:live|test|eyJ)|SCW[A-Z0-9]{17}$)/,
  /EXAMPLE(?:KEY)?$/,
  /^(?:change|replace)[-_]?(?:me|this|it)?$/i,
  /^(?:your|my|the|some|an?|not|insert|enter|add|fake|replace|change)[-_.]/i,
  /^(?:my|your)(?:password|passwd|secret|token|key)/i,
  /^(?:YOUR|MY)[A-Z_-]/,
  /^(?:password|passwd|pass|passphrase|secret|token|example|sample|dummy|placeholder|redacted|masked|todo|user|key)$/i,
  /[-_](?:here|goes[-_]here)$/i,
];

/** Returns whether a value stands for a secret, as in an example. */
export function isPlaceholder(value: string): boolean {
  return new Set(value).size <= 1 || PLACEHOLDERS.some((pattern) => pattern.test(value));
}

/** Returns whether the rest of a token is words, as in the name of a function. */
export function isWords(text: string): boolean {
  return /^(?:[a-z_-]+|[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,}){2,})$/.test(text);
}

/** Texts that are code or places, not values. */
const REFERENCES = [
  // Names of other values, such as `data.db.password`, and words in one of the usual forms of names.
  /^[A-Za-z_$][A-Za-z_$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$]+)+[;.]?$/,
  /^\p{L}?\p{Ll}+(?:\p{Lu}\p{Ll}+)*[,;:.!?]?$/u,
  /^[A-Z_]+$/,
  /^_?[A-Za-z]+(?:[-_][A-Za-z]+)+$|^_?[A-Za-z]+[-_.]$|^_[a-z]+$/,
  // Paths and URLs.
  /^(?:~|\.{1,2}|[A-Za-z]:)?[/\\][A-Za-z.][\w.-]*[/\\][\w./\\-]+$/,
  /^[a-z]+:\/\//,
  // Numbers, dates and sizes.
  /^[+-]?[\d.,:_]+(?:[a-zA-Z%]{1,3})?$/,
  /^\d{4}-\d\d-\d\d/,
  /^0x[0-9a-f]{1,8}$/i,
  /^#[0-9a-f]{3,8}$/i,
  // Calls, templates and types.
  /^[\w.]+[({[<]/,
  /^(?:[!|{()\]},;:=+]|\/[[(^\\])/,
  // The header of a private key, the key before a signature, and the version of a protocol.
  /^-----|^A[KS]IA[A-Z0-9]{16}(?:%2F|\/)|^HTTP\//i,
];

/** Returns whether a value that was set with a label, such as `token: …`, may be a secret. */
export function isSecretValue(value: string, label: string): boolean {
  if (value.length < 6 || isPlaceholder(value) || REFERENCES.some((pattern) => pattern.test(value)))
    return false;
  if (/publi(?:c|shable)/i.test(label)) return false;
  // Without quotation marks, it may be the name of another value.
  return (
    /["']$/.test(label) ||
    !/^[A-Za-z_]\w*(?:Key|Token|Secret|Password|PASSWORD|SECRET|TOKEN|KEY)$/.test(value)
  );
}

/** Returns whether a value that was set with the label of a password may be one. People choose words, too. */
export function isPassword(value: string, label: string): boolean {
  if (isPlaceholder(value) || value.length < 4) return false;
  if (/[=:]["']?$/.test(label) && /^(?:[a-z]{6,}|\d{4,})$/.test(value)) return !COMMON_WORDS.test(value);
  // Words that are joined are a name in code, but not between quotation marks.
  if (/["']$/.test(label) && /^[A-Za-z]{8,}$/.test(value)) return /[a-z][A-Z]/.test(value);
  return isSecretValue(value, label);
}

/** Words that are the value of a setting about passwords. */
const COMMON_WORDS =
  /^(?:string|number|boolean|required|optional|missing|invalid|expired|unknown|denied|hidden|removed|changed|incorrect|enabled|disabled|undefined|default|prompt|empty|hashed|inherit|include|omitted|forgotten|disable|enable)$/;

/** Returns the text that a value encodes as base64, if it is printable. */
function decodeBase64(value: string): string | undefined {
  const bytes = Buffer.from(value, "base64");
  const text = bytes.toString();
  return bytes.length > 0 && isPrintable(text) ? text : undefined;
}

const isPrintable = (text: string): boolean => !/[^\t\n\r\x20-\x7e\u00a0-\ufffc]/.test(text);

/** Returns whether a value encodes a name and a password, as basic authentication does. */
export function isEncodedAccount(value: string): boolean {
  return decodeBase64(value)?.includes(":") === true;
}
