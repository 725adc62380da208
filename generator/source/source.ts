import type { Node } from "jsonc-parser";
import { createErrorFinding, type Finding, type Location } from "../finding.js";
import { type Json, splitPointer } from "../json.js";
import { findJsonFindings } from "./json-text.js";
import { loadJsonc } from "./jsonc-package.js";
import { countMembers, countNameEnds } from "./plain-json.js";

/** One file of JSON or YAML: its value, and the place of each part of the value in its text. */
export interface Source {
  /** The path as the user would write it. */
  readonly file: string;
  readonly document: Json;
  /** Returns the location of a value, or of its nearest ancestor if there is no such value. Line and column are computed when they are read. */
  locate(pointer: string): Location;
  /** Returns the text of a value; undefined if there is no such value. */
  getText(pointer: string): string | undefined;
  /** Returns the location of the member name that `pointer` ends with, for findings about a name. */
  locateKey(pointer: string): Location;
}

/** The result of parsing a file: its value, or its errors. */
export type Parsed = { readonly source: Source } | { readonly findings: readonly Finding[] };

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Parses strict JSON (RFC 8259) from bytes. Repeated names and infinite numbers are findings; nothing is thrown. */
export function parseSource(file: string, bytes: Uint8Array): Parsed {
  const decoded = decodeText(file, bytes);
  if ("findings" in decoded) return decoded;
  const { text } = decoded;
  const plain = parsePlain(text, bytes);
  if (plain !== undefined) return { source: createJsonSource(file, plain, text) };
  const found = findJsonFindings(text);
  if (found.length === 0) return { source: createJsonSource(file, JSON.parse(text), text) };
  return {
    findings: found.map(({ rule, message, pointer, offset, advice }) => {
      const marker = rule === "json-syntax" ? text.search(CONFLICT_MARKER) : -1;
      if (marker < 0)
        return createErrorFinding(
          rule,
          `The file ${message}.`,
          { file, pointer, ...locateOffset(text, offset) },
          advice,
        );
      return createErrorFinding(rule, CONFLICT, { file, pointer, ...locateOffset(text, marker) });
    }),
  };
}

/** Decodes the text of a file. */
export function decodeText(
  file: string,
  bytes: Uint8Array,
): { readonly text: string } | { readonly findings: readonly Finding[] } {
  try {
    return { text: UTF_8.decode(bytes) };
  } catch {
    const at = { file, pointer: "", ...locateOffset("", 0) };
    return {
      findings: [
        createErrorFinding("json-encoding", "The file is not valid UTF-8.", at, "Save it as UTF-8."),
      ],
    };
  }
}

/** Matches a line that git writes into a file that it could not merge. No line of JSON begins like that. */
const CONFLICT_MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?=[ \t\r\n]|$)/m;
const CONFLICT =
  "Merge conflict markers: resolve the conflict, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.";

/** Returns the value of a text without findings. Returns undefined if only a syntax tree shows whether there are any. */
function parsePlain(text: string, bytes: Uint8Array): Json | undefined {
  try {
    const document: Json = JSON.parse(text);
    const memberCount = countMembers(document);
    // No string holds a quotation mark before a colon, unless it is escaped, so this counts at least all written members.
    const isPlain = !/"\s+:/.test(text) && text.split('":').length - 1 === memberCount;
    return isPlain || memberCount === countNameEnds(bytes, 0, bytes.length) ? document : undefined;
  } catch {
    return undefined;
  }
}

/** A part of a text that holds a value, in UTF-16 code units. */
export interface Part {
  readonly offset: number;
  readonly end: number;
  /** The place of the name of a member. */
  readonly nameOffset?: number;
  /** False if there is no such value, and the part is that of its nearest ancestor. */
  readonly isExact: boolean;
}

function createJsonSource(file: string, document: Json, text: string): Source {
  let tree: Node | undefined;
  const findPart = (tokens: readonly string[]): Part => {
    tree ??= loadJsonc().parseTree(text) as Node;
    let node = tree;
    for (const token of tokens) {
      const next = findChild(node, token);
      if (!next) return { offset: node.offset, end: node.offset + node.length, isExact: false };
      node = next;
    }
    // The first child of a property is its name.
    const name = node.parent?.type === "property" ? node.parent.children?.[0] : undefined;
    return {
      offset: node.offset,
      end: node.offset + node.length,
      isExact: true,
      ...(name && { nameOffset: name.offset }),
    };
  };
  return createSource(file, document, text, findPart);
}

/** Creates a source. `findPart` is asked for the parts of values below the whole one when their places are read. */
export function createSource(
  file: string,
  document: Json,
  text: string,
  findPart: (tokens: readonly string[]) => Part,
): Source {
  const getText = (pointer: string): string | undefined => {
    if (pointer === "") return text.trim();
    const { offset, end, isExact } = findPart(splitPointer(pointer));
    return isExact ? text.slice(offset, end) : undefined;
  };
  const findOffset = (pointer: string, isKey: boolean): number => {
    if (pointer === "") return Math.max(0, text.search(/[^ \t\r\n]/));
    const { offset, nameOffset } = findPart(splitPointer(pointer));
    return (isKey ? nameOffset : undefined) ?? offset;
  };
  const locate = (pointer: string, isKey: boolean): Location =>
    createLazyLocation(file, pointer, () => locateOffset(text, findOffset(pointer, isKey)));
  return {
    file,
    document,
    getText,
    locate: (pointer) => locate(pointer, false),
    locateKey: (pointer) => locate(pointer, true),
  };
}

/** Creates a location whose line and column are computed when they are read, because most of them never are. */
function createLazyLocation(
  file: string,
  pointer: string,
  find: () => ReturnType<typeof locateOffset>,
): Location {
  let found: ReturnType<typeof locateOffset> | undefined;
  const getPosition = (): ReturnType<typeof locateOffset> => {
    found ??= find();
    return found;
  };
  return {
    file,
    pointer,
    get line() {
      return getPosition().line;
    },
    get column() {
      return getPosition().column;
    },
  };
}

function findChild(node: Node, token: string): Node | undefined {
  if (node.type === "array") return /^\d+$/.test(token) ? node.children?.[Number(token)] : undefined;
  if (node.type !== "object") return undefined;
  return node.children?.find((property) => property.children?.[0]?.value === token)?.children?.[1];
}

/** Returns line and column, from 1, of a UTF-16 offset. */
export function locateOffset(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let i = text.indexOf("\n"); i !== -1 && i < offset; i = text.indexOf("\n", i + 1)) {
    line++;
    start = i + 1;
  }
  return { line, column: offset - start + 1 };
}
