/**
 * Splits the question whether one schema is a subset of another into smaller questions about parts, if both schemas have
 * the same structure. For example, an object is a subset if each of its fields is, and a union is a subset if each of its
 * alternatives is a subset of one alternative of the other union. If a part is not a subset, or nothing can be split, the
 * whole question must be decided.
 */
import { areEqual, getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { memoizeByObject } from "../../sample/memoize.js";
import {
  createUnchangedTest,
  listReferredNames,
  type UnchangedTest,
} from "../../schema/changed-definitions.js";
import { filterKeywords } from "../../schema/keywords.js";
import { stripForm } from "../../schema/readings.js";
import { getTargetName } from "../../schema/reference.js";
import { listSubschemas } from "../../schema/walk.js";

/** The question whether the schema `a` is a subset of the schema `b`. Both are self-contained. */
export type Question = readonly [a: Json, b: Json];

/** Keywords that may declare further fields of a closed object. */
const DECLARING_KEYWORDS: ReadonlySet<string> = new Set([
  "$ref",
  "patternProperties",
  ...filterKeywords(({ subject }) => subject === "same value"),
]);

/** Keywords whose schemas apply to the same value, and of which every applicable schema is asked about by parts. */
const SPLIT_DECLARING_KEYWORDS: ReadonlySet<string> = new Set(["$ref", "allOf", "anyOf"]);

/** Keywords whose meaning depends on other keywords of the schema. */
const INTERDEPENDENT_KEYWORDS = [
  "items",
  "prefixItems",
  "unevaluatedItems",
  "contains",
  "minContains",
  "maxContains",
  "if",
  "then",
  "else",
  "patternProperties",
];

/** The largest number of references that are followed from one reference to the next. */
const MAX_HOPS = 16;

/** The weight of the name of a definition. It decides between alternatives that are alike. */
const NAME_LIKENESS = 0.01;

/** The largest number of schemas around a pair. */
const MAX_NESTING = 300;

/** The largest number of pairs that are split. A question with more is decided as a whole. */
const MAX_PAIRS = 5_000;

/**
 * Returns smaller questions. If the answer to all is yes, `a` is a subset of `b`. Undefined if nothing can be split.
 */
export function splitQuestion(a: Json, b: Json): readonly Question[] | undefined {
  return new QuestionSplitter(a, b).split();
}

/** The question about two parts that stand at the same place. */
interface PartPair {
  readonly a: Json;
  readonly b: Json;
  /**
   * True for parts that describe the same value as the schemas around them. False for parts that describe a field or an
   * item, which is smaller than the value.
   */
  readonly isSameValue: boolean;
  /** The fields that values of `a` may have; by default, any fields that the schemas around `a` allow. */
  readonly fields?: FieldNames;
}

/** The way in which a pair of schemas is split. */
interface SplitContext {
  /** The number of fields and items around the value. */
  readonly depth: number;
  /**
   * True if `b` must also declare every field that `a` declares, for each value of `a`. A schema around both closes the
   * object then.
   */
  readonly mustDeclare: boolean;
  /** The fields that the value may have. Schemas around `a` may refuse others. */
  readonly fields: FieldNames;
  /** The number of schemas around the pair. */
  readonly nesting: number;
}

/** A pair of references that was met, and the depth at which it was split or is being split. */
interface ReferenceState {
  readonly depth: number;
  readonly isSplit: boolean;
}

class QuestionSplitter {
  private readonly sideOfA: Side;
  private readonly sideOfB: Side;
  /** Returns whether two parts have the same text and refer to the same definitions. */
  readonly isUnchanged: UnchangedTest;
  private readonly states = new Map<string, ReferenceState>();
  /** The keys of `states`, in the order in which they were set. */
  private readonly trail: string[] = [];
  private pairsLeft = MAX_PAIRS;

  constructor(
    private readonly a: Json,
    private readonly b: Json,
  ) {
    this.sideOfA = createSide(getDefinitions(a));
    this.sideOfB = createSide(getDefinitions(b));
    this.isUnchanged = createUnchangedTest(this.sideOfA.definitions, this.sideOfB.definitions);
  }

  split(): readonly Question[] | undefined {
    const parts = this.splitPair(dropDefinitions(this.a), dropDefinitions(this.b), {
      depth: 0,
      mustDeclare: false,
      fields: "any",
      nesting: 0,
    });
    return parts?.map(([a, b]) => [addDefinitions(a, this.sideOfA), addDefinitions(b, this.sideOfB)]);
  }

  /**
   * Splits a pair. Within a pair of references, the same pair may be met again. It may be taken for proven there if it
   * describes a smaller value, because it is proven by induction over the size of values: about a field or an item, but
   * never about the value itself. For the same reason, a pair that was split is met again only at this depth or deeper.
   */
  private splitPair(a: Json, b: Json, context: SplitContext): readonly Question[] | undefined {
    if (this.isUnchanged(a, b)) return [];
    this.pairsLeft--;
    if (this.pairsLeft < 0) return undefined;
    if (!isOnlyReference(a) || !isOnlyReference(b)) return this.splitTargets(a, b, context);
    const { depth, mustDeclare, fields } = context;
    const bounds = fields === "any" ? fields : [...fields].sort().join("\0");
    const key = `${String(a.$ref)} ${String(b.$ref)} ${mustDeclare} ${bounds}`;
    const state = this.states.get(key);
    if (state && (state.isSplit ? state.depth <= depth : state.depth < depth)) return [];
    if (state && !state.isSplit) return undefined;
    const trailStart = this.trail.push(key) - 1;
    this.states.set(key, { depth, isSplit: false });
    const parts = this.splitTargets(a, b, context);
    if (parts) this.states.set(key, { depth, isSplit: true });
    else this.forgetPairs(trailStart);
    return parts;
  }

  private splitTargets(
    referenceOfA: Json,
    referenceOfB: Json,
    context: SplitContext,
  ): readonly Question[] | undefined {
    const a = followReferences(referenceOfA, this.sideOfA.definitions);
    const b = followReferences(referenceOfB, this.sideOfB.definitions);
    if (a === false || this.isUnchanged(a, b)) return [];
    if (b === true && !context.mustDeclare) return [];
    const trailStart = this.trail.length;
    const parts =
      isObject(a) && isObject(b) && context.nesting < MAX_NESTING
        ? this.splitByKeyword(a, b, context)
        : undefined;
    if (parts) return parts;
    this.forgetPairs(trailStart);
    if (context.nesting === 0 || (context.mustDeclare && !this.declaresAsMuch(a, b))) return undefined;
    const areComplete = this.sideOfA.listNeededNames(a) && this.sideOfB.listNeededNames(b);
    return areComplete && [[limitFields(a, context.fields), b]];
  }

  /** Forgets the pairs that were met since `start`. The questions about them are dropped, so they are not proven. */
  private forgetPairs(start: number): void {
    for (const key of this.trail.splice(start)) this.states.delete(key);
  }

  private splitByKeyword(
    a: JsonObject,
    b: JsonObject,
    context: SplitContext,
  ): readonly Question[] | undefined {
    if (!haveComparableKeywords(a, b)) return undefined;
    const closes = b.unevaluatedProperties === false && !isClosed(a);
    const mustDeclare = context.mustDeclare || closes;
    if (mustDeclare && !canDeclareByParts(a, b)) return undefined;
    const fields = intersectFields(context.fields, this.listAllowedFields(a));
    const found: Question[] = [];
    for (const [keyword, value] of Object.entries(b)) {
      const splitKeyword = KEYWORD_SPLITTERS[keyword] ?? requireEqualValues;
      const pairs = splitKeyword({ inA: getOwn(a, keyword), inB: value, a, fields, keyword, splitter: this });
      if (!pairs) return undefined;
      for (const pair of pairs) {
        const parts = this.splitPair(pair.a, pair.b, {
          depth: pair.isSameValue ? context.depth : context.depth + 1,
          mustDeclare: pair.isSameValue && mustDeclare,
          fields: pair.isSameValue ? intersectFields(fields, pair.fields ?? "any") : "any",
          nesting: context.nesting + 1,
        });
        if (!parts) return undefined;
        found.push(...parts);
      }
    }
    return found;
  }

  /** Returns the fields that a schema allows. */
  private listAllowedFields(a: JsonObject): FieldNames {
    if (a.additionalProperties === false && a.patternProperties === undefined) return listProperties(a);
    if (a.unevaluatedProperties === false) return this.sideOfA.listPossibleFields(a);
    return "any";
  }

  /** Returns whether `b` certainly declares every field that `a` may declare. */
  private declaresAsMuch(a: Json, b: Json): boolean {
    const declared = this.sideOfB.listCertainFields(b);
    const needed = this.sideOfA.listPossibleFields(a);
    return declared === "any" || (needed !== "any" && [...needed].every((name) => declared.has(name)));
  }

  /** Pairs each alternative of `a` with the alternative of `b` that most resembles it, or with all of `b`. */
  pairAlternatives(a: JsonObject, anyOf: Json): readonly PartPair[] {
    const alternatives = this.sideOfA.flattenUnion(a.anyOf ?? []);
    return alternatives.map((alternative) => ({
      a: alternative,
      b: this.findCounterpart(alternative, anyOf) ?? { anyOf },
      isSameValue: true,
      fields: this.listFieldsOfAlternative(a, alternative, alternatives),
    }));
  }

  /**
   * Returns the fields that a value of one alternative may have if `a` refuses fields that no alternative declares.
   * Alternatives with another tag do not accept the value.
   */
  private listFieldsOfAlternative(
    a: JsonObject,
    alternative: Json,
    alternatives: readonly Json[],
  ): FieldNames {
    if (a.unevaluatedProperties !== false) return "any";
    const { listTags, listPossibleFields, listFieldsBesideUnion } = this.sideOfA;
    const tags = listTags(alternative);
    const others = alternatives.filter((other) => countEqualTags(tags, listTags(other)) !== undefined);
    return joinNames([listFieldsBesideUnion(a), ...others.map(listPossibleFields)]);
  }

  /** Returns the alternative of `b` that most resembles `a`: an equal one, or that with the most equal tags. */
  findCounterpart(a: Json, anyOf: Json): Json | undefined {
    const { sideOfA, sideOfB } = this;
    const others = sideOfB.flattenUnion(anyOf);
    const equal = others.find((other) => this.isUnchanged(a, other));
    if (equal !== undefined) return equal;
    const tags = sideOfA.listTags(a);
    const fields = sideOfA.listPossibleFields(a);
    let best: Json | undefined;
    let bestLikeness = 0;
    for (const other of others) {
      const otherTags = sideOfB.listTags(other);
      const count = countEqualTags(tags, otherTags);
      if (count === undefined || count < otherTags.size) continue;
      const likeness =
        count +
        compareFields(fields, sideOfB.listPossibleFields(other)) +
        (haveSameName(a, other) ? NAME_LIKENESS : 0);
      if (likeness > bestLikeness) [best, bestLikeness] = [other, likeness];
    }
    return best;
  }
}

/** The definitions of `a` or of `b`, and what is known about schemas that refer to them. A result is found once for each schema. */
interface Side {
  readonly definitions: JsonObject;
  readonly listPossibleFields: (schema: Json) => FieldNames;
  readonly listFieldsBesideUnion: (schema: Json) => FieldNames;
  readonly listCertainFields: (schema: Json) => FieldNames;
  readonly flattenUnion: (anyOf: Json) => readonly Json[];
  readonly listTags: (schema: Json) => ReadonlyMap<string, Json>;
  readonly listNeededNames: (schema: Json) => ReadonlySet<string> | undefined;
}

function createSide(definitions: JsonObject): Side {
  const remember = <Result>(find: (schema: Json, definitions: JsonObject) => Result) => {
    const findOnce = memoizeByObject((schema: Json & object) => find(schema, definitions));
    return (schema: Json): Result =>
      typeof schema === "object" && schema !== null ? findOnce(schema) : find(schema, definitions);
  };
  return {
    definitions,
    listPossibleFields: remember(listPossibleFields),
    listFieldsBesideUnion: remember(listFieldsBesideUnion),
    listCertainFields: remember(listCertainFields),
    flattenUnion: remember(flattenUnion),
    listTags: remember(listTags),
    listNeededNames: remember(listNeededNames),
  };
}

/** A keyword of `b` whose values `a` must satisfy. `inA` and `inB` are the values of the keyword. */
interface KeywordQuestion {
  readonly inA: Json | undefined;
  readonly inB: Json;
  readonly a: JsonObject;
  /** The fields that the value may have. */
  readonly fields: FieldNames;
  readonly keyword: string;
  readonly splitter: QuestionSplitter;
}

/**
 * Returns the pairs that decide whether every value of `a` satisfies one keyword of `b`; undefined if parts do not decide
 * it.
 */
type KeywordSplitter = (question: KeywordQuestion) => readonly PartPair[] | undefined;

const requireEqualValues: KeywordSplitter = ({ inA, inB, keyword, splitter }) =>
  inA !== undefined &&
  !keyword.startsWith("$") &&
  splitter.isUnchanged({ [keyword]: inA }, { [keyword]: inB })
    ? []
    : undefined;

const requireSuperset: KeywordSplitter = ({ inA, inB }) =>
  toList(inB).every((each) => toList(inA).includes(each)) ? [] : undefined;

/** Splits lists of schemas of which each applies to the same value or item. */
const pairByIndex =
  (isSameValue: boolean): KeywordSplitter =>
  ({ inA, inB }) => {
    const [parts, others] = [toList(inA), toList(inB)];
    if (parts.length < others.length || (!isSameValue && parts.length > others.length)) return undefined;
    return others.map((each, i) => ({ a: parts[i] ?? true, b: each, isSameValue }));
  };

const KEYWORD_SPLITTERS: { readonly [keyword: string]: KeywordSplitter } = {
  $ref: ({ inA, inB }) =>
    inA === undefined ? undefined : [{ a: { $ref: inA }, b: { $ref: inB }, isSameValue: true }],
  // The items that the keyword refuses depend on the keywords beside it.
  unevaluatedItems: () => undefined,
  required: requireSuperset,
  type: ({ inA, inB }) => {
    const types = toList(inB);
    const has = (type: Json): boolean =>
      types.includes(type) || (type === "integer" && types.includes("number"));
    return inA !== undefined && toList(inA).every(has) ? [] : undefined;
  },
  properties: ({ inA, inB, a, fields: allowed }) => {
    const fields = isObject(inA) ? inA : {};
    const pairs = Object.entries(isObject(inB) ? inB : {}).map(([name, schema]): PartPair | undefined => {
      const isAllowed = allowed === "any" || allowed.has(name);
      const field = isAllowed ? (getOwn(fields, name) ?? readUndeclaredField(a)) : false;
      if (field !== undefined) return { a: field, b: schema, isSameValue: false };
      return schema === true ? { a: true, b: true, isSameValue: false } : undefined;
    });
    return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
  },
  allOf: pairByIndex(true),
  prefixItems: pairByIndex(false),
  anyOf: ({ inA, inB, a, splitter }) => {
    if (inA !== undefined) return splitter.pairAlternatives(a, inB);
    const b = splitter.findCounterpart(a, inB);
    return b === undefined ? undefined : [{ a, b, isSameValue: true }];
  },
  items: ({ inA, inB }) => (inA === undefined ? undefined : [{ a: inA, b: inB, isSameValue: false }]),
  additionalProperties: ({ inB, a }) => {
    if (inB === true) return [];
    const field = readUndeclaredField(a);
    if (field === false) return [];
    return a.patternProperties === undefined ? [{ a: field ?? true, b: inB, isSameValue: false }] : undefined;
  },
  unevaluatedProperties: ({ inA, inB, a }) =>
    inB === true || (inB === false && (inA === false || isClosed(a))) ? [] : undefined,
};

/** Returns whether only the fields in `properties` are allowed. */
function isClosed(a: JsonObject): boolean {
  const refuses =
    a.additionalProperties === false ||
    (a.unevaluatedProperties === false && a.additionalProperties === undefined);
  return refuses && !Object.keys(a).some((keyword) => DECLARING_KEYWORDS.has(keyword));
}

/** Returns the schema of the fields that `properties` does not list; undefined if `a` has no such schema. */
function readUndeclaredField(a: JsonObject): Json | undefined {
  return a.patternProperties === undefined && a.additionalProperties !== undefined
    ? a.additionalProperties
    : isClosed(a)
      ? false
      : undefined;
}

/**
 * Returns whether both schemas have the same interdependent keywords and, if `b` limits undeclared fields, whether `b`
 * declares every field of `a`.
 */
function haveComparableKeywords(a: JsonObject, b: JsonObject): boolean {
  const limitsFields = ["additionalProperties", "unevaluatedProperties"].some(
    (keyword) => getOwn(b, keyword) !== undefined,
  );
  return (
    (!limitsFields || declaresFieldsOf(a, b)) &&
    INTERDEPENDENT_KEYWORDS.every((keyword) => Object.hasOwn(a, keyword) === Object.hasOwn(b, keyword))
  );
}

/** Returns whether the `properties` of `b` have each name in those of `a`. */
function declaresFieldsOf(a: JsonObject, b: JsonObject): boolean {
  const fieldsOfB = isObject(b.properties) ? b.properties : {};
  return Object.keys(isObject(a.properties) ? a.properties : {}).every((name) =>
    Object.hasOwn(fieldsOfB, name),
  );
}

/** Returns whether a schema declares all fields, also those that it does not list. */
function declaresAnyField(schema: JsonObject): boolean {
  return [schema.additionalProperties, schema.unevaluatedProperties].some(
    (value) => value !== undefined && value !== false,
  );
}

/**
 * Returns whether `b` declares every field that `a` declares if each schema that applies to the value in `b` declares
 * those of its counterpart in `a`.
 */
function canDeclareByParts(a: JsonObject, b: JsonObject): boolean {
  if (declaresAnyField(b)) return true;
  const declaring = Object.keys(a).filter((keyword) => DECLARING_KEYWORDS.has(keyword));
  return (
    !declaresAnyField(a) &&
    declaresFieldsOf(a, b) &&
    declaring.every((keyword) => SPLIT_DECLARING_KEYWORDS.has(keyword) && Object.hasOwn(b, keyword)) &&
    toList(a.allOf).length === toList(b.allOf).length
  );
}

/** The names of fields, or any name. */
type FieldNames = ReadonlySet<string> | "any";

/** Returns the fields that a schema may declare for some value. */
function listPossibleFields(schema: Json, definitions: JsonObject, met = new Set<string>()): FieldNames {
  if (!isObject(schema)) return new Set();
  if (declaresAnyField(schema) || schema.patternProperties !== undefined) return "any";
  const parts = listSubschemas(schema)
    .filter(({ keyword }) => DECLARING_KEYWORDS.has(keyword))
    .map((part) => listPossibleFields(part.schema, definitions, met));
  const name = getTargetName(schema);
  if (name !== undefined && !met.has(name)) {
    met.add(name);
    parts.push(
      Object.hasOwn(definitions, name)
        ? listPossibleFields(definitions[name] ?? true, definitions, met)
        : "any",
    );
  }
  return joinNames([listProperties(schema), ...parts]);
}

/** Returns the fields that a schema may declare without its `anyOf`. */
function listFieldsBesideUnion(schema: Json, definitions: JsonObject): FieldNames {
  if (!isObject(schema)) return new Set();
  const { anyOf: _anyOf, ...rest } = schema;
  return listPossibleFields(rest, definitions);
}

/** Returns the fields that a schema declares for each of its values, or some of them. */
function listCertainFields(schema: Json, definitions: JsonObject, met = new Set<string>()): FieldNames {
  if (!isObject(schema)) return new Set();
  if (declaresAnyField(schema)) return "any";
  const parts = toList(schema.allOf).map((part) => listCertainFields(part, definitions, met));
  const name = getTargetName(schema);
  if (name !== undefined && !met.has(name)) {
    met.add(name);
    parts.push(listCertainFields(getOwn(definitions, name) ?? true, definitions, met));
  }
  return joinNames([listProperties(schema), ...parts]);
}

function listProperties({ properties }: JsonObject): ReadonlySet<string> {
  return new Set(isObject(properties) ? Object.keys(properties) : []);
}

function joinNames(parts: readonly FieldNames[]): FieldNames {
  return parts.includes("any") ? "any" : new Set(parts.flatMap((part) => [...part]));
}

/** Returns the alternatives of a union. An alternative that is only a union is replaced by its alternatives, each union once. */
function flattenUnion(anyOf: Json, definitions: JsonObject, met = new Set<Json>()): readonly Json[] {
  return toList(anyOf).flatMap((alternative) => {
    const target = followReferences(alternative, definitions);
    if (!isObject(target) || target.anyOf === undefined || Object.keys(target).length > 1)
      return [alternative];
    if (met.has(target)) return [];
    met.add(target);
    return flattenUnion(target.anyOf, definitions, met);
  });
}

/**
 * Returns the tags by which an alternative differs from others: the constants of its required fields. The name of the tag is
 * empty for the type of values that are not objects.
 */
function listTags(schema: Json, definitions: JsonObject, met = new Set<Json>()): ReadonlyMap<string, Json> {
  const target = followReferences(schema, definitions);
  if (!isObject(target) || met.has(target)) return new Map();
  met.add(target);
  const { type = null, properties, required } = target;
  if (typeof type === "string" && type !== "object") return new Map([["", type]]);
  const constants = Object.entries(isObject(properties) ? properties : {}).flatMap(
    ([name, field]): [string, Json][] =>
      isObject(field) && field.const !== undefined && toList(required).includes(name)
        ? [[name, field.const]]
        : [],
  );
  const parts = toList(target.allOf).flatMap((part) => [...listTags(part, definitions, met)]);
  return new Map([...parts, ...constants]);
}

/** Returns the number of equal tags; undefined if a tag differs, so that no value has both. */
function countEqualTags(
  tags: ReadonlyMap<string, Json>,
  others: ReadonlyMap<string, Json>,
): number | undefined {
  const common = [...tags].filter(([name]) => others.has(name));
  return common.every(([name, value]) => areEqual(value, others.get(name))) ? common.length : undefined;
}

/** Returns the share of the fields of either side that both have. */
function compareFields(a: FieldNames, b: FieldNames): number {
  if (a === "any" || b === "any" || a.size + b.size === 0) return 0;
  const common = [...a].filter((name) => b.has(name)).length;
  return common / (a.size + b.size - common);
}

/** Returns whether two references name the same definition, in whatever form. */
function haveSameName(a: Json, b: Json): boolean {
  return isOnlyReference(a) && isOnlyReference(b) && stripForm(String(a.$ref)) === stripForm(String(b.$ref));
}

function intersectFields(a: FieldNames, b: FieldNames): FieldNames {
  if (a === "any") return b;
  return b === "any" ? a : new Set([...a].filter((name) => b.has(name)));
}

/** Returns a schema that also refuses fields with other names. */
function limitFields(schema: Json, fields: FieldNames): Json {
  if (fields === "any" || !isObject(schema) || schema.propertyNames !== undefined) return schema;
  return { ...schema, propertyNames: fields.size > 0 ? { enum: [...fields] } : false };
}

/** Returns the names of the definitions that a schema needs, directly or not; undefined if one does not exist. */
function listNeededNames(schema: Json, definitions: JsonObject): ReadonlySet<string> | undefined {
  const names = new Set(listReferredNames(schema));
  for (const name of names) {
    const definition = getOwn(definitions, name);
    if (definition === undefined) return undefined;
    for (const other of listReferredNames(definition)) names.add(other);
  }
  return names;
}

/** Returns a schema with the definitions that it needs. All of them exist. */
function addDefinitions(schema: Json, { definitions, listNeededNames }: Side): Json {
  const names = [...(listNeededNames(schema) ?? [])];
  if (names.length === 0 || !isObject(schema)) return schema;
  const $defs = Object.fromEntries(names.map((name) => [name, definitions[name] ?? true]));
  return { ...schema, $defs };
}

/** Returns whether a schema is a reference and nothing else. */
function isOnlyReference(schema: Json): schema is JsonObject {
  return isObject(schema) && typeof schema.$ref === "string" && Object.keys(schema).length === 1;
}

/** Follows references that have no other keywords. */
function followReferences(schema: Json, defs: JsonObject): Json {
  let target = schema;
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    if (!isOnlyReference(target)) return target;
    const next = getOwn(defs, getTargetName(target) ?? "");
    if (next === undefined) return target;
    target = next;
  }
  return target;
}

function getDefinitions(schema: Json): JsonObject {
  return isObject(schema) && isObject(schema.$defs) ? schema.$defs : {};
}

function dropDefinitions(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { $defs: _defs, ...rest } = schema;
  return rest;
}

function toList(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
