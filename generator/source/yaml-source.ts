/** Parses YAML whose values are those of JSON, such as most OpenAPI and AsyncAPI documents. */
import { createRequire } from "node:module";
import type { Document, Node, Pair } from "yaml";
import { createErrorFinding, type RuleId } from "../finding.js";
import { isObject, type Json } from "../json.js";
import { getErrorMessage } from "../text.js";
import { MAX_DEPTH } from "./plain-json.js";
import { createSource, decodeText, locateOffset, type Parsed, type Part, parseSource } from "./source.js";

const load = createRequire(import.meta.url);

/** Returns whether a file is YAML, by its name. */
export function isYamlFile(file: string): boolean {
  return /\.ya?ml$/i.test(file);
}

/** Parses a file of JSON or YAML, by its name. */
export function parseByName(file: string, bytes: Uint8Array): Parsed {
  return isYamlFile(file) ? parseYamlSource(file, bytes) : parseSource(file, bytes);
}

/**
 * Parses one YAML 1.2 document of the core schema from bytes, with anchors and merge keys. Whatever JSON cannot hold is a
 * finding: several documents, names that are no strings, names that occur twice, tags of an application, infinite numbers,
 * values within themselves. Nothing is thrown.
 */
function parseYamlSource(file: string, bytes: Uint8Array): Parsed {
  const decoded = decodeText(file, bytes);
  if ("findings" in decoded) return decoded;
  const { text } = decoded;
  const refuse = (rule: RuleId, message: string, offset = 0): Parsed => ({
    findings: [createErrorFinding(rule, message, { file, pointer: "", ...locateOffset(text, offset) })],
  });
  // The library is large, and few projects have YAML.
  const yaml: typeof import("yaml") = load("yaml");
  try {
    const document = yaml.parseDocument(text, { merge: true, stringKeys: true, prettyErrors: false });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem?.code === "RESOURCE_EXHAUSTION") return refuse(...TOO_DEEP, problem.pos[0]);
    if (problem !== undefined) {
      const reason = REASONS[problem.code] ?? problem.message;
      return refuse("json-syntax", `The file is not YAML that JSON can hold: ${reason}.`, problem.pos[0]);
    }
    const value: Json = document.toJS() ?? null;
    const fault = findFault(value, 0);
    if (fault !== undefined) return refuse(...fault);
    return { source: createSource(file, value, text, (tokens) => findPart(yaml, document, tokens)) };
  } catch (error) {
    // The library nests as deeply as the text, and limits the values that aliases make.
    const isDeep = error instanceof RangeError;
    return isDeep
      ? refuse(...TOO_DEEP)
      : refuse("json-syntax", `The file is not read as YAML: ${getErrorMessage(error)}.`);
  }
}

/** Reasons that the library words for programmers. */
const REASONS: { readonly [code: string]: string } = {
  MULTIPLE_DOCS: "it has several documents",
  NON_STRING_KEY: "a name is not a text",
};

const TOO_DEEP = ["json-depth", `The file nests deeper than ${MAX_DEPTH} levels.`] as const;

/** Returns why a value is not one of JSON; undefined if it is. */
function findFault(value: Json, depth: number): readonly [rule: RuleId, message: string] | undefined {
  if (typeof value === "number" && !Number.isFinite(value))
    return ["json-number", `The file holds the number ${value}, which JSON does not have.`];
  if (typeof value !== "object" || value === null) return undefined;
  // A value that an alias puts into itself has no end.
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  for (const each of Array.isArray(value) || isObject(value) ? Object.values(value) : []) {
    const fault = findFault(each, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Returns the part of the text with the value at a path, or with its nearest ancestor if there is no such value. */
function findPart(yaml: typeof import("yaml"), document: Document, tokens: readonly string[]): Part {
  let node = document.contents;
  let key: Node | undefined;
  for (const [index, token] of tokens.entries()) {
    const inner = yaml.isAlias(node) ? (node.resolve(document) ?? null) : node;
    let next: Node | null = null;
    if (yaml.isSeq(inner)) next = (inner.items[Number(token)] ?? null) as Node | null;
    else if (yaml.isMap(inner)) {
      const pair = (inner.items as Pair<Node, Node | null>[]).find(
        ({ key: name }) => yaml.isScalar(name) && name.value === token,
      );
      key = pair?.key;
      next = pair?.value ?? null;
    }
    if (next === null) return { ...getRange(index === 0 ? document.contents : node), isExact: false };
    node = next;
  }
  return { ...getRange(node), isExact: true, ...(key && { nameOffset: getRange(key).offset }) };
}

function getRange(node: Node | null): { readonly offset: number; readonly end: number } {
  const [offset, end] = node?.range ?? [0, 0];
  return { offset, end };
}
