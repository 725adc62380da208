/** Describes the values that a schema accepts and another one refuses, in one sentence. */
import { isObject, type Json } from "../../json.js";
import { formatCount, sanitizeLine } from "../../text.js";
import {
  type DifferenceCase,
  type DifferenceCondition,
  type DifferenceStep,
  findGuardedDepth,
} from "./difference-case.js";

/** The greatest length of a phrase. A longer one is harder to read than an example. */
const MAX_LENGTH = 120;

/**
 * Returns the values of the cases as a phrase: `every event without data.ms, or with a fraction in data.ms`. Returns
 * undefined if it would be too long, or if a case has no words. `noun` names a value.
 */
export function describeCases(cases: readonly DifferenceCase[], noun: string): string | undefined {
  const phrases = new Set<string>();
  for (const each of cases) {
    const phrase = describeCase(each);
    if (phrase === undefined) return undefined;
    phrases.add(phrase);
  }
  if (phrases.size === 0) return undefined;
  const text = phrases.has("") ? `every ${noun}` : `every ${noun} ${[...phrases].join(", or ")}`;
  return text.length <= MAX_LENGTH ? text : undefined;
}

/** Returns the words that follow the noun, empty if every value belongs to the case; undefined if there are none. */
function describeCase({ guards, steps, condition, onlyType }: DifferenceCase): string | undefined {
  /** Describes the value after `depth` steps. */
  const describeFrom = (depth: number): string | undefined => {
    const next = steps.findIndex(({ kind }, index) => index >= depth && kind !== "field");
    const path = formatPath(steps.slice(depth, next < 0 ? undefined : next));
    const clauses = guards
      .filter((guard) => findGuardedDepth(guard) === depth)
      .map(
        (guard) => `${formatSubject(formatPath(guard.steps.slice(depth)))} is ${formatValues(guard.values)}`,
      );
    const step = steps[next];
    const inner = step && describeFrom(next + 1);
    const last = step
      ? inner !== undefined && `with ${formatPart(step)}${path && ` of ${path}`} ${inner}`.trim()
      : describeCondition(condition, path, onlyType);
    if (last === undefined || last === false) return undefined;
    return [...clauses, ...(last === "" ? [] : [last])].join(" and ");
  };
  return describeFrom(0);
}

function formatPart(step: DifferenceStep): string {
  if (step.kind === "tuple item") return `item ${step.index + 1}`;
  return step.kind === "other field" ? "an undeclared field" : "an item";
}

/** Returns the words for a condition of the value at `path`, which is empty for the value itself. */
function describeCondition(
  condition: DifferenceCondition,
  path: string,
  onlyType: string | undefined,
): string | undefined {
  const subject = formatSubject(path);
  const typeWords = onlyType === undefined ? undefined : `${subject} is ${TYPE_WORDS[onlyType] ?? onlyType}`;
  const within = path === "" ? "" : ` in ${path}`;
  switch (condition.kind) {
    case "anything":
      return path === "" ? "" : `with ${path}`;
    case "absent":
      return typeWords === undefined
        ? `without ${joinNames(path, condition.field)}`
        : `${typeWords} without ${joinNames("", condition.field)}`;
    case "present":
      return `with ${joinNames(path, condition.field)}`;
    case "undeclared field":
      return `with an undeclared field${within}`;
    case "fraction":
      return `with a fraction${within}`;
    case "types":
      return `${subject} is ${joinWords(condition.types.map((type) => TYPE_WORDS[type] ?? type))}`;
    case "values":
      return `${subject} is ${formatValues(condition.values)}`;
    case "other values":
      return condition.values.length === 1
        ? `${subject} is not ${formatValues(condition.values)}`
        : `${subject} is none of ${condition.values.map(formatValue).join(", ")}`;
    case "refused": {
      const [[keyword = "", value = null] = [], ...others] = Object.entries(condition.schema);
      const words = others.length === 0 ? REFUSAL_WORDS[keyword]?.(value) : undefined;
      if (words === undefined) return undefined;
      return typeWords === undefined ? `${subject} ${words}` : `${typeWords} that ${words}`;
    }
  }
}

const TYPE_WORDS: { readonly [type: string]: string } = {
  object: "an object",
  array: "a list",
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "a boolean",
  null: "null",
};

/** What a value that a keyword refuses is or does. */
const REFUSAL_WORDS: { readonly [keyword: string]: (value: Json) => string | undefined } = {
  minimum: (value) => `is less than ${value}`,
  maximum: (value) => `is more than ${value}`,
  exclusiveMinimum: (value) => `is at most ${value}`,
  exclusiveMaximum: (value) => `is at least ${value}`,
  multipleOf: (value) => `is not a multiple of ${value}`,
  minLength: (value) => `is shorter than ${formatCount(Number(value), "character")}`,
  maxLength: (value) => `is longer than ${formatCount(Number(value), "character")}`,
  pattern: (value) => `does not match ${sanitizeLine(String(value))}`,
  minItems: (value) => `has fewer than ${formatCount(Number(value), "item")}`,
  maxItems: (value) => `has more than ${formatCount(Number(value), "item")}`,
  uniqueItems: () => "has equal items",
  minProperties: (value) => `has fewer than ${formatCount(Number(value), "field")}`,
  maxProperties: (value) => `has more than ${formatCount(Number(value), "field")}`,
  not: (value) => {
    const [[keyword, limit] = [], ...others] = Object.entries(isObject(value) ? value : {});
    if (others.length > 0 || (keyword !== "const" && keyword !== "enum")) return undefined;
    return `is ${formatValues(Array.isArray(limit) && keyword === "enum" ? limit : [limit ?? null])}`;
  },
};

function formatSubject(path: string): string {
  return path === "" ? "that" : `whose ${path}`;
}

function formatPath(steps: readonly DifferenceStep[]): string {
  return steps.reduce((path, step) => (step.kind === "field" ? joinNames(path, step.name) : path), "");
}

function joinNames(path: string, name: string): string {
  const text = /^[\w$-]+$/.test(name) ? name : sanitizeLine(JSON.stringify(name));
  return path === "" ? text : `${path}.${text}`;
}

function formatValue(value: Json): string {
  return sanitizeLine(JSON.stringify(value));
}

function formatValues(values: readonly Json[]): string {
  return joinWords(values.map(formatValue));
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
