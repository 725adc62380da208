import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Finding, KnownFinding, Location, RuleId } from "../finding.js";
import { type Json, join, tokens } from "../json.js";
import { colonCount, MAX_DEPTH, memberCount } from "./member-count.js";

/** One JSON file: its text, its value, and where in the text each part of the value stands. */
export interface Source {
  /** Path as the user would write it. */
  readonly file: string;
  readonly document: Json;
  /** The location of `pointer`, of its nearest existing ancestor if the document holds no such value. Line and column are looked up when they are asked for. */
  locate(pointer: string): Location;
  /** What stands in the file at `pointer`; undefined if the document holds no such value. */
  textAt(pointer: string): string | undefined;
  /** The location of the member name that `pointer` ends with, for findings about a name. */
  locateKey(pointer: string): Location;
}

type Parsed = { readonly source: Source } | { readonly findings: readonly Finding[] };

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Parses strict JSON (RFC 8259) from bytes. Duplicate member names and infinite numbers are findings; nothing is thrown. */
export function parseSource(file: string, bytes: Uint8Array): Parsed {
  const fail = (rule: RuleId, message: string, text: string, offset: number, hint?: string): Parsed => ({
    findings: [
      {
        rule,
        severity: "error",
        message,
        at: { file, pointer: "", ...position(text, offset) },
        ...(hint && { hint }),
      },
    ],
  });
  let text: string;
  try {
    text = UTF_8.decode(bytes);
  } catch {
    return fail("json-encoding", "The file is not valid UTF-8.", "", 0, "Save it as UTF-8.");
  }
  const plain = plainDocument(text, bytes);
  if (plain !== undefined) return { source: makeSource(file, plain, text, () => tree(text) as Node) };
  const deep = tooDeep(text);
  if (deep !== undefined)
    return fail("json-depth", `The document nests deeper than ${MAX_DEPTH} levels.`, text, deep);
  const errors: ParseError[] = [];
  const root = tree(text, errors);
  const first = errors[0];
  if (first || !root) {
    const marker = text.search(CONFLICT_MARKER);
    if (marker >= 0) return fail("json-syntax", CONFLICT, text, marker);
    const what = first ? words(printParseErrorCode(first.error)) : "the file is empty";
    return fail("json-syntax", `The file is not JSON: ${what}.`, text, first?.offset ?? 0);
  }
  let document: Json;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return fail("json-syntax", `The file is not JSON: ${(error as Error).message}.`, text, 0);
  }
  const faults = lintNodes(root, file, text);
  return faults.length > 0 ? { findings: faults } : { source: makeSource(file, document, text, () => root) };
}

/** A line that git writes into a file that it could not merge; no line of JSON begins like that. */
const CONFLICT_MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?=[ \t\r\n]|$)/m;
const CONFLICT =
  "Merge conflict markers: resolve the conflict, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.";

function tree(text: string, errors: ParseError[] = []): Node | undefined {
  return parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
}

/** The value of a text that surely has no fault, so that where its parts stand need not be known; undefined if that is in doubt. */
function plainDocument(text: string, bytes: Uint8Array): Json | undefined {
  try {
    const document: Json = JSON.parse(text);
    return memberCount(document) === colonCount(bytes, 0, bytes.length) ? document : undefined;
  } catch {
    return undefined;
  }
}

function makeSource(file: string, document: Json, text: string, makeTree: () => Node): Source {
  let made: Node | undefined;
  const root = (): Node => {
    made ??= makeTree();
    return made;
  };
  const textAt = (pointer: string): string | undefined => {
    if (pointer === "") return text.trim();
    const node = tokens(pointer).reduce<Node | undefined>(
      (node, token) => node && child(node, token),
      root(),
    );
    return node && text.slice(node.offset, node.offset + node.length);
  };
  const offset = (pointer: string, key: boolean): number => {
    if (pointer === "") return Math.max(0, text.search(/[^ \t\r\n]/));
    let node = root();
    for (const token of tokens(pointer)) {
      const next = child(node, token);
      if (!next) return node.offset;
      node = next;
    }
    const named = key && node.parent?.type === "property" ? (node.parent.children?.[0] ?? node) : node;
    return named.offset;
  };
  const at = (pointer: string, key: boolean): Location =>
    lazyLocation(file, pointer, () => position(text, offset(pointer, key)));
  return { file, document, textAt, locate: (p) => at(p, false), locateKey: (p) => at(p, true) };
}

/** A location whose line and column are looked up once somebody reads them: of most places nobody ever does. */
function lazyLocation(file: string, pointer: string, find: () => ReturnType<typeof position>): Location {
  let found: ReturnType<typeof position> | undefined;
  const place = (): ReturnType<typeof position> => {
    found ??= find();
    return found;
  };
  return {
    file,
    pointer,
    get line() {
      return place().line;
    },
    get column() {
      return place().column;
    },
  };
}

function child(node: Node, token: string): Node | undefined {
  if (node.type === "array") return /^\d+$/.test(token) ? node.children?.[Number(token)] : undefined;
  if (node.type !== "object") return undefined;
  return node.children?.find((property) => property.children?.[0]?.value === token)?.children?.[1];
}

/** Line and column, from 1, of a UTF-16 offset. */
export function position(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let i = text.indexOf("\n"); i !== -1 && i < offset; i = text.indexOf("\n", i + 1)) {
    line++;
    start = i + 1;
  }
  return { line, column: offset - start + 1 };
}

/** Names that stand twice in one object, and numbers that JavaScript cannot hold. */
function lintNodes(root: Node, file: string, text: string): Finding[] {
  const found: KnownFinding[] = [];
  const visit = (node: Node, pointer: string): void => {
    if (node.type === "number" && !Number.isFinite(node.value))
      found.push({
        rule: "json-number",
        severity: "error",
        message: "The number is larger than any that JavaScript can hold.",
        at: { file, pointer, ...position(text, node.offset) },
      });
    if (node.type === "array")
      for (const [i, item] of (node.children ?? []).entries()) visit(item, join(pointer, i));
    if (node.type !== "object") return;
    const seen = new Set<string>();
    for (const property of node.children ?? []) {
      const [key, value] = property.children ?? [];
      if (!key || !value) continue;
      const name = String(key.value);
      const here = join(pointer, name);
      if (seen.has(name))
        found.push({
          rule: "json-duplicate-key",
          severity: "error",
          message: `The name ${JSON.stringify(name)} stands twice in one object; readers disagree on which one counts.`,
          at: { file, pointer: here, ...position(text, key.offset) },
        });
      seen.add(name);
      visit(value, here);
    }
  };
  visit(root, "");
  return found;
}

/** The offset where nesting passes MAX_DEPTH, if it does. Counts brackets outside of strings, without recursion. */
export function tooDeep(text: string): number | undefined {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++;
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > MAX_DEPTH) return i;
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
  return undefined;
}

/** `InvalidSymbol` → `invalid symbol`. */
function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
