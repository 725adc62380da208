/** Finds errors and the spans of values in a JSON text, without a syntax tree. */

import type { JSONPath, ParseErrorCode } from "jsonc-parser";
import type { RuleId, Severity } from "../finding.js";
import { findExcessiveDepth, joinPointer, splitPointer } from "../json.js";
import { getErrorMessage } from "../text.js";
import { loadJsonc } from "./jsonc-package.js";
import { MAX_DEPTH } from "./plain-json.js";

/** A reason why a text is not read as JSON. */
export interface JsonFinding {
  readonly rule: RuleId;
  /** The default is an error. */
  readonly severity?: Severity;
  /** A predicate without its subject: "is not valid UTF-8". */
  readonly message: string;
  /** JSON pointer in the text. */
  readonly pointer: string;
  /** The number of UTF-16 code units of the text before the error. */
  readonly offset: number;
  /** Set if the text was not kept, so that no excerpt can be shown. */
  readonly isTextLost?: true;
  readonly advice?: string;
}

/** A part of a text, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly stop: number;
}

const STRICT = { disallowComments: true, allowTrailingComma: false };
/** The maximum number of findings about one text. */
const MAX_FINDINGS = 20;

/** Returns why a text is not strict JSON (RFC 8259) with unique names and finite numbers. Nothing is thrown. */
export function findJsonFindings(text: string): JsonFinding[] {
  if (text.trim() === "") return [createFinding("json-syntax", "is empty", 0)];
  const nul = text.indexOf("\0");
  if (nul !== -1) return [createFinding("json-syntax", "holds a NUL byte, which JSON does not allow", nul)];
  const excessiveDepth = findExcessiveDepth(text, MAX_DEPTH);
  if (excessiveDepth !== undefined)
    return [createFinding("json-depth", `nests deeper than ${MAX_DEPTH} levels`, excessiveDepth)];
  let syntaxFinding: JsonFinding | undefined;
  const otherFindings: JsonFinding[] = [];
  // The names of each open object, the innermost last.
  const names: Set<string>[] = [];
  const addFinding = (rule: RuleId, message: string, offset: number, path: JSONPath): void => {
    if (otherFindings.length < MAX_FINDINGS)
      otherFindings.push({ ...createFinding(rule, message, offset), pointer: joinPointer("", ...path) });
  };
  loadJsonc().visit(
    text,
    {
      onError: (code, offset) => {
        if (syntaxFinding) return;
        const advice = adviseOnSyntax(text, offset);
        syntaxFinding = {
          ...createFinding("json-syntax", `is not JSON: ${describeErrorCode(code)}`, offset),
          ...(advice !== undefined && { advice }),
        };
      },
      onObjectBegin: () => void names.push(new Set()),
      onObjectEnd: () => void names.pop(),
      onObjectProperty: (name, offset, _length, _line, _column, path) => {
        const siblings = names.at(-1);
        if (siblings?.has(name))
          addFinding("json-duplicate-key", `has the name ${quoteName(name)} twice in one object`, offset, [
            ...path(),
            name,
          ]);
        siblings?.add(name);
      },
      onLiteralValue: (value, offset, _length, _line, _column, path) => {
        if (typeof value === "number" && !Number.isFinite(value))
          addFinding(
            "json-number",
            "holds a number larger than any that JavaScript can hold",
            offset,
            path(),
          );
      },
    },
    STRICT,
  );
  if (syntaxFinding) return [syntaxFinding];
  return otherFindings.length > 0 ? otherFindings : findParseError(text);
}

/** Returns the error of JSON.parse, for a text without other errors. */
function findParseError(text: string): JsonFinding[] {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    return [createFinding("json-syntax", `is not JSON: ${getErrorMessage(error)}`, 0)];
  }
}

/** Returns the span of the value at `pointer`, or of its name. If there is no such value, returns that of its nearest ancestor. */
export function findSpan(text: string, pointer: string, part: "value" | "name" = "value"): Span {
  const pointerTokens = splitPointer(pointer);
  /** The span of the deepest value on the way to `pointer`: before the first value, that of the whole text. */
  let deepest: { depth: number; start: number; stop: number } = { depth: -1, start: 0, stop: text.length };
  /** The container whose end is the end of `deepest`. */
  let container: { depth: number; nesting: number } | undefined;
  let nesting = 0;
  const visitValue = (path: JSONPath, start: number, stop: number, isContainer: boolean): void => {
    if (path.length <= deepest.depth || path.length > pointerTokens.length) return;
    if (!path.every((token, index) => String(token) === pointerTokens[index])) return;
    deepest = { depth: path.length, start, stop };
    if (isContainer) container = { depth: path.length, nesting };
  };
  const begin = (
    offset: number,
    length: number,
    _line: number,
    _column: number,
    path: () => JSONPath,
  ): void => {
    visitValue(path(), offset, offset + length, true);
    nesting++;
  };
  const end = (offset: number, length: number): void => {
    nesting--;
    if (container?.nesting === nesting && container.depth === deepest.depth) deepest.stop = offset + length;
  };
  let name: Span | undefined;
  loadJsonc().visit(
    text,
    {
      onObjectBegin: begin,
      onArrayBegin: begin,
      onObjectEnd: end,
      onArrayEnd: end,
      onLiteralValue: (_value, offset, length, _line, _column, path) =>
        visitValue(path(), offset, offset + length, false),
      onObjectProperty: (property, offset, length, _line, _column, path) => {
        if (part === "name" && joinPointer("", ...path(), property) === pointer)
          name = { start: offset, stop: offset + length };
      },
    },
    STRICT,
  );
  return name ?? { start: deepest.start, stop: deepest.stop };
}

function createFinding(rule: RuleId, message: string, offset: number): JsonFinding {
  return { rule, message, pointer: "", offset };
}

/** The advice for what authors often write in place of JSON, by a pattern of the text from the place of the error on. */
const SYNTAX_ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^\/[/*]|^#/, 'JSON has no comments: remove it, or write it into "description" or "$comment".'],
  [/^'/, "Write double quotes in place of single ones."],
  [/^(True|False|None|NULL|Null|TRUE|FALSE|undefined)\b/, "Write true, false or null."],
  [/^(NaN|-?Infinity)\b/, "JSON has finite numbers only."],
  [/^[A-Za-z_$][\w$-]*\s*:/, "Names stand in double quotes."],
  [/^$/, "A closing bracket is missing: the text ends too early."],
];

/** Returns what an author probably has to do about a syntax error; undefined if that is unknown. */
function adviseOnSyntax(text: string, offset: number): string | undefined {
  const rest = text.slice(offset, offset + 40);
  const advice = SYNTAX_ADVICE.find(([pattern]) => pattern.test(rest.trimEnd()))?.[1];
  if (advice !== undefined) return advice;
  if (/^[}\]]/.test(rest) && text.slice(0, offset).trimEnd().endsWith(","))
    return "Remove the comma before it: JSON allows none at the end of a list or an object.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that JSON forbids in texts
  return /^"[^"\n]*[\u0000-\u001f]/.test(text.slice(offset, offset + 10_000))
    ? "Write the control character as an escape, such as \\t or \\n."
    : undefined;
}

/** Returns the words of a code: `InvalidSymbol` becomes `invalid symbol`. */
function describeErrorCode(code: ParseErrorCode): string {
  return loadJsonc()
    .printParseErrorCode(code)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}

function quoteName(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name);
}

/** Returns the spans of objects by their pointers, down to the depth that an envelope can have in a list of wrappers. */
export function findEnvelopeSpans(text: string): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  const openObjects: { readonly pointer: string; readonly start: number }[] = [];
  loadJsonc().visit(
    text,
    {
      onObjectBegin: (offset, _length, _line, _column, path) => {
        // The pointers of deeper objects are not needed.
        const pointer = openObjects.length > MAX_WRAPPERS ? "" : joinPointer("", ...path());
        openObjects.push({ pointer, start: offset });
      },
      onObjectEnd: (offset, length) => {
        const ended = openObjects.pop();
        if (ended && openObjects.length <= MAX_WRAPPERS)
          spans.set(ended.pointer, { start: ended.start, stop: offset + length });
      },
    },
    STRICT,
  );
  return spans;
}

/** The maximum number of values around an envelope: a list and a wrapper. */
const MAX_WRAPPERS = 2;
