/** Looks into a JSON text without building a tree of it: what is wrong with it, and where its parts stand. */
import { type JSONPath, type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser";
import type { RuleId, Severity } from "../finding.js";
import { join, tokens } from "../json.js";
import { MAX_DEPTH } from "./member-count.js";
import { tooDeep } from "./source.js";

/** What keeps a text from being read as JSON. */
export interface Problem {
  readonly rule: RuleId;
  /** The default is an error. */
  readonly severity?: Severity;
  /** Without a subject and a full stop: "is not valid UTF-8". */
  readonly message: string;
  /** JSON pointer in the text. */
  readonly pointer: string;
  /** UTF-16 code units of the text before it. */
  readonly offset: number;
  /** Set where the text could not be kept, so that there is nothing to show of it. */
  readonly bare?: true;
  readonly advice?: string;
}

/** The part of a text, from and to in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly stop: number;
}

const STRICT = { disallowComments: true, allowTrailingComma: false };
/** How many problems of one text are told. */
const MOST = 20;

/** What keeps `text` from being strict JSON (RFC 8259) with unique names and finite numbers; nothing is thrown. */
export function findJsonProblems(text: string): Problem[] {
  const nul = text.indexOf("\0");
  if (nul !== -1) return [problem("json-syntax", "holds a NUL byte, which JSON does not allow", nul)];
  const deep = tooDeep(text);
  if (deep !== undefined) return [problem("json-depth", `nests deeper than ${MAX_DEPTH} levels`, deep)];
  let first: Problem | undefined;
  const others: Problem[] = [];
  const names: Set<string>[] = [];
  const add = (rule: RuleId, message: string, offset: number, path: JSONPath): void => {
    if (others.length < MOST) others.push({ ...problem(rule, message, offset), pointer: join("", ...path) });
  };
  visit(
    text,
    {
      onError: (code, offset) => {
        first ??= problem("json-syntax", `is not JSON: ${words(code)}`, offset);
      },
      onObjectBegin: () => void names.push(new Set()),
      onObjectEnd: () => void names.pop(),
      onObjectProperty: (name, offset, _length, _line, _column, path) => {
        const seen = names.at(-1);
        if (seen?.has(name))
          add("json-duplicate-key", `has the name ${quoted(name)} twice in one object`, offset, [
            ...path(),
            name,
          ]);
        seen?.add(name);
      },
      onLiteralValue: (value, offset, _length, _line, _column, path) => {
        if (typeof value === "number" && !Number.isFinite(value))
          add("json-number", "holds a number larger than any that JavaScript can hold", offset, path());
      },
    },
    STRICT,
  );
  return first ? [first] : others.length > 0 ? others : unparsable(text);
}

/** What JSON.parse has against a text that nothing else was found in. */
function unparsable(text: string): Problem[] {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    return [problem("json-syntax", `is not JSON: ${(error as Error).message}`, 0)];
  }
}

/** Where the value at `pointer` stands, or its name; of the nearest ancestor if there is none. */
export function spanOf(text: string, pointer: string, part: "value" | "name" = "value"): Span {
  const wanted = tokens(pointer);
  let best: { depth: number; start: number; stop: number } = { depth: -1, start: 0, stop: text.length };
  let open: { depth: number; nesting: number } | undefined;
  let nesting = 0;
  const meet = (path: JSONPath, start: number, stop: number, container: boolean): void => {
    if (path.length <= best.depth || path.length > wanted.length) return;
    if (!path.every((token, index) => String(token) === wanted[index])) return;
    best = { depth: path.length, start, stop };
    if (container) open = { depth: path.length, nesting };
  };
  const begin = (
    offset: number,
    length: number,
    _line: number,
    _column: number,
    path: () => JSONPath,
  ): void => {
    meet(path(), offset, offset + length, true);
    nesting++;
  };
  const end = (offset: number, length: number): void => {
    nesting--;
    if (open?.nesting === nesting && open.depth === best.depth) best.stop = offset + length;
  };
  let name: Span | undefined;
  visit(
    text,
    {
      onObjectBegin: begin,
      onArrayBegin: begin,
      onObjectEnd: end,
      onArrayEnd: end,
      onLiteralValue: (_value, offset, length, _line, _column, path) =>
        meet(path(), offset, offset + length, false),
      onObjectProperty: (property, offset, length, _line, _column, path) => {
        const at = [...path(), property];
        if (
          part === "name" &&
          at.length === wanted.length &&
          at.every((token, i) => String(token) === wanted[i])
        )
          name = { start: offset, stop: offset + length };
      },
    },
    STRICT,
  );
  return name ?? { start: best.start, stop: best.stop };
}

function problem(rule: RuleId, message: string, offset: number): Problem {
  return { rule, message, pointer: "", offset };
}

/** `InvalidSymbol` → `invalid symbol`. */
function words(code: ParseErrorCode): string {
  return printParseErrorCode(code)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name);
}

/** Where the objects of a text stand, by their pointers, as deep as envelopes lie in lists of wrappers. */
export function envelopeSpans(text: string): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  const open: { readonly pointer: string; readonly start: number }[] = [];
  visit(
    text,
    {
      onObjectBegin: (offset, _length, _line, _column, path) => {
        const at = open.length > DEEPEST ? [] : path();
        open.push({ pointer: join("", ...at), start: offset });
      },
      onObjectEnd: (offset, length) => {
        const one = open.pop();
        if (one && open.length <= DEEPEST)
          spans.set(one.pointer, { start: one.start, stop: offset + length });
      },
    },
    STRICT,
  );
  return spans;
}

/** Objects around an envelope: a list and a wrapper. */
const DEEPEST = 2;
