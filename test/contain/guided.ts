/**
 * Instances made along the text of a schema, without the engine: most of them satisfy it. What a keyword wants is
 * read from all schemas that apply at once; where they want too much together, the instance is merely a near miss.
 */
import fc from "fast-check";
import { isObject, type Json, type JsonObject, objectFrom, own, valueAt } from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { randomValue } from "./random.js";

/** Makes instances of one schema document. */
export function instancesOf(random: Random, root: Json, count: number): readonly Json[] {
  return Array.from({ length: count }, () => new Maker(random, root).value(root, 6));
}

const KEYWORDS_OF: { readonly [type: string]: string } = {
  object: "properties required patternProperties propertyNames minProperties dependencies",
  array: "items prefixItems contains minItems uniqueItems",
  string: "pattern minLength",
  number: "minimum multipleOf",
};
/** The type that a schema probably means by a keyword. */
const TYPE_OF: { readonly [keyword: string]: string } = Object.fromEntries(
  Object.entries(KEYWORDS_OF).flatMap(([type, keywords]) => keywords.split(" ").map((name) => [name, type])),
);

/** Classes of very many characters, over which fast-check takes minutes. */
const LARGE_CLASS = /\[\^|\\[pPSWD]/;

const known = new Map<string, readonly string[]>();

/** A few words that a pattern matches, made once; none where that is hard. */
function wordsOf(pattern: string): readonly string[] {
  const words = known.get(pattern) ?? sample(pattern);
  known.set(pattern, words);
  return words;
}

function sample(pattern: string): readonly string[] {
  if (LARGE_CLASS.test(pattern)) return [];
  try {
    const words = fc.stringMatching(new RegExp(pattern, "u"), { maxLength: 40 });
    return fc.sample(words, { numRuns: 6, seed: 1 });
  } catch {
    return [];
  }
}

class Maker {
  constructor(
    private readonly random: Random,
    private readonly root: Json,
  ) {}

  /** An instance that satisfies the schema, if that is easy. */
  value(schema: Json, depth: number): Json {
    const parts = this.parts(schema, 8);
    const constants = parts.flatMap((part) => ("const" in part ? [part.const as Json] : []));
    const enums = parts.flatMap(({ enum: values }) => (Array.isArray(values) ? [values as Json[]] : []));
    if (constants[0] !== undefined) return constants[0];
    const common = enums.reduce<Json[] | undefined>(
      (all, values) => all?.filter((value) => values.some((each) => same(each, value))) ?? values,
      undefined,
    );
    if (common && common.length > 0) return this.random.pick(common);
    if (depth === 0) return this.random.pick([null, "", 0, [], {}]);
    switch (this.type(parts)) {
      case "null":
        return null;
      case "boolean":
        return this.random.chance(0.5);
      case "integer":
        return Math.ceil(this.number(parts));
      case "number":
        return this.number(parts);
      case "string":
        return this.text(parts);
      case "array":
        return this.array(parts, depth);
      case "object":
        return this.object(parts, depth);
      default:
        return randomValue(this.random, 2);
    }
  }

  /** The schemas that apply together, with one branch taken of each choice. */
  private parts(schema: Json | undefined, fuel: number): readonly JsonObject[] {
    if (!isObject(schema) || fuel === 0) return [];
    const branch = (list: Json | undefined) =>
      Array.isArray(list) && list.length > 0 ? [this.random.pick(list)] : [];
    const holds = this.random.chance(0.5);
    const below = [
      ...this.target(schema),
      ...(Array.isArray(schema.allOf) ? schema.allOf : []),
      ...branch(schema.anyOf),
      ...branch(schema.oneOf),
      ...(schema.if === undefined ? [] : holds ? [schema.if, schema.then] : [schema.else]),
    ];
    return [schema, ...below.flatMap((each) => this.parts(each as Json | undefined, fuel - 1))];
  }

  private target(schema: JsonObject): readonly Json[] {
    const reference = schema.$ref ?? schema.$recursiveRef ?? schema.$dynamicRef;
    if (typeof reference !== "string" || !reference.startsWith("#")) return [];
    const target = reference === "#" ? this.root : valueAt(this.root, decodeURIComponent(reference.slice(1)));
    return target === undefined ? [] : [target];
  }

  private type(parts: readonly JsonObject[]): Json | undefined {
    const lists = parts.flatMap(({ type }) =>
      type === undefined ? [] : [Array.isArray(type) ? type : [type]],
    );
    const [first, ...others] = lists as Json[][];
    const allowed = first?.filter((type) => others.every((list) => list.includes(type)));
    if (first) return this.random.pick(allowed?.length ? allowed : first);
    const hinted = parts
      .flatMap((part) => Object.keys(part))
      .flatMap((keyword) => own(TYPE_OF, keyword) ?? []);
    return hinted.length > 0 && this.random.chance(0.9) ? this.random.pick(hinted) : undefined;
  }

  private number(parts: readonly JsonObject[]): number {
    const from = numbers(parts, "minimum", "exclusiveMinimum");
    const to = numbers(parts, "maximum", "exclusiveMaximum");
    const [step = 1] = numbers(parts, "multipleOf");
    const low = from.length > 0 ? Math.max(...from) : Math.min(0, ...to);
    const near = [low, Math.ceil(low / step) * step, (Math.floor(low / step) + 1) * step, low + step / 2];
    return this.random.pick([...near, ...to, low + this.random.below(9) * step]);
  }

  private text(parts: readonly JsonObject[]): string {
    const patterns = parts.flatMap(({ pattern }) => (typeof pattern === "string" ? [pattern] : []));
    const low = Math.max(0, ...numbers(parts, "minLength"));
    const high = Math.min(low + 5, ...numbers(parts, "maxLength"));
    const word = patterns.length > 0 ? this.matching(this.random.pick(patterns)) : this.word();
    const long = [...word.padEnd(2 * low, word === "" ? "ab" : word)];
    return long.slice(0, Math.max(low, high)).join("");
  }

  private word(): string {
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

  private matching(pattern: string): string {
    return this.random.pick([...wordsOf(pattern), this.word()]);
  }

  private array(parts: readonly JsonObject[], depth: number): Json {
    const low = Math.max(0, ...numbers(parts, "minItems"));
    const wanted = parts.flatMap(({ contains, minContains }) =>
      contains === undefined
        ? []
        : Array<Json>(Math.min(5, typeof minContains === "number" ? minContains : 1)).fill(contains),
    );
    const size = Math.min(40, Math.max(low, wanted.length) + this.random.below(3));
    return Array.from({ length: size }, (_, index) => {
      const schemas = parts.flatMap((part) => itemSchema(part, index) ?? []);
      const extra = wanted[size - 1 - index];
      return this.value({ allOf: extra === undefined ? schemas : [extra, ...schemas] }, depth - 1);
    });
  }

  private object(parts: readonly JsonObject[], depth: number): Json {
    const keys = new Set(
      parts.flatMap(({ required }) => (Array.isArray(required) ? (required as string[]) : [])),
    );
    const declared = parts.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
    for (const key of declared) if (this.random.chance(0.6)) keys.add(key);
    for (const { patternProperties, propertyNames } of parts) {
      if (isObject(patternProperties))
        for (const source of Object.keys(patternProperties)) keys.add(this.matching(source));
      if (propertyNames !== undefined && this.random.chance(0.5))
        keys.add(String(this.value({ type: "string", allOf: [propertyNames] }, 2)));
    }
    const low = Math.min(30, Math.max(0, ...numbers(parts, "minProperties")));
    for (let i = 0; keys.size < low && i < 60; i++) keys.add(declared[i] ?? `a${i}`);
    if (this.random.chance(0.15)) keys.add(this.word());
    for (const key of [...keys]) for (const other of dependents(parts, key)) keys.add(other);
    return objectFrom(
      [...keys].map((key) => [
        key,
        this.value({ allOf: parts.flatMap((part) => memberSchemas(part, key)) }, depth - 1),
      ]),
    );
  }
}

function numbers(parts: readonly JsonObject[], ...keywords: readonly string[]): readonly number[] {
  return parts.flatMap((part) =>
    keywords.map((keyword) => part[keyword]).filter((value) => typeof value === "number"),
  );
}

function itemSchema(part: JsonObject, index: number): Json | undefined {
  const tuple = Array.isArray(part.items) ? part.items : part.prefixItems;
  if (!Array.isArray(tuple) || index >= tuple.length)
    return Array.isArray(part.items) ? part.additionalItems : part.items;
  return tuple[index];
}

function memberSchemas(part: JsonObject, key: string): readonly Json[] {
  const found = isObject(part.properties) ? own(part.properties, key) : undefined;
  const patterns = isObject(part.patternProperties) ? Object.entries(part.patternProperties) : [];
  const matched = patterns.filter(([source]) => new RegExp(source, "u").test(key)).map(([, child]) => child);
  const all = [...(found === undefined ? [] : [found]), ...matched];
  const rest = part.additionalProperties ?? part.unevaluatedProperties;
  return all.length > 0 || rest === undefined ? all : [rest];
}

function dependents(parts: readonly JsonObject[], key: string): readonly string[] {
  return parts.flatMap(({ dependentRequired, dependencies }) =>
    [dependentRequired, dependencies].flatMap((map) => {
      const names = isObject(map) ? own(map, key) : undefined;
      return Array.isArray(names) ? (names as string[]) : [];
    }),
  );
}

function same(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
