import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Finding, Location } from "../finding.js";
import { type Json, join, tokens } from "../json.js";

/** How deep a JSON document may nest before it is refused: far beyond any contract, far below the call stack. */
export const MAX_DEPTH = 256;

/** One JSON file: its text, its value, and where in the text each part of the value stands. */
export interface Source {
  /** Path as the user would write it. */
  readonly file: string;
  readonly document: Json;
  /** The location of `pointer`, of its nearest existing ancestor if the document holds no such value. */
  locate(pointer: string): Location;
  /** The location of the member name that `pointer` ends with, for findings about a name. */
  locateKey(pointer: string): Location;
}

type Parsed = { readonly source: Source } | { readonly findings: readonly Finding[] };

/** Parses strict JSON (RFC 8259) from bytes. Duplicate member names and infinite numbers are findings; nothing is thrown. */
export function parseSource(file: string, bytes: Uint8Array): Parsed {
  const fail = (rule: string, message: string, text: string, offset: number, hint?: string): Parsed => ({
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
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return fail("json-encoding", "The file is not valid UTF-8.", "", 0, "Save it as UTF-8.");
  }
  const deep = tooDeep(text);
  if (deep !== undefined)
    return fail("json-depth", `The document nests deeper than ${MAX_DEPTH} levels.`, text, deep);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const first = errors[0];
  if (first || !root) {
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
  return faults.length > 0 ? { findings: faults } : { source: makeSource(file, document, text, root) };
}

function makeSource(file: string, document: Json, text: string, root: Node): Source {
  const at = (pointer: string, key: boolean): Location => {
    const path = tokens(pointer);
    let node = root;
    for (const token of path) {
      const next = child(node, token);
      if (!next) return { file, pointer, ...position(text, node.offset) };
      node = next;
    }
    const named = key && node.parent?.type === "property" ? (node.parent.children?.[0] ?? node) : node;
    return { file, pointer, ...position(text, named.offset) };
  };
  return { file, document, locate: (p) => at(p, false), locateKey: (p) => at(p, true) };
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
  const found: Finding[] = [];
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
