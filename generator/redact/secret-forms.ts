/** Known forms of secrets in texts: keys, tokens and passwords that are recognised by their shape or their label. */
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
import { findKubernetesSecrets } from "./kubernetes-secrets.js";
import type { LiteralGroup } from "./literal-search.js";
import { isEncodedAccount, isPassword, isSecretValue, isWords } from "./secret-values.js";
import { createTokenPattern, describeLetters, TOKENS } from "./service-tokens.js";

/**
 * A form of secrets. `pattern` finds it; the group `secret` is the part to mask, or the whole match if there is no
 * such group. No pattern needs more than a bounded number of steps per character. Each match contains one of the
 * literals, which are searched for first.
 */
export interface Form extends LiteralGroup {
  readonly id: string;
  readonly pattern: RegExp;
  /** True if the secret may be an argument of its own, after the one that names it. */
  readonly isOption?: boolean;
  /** True if the secret is recognised by its own letters, so that it may be broken into lines. */
  readonly isToken?: boolean;
  /** Decides whether the part to mask is a secret; `label` is the match before it. */
  readonly accepts?: (secret: string, label: string) => boolean;
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

/** Returns `first` and `second` as one word, and joined by `_` and by `-`. */
const joinWords = (first: string, second: string): string[] =>
  ["", "_", "-"].map((separator) => first + separator + second);

/** The words that end the name of a setting with a password as its value. */
const PASSWORD_LABEL =
  "(?:PASSWORD|PASSWD|PASSPHRASE|PSK|PWD(?![\"']?[ \\t]{0,3}[=:][ \\t]{0,3}[\"']?(?:[/~.]|[A-Za-z]:)))";

/** The first words of keys that are secret, such as `signing_key`. */
const KEY_OWNERS =
  "api access account private secret signing encryption master admin app application license subscription auth service sharedaccess preshared storage server write".split(
    " ",
  );

/** The words that end the name of a setting with a secret value. `TOKENS` is not among them: it counts tokens of a model. */
const LABEL = `(?:SECRET|(?:AUTH|ACCESS|REFRESH|SESSION|IDENTITY|REGISTRY)?TOKEN|CLIENTSECRET|(?<=:)_AUTH|(?:${KEY_OWNERS.join("|")})[_-]?KEY|CLIENT-KEY-DATA|CREDENTIALS?)`;

/** The literals of both. */
const PASSWORD_LITERALS = ["password", "passwd", "passphrase", "psk", "pwd"];
const LABEL_LITERALS = [
  ...["secret", "token", "clientsecret", "_auth", "client-key-data", "credential", "credentials"],
  ...["auth", "access", "refresh", "session", "identity", "registry"].map((word) => `${word}token`),
  ...KEY_OWNERS.flatMap((word) => joinWords(word, "key")),
];

/** The beginning of a name before its last words, in any form but one without signs between words. */
const NAME = "(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}[_.-]){0,6}";

/** What may follow the last words of a name. Those of a file, a count or a time belong to a setting about a secret. */
const NAME_END =
  "(?![A-Za-z0-9])(?:[_.-](?!(?:FILE|PATH|DIR|URL|URI|NAME|ID|TYPE|COUNT|LIMIT|LENGTH|SIZE|TTL|AGE|EXPIR\\w*|POLICY|USAGE|HASH|PROMPT|INDEX|LABEL|FIELD|REF|ARN|METHOD|ENDPOINT|BUCKET|COLUMN|RESET|HINT|STATUS|PROVIDER|STORE|SCOPE|VERSION|AUDIENCE|ISSUER|KIND|CLASS|FORMAT)(?![A-Za-z0-9]))[A-Za-z0-9]{1,30}){0,2}";

/** Quotation marks around a name or a value, also escaped ones of JSON in JSON. */
const QUOTE = `\\\\{0,3}["']?`;

/** The sign between a name and its value. */
const EQUALS = `${QUOTE}\\]?(?:[ \\t]{0,8}(?:=>|:=|:)[ \\t]{0,20}|[ \\t]{1,8}=[ \\t]{0,20}|=)(?:b(?=["']))?${QUOTE}(?:base64:|django-insecure-)?`;

/** A name with its sign, which is not the value of another name. */
const NAMED = `(?![A-Za-z0-9_.-]{0,80}(?:SECRET|PASSWORD|PASSWD|TOKEN|KEY|PWD)${QUOTE}[ \\t]{0,8}(?:=|:[ \\t])[ \\t]{0,8}[^\\s=])`;

/** The value of a labelled secret: up to the quotation mark if there is one. */
const VALUE = `${NAMED}(?<secret>(?!${VALUES_WITHOUT_SECRET})(?:(?<=")[^\\s"\\\\]{4,}|(?<=')[^\\s'\\\\]{4,}|(?:[^\\s"'\`&;,)}\\]\\\\<]|<(?![/A-Za-z])){4,}))`;

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

/** The forms that have a shape or a label of their own, the most specific first. */
const SHAPES = [
  {
    id: "private-key",
    ...ANYWHERE,
    literals: ["private key-----", "private key block-----"],
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?<secret>[\s\S]+?)(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?:-{0,5}|-----(?:E|EN|END[ A-Z0-9]{0,60}-{0,4}))$)/dg,
    // The words after a header that is only mentioned are no key.
    accepts: (secret) => /[A-Za-z0-9+/]{16}/.test(secret),
  },
  {
    id: "private-key",
    ...WORD,
    literals: ["private-lines"],
    pattern:
      /\bPrivate-Lines: \d{1,3}\r?\n(?<secret>(?:[A-Za-z0-9+/=]{1,64}\r?\n){0,200}[A-Za-z0-9+/=]{1,64}(?=\r?\n|$))/dg,
  },
  {
    // The private part of a JSON Web Key.
    id: "private-key",
    ...WORD,
    literals: ["kty"],
    pattern: /\bkty\\{0,3}"[^{}]{0,1200}?"d\\{0,3}"[ \t]{0,3}:[ \t]{0,3}\\{0,3}"(?<secret>[\w-]{40,700})/dg,
  },
  {
    id: "json-web-token",
    ...PREFIX,
    literals: ["eyj"],
    pattern: /\beyJ[\w-]{8,400}\.eyJ[\w-]{8,40000}\.[\w-]{8,}/dg,
    isToken: true,
  },
  {
    id: "telegram-token",
    ...ANYWHERE,
    matchesCase: true,
    literals: [":AA"],
    least: 30,
    pattern: /(?<![A-Za-z0-9])(?:bot)?(?<secret>\d{8,10}:AA[\w-]{32,36})(?![\w-])/dg,
    isToken: true,
  },
  {
    id: "mail-service-key",
    ...ANYWHERE,
    matchesCase: true,
    literals: ["-us0", "-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"],
    pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/dg,
    isToken: true,
  },
  {
    id: "azure-token",
    ...ANYWHERE,
    matchesCase: true,
    literals: [..."0123456789"].map((digit) => `${digit}Q~`),
    least: 30,
    pattern: /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![A-Za-z0-9])/dg,
    isToken: true,
  },
  {
    id: "azure-token",
    ...ANYWHERE,
    matchesCase: true,
    literals: ["AZDO"],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/dg,
    isToken: true,
  },
  {
    id: "cloud-token",
    ...ANYWHERE,
    matchesCase: true,
    literals: [".atlasv1."],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/dg,
    isToken: true,
  },
  {
    id: "monitoring-key",
    ...ANYWHERE,
    matchesCase: true,
    literals: ["NRAL"],
    pattern: /(?<![A-Za-z0-9])[0-9a-fF]{36}NRAL(?![A-Za-z0-9])/dg,
    isToken: true,
  },
  {
    // Addresses that let anyone send messages.
    id: "webhook",
    ...ANYWHERE,
    literals: ["/webhooks/", "/webhookb2/", "/incomingwebhook/", "hooks.slack.com/", "/hooks/"],
    pattern:
      /(?:discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{17,20}\/(?=[\w-]{60})|\/IncomingWebhook\/(?=[0-9a-f]{32})|hooks\.slack\.com\/(?:services|workflows|triggers)\/(?=[TE][A-Z0-9])|\/hooks\/(?=[a-z0-9]{26}(?![\w-]))(?=[a-z]{0,26}\d))(?<secret>[\w/-]{10,200})/dg,
  },
  {
    // Addresses with the key of their user.
    id: "webhook",
    ...ANYWHERE,
    literals: ["infura.io/", "alchemy.com/", "quiknode.pro/"],
    pattern:
      /\.(?:infura\.io|(?:g\.)?alchemy\.com|quiknode\.pro)\/(?:v\d\/)?(?<secret>(?=[a-z_-]{0,60}\d)[\w-]{20,80})/dgi,
  },
  {
    id: "social-media-token",
    ...PREFIX,
    literals: ["oauth:"],
    pattern: /\boauth:(?<secret>[a-z0-9]{30})(?![A-Za-z0-9])/dg,
    isToken: true,
  },
  {
    id: "command-secret",
    ...WORD,
    literals: ["net use"],
    pattern: /\bnet use [^\n]{0,200}?\/user:\S{1,100}[ \t]{1,3}(?<secret>(?![/$<*%])[^\s"']{1,100})/dgi,
  },
  {
    id: "password-hash",
    ...ANYWHERE,
    literals: ["$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$apr1$", "$argon2"],
    pattern:
      /(?<![\w$])\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}|(?:[156y]|apr1|argon2id?)\$[\w./$=,+-]{20,200})/dg,
  },
  {
    id: "authorization-header",
    ...WORD,
    literals: ["bearer"],
    pattern: /\bbearer[ \t]{1,3}(?<secret>[A-Za-z0-9+/._~:|!-]{12,}={0,2})/dgi,
    accepts: (secret) => /\d/.test(secret) && !secret.includes("://"),
  },
  {
    id: "authorization-header",
    ...WORD,
    literals: ["basic"],
    pattern: /\bbasic[ \t]{1,3}(?<secret>[A-Za-z0-9+/_-]{6,}={0,2})/dgi,
    accepts: isEncodedAccount,
  },
  {
    // The credentials of a container registry.
    id: "registry-account",
    ...ANYWHERE,
    literals: ['auth"', "auth\\"],
    pattern: /"auth\\{0,3}"[ \t]{0,3}:[ \t]{0,3}\\{0,3}"(?<secret>[A-Za-z0-9+/_-]{6,4000}={0,2})/dg,
    accepts: isEncodedAccount,
  },
  {
    id: "url-password",
    ...ANYWHERE,
    literals: ["://", ":\\/", ":/\\"],
    // A long user without a password is a token, but the user of Sentry is public.
    pattern:
      /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s:@/?#"'`<>]{0,80}:|(?=[a-z-]{0,60}\d)(?=\w{20,200}@)(?!\w{1,200}@o\d{1,20}\.ingest\.))(?<secret>(?![$<*%{])[^\s/?#"'`<>]{1,300})@/dgi,
    accepts: (secret) => secret !== "x-oauth-basic",
  },
  {
    // The token of a user without a password.
    id: "url-password",
    ...ANYWHERE,
    literals: [":x-oauth-basic@"],
    pattern: /:\/\/(?<secret>\w{20,200}):x-oauth-basic@/dg,
  },
  {
    // The names of Oracle have the password behind a slash.
    id: "url-password",
    ...WORD,
    literals: ["jdbc:oracle"],
    pattern: /\bjdbc:oracle:\w{1,10}:[\w$]{1,60}\/(?<secret>(?![$<*%])[^\s@"']{1,100})@/dgi,
  },
  {
    // The parameters of a URL whose values give access.
    id: "url-parameter",
    ...PREFIX,
    literals: [
      ...["sig", "code", "key", "signature", "token", "auth", "secret", "password", "jwt", "ticket"].flatMap(
        (name) => [`${name}=`, `${name}%`],
      ),
    ],
    pattern:
      /(?<![A-Za-z0-9])(?<=[?&#;])(?:x-amz-signature|x-amz-security-token|x-goog-signature|signature|sig|code|key|auth|jwt|ticket|(?:[a-z0-9]{1,20}[_-]){0,3}(?:token|secret|password))=(?=[a-z%_.~/+-]{0,300}\d)(?<secret>[\w%.~/+=-]{16,4000})/dgi,
    accepts: (secret) => !/^[\w-]{1,40}\.[a-z]{2,4}$/.test(secret),
  },
  {
    // The signature of a request.
    id: "signature",
    ...PREFIX,
    literals: ["signature=", "signature%", "response=", "response%"],
    pattern: /\b(?:signature|response)=\\{0,3}"?(?<secret>[0-9a-f]{32,128}|[\w+/]{43,400}={1,2})(?![\w])/dgi,
  },
  {
    id: "signature",
    beginsWord: false,
    endsWord: true,
    literals: ["-sign", "-signature"],
    pattern:
      /(?<![A-Za-z0-9])[A-Za-z0-9-]{1,40}-sign(?:ature)?(?:-256)?\\{0,3}["']?:[ \t]{0,3}\\{0,3}["']?(?:sha256=)?(?<secret>[0-9a-f]{40,128})(?!\w)/dgi,
  },
  {
    // Each scheme of the header, such as `Authorization: token …`. A value without digits may be prose.
    id: "authorization-value",
    ...WORD,
    literals: ["authorization"],
    pattern: new RegExp(
      `\\b(?:proxy-)?authorization${QUOTE}[ \\t]{0,3}[:=][ \\t]{0,3}${QUOTE}(?!AWS4-|Digest )(?:(?:[a-z][\\w-]{0,20}[ \\t]{1,3})(?:(?:token|key)=${QUOTE})?|key=)?(?<secret>(?!${VALUES_WITHOUT_SECRET}|\\S{1,60}[ \\t]{1,3}\\*)(?=[^\\s"',;\\\\]{0,200}\\d)[^\\s"',;\\\\<\`]{8,})`,
      "dgi",
    ),
    accepts: (secret) => !/^\d{1,15}$/.test(secret) && !/^[a-z-]+\d?$/.test(secret),
  },
  {
    // A line of .netrc.
    id: "netrc-password",
    ...WORD,
    literals: ["machine"],
    pattern:
      /\bmachine\s{1,5}(?:[^\s.]{1,80}\.\S{1,200}|localhost|\S{1,200}(?=[ \t]{0,5}\r?\n))(?:\s{1,5}(?:[+>|]\s{0,5})?(?:login|account)\s{1,5}\S{1,200}){0,2}\s{1,5}(?:[+>|]\s{0,5})?password\s{1,5}(?<secret>(?![$<*%])[^\s<"'\\]+)/dg,
  },
  {
    id: "netrc-password",
    ...WORD,
    literals: ["default login"],
    pattern: /\bdefault login\s{1,5}\S{1,200}\s{1,5}password\s{1,5}(?<secret>(?![$<*%])[^\s<"'\\]+)/dg,
  },
  {
    // A line of .pgpass.
    id: "pgpass-password",
    ...ANYWHERE,
    literals: [":5432:", ":5433:", ":6432:"],
    pattern:
      /(?<![\w:])[\w.*-]{1,200}:(?:5432|5433|6432):[^:\s]{1,60}:[^:\s]{1,60}:(?<secret>(?![$<*%])[^\s"'<\\]+)/dg,
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
    pattern: new RegExp(`(?<![A-Za-z0-9_])(?:${VARIABLE})(?:base64:)?(?<secret>${ARGUMENT})`, "dg"),
    parts: OPTION_VALUE,
    accepts: (secret, label) => !/PUBLI(?:C|SHABLE)/.test(label) && !/^[)\]]/.test(secret),
  },
  {
    // A variable of a Dockerfile.
    id: "environment-secret",
    ...PREFIX,
    matchesCase: true,
    literals: ["ENV ", "ARG "],
    pattern:
      /(?<![A-Za-z0-9])(?<![\w-])(?:ENV|ARG) {1,5}[A-Z0-9_]{0,60}(?:PASSWORD|SECRET|TOKEN|KEY)[ \t]{1,5}["']?(?<secret>(?![$<*%=])[^\s"'\\]{6,})/dg,
    accepts: isSecretValue,
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
    // The value of `--secret` may be the name of one.
    accepts: (secret, label) =>
      !/^(?:PASSWORD|TOKEN|SECRET|KEY|API_KEY|options?|arguments?|flags?|parameters?|values?)[\])]?$/.test(
        secret,
      ) && !(/secret/i.test(label) && /^[A-Za-z]+(?:[-_/][A-Za-z]+)+$/.test(secret)),
  },
  {
    id: "labelled-secret",
    ...WORD,
    literals: LABEL_LITERALS,
    pattern: new RegExp(`${NAME}(?<!arn:[\\w:-]{0,80})${LABEL}${NAME_END}${EQUALS}${VALUE}`, "dgi"),
    accepts: isSecretValue,
  },
  {
    id: "labelled-secret",
    ...WORD,
    literals: PASSWORD_LITERALS,
    pattern: new RegExp(`${NAME}${PASSWORD_LABEL}${NAME_END}${EQUALS}${VALUE}`, "dgi"),
    accepts: isPassword,
  },
  {
    // A name whose words are joined, such as `ossrhPassword`.
    id: "labelled-secret",
    beginsWord: false,
    endsWord: true,
    matchesCase: true,
    literals: [
      "Password",
      "Passphrase",
      "Secret",
      "Token",
      "ApiKey",
      "APIKey",
      "AccessKey",
      "PrivateKey",
      "SecretKey",
    ],
    pattern: new RegExp(
      `(?<![A-Za-z0-9])[A-Za-z0-9_.-]{0,60}[a-z0-9](?:Password|Passphrase|Secret|(?<!Page|Next|Continuation|Cancellation|Sync|Bookmark)Token|(?:Api|API|Access|Private|Secret)Key)(?![A-Za-z0-9])${EQUALS}${VALUE}`,
      "dg",
    ),
    accepts: isSecretValue,
  },
  {
    id: "labelled-secret",
    ...WORD,
    literals: ["unseal key"],
    pattern: /\bunseal key \d{1,3}: (?<secret>[A-Za-z0-9+/=]{40,100})/dgi,
  },
  {
    // A constant of PHP.
    id: "labelled-secret",
    ...WORD,
    literals: ["define"],
    pattern:
      /\bdefine\([ \t]{0,3}["'][A-Z0-9_]{0,60}(?:PASSWORD|SECRET|TOKEN|KEY|SALT)["'],[ \t]{0,20}["'](?<secret>[^\s"'\\][^"'\\\n]{5,200})["']/dg,
    accepts: isSecretValue,
  },
  {
    // An element or an attribute of XML.
    id: "labelled-secret",
    beginsWord: false,
    endsWord: false,
    literals: ["password>", "passwd>", "passphrase>", "secret>", "token>", "apikey>", 'password"'],
    pattern:
      /<(?:[\w.-]{0,40}(?:password|passwd|passphrase|secret|token|apikey)>(?=[^\s<]{4,4000}<\/)|add key="[\w.-]{0,40}password"[ \t]{1,3}value=")(?<secret>(?![$<*%{])[^\s<"]{4,})/dgi,
    accepts: (secret) => isPassword(secret, "="),
  },
  {
    // A statement of SQL.
    id: "labelled-secret",
    ...WORD,
    literals: ["password", "identified by", "identified as", "identified with"],
    pattern:
      /\b(?:password|identified (?:with [\w"'`]{1,60} )?(?:by|as))[ \t]{1,3}'(?<secret>(?![$<*%:])[^'\n]{4,200})'/dgi,
    accepts: (secret) => !/\s/.test(secret),
  },
  {
    id: "labelled-secret",
    ...WORD,
    literals: ["convertto-securestring"],
    pattern:
      /\bConvertTo-SecureString[ \t]{1,3}(?:-String[ \t]{1,3})?["'](?<secret>(?![$<*%])[^"'\n]{4,200})/dgi,
  },
  {
    // The variable of a container: a name and a value beside it.
    id: "labelled-secret",
    beginsWord: false,
    endsWord: true,
    literals: [
      "password",
      "passwd",
      "passphrase",
      "secret",
      "token",
      ...["api", "access", "private"].flatMap((word) => joinWords(word, "key")),
    ],
    pattern:
      /\bname\\{0,3}["']?:[ \t]{0,3}\\{0,3}["']?[\w.-]{0,60}(?:password|passwd|passphrase|secret|token|api_?key|access_?key|private_?key)\\{0,3}["']?,?\s{1,40}\\{0,3}["']?value\\{0,3}["']?:[ \t]{0,3}\\{0,3}["']?(?<secret>(?![$<*%{])[^\s"'\\,}]{4,})/dgi,
    accepts: (secret) => isPassword(secret, "="),
  },
  {
    id: "kubernetes-secret",
    ...WORD,
    literals: ["secret"],
    pattern: /\bkind\\{0,3}["']?:[ \t]{0,3}\\{0,3}["']?Secret(?![\w-])/dg,
    findAfter: findKubernetesSecrets,
  },
] as const satisfies readonly Form[];

/** The forms, the most specific first. */
export const FORMS: readonly Form[] = [
  ...TOKENS.map(
    (token): Form => ({
      id: token.id,
      ...PREFIX,
      matchesCase: true,
      literals: token.prefixes,
      ...describeLetters(token),
      pattern: createTokenPattern(token),
      isToken: true,
      accepts: (secret) => !isWords(secret.slice(token.prefixes[0]?.length)),
    }),
  ),
  ...SHAPES,
];

/** The ids of forms that are recognised by their own letters, without a label before them. */
export const TOKEN_FORMS: ReadonlySet<string> = new Set(
  FORMS.filter(({ isToken }) => isToken === true).map(({ id }) => id),
);

/** The names of fields whose string value is a secret, whatever its form. */
export const SECRET_FIELD = {
  ...WORD,
  literals: [
    ...["password", "passwd", "passphrase", "secret", "token", "authorization"],
    ...["clientsecret", "secretkey", "accesstoken", "refreshtoken", "authtoken", "identitytoken"],
    ...["api", "private", "access", "secretaccess"].flatMap((word) => joinWords(word, "key")),
  ],
  pattern:
    /^(?:[a-z0-9]+[_-])*(?:password|passwd|passphrase|client[_-]?secret|secret[_-]?(?:access[_-]?)?key|api[_-]?key|access[_-]?token|refresh[_-]?token|identity[_-]?token|auth[_-]?token|private[_-]?key|authorization)$/i,
};
