/** Examines a JSON text without building a tree: finds its problems and the positions of its parts. */
import {
  type JSONPath,
  type JSONVisitor,
  type ParseErrorCode,
  printParseErrorCode,
  visit,
} from "jsonc-parser";
import type { RuleId, Severity } from "../finding.js";
import { join, tokens } from "../json.js";
import { MAX_DEPTH } from "./member-count.js";

/** The reason why a text cannot be read as JSON. */
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
  /** Set if the text was too long to keep, so that no excerpt can be shown. */
  readonly bare?: true;
  readonly advice?: string;
}

/** The part of a text, from and to in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly stop: number;
}

/** The options of jsonc-parser for strict JSON. */
export const STRICT = { disallowComments: true, allowTrailingComma: false };
/** The most problems of one text that are reported. */
const MOST_PROBLEMS = 20;

/** Returns why `text` is not strict JSON (RFC 8259) with unique names and finite numbers; an empty list if it is. */
export function findJsonProblems(text: string): Problem[] {
  if (text.trim() === "") return [problem("json-syntax", "is empty", 0)];
  const nul = text.indexOf("\0");
  if (nul !== -1) return [problem("json-syntax", "holds a NUL byte, which JSON does not allow", nul)];
  const deep = findExcessiveDepth(text);
  if (deep !== undefined) return [problem("json-depth", `nests deeper than ${MAX_DEPTH} levels`, deep)];
  let first: Problem | undefined;
  const others: Problem[] = [];
  const names: Set<string>[] = [];
  const add = (rule: RuleId, message: string, offset: number, path: JSONPath): void => {
    if (others.length < MOST_PROBLEMS)
      others.push({ ...problem(rule, message, offset), pointer: join("", ...path) });
  };
  visit(
    text,
    {
      onError: (code, offset) => {
        first ??= problem("json-syntax", `is not JSON: ${describeError(code)}`, offset);
      },
      onObjectBegin: () => void names.push(new Set()),
      onObjectEnd: () => void names.pop(),
      onObjectProperty: (name, offset, _length, _line, _column, path) => {
        const earlier = names.at(-1);
        if (earlier?.has(name))
          add(
            "json-duplicate-key",
            `has the name ${quoted(name)} twice in one object; readers disagree on which one counts`,
            offset,
            [...path(), name],
          );
        earlier?.add(name);
      },
      onLiteralValue: (value, offset, _length, _line, _column, path) => {
        if (typeof value === "number" && !Number.isFinite(value))
          add("json-number", "holds a number larger than any that JavaScript can hold", offset, path());
      },
    },
    STRICT,
  );
  return first ? [first] : others.length > 0 ? others : findParserProblem(text);
}

/** Returns the error of JSON.parse, for a text in which no other problem was found. */
function findParserProblem(text: string): Problem[] {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    return [problem("json-syntax", `is not JSON: ${(error as Error).message}`, 0)];
  }
}

/** Returns the span of the value at `pointer`, or of its name; that of the nearest ancestor if there is no such value. */
export function spanOf(text: string, pointer: string, part: "value" | "name" = "value"): Span {
  const wanted = tokens(pointer);
  let best: { depth: number; start: number; stop: number } = { depth: -1, start: 0, stop: text.length };
  /** The nesting of `best` while its end is not found yet. */
  let openAt: number | undefined;
  let name: Span | undefined;
  let nesting = 0;
  const leadsToWanted = (path: JSONPath): boolean =>
    path.length <= wanted.length && path.every((token, index) => String(token) === wanted[index]);
  const visitValue = (path: JSONPath, start: number, stop: number, isContainer: boolean): void => {
    if (path.length <= best.depth || !leadsToWanted(path)) return;
    best = { depth: path.length, start, stop };
    openAt = isContainer ? nesting : undefined;
  };
  const begin: JSONVisitor["onObjectBegin"] = (offset, length, _line, _column, path) => {
    visitValue(path(), offset, offset + length, true);
    nesting++;
  };
  const end = (offset: number, length: number): void => {
    nesting--;
    if (openAt === nesting) best.stop = offset + length;
  };
  visit(
    text,
    {
      onObjectBegin: begin,
      onArrayBegin: (...place) => void begin(...place),
      onObjectEnd: end,
      onArrayEnd: end,
      onLiteralValue: (_value, offset, length, _line, _column, path) =>
        visitValue(path(), offset, offset + length, false),
      onObjectProperty: (property, offset, length, _line, _column, path) => {
        const at = [...path(), property];
        if (part === "name" && at.length === wanted.length && leadsToWanted(at))
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

/** Returns the name of an error in words: `InvalidSymbol` becomes `invalid symbol`. */
function describeError(code: ParseErrorCode): string {
  return printParseErrorCode(code)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name);
}

/** The number of objects around an envelope that is searched: a list and a wrapper. */
const MOST_WRAPPERS = 2;

/** Returns the spans of the objects of a text by pointer, down to the envelopes in lists of wrappers. */
export function envelopeSpans(text: string): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  const open: { readonly pointer: string; readonly start: number }[] = [];
  visit(
    text,
    {
      onObjectBegin: (offset, _length, _line, _column, path) => {
        const at = open.length > MOST_WRAPPERS ? [] : path();
        open.push({ pointer: join("", ...at), start: offset });
      },
      onObjectEnd: (offset, length) => {
        const object = open.pop();
        if (object && open.length <= MOST_WRAPPERS)
          spans.set(object.pointer, { start: object.start, stop: offset + length });
      },
    },
    STRICT,
  );
  return spans;
}

/** Returns the offset where the nesting exceeds MAX_DEPTH, if it does. Counts brackets outside of strings, without recursion. */
function findExcessiveDepth(text: string): number | undefined {
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
