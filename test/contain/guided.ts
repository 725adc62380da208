/**
 * Creates values from the keywords of a schema without the code of generator/contain. Most of them satisfy the schema.
 * All subschemas that apply to a value are considered together; if they contradict each other, the value violates some.
 */
import fc from "fast-check";
import {
  createObject,
  getOwn,
  getValueAtPointer,
  isObject,
  type Json,
  type JsonObject,
} from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { createRandomValue } from "./random.js";

/** Creates `count` values for a schema document. */
export function createInstances(random: Random, root: Json, count: number): readonly Json[] {
  return Array.from({ length: count }, () => new InstanceMaker(random, root).createValue(root, 6));
}

/** The keywords that apply to values of each type. */
const KEYWORDS_OF_TYPE: { readonly [type: string]: string } = {
  object: "properties required patternProperties propertyNames minProperties dependencies",
  array: "items prefixItems contains minItems uniqueItems",
  string: "pattern minLength",
  number: "minimum multipleOf",
};
/** The type of values to which each keyword applies. */
const TYPE_OF_KEYWORD: { readonly [keyword: string]: string } = Object.fromEntries(
  Object.entries(KEYWORDS_OF_TYPE).flatMap(([type, keywords]) =>
    keywords.split(" ").map((name) => [name, type]),
  ),
);

/** Matches character classes with a great many characters, for which fast-check takes minutes. */
const LARGE_CLASS = /\[\^|\\[pPSWD]/;

const wordsByPattern = new Map<string, readonly string[]>();

/** Returns a few words that a pattern matches, from a cache; none if fast-check cannot create them. */
function getWords(pattern: string): readonly string[] {
  const words = wordsByPattern.get(pattern) ?? createWords(pattern);
  wordsByPattern.set(pattern, words);
  return words;
}

function createWords(pattern: string): readonly string[] {
  if (LARGE_CLASS.test(pattern)) return [];
  try {
    const words = fc.stringMatching(new RegExp(pattern, "u"), { maxLength: 40 });
    return fc.sample(words, { numRuns: 6, seed: 1 });
  } catch {
    return [];
  }
}

class InstanceMaker {
  constructor(
    private readonly random: Random,
    private readonly root: Json,
  ) {}

  /** Creates a value that satisfies the schema, if that is easy. */
  createValue(schema: Json, depth: number): Json {
    const parts = this.listParts(schema, 8);
    const constants = parts.flatMap((part) => ("const" in part ? [part.const as Json] : []));
    const enums = parts.flatMap(({ enum: values }) => (Array.isArray(values) ? [values as Json[]] : []));
    if (constants[0] !== undefined) return constants[0];
    const common = enums.reduce<Json[] | undefined>(
      (all, values) => all?.filter((value) => values.some((each) => isSame(each, value))) ?? values,
      undefined,
    );
    if (common && common.length > 0) return this.random.pick(common);
    if (depth === 0) return this.random.pick([null, "", 0, [], {}]);
    switch (this.pickType(parts)) {
      case "null":
        return null;
      case "boolean":
        return this.random.chance(0.5);
      case "integer":
        return Math.ceil(this.createNumber(parts));
      case "number":
        return this.createNumber(parts);
      case "string":
        return this.createText(parts);
      case "array":
        return this.createArray(parts, depth);
      case "object":
        return this.createObject(parts, depth);
      default:
        return createRandomValue(this.random, 2);
    }
  }

  /** Lists the schemas that apply together, down to `depth`, with a random branch of each `anyOf`, `oneOf` and `if`. */
  private listParts(schema: Json | undefined, depth: number): readonly JsonObject[] {
    if (!isObject(schema) || depth === 0) return [];
    const pickBranch = (list: Json | undefined) =>
      Array.isArray(list) && list.length > 0 ? [this.random.pick(list)] : [];
    const conditionalParts = this.random.chance(0.5) ? [schema.if, schema.then] : [schema.else];
    const below = [
      ...this.listTargets(schema),
      ...(Array.isArray(schema.allOf) ? schema.allOf : []),
      ...pickBranch(schema.anyOf),
      ...pickBranch(schema.oneOf),
      ...(schema.if === undefined ? [] : conditionalParts),
    ];
    return [schema, ...below.flatMap((each) => this.listParts(each as Json | undefined, depth - 1))];
  }

  private listTargets(schema: JsonObject): readonly Json[] {
    const reference = schema.$ref ?? schema.$recursiveRef ?? schema.$dynamicRef;
    if (typeof reference !== "string" || !reference.startsWith("#")) return [];
    const target =
      reference === "#" ? this.root : getValueAtPointer(this.root, decodeURIComponent(reference.slice(1)));
    return target === undefined ? [] : [target];
  }

  private pickType(parts: readonly JsonObject[]): Json | undefined {
    const lists = parts.flatMap(({ type }) =>
      type === undefined ? [] : [Array.isArray(type) ? type : [type]],
    );
    const [first, ...others] = lists as Json[][];
    const allowed = first?.filter((type) => others.every((list) => list.includes(type)));
    if (first) return this.random.pick(allowed?.length ? allowed : first);
    const impliedTypes = parts
      .flatMap((part) => Object.keys(part))
      .flatMap((keyword) => getOwn(TYPE_OF_KEYWORD, keyword) ?? []);
    return impliedTypes.length > 0 && this.random.chance(0.9) ? this.random.pick(impliedTypes) : undefined;
  }

  private createNumber(parts: readonly JsonObject[]): number {
    const minimums = listNumbers(parts, "minimum", "exclusiveMinimum");
    const maximums = listNumbers(parts, "maximum", "exclusiveMaximum");
    const [step = 1] = listNumbers(parts, "multipleOf");
    const low = minimums.length > 0 ? Math.max(...minimums) : Math.min(0, ...maximums);
    const numbersNearLow = [
      low,
      Math.ceil(low / step) * step,
      (Math.floor(low / step) + 1) * step,
      low + step / 2,
    ];
    return this.random.pick([...numbersNearLow, ...maximums, low + this.random.below(9) * step]);
  }

  private createText(parts: readonly JsonObject[]): string {
    const patterns = parts.flatMap(({ pattern }) => (typeof pattern === "string" ? [pattern] : []));
    const low = Math.max(0, ...listNumbers(parts, "minLength"));
    const high = Math.min(low + 5, ...listNumbers(parts, "maxLength"));
    const word = patterns.length > 0 ? this.pickMatchingWord(this.random.pick(patterns)) : this.pickWord();
    // A character can be two UTF-16 units, so that `low` characters can need twice as many units.
    const characters = [...word.padEnd(2 * low, word === "" ? "ab" : word)];
    return characters.slice(0, Math.max(low, high)).join("");
  }

  private pickWord(): string {
    return this.random.pick([
      "",
      "a",
      "b",
      "ab",
      "é",
      "😀",
      "a\n",
      "0",
      "\u2028",
      "z".repeat(this.random.below(9)),
    ]);
  }

  private pickMatchingWord(pattern: string): string {
    return this.random.pick([...getWords(pattern), this.pickWord()]);
  }

  private createArray(parts: readonly JsonObject[], depth: number): Json {
    const low = Math.max(0, ...listNumbers(parts, "minItems"));
    const containedSchemas = parts.flatMap(({ contains, minContains }) =>
      contains === undefined
        ? []
        : Array<Json>(Math.min(5, typeof minContains === "number" ? minContains : 1)).fill(contains),
    );
    const size = Math.min(40, Math.max(low, containedSchemas.length) + this.random.below(3));
    return Array.from({ length: size }, (_, index) => {
      const schemas = parts.flatMap((part) => getItemSchema(part, index) ?? []);
      // The last items satisfy `contains`.
      const contained = containedSchemas[size - 1 - index];
      return this.createValue(
        { allOf: contained === undefined ? schemas : [contained, ...schemas] },
        depth - 1,
      );
    });
  }

  private createObject(parts: readonly JsonObject[], depth: number): Json {
    const keys = new Set(
      parts.flatMap(({ required }) => (Array.isArray(required) ? (required as string[]) : [])),
    );
    const declared = parts.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
    for (const key of declared) if (this.random.chance(0.6)) keys.add(key);
    for (const { patternProperties, propertyNames } of parts) {
      if (isObject(patternProperties))
        for (const source of Object.keys(patternProperties)) keys.add(this.pickMatchingWord(source));
      if (propertyNames !== undefined && this.random.chance(0.5))
        keys.add(String(this.createValue({ type: "string", allOf: [propertyNames] }, 2)));
    }
    const low = Math.min(30, Math.max(0, ...listNumbers(parts, "minProperties")));
    for (let i = 0; keys.size < low && i < 60; i++) keys.add(declared[i] ?? `a${i}`);
    if (this.random.chance(0.15)) keys.add(this.pickWord());
    for (const key of [...keys]) for (const other of listDependents(parts, key)) keys.add(other);
    return createObject(
      [...keys].map((key) => [
        key,
        this.createValue({ allOf: parts.flatMap((part) => listMemberSchemas(part, key)) }, depth - 1),
      ]),
    );
  }
}

function listNumbers(parts: readonly JsonObject[], ...keywords: readonly string[]): readonly number[] {
  return parts.flatMap((part) =>
    keywords.map((keyword) => part[keyword]).filter((value) => typeof value === "number"),
  );
}

function getItemSchema(part: JsonObject, index: number): Json | undefined {
  const tuple = Array.isArray(part.items) ? part.items : part.prefixItems;
  if (!Array.isArray(tuple) || index >= tuple.length)
    return Array.isArray(part.items) ? part.additionalItems : part.items;
  return tuple[index];
}

function listMemberSchemas(part: JsonObject, key: string): readonly Json[] {
  const found = isObject(part.properties) ? getOwn(part.properties, key) : undefined;
  const patterns = isObject(part.patternProperties) ? Object.entries(part.patternProperties) : [];
  const matched = patterns.filter(([source]) => new RegExp(source, "u").test(key)).map(([, child]) => child);
  const all = [...(found === undefined ? [] : [found]), ...matched];
  const rest = part.additionalProperties ?? part.unevaluatedProperties;
  return all.length > 0 || rest === undefined ? all : [rest];
}

function listDependents(parts: readonly JsonObject[], key: string): readonly string[] {
  return parts.flatMap(({ dependentRequired, dependencies }) =>
    [dependentRequired, dependencies].flatMap((map) => {
      const names = isObject(map) ? getOwn(map, key) : undefined;
      return Array.isArray(names) ? (names as string[]) : [];
    }),
  );
}

function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
