/**
 * A corpus of made-up secrets and of harmless texts that resemble them. test/cases/secrets holds their forms, as templates
 * after the documentation of the services: `<hex:40>` is a value of 40 hexadecimal digits, `[[…]]` is the secret, `{|…|}` may
 * be masked with it, and `{{…}}` without a blank behind it is written as base64. No form is a secret itself, so scanners for leaked secrets ignore the
 * files. Each form occurs in each wrapping that suits it.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Json } from "../../generator/json.js";

/** A part of a text. An optional part may be masked together with a secret. */
interface Segment {
  readonly text: string;
  readonly kind: "plain" | "secret" | "optional";
}

/** A text with secrets, and where it stands. */
interface WrappedText {
  readonly segments: readonly Segment[];
  /** Returns the value that holds the text; by default, the text itself. */
  readonly embed?: (text: string) => Json;
  /** The places at which the text is cut into the pieces of a stream. */
  readonly cuts?: readonly number[];
}

/** A text of the corpus. */
export interface CorpusCase extends WrappedText {
  readonly form: string;
  readonly wrapping: string;
  readonly isLookAlike: boolean;
  /** True if the detectors were written with a look at this form, or at this wrapping. */
  readonly isFormSeen: boolean;
  readonly isWrappingSeen: boolean;
}

type Random = (limit: number) => number;

/** A way to write a text with a secret. */
interface Wrapping {
  /** True if the text must consist of one secret in one line, because the wrapping names it or would change its meaning. */
  readonly takesToken?: boolean;
  /** True if the wrapping says that its text is a secret, so that it does not suit harmless texts. */
  readonly isLabel?: boolean;
  readonly wrap: (segments: readonly Segment[], random: Random) => WrappedText;
}

const DIGITS = "0123456789";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER = UPPER.toLowerCase();
const ALPHABETS: { readonly [name: string]: string } = {
  digits: DIGITS,
  hex: `${DIGITS}abcdef`,
  HEX: `${DIGITS}ABCDEF`,
  letters: LOWER + UPPER,
  lower: DIGITS + LOWER,
  upper: DIGITS + UPPER,
  alnum: DIGITS + LOWER + UPPER,
  b64: `${DIGITS}${LOWER}${UPPER}+/`,
  b64url: `${DIGITS}${LOWER}${UPPER}-_`,
  base32: `${UPPER}234567`,
  bech32: "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
  pass: `${DIGITS}${LOWER}${UPPER}!_.-+^~`,
};

/** Returns a generator of numbers below a limit, which is the same for the same seed. */
function createRandom(seed: string): Random {
  let state = createHash("sha256").update(seed).digest().readUInt32LE(0);
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

function generateValue(name: string, length: number, random: Random): string {
  if (name === "uuid") {
    const parts = [8, 4, 3, 3, 12].map((size) => generateValue("hex", size, random));
    return `${parts[0]}-${parts[1]}-4${parts[2]}-a${parts[3]}-${parts[4]}`;
  }
  const alphabet = ALPHABETS[name];
  if (alphabet === undefined) throw new Error(`There is no alphabet ${name}.`);
  // The first and the last character are letters or digits, as those of real values mostly are.
  return Array.from({ length }, (_, index) => {
    const isEdge = index === 0 || index === length - 1;
    const letters = isEdge ? alphabet.replace(/[^A-Za-z0-9]/g, "") : alphabet;
    return letters[random(letters.length)] ?? "";
  }).join("");
}

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");

/** Returns the parts of a template with values in it. */
function fillTemplate(template: string, random: Random): Segment[] {
  const filled = template.replace(/<([A-Za-z0-9]+):(\d+)>/g, (_, name: string, length: string) =>
    generateValue(name, Number(length), random),
  );
  return [...filled.matchAll(/\[\[([\s\S]*?)\]\](?!\])|\{\|([\s\S]*?)\|\}|(?:(?!\[\[|\{\|)[\s\S])+/g)].map(
    ([text, secret, optional]): Segment =>
      secret !== undefined
        ? { text: encodeParts(secret), kind: "secret" }
        : optional !== undefined
          ? { text: optional, kind: "optional" }
          : { text: encodeParts(text), kind: "plain" },
  );
}

const encodeParts = (text: string): string =>
  text.replace(/\{\{(?! )([\s\S]*)\}\}/, (_, content: string) => toBase64(content));

const plain = (text: string): Segment => ({ text, kind: "plain" });

/** Returns segments with each text changed. */
const mapTexts = (segments: readonly Segment[], change: (text: string) => string): Segment[] =>
  segments.map(({ text, kind }) => ({ text: change(text), kind }));

/** Returns a wrapping that sets a text between two others, after a change of each part. */
const between =
  (before: string, after = "", change = (text: string) => text): Wrapping["wrap"] =>
  (segments) => ({ segments: [plain(before), ...mapTexts(segments, change), plain(after)] });

/** Returns a wrapping that inserts texts, which are no part of a secret, into each secret. */
const insert =
  (listParts: (random: Random) => readonly string[], before = ""): Wrapping["wrap"] =>
  (segments, random) => ({
    segments: [
      plain(before),
      ...segments.flatMap((segment): Segment[] => {
        if (segment.kind !== "secret" || segment.text.length < 4) return [segment];
        const inserted = listParts(random);
        const { length } = segment.text;
        const cuts = inserted
          .map(
            (_, index) => 1 + Math.floor(((index + 0.2 + random(50) / 100) * (length - 2)) / inserted.length),
          )
          .sort((a, b) => a - b);
        const texts = [0, ...cuts].map((cut, index) => segment.text.slice(cut, cuts[index]));
        return texts.flatMap((text, index): Segment[] => [
          { text, kind: "secret" },
          ...(inserted[index] === undefined ? [] : [{ text: inserted[index], kind: "optional" } as const]),
        ]);
      }),
    ],
  });

/** Returns the segments of a text in base64. Letters that hold bits of other parts, too, are optional, as is all else. */
function encodeBase64(segments: readonly Segment[], alphabet: "base64" | "base64url" = "base64"): Segment[] {
  const encoded = Buffer.from(segments.map(({ text }) => text).join("")).toString(alphabet);
  const kinds = new Array<Segment["kind"]>(encoded.length).fill("optional");
  let at = 0;
  for (const { text, kind } of segments) {
    const stop = at + Buffer.byteLength(text);
    if (kind === "secret") kinds.fill("secret", Math.ceil((at * 4) / 3), Math.floor((stop * 4) / 3));
    at = stop;
  }
  return joinLetters(encoded, kinds);
}

/** Returns the segments of a text of which each letter has a kind. */
function joinLetters(text: string, kinds: readonly Segment["kind"][]): Segment[] {
  const segments: Segment[] = [];
  for (const [index, letter] of [...text].entries()) {
    const kind = kinds[index] ?? "plain";
    const last = segments.at(-1);
    if (last?.kind === kind) segments[segments.length - 1] = { text: last.text + letter, kind };
    else segments.push({ text: letter, kind });
  }
  return segments;
}

/** Returns a wrapping that encodes a text as base64 between two others. */
const encoded =
  (before: string, after = "", alphabet: "base64" | "base64url" = "base64"): Wrapping["wrap"] =>
  (segments) => ({ segments: [plain(before), ...encodeBase64(segments, alphabet), plain(after)] });

/** Breaks the lines of segments after each `width` characters. */
function breakLines(segments: readonly Segment[], width: number, lineBreak: string): Segment[] {
  let column = 0;
  return segments.flatMap(({ text, kind }) =>
    [...text].flatMap((letter): Segment[] => {
      if (letter === "\n") column = 0;
      else if (column++ === width) {
        column = 1;
        return [
          { text: lineBreak, kind: kind === "plain" ? "plain" : "optional" },
          { text: letter, kind },
        ];
      }
      return [{ text: letter, kind }];
    }),
  );
}

/** Returns a wrapping that breaks lines in the middle of a secret, as a terminal does. */
const broken =
  (width: number, lineBreak: string, before: string): Wrapping["wrap"] =>
  (segments, random) => {
    const [{ text = "" } = {}] = segments;
    const lead = "Reading the answer of the service, which is shown below in one line: ".repeat(2);
    // The line ends within the secret.
    const room = width - 1 - random(Math.min(text.length - 2, width - before.length - 2));
    return {
      segments: breakLines(
        [plain((before + lead).slice(0, room - 1)), plain(" "), ...segments],
        width,
        lineBreak,
      ),
    };
  };

const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

const percentEncodeAll = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

const escapeUnicode = (text: string): string =>
  [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

/** Escapes each third character, and all that JSON requires. */
const escapeSome = (text: string): string =>
  [...text]
    .map((each, index) =>
      index % 3 === 1
        ? `\\u${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`
        : JSON.stringify(each).slice(1, -1),
    )
    .join("");

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (each) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[each] ?? "&quot;");

/** Returns a wrapping that cuts a text into pieces of a stream. */
const cut =
  (choose: (length: number, random: Random) => readonly number[]): Wrapping["wrap"] =>
  (segments, random) => {
    const text = [plain("$ show\n"), ...segments, plain("\ndone\n")];
    const length = text.reduce((sum, each) => sum + each.text.length, 0);
    return { segments: text, cuts: choose(length, random) };
  };

const randomCuts =
  (count: number) =>
  (length: number, random: Random): number[] =>
    Array.from({ length: count }, () => random(length)).sort((a, b) => a - b);

const WRAPPINGS: { readonly [name: string]: Wrapping } = {
  plain: { wrap: (segments) => ({ segments }) },
  "in prose": { wrap: between("I ran it and got this:\n\n", "\n\nLet me know what you think.") },
  "in a log": { wrap: between("2026-05-03T10:23:40.123Z app[12]: ", " (12 ms)") },
  "in quotation marks": { takesToken: true, wrap: between('const client = new Client("', '");') },
  "in Markdown": { wrap: between("Use this:\n```\n", "\n```\n") },
  "in Markdown code": { takesToken: true, wrap: between("Use `", "` as shown.") },
  "in a table": { takesToken: true, wrap: between("| name | value |\n|---|---|\n| app | ", " |") },
  "in a diff": { wrap: between("@@ -1 +1 @@\n-old\n+", "", (text) => text.replaceAll("\n", "\n+")) },
  "in CSV": { wrap: between('1,"', '",2', (text) => text.replaceAll('"', '""')) },
  "in SQL": { takesToken: true, wrap: between("INSERT INTO settings VALUES ('app', '", "');") },
  "in HTML": { wrap: between("<pre>", "</pre>", escapeHtml) },
  "as found by grep": { takesToken: true, wrap: between("src/config/app.ts:12:", "") },
  "in a field": { wrap: (segments) => ({ segments, embed: (text) => ({ a: [{ b: text }] }) }) },
  "in JSON": { wrap: between('{"output":"', '","code":0}', escapeJson) },
  "in JSON in JSON": {
    wrap: between('{"a":"{\\"b\\":\\"', '\\"}"}', (text) => escapeJson(escapeJson(text))),
  },
  "as unicode escapes": { wrap: between('{"output":"', '"}', escapeUnicode) },
  "with some unicode escapes": { wrap: between('{"output":"', '"}', escapeSome) },
  "as unicode escapes of JSON in JSON": {
    wrap: between('{"a":"{\\"b\\":\\"', '\\"}"}', (text) => escapeJson(escapeUnicode(text))),
  },
  "percent-encoded": { wrap: between("https://example.com/cb?next=", "&x=1", percentEncode) },
  "percent-encoded in lower case": { wrap: between("/log?line=", " HTTP/1.1", percentEncodeAll) },
  "percent-encoded twice": {
    wrap: between("https://example.com/cb?next=", "", (text) => percentEncode(percentEncode(text))),
  },
  "in base64": { wrap: encoded("content: ") },
  "in base64 for URLs": { wrap: encoded("https://example.com/?state=", "&x=1", "base64url") },
  "in base64 of a data URL": { wrap: encoded("data:text/plain;base64,", '"') },
  "in base64 of a Kubernetes secret": {
    isLabel: true,
    wrap: encoded("apiVersion: v1\nkind: Secret\ndata:\n  config: ", "\ntype: Opaque\n"),
  },
  "in base64 of JSON": { wrap: encoded('{"encoding":"base64","content":"', '"}') },
  "in lines of base64": {
    wrap: (segments) => ({
      segments: [
        plain("Content-Transfer-Encoding: base64\n\n"),
        ...breakLines(encodeBase64(segments), 76, "\r\n"),
        plain("\r\n--b--"),
      ],
    }),
  },
  "with a colour in it": { wrap: insert(() => ["\u001b[31m", "\u001b[0m"]) },
  "with a colour of grep in it": { wrap: insert(() => ["\u001b[01;31m\u001b[K", "\u001b[m\u001b[K"]) },
  "with a cursor code in it": { wrap: insert(() => ["\u001b[K"]) },
  "with a colour of 24 bits in it": { wrap: insert(() => ["\u001b[38;2;255;100;0m", "\u001b[39m"]) },
  "in colour": { wrap: between("\u001b[1;33m", "\u001b[0m\n") },
  "in a link of a terminal": {
    takesToken: true,
    wrap: between("\u001b]8;;https://example.com\u001b\\", "\u001b]8;;\u001b\\"),
  },
  "with zero-width spaces in it": { wrap: insert(() => ["\u200b", "\u200b", "\u200b"]) },
  "with a word joiner in it": { wrap: insert(() => ["\u2060"]) },
  "with a byte order mark in it": { wrap: insert(() => ["\ufeff"], "x ") },
  "with soft hyphens in it": { wrap: insert(() => ["\u00ad", "\u00ad"]) },
  "with a zero-width joiner in it": { wrap: insert(() => ["\u200d", "\u200c"]) },
  "broken at 80 columns": { takesToken: true, wrap: broken(80, "\n", "") },
  "broken at 80 columns by a terminal": { takesToken: true, wrap: broken(80, "\r\n", "> ") },
  "broken by YAML": { takesToken: true, wrap: broken(80, "\\\n    ", "note: ") },
  "broken by quoted-printable": { takesToken: true, wrap: broken(75, "=\r\n", "") },
  "in two pieces": { wrap: cut(randomCuts(1)) },
  "in many pieces": { wrap: cut(randomCuts(8)) },
  "in small pieces": {
    takesToken: true,
    wrap: cut((length) => Array.from({ length: Math.floor((length - 1) / 5) }, (_, index) => 5 * index + 5)),
  },
  "in a bearer header": { takesToken: true, isLabel: true, wrap: between("Authorization: Bearer ", "\r\n") },
  "in a header": {
    takesToken: true,
    isLabel: true,
    wrap: between("GET / HTTP/1.1\r\nX-Api-Key: ", "\r\nAccept: */*"),
  },
  "in an environment": {
    takesToken: true,
    isLabel: true,
    wrap: between("HOME=/root\nAPP_TOKEN=", "\nLANG=C\n"),
  },
  "in an exported variable": { takesToken: true, isLabel: true, wrap: between('export API_KEY="', '"\n') },
  "in a parameter of a URL": {
    takesToken: true,
    isLabel: true,
    wrap: between("https://example.com/a?access_token=", "&page=2", percentEncode),
  },
  "in the user part of a URL": {
    takesToken: true,
    isLabel: true,
    wrap: between("https://oauth2:", "@example.com/x.git", percentEncode),
  },
  "in netrc": {
    takesToken: true,
    isLabel: true,
    wrap: between("machine example.com\nlogin me\npassword ", "\n"),
  },
  "in a Docker configuration": {
    takesToken: true,
    isLabel: true,
    wrap: (segments) => ({
      segments: [
        plain('{"auths":{"example.com":{"auth":"'),
        ...encodeBase64([plain("me:"), ...segments]),
        plain('"}}}'),
      ],
    }),
  },
  "in a Kubernetes secret": {
    takesToken: true,
    isLabel: true,
    wrap: encoded("apiVersion: v1\nkind: Secret\ndata:\n  token: ", "\n"),
  },
  "in a Kubernetes secret in plain text": {
    takesToken: true,
    isLabel: true,
    wrap: between("kind: Secret\nstringData:\n  token: ", "\n"),
  },
  "in YAML": { takesToken: true, isLabel: true, wrap: between("app:\n  secret: ", "\n  debug: true\n") },
  "in TOML": { takesToken: true, isLabel: true, wrap: between('[app]\napi_key = "', '"\n') },
  "in XML": {
    takesToken: true,
    isLabel: true,
    wrap: between("<app><password>", "</password></app>", escapeHtml),
  },
  "in a command": { takesToken: true, isLabel: true, wrap: between("app deploy --token ", " --verbose") },
  "as an argument": {
    takesToken: true,
    isLabel: true,
    wrap: (segments) => ({ segments, embed: (text) => ["app", "deploy", "--token", text] }),
  },
  "in a field with a label": {
    takesToken: true,
    isLabel: true,
    wrap: (segments) => ({ segments, embed: (text) => ({ name: "app", api_key: text }) }),
  },
  "in a JSON text with a label": {
    takesToken: true,
    isLabel: true,
    wrap: between('{"name":"app","token":"', '"}', escapeJson),
  },
  "in a command of curl": {
    takesToken: true,
    isLabel: true,
    wrap: between("curl -u 'me:", "' https://example.com"),
  },
};

/** Returns whether the detectors were written with a look at a form or a wrapping. Its name decides, once and for all. */
const isSeen = (name: string): boolean => (createHash("sha256").update(name).digest()[0] ?? 0) % 2 === 0;

function readCases(file: string): Json {
  return JSON.parse(readFileSync(new URL(`../cases/secrets/${file}`, import.meta.url), "utf8"));
}

/** The templates of secrets by the names of their forms. */
export const SECRET_TEMPLATES = readCases("forms.json") as { readonly [form: string]: string };

/** The templates of harmless texts. */
export const LOOK_ALIKE_TEMPLATES = readCases("look-alikes.json") as readonly string[];

/** Returns all texts of the corpus. */
export function createCorpus(): CorpusCase[] {
  const forms = [
    ...Object.entries(SECRET_TEMPLATES).map(([form, template]) => ({ form, template, isLookAlike: false })),
    ...LOOK_ALIKE_TEMPLATES.map((template) => ({ form: template, template, isLookAlike: true })),
  ];
  return forms.flatMap((each) =>
    Object.entries(WRAPPINGS).flatMap(
      ([wrapping, { takesToken = false, isLabel = false, wrap }]): CorpusCase[] => {
        const { form, template, isLookAlike } = each;
        const random = createRandom(`${form}\n${wrapping}`);
        const segments = fillTemplate(template, random);
        const isToken = segments.length === 1 && !segments[0]?.text.includes("\n");
        if ((takesToken && !isToken) || (isLabel && isLookAlike)) return [];
        const wrapped = wrap(segments, random);
        return [
          {
            form,
            wrapping,
            isLookAlike,
            isFormSeen: isSeen(form),
            isWrappingSeen: isSeen(wrapping),
            ...wrapped,
          },
        ];
      },
    ),
  );
}
