/** Files, documents and options that no command may crash on. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { Option } from "commander";
import type { CommandEntry } from "../../generator/commands/command.js";
import { isObject, type Json, type JsonObject, parseJson } from "../../generator/json.js";
import { SENSIBLE_LINES } from "./command-lines.js";
import type { Files } from "./project.js";

const nestText = (open: string, close: string, levels: number): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

/** Hostile contents of a file by what they are. */
const CONTENTS: { readonly [kind: string]: string | Buffer } = {
  "an empty file": "",
  "blank lines": "\n \n\r\n",
  "a binary file": Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256)),
  "a huge line": `{"type":"note.added","data":"${"x".repeat(3_000_000)}"}`,
  "a huge line without an end": `{"type":"${"x".repeat(3_000_000)}`,
  "invalid UTF-8": Buffer.from('{"type":"note.added\xff\xfe","\xc3\x28":"\xed\xa0\x80"}\n', "latin1"),
  "UTF-16": Buffer.from('\ufeff{"type":"note.added"}\n', "utf16le"),
  "nested lists": nestText("[", "]", 100_000),
  "nested objects": nestText('{"a":', "}", 50_000),
  "nested schemas": nestText('{"properties":{"a":', "}}", 2000),
  "half a document": '{"type":"note.added","data":{',
  "a list": "[]",
  "lists of null": "[null,[null]]\n[[]]\n",
  null: "null",
  false: "false",
  "a number": "1e999",
  "a text": '"\\ud800"',
  "keys of prototypes":
    '{"__proto__":{"type":"x","properties":{"a":1}},"constructor":{"prototype":1},"toString":null,"type":"__proto__","hasOwnProperty":[]}',
  "values of the wrong type":
    '{"type":{},"data":7,"id":[],"findings":7,"summary":[],"versions":[],"writers":7,"properties":[],"faults":{},"$ref":7}',
  "lines of the wrong type": '{"type":7}\n{"type":null,"data":[]}\n[]\n"x"\n',
};

/** Hostile files: contents, and what is no file. `unreadable` cannot be opened by a user without rights. */
const FILES: { readonly [kind: string]: (file: string) => void } = {
  ...Object.fromEntries(
    Object.entries(CONTENTS).map(([kind, content]) => [kind, (file: string) => writeFileSync(file, content)]),
  ),
  "a missing file": () => undefined,
  "a folder": (file) => mkdirSync(file),
  "a link to itself": (file) => symlinkSync(file, file),
  "an unreadable file": (file) => {
    writeFileSync(file, "{}");
    chmodSync(file, 0);
  },
};

/** A hostile file. */
export interface HostileFile {
  readonly kind: string;
  /** Writes it. */
  readonly write: (file: string) => void;
  /** What standard input holds beside it. */
  readonly stdin: string | Buffer;
}

/** All hostile files. */
export const HOSTILE_FILES: readonly HostileFile[] = Object.entries(FILES).map(([kind, write]) => ({
  kind,
  write,
  stdin: CONTENTS[kind] ?? "",
}));

/** Stands for the hostile file in a command line. */
export const SLOT = "hostile.json";

/**
 * Returns the command lines of a command that read the hostile file: in place of each file of its sensible lines, and as the
 * value of each option for a file or a folder.
 */
export function listLinesWithSlot({ name, options }: CommandEntry): string[] {
  const lines = SENSIBLE_LINES[name] ?? [];
  const words = lines.flatMap((line) =>
    line
      .split(" ")
      .map((word, at, all) => (at > 0 && isFileName(word) ? replaceAt(all, at, word).join(" ") : line)),
  );
  const values = options.filter(isFileOption).map(({ long }) => `${lines[0]} ${long} ${SLOT}`);
  return [...new Set([...words, ...values, ...lines])];
}

function replaceAt(words: readonly string[], at: number, word: string): string[] {
  // `watch` names a path within a package, and a pointer follows a path.
  const [, before = "", after = ""] = /^(\w+:)?[^#:]*(#.*)?$/.exec(word) ?? [];
  return words.with(at, `${before}${SLOT}${after}`);
}

function isFileName(word: string): boolean {
  return /\.jsonl?(#|$)|^(schemas|fixtures)(\/|$)|^none:/.test(word);
}

function isFileOption({ flags }: Option): boolean {
  return /<(file|dir|names\|file)>/.test(flags);
}

/** The files of a project that commands read without being told to. */
export const PROJECT_FILES: readonly string[] = [
  "accrete.config.json",
  "package.json",
  "schemas/tea/v1/protocol.json",
  "schemas/tea/v1/envelope.schema.json",
  "schemas/tea/v1/events/mug.filled.schema.json",
  "schemas/tea/v1/shared/parts.schema.json",
  "schemas/tea/v1/releases/1.0.json",
  "fixtures/consumers.json",
  "fixtures/tea/v1/valid/note.added/note.json",
  "fixtures/tea/v1/streams/two-notes.jsonl",
  "generated/tea/v1/index.js",
];

/** Values that no member of a document allows, or few. */
const WRONG_VALUES: readonly Json[] = [
  null,
  7,
  "x",
  "",
  [],
  {},
  true,
  [[]],
  [null],
  JSON.parse('{"__proto__":{"type":7}}'),
  JSON.parse('{"__proto__":null,"constructor":7,"a":null}'),
  "\u0000\u001b[2J",
  -1e308,
];

/** Returns the document with another value at each of its places, one at a time; `turn` chooses the first value. */
export function createWrongDocuments(
  files: Files,
  file: string,
  members: readonly string[],
  turn: number,
): { readonly at: string; readonly text: string }[] {
  const document = parseJson(files[file] ?? "") as JsonObject;
  // Members that the project does not have are wrong as well.
  const whole: JsonObject = { ...Object.fromEntries(members.map((name) => [name, null])), ...document };
  return listPlaces(whole).map((place, index) => ({
    at: `${file}#/${place.join("/")}`,
    text: JSON.stringify(
      replaceValue(document, place, WRONG_VALUES[(index + turn) % WRONG_VALUES.length] ?? null),
    ),
  }));
}

function listPlaces(value: Json): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, below]) => [
    [name],
    ...listPlaces(below).map((rest) => [name, ...rest]),
  ]);
}

function replaceValue(value: Json, [name = "", ...rest]: readonly string[], wrong: Json): Json {
  const change = (below: Json): Json => (rest.length === 0 ? wrong : replaceValue(below, rest, wrong));
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === name ? change(item) : item));
  if (!isObject(value)) return value;
  return { ...value, [name]: change(value[name] ?? null) };
}
