/**
 * Compares two schemas place by place, and lists kinds of values that the first may accept and the second refuses. The list
 * is a guess: the caller proves each case and the completeness of the list.
 */
import {
  areEqual,
  getJsonType,
  getMembers,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
} from "../../json.js";
import { createUnchangedTest, type UnchangedTest } from "../../schema/changed-definitions.js";
import {
  CONJUNCTION,
  createSpotWithoutPlace,
  type Description,
  describeSchema,
  EVERYTHING,
  listStatements,
  type Spot,
} from "../../schema/describe.js";
import { EVERY_TYPE } from "../../schema/json-schema.js";
import {
  collectRequired,
  deriveTypes,
  findValueList,
  keepValues,
  mergeFields,
  omitValues,
} from "../../schema/merge.js";
import { derivePossibleTypes, intersectTypes } from "../../schema/possible-types.js";
import { createDefinitions, type Definitions } from "../../schema/reference.js";
import { findTag, type Tag } from "../../schema/tags.js";
import { Budget, DEFAULT_LIMITS, LimitError, UnsupportedSchema } from "../budget.js";
import { matchesPattern } from "../regex/matches-pattern.js";
import type {
  DeclaredNames,
  DifferenceCase,
  DifferenceCondition,
  DifferenceStep,
  Guard,
} from "./difference-case.js";

/** The greatest number of cases. A difference with more is not described. */
const MAX_CASES = 24;
/** The greatest number of places that are compared. */
const MAX_VISITS = 2_000;
/** The greatest number of steps to a case. */
const MAX_STEPS = 12;

type Described = Description<typeof EVERYTHING>;

/** The types of the values about which a keyword says something. */
const TYPES_OF_KEYWORDS: { readonly [keyword: string]: string } = {
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
  minProperties: "object",
  maxProperties: "object",
};

/** Keywords that a value either satisfies or not, whatever else the schema states, except for keywords named here. */
const SINGLE_KEYWORDS: readonly (readonly string[])[] = [
  ...Object.keys(TYPES_OF_KEYWORDS).map((keyword) => [keyword]),
  ["propertyNames"],
  ["not"],
  ["dependentRequired"],
  ["dependentSchemas"],
  ["contains", "minContains", "maxContains"],
  ["if", "then", "else"],
];

/** A place that both schemas describe. */
interface Visit {
  readonly steps: readonly DifferenceStep[];
  readonly guards: readonly Guard[];
  /** True if values that the first schema accepts may have no value at the place, except in items that they do not have. */
  readonly mayBeAbsent?: boolean;
  /** The types that the first schema allows at the place, in all its alternatives. */
  readonly types?: ReadonlySet<string>;
}

/**
 * Returns the guessed cases of two schemas with their definitions below `$defs`; none if there are too many, or if a pattern
 * cannot be matched within limits.
 */
export function findDifferenceCases(a: Json, b: Json): readonly DifferenceCase[] {
  try {
    return new CaseFinder(a, b).find();
  } catch (error) {
    if (error instanceof LimitError || error instanceof UnsupportedSchema) return [];
    throw error;
  }
}

function readDefinitions(schema: Json): JsonObject {
  return isObject(schema) ? getMembers(schema.$defs) : {};
}

function dropDefinitions(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { $defs: _defs, ...rest } = schema;
  return rest;
}

class CaseFinder {
  private readonly cases = new Map<string, DifferenceCase>();
  private readonly pairsAbove: string[] = [];
  private readonly definitionsOfA: Definitions;
  private readonly definitionsOfB: Definitions;
  private readonly isUnchanged: UnchangedTest;
  private visitsLeft = MAX_VISITS;
  private readonly budget = new Budget(DEFAULT_LIMITS);

  constructor(
    private readonly a: Json,
    private readonly b: Json,
  ) {
    const [ofA, ofB] = [readDefinitions(a), readDefinitions(b)];
    this.definitionsOfA = createDefinitions(ofA);
    this.definitionsOfB = createDefinitions(ofB);
    this.isUnchanged = createUnchangedTest(ofA, ofB);
  }

  find(): readonly DifferenceCase[] {
    this.visit([dropDefinitions(this.a)], [dropDefinitions(this.b)], { steps: [], guards: [] });
    return this.visitsLeft < 0 || this.cases.size > MAX_CASES ? [] : [...this.cases.values()];
  }

  private add(at: Visit, condition: DifferenceCondition, ...more: readonly DifferenceStep[]): void {
    const onlyType = findOnlyType(at, condition);
    const found: DifferenceCase = {
      guards: at.guards,
      steps: [...at.steps, ...more],
      condition,
      ...(onlyType !== undefined && { onlyType }),
    };
    if (this.cases.size <= MAX_CASES) this.cases.set(JSON.stringify(found), found);
  }

  /** Compares a place to which all schemas of `a` and of `b` apply. */
  private visit(a: readonly Json[], b: readonly Json[], at: Visit): void {
    const differing = b.filter((each) => !a.some((other) => this.isUnchanged(other, each)));
    if (differing.length === 0 || at.steps.length > MAX_STEPS) return;
    const key = JSON.stringify([a, differing]);
    // The pair below itself differs in the same way, which no list of cases can describe.
    if (this.pairsAbove.includes(key)) return;
    this.visitsLeft--;
    if (this.visitsLeft < 0 || this.cases.size > MAX_CASES) return;
    this.pairsAbove.push(key);
    const described = describe(a, this.definitionsOfA);
    const types = at.types ?? this.readPossibleTypes(described);
    this.compare(described, describe(differing, this.definitionsOfB), { ...at, types });
    this.pairsAbove.pop();
  }

  private compare(a: Described, b: Described, at: Visit): void {
    if (a.isNever) return;
    if (b.isNever) this.add(at, { kind: "anything" });
    if (b.isNever || this.compareListedValues(a, b, at)) return;
    const alternatives = listAlternativesOf(a);
    if (alternatives.length > 1 && listAlternativesOf(b).length <= 1) {
      for (const alternative of alternatives)
        this.visit(
          alternative,
          b.spots.map(({ schema }) => schema),
          at,
        );
      return;
    }
    const types = this.compareTypes(a, b, at);
    if (types.has("object")) this.compareFields(a, b, at);
    if (types.has("array")) this.compareItems(a, b, at);
    this.compareKeywords(a, b, at);
    for (const keyword of ["anyOf", "oneOf"] as const)
      for (const { value } of listStatements(b, keyword))
        if (
          !listStatements(a, keyword).some((each) =>
            this.isUnchanged({ [keyword]: each.value }, { [keyword]: value }),
          )
        )
          this.compareAlternatives(a, [value].flat(), keyword, at);
  }

  /** Compares lists of values. Returns whether nothing else can differ, because all values of `a` are listed. */
  private compareListedValues(a: Described, b: Described, at: Visit): boolean {
    const own = readClosedValues(a);
    const other = readClosedValues(b);
    if (own !== undefined) {
      const types = readStatedTypes(b) ?? EVERY_TYPE;
      const allowed = own.filter((value) => types.has(getJsonType(value)));
      const refused = omitValues(own, other === undefined ? allowed : keepValues(allowed, other));
      if (refused.length > 0) this.add(at, { kind: "values", values: refused });
      return refused.length === own.length;
    }
    if (other === undefined) return false;
    const possible = this.readPossibleTypes(a);
    const types = possible.size < EVERY_TYPE.size ? simplifyTypes(possible) : undefined;
    const listedTypes = new Set(other.map(getJsonType).map((type) => (type === "integer" ? "number" : type)));
    const unlisted = types?.filter((type) => !listedTypes.has(type === "integer" ? "number" : type)) ?? [];
    if (unlisted.length > 0) this.add(at, { kind: "types", types: unlisted });
    const rest = types?.filter((type) => !unlisted.includes(type));
    if (rest === undefined || rest.length > 0)
      this.add(at, { kind: "other values", types: rest, values: other });
    return true;
  }

  /** Compares types. Returns the types that both sides allow. */
  private compareTypes(a: Described, b: Described, at: Visit): ReadonlySet<string> {
    const own = this.readPossibleTypes(a);
    const other = readStatedTypes(b);
    if (other === undefined) return own;
    const common = intersectTypes(own, other);
    const missing = simplifyTypes(new Set([...own].filter((type) => !other.has(type))));
    const isFraction = missing.includes("number") && other.has("integer");
    if (isFraction) this.add(at, { kind: "fraction" });
    const types = missing.filter((type) => !(isFraction && type === "number"));
    if (types.length > 0) this.add(at, { kind: "types", types });
    return common;
  }

  /** Returns the types that `a` allows, by its alternatives too. */
  private readPossibleTypes(a: Described): ReadonlySet<string> {
    return derivePossibleTypes({ allOf: a.spots.map(({ schema }) => schema) }, this.definitionsOfA);
  }

  private compareFields(a: Described, b: Described, at: Visit): void {
    const fieldsOfA = mergeFields(a);
    const requiredByA = collectRequired(a);
    for (const name of collectRequired(b).keys())
      if (!requiredByA.has(name)) this.add(at, { kind: "absent", field: name });
    for (const { name, spots } of mergeFields(b).values()) {
      const own =
        fieldsOfA.get(name)?.spots.map(({ schema }) => schema) ?? this.listOtherFieldSchemas(a, name);
      if (own.includes(false)) continue;
      const others = spots.map(({ schema }) => schema);
      if (others.includes(false)) this.add(at, { kind: "present", field: name });
      else this.visit(own, others, addStep(at, { kind: "field", name }, requiredByA.has(name)));
    }
    for (const keyword of ["additionalProperties", "unevaluatedProperties"] as const)
      for (const { value, spot } of listStatements(b, keyword)) {
        const whole = keyword === "additionalProperties" ? readOwner(b, spot) : undefined;
        this.compareOtherFields(a, value, whole ?? b.spots.map(({ schema }) => schema), at);
      }
    for (const { value } of listStatements(b, "patternProperties"))
      for (const [pattern, schema] of Object.entries(isObject(value) ? value : {}))
        for (const { name, spots } of fieldsOfA.values())
          if (matchesPattern(pattern, name, this.budget))
            this.visit(
              spots.map((each) => each.schema),
              [schema],
              addStep(at, { kind: "field", name }),
            );
  }

  /** Compares the fields that the schemas `owners` of `b` do not declare. */
  private compareOtherFields(a: Described, value: Json, owners: readonly Json[], at: Visit): void {
    const declared = collectDeclaredNames(owners, this.definitionsOfB);
    const ownNames = collectDeclaredNames(
      a.spots.map(({ schema }) => schema),
      this.definitionsOfA,
    );
    const fieldsOfA = mergeFields(a);
    for (const name of ownNames.fields) {
      if (
        declared.fields.includes(name) ||
        declared.patterns.some((each) => matchesPattern(each, name, this.budget))
      )
        continue;
      const own = fieldsOfA.get(name)?.spots.map(({ schema }) => schema) ?? [true];
      if (own.includes(false)) continue;
      if (value === false) this.add(at, { kind: "present", field: name });
      else this.visit(own, [value], addStep(at, { kind: "field", name }));
    }
    const others = this.listOtherFieldSchemas(a);
    if (others.includes(false)) return;
    const all = {
      fields: [...new Set([...declared.fields, ...ownNames.fields])],
      patterns: declared.patterns,
    };
    if (value === false) this.add(at, { kind: "undeclared field", declared: all });
    else this.visit(others, [value], addStep(at, { kind: "other field", declared: all }));
  }

  private compareItems(a: Described, b: Described, at: Visit): void {
    const [ownTuple] = listStatements(a, "prefixItems").map(({ value }) => [value].flat());
    const ownRest = listStatements(a, "items").map(({ value }) => value);
    const rest = ownRest.length > 0 ? ownRest : [true];
    for (const { value } of listStatements(b, "prefixItems"))
      [value].flat().forEach((schema, index) => {
        const own = ownTuple?.[index] === undefined ? rest : [ownTuple[index]];
        this.visit(own, [schema], addStep(at, { kind: "tuple item", index }));
      });
    for (const { value, spot } of listStatements(b, "items")) {
      const owner = b.parts.find(({ schema }) => schema.items === value && spot.schema === value)?.schema;
      const count = Array.isArray(owner?.prefixItems) ? owner.prefixItems.length : 0;
      ownTuple?.slice(count).forEach((schema, index) => {
        this.visit([schema], [value], addStep(at, { kind: "tuple item", index: count + index }));
      });
      const afterFirst = Math.max(count, ownTuple?.length ?? 0);
      if (!rest.includes(false)) this.visit(rest, [value], addStep(at, { kind: "item", afterFirst }));
    }
    for (const { value } of listStatements(b, "unevaluatedItems"))
      if (!listStatements(a, "unevaluatedItems").some((each) => areEqual(each.value, value)))
        this.add(at, { kind: "refused", schema: { allOf: b.spots.map(({ schema }) => schema) } });
  }

  private compareKeywords(a: Described, b: Described, at: Visit): void {
    for (const keywords of SINGLE_KEYWORDS)
      for (const { schema } of b.parts) {
        const stated = keywords.filter((keyword) => Object.hasOwn(schema, keyword));
        if (stated.length === 0) continue;
        const selected = Object.fromEntries(stated.map((keyword) => [keyword, schema[keyword] ?? null]));
        const isCommon = a.parts.some((part) =>
          this.isUnchanged(
            Object.fromEntries(stated.map((each) => [each, getOwn(part.schema, each) ?? null])),
            selected,
          ),
        );
        if (isCommon) continue;
        this.add(at, { kind: "refused", schema: selected });
      }
  }

  private compareAlternatives(a: Described, branches: readonly Json[], keyword: string, at: Visit): void {
    const alternatives = listAlternativesOf(a);
    const tag = findTag(branches, this.definitionsOfB);
    for (const alternative of alternatives) {
      if (branches.some((branch) => this.isUnchanged(alternative.at(-1) ?? true, branch))) continue;
      if (tag !== undefined) this.compareTagged(alternative, branches, tag, at);
      else this.compareByType(alternative, branches, keyword, at);
    }
  }

  /** Compares one alternative of `a` with those of `b`, which the tag tells apart. */
  private compareTagged(
    a: readonly Json[],
    branches: readonly Json[],
    { property, values }: Tag,
    at: Visit,
  ): void {
    const described = describe(a, this.definitionsOfA);
    const field = mergeFields(described)
      .get(property)
      ?.spots.map(({ schema }) => schema) ?? [true];
    const isRequired = collectRequired(described).has(property);
    const step: DifferenceStep = { kind: "field", name: property };
    if (!isRequired) this.add(at, { kind: "absent", field: property });
    this.visit(field, [{ enum: values.flat() }], addStep(at, step, isRequired));
    const own = readClosedValues(describe(field, this.definitionsOfA));
    for (const [index, branch] of branches.entries()) {
      const known = values[index] ?? [];
      const common = own === undefined ? known : keepValues(known, own);
      if (common.length === 0) continue;
      const guard = { steps: [...at.steps, step], values: common };
      const limited = { type: "object", properties: { [property]: { enum: common } }, required: [property] };
      this.visit([...a, limited], [branch], { steps: at.steps, guards: [...at.guards, guard] });
    }
  }

  /** Compares one alternative of `a` with those of `b` that allow its types. */
  private compareByType(a: readonly Json[], branches: readonly Json[], keyword: string, at: Visit): void {
    const whole = { allOf: a };
    const own = derivePossibleTypes(whole, this.definitionsOfA);
    const typed = branches.map((branch) => ({
      branch,
      types: derivePossibleTypes(branch, this.definitionsOfB),
    }));
    const missing = [...own].filter((type) => !typed.some(({ types }) => types.has(type)));
    const isFraction = missing.includes("number") && typed.some(({ types }) => types.has("integer"));
    const types = simplifyTypes(new Set(missing)).filter((type) => !(isFraction && type === "number"));
    if (isFraction) this.add(at, { kind: "fraction" });
    if (types.length > 0) this.add(at, { kind: "types", types });
    for (const type of simplifyTypes(own)) {
      const fitting = typed.filter((each) => each.types.has(type));
      if (fitting.length === 1 && fitting[0]) this.visit([...a, { type }], [fitting[0].branch], at);
      else if (fitting.length > 1) this.add(at, { kind: "refused", schema: { [keyword]: branches } });
    }
  }

  /** Returns the schemas of the field `name` that `a` does not declare; without a name, of any field that it does not declare. */
  private listOtherFieldSchemas(a: Described, name?: string): readonly Json[] {
    const patterns = listStatements(a, "patternProperties").flatMap(({ value }) =>
      Object.entries(getMembers(value)),
    );
    const matching = patterns.filter(
      ([pattern]) => name !== undefined && matchesPattern(pattern, name, this.budget),
    );
    if (matching.length > 0) return matching.map(([, schema]) => schema);
    const others = (["additionalProperties", "unevaluatedProperties"] as const).flatMap((keyword) =>
      listStatements(a, keyword).map(({ value }) => value),
    );
    return others.length === 0 ? [true] : others;
  }
}

/** Returns the schemas that apply to the value with each alternative of the first union, or without alternatives. */
function listAlternativesOf(described: Described): readonly (readonly Json[])[] {
  const [union] = [...listStatements(described, "anyOf"), ...listStatements(described, "oneOf")];
  const around = described.parts.map(
    ({ schema: { anyOf: _any, oneOf: _one, allOf: _all, $ref: _ref, ...own } }) => own,
  );
  return union === undefined ? [around] : [union.value].flat().map((each) => [...around, each]);
}

/** Returns the types that `type` allows; undefined if no part has it. */
function readStatedTypes(described: Described): ReadonlySet<string> | undefined {
  return listStatements(described, "type").length > 0 ? deriveTypes(described).set : undefined;
}

function describe(schemas: readonly Json[], definitions: Definitions): Described {
  return describeSchema(schemas.map(createSpotWithoutPlace), definitions, EVERYTHING, CONJUNCTION);
}

/** Returns the place one step further. `isRequired` says that every object there has the field. */
function addStep(
  { steps, guards, mayBeAbsent = false, types }: Visit,
  step: DifferenceStep,
  isRequired = false,
): Visit {
  const isSure = step.kind !== "field" || (isRequired && !mayBeAbsent && types?.size === 1);
  return { steps: [...steps, step], guards, mayBeAbsent: !isSure };
}

/** Returns the type of the value that a condition is about, if its words would be true of other values at the place as well. */
function findOnlyType(
  { mayBeAbsent = false, types = EVERY_TYPE }: Visit,
  condition: DifferenceCondition,
): string | undefined {
  if (condition.kind === "absent") return mayBeAbsent || types.size > 1 ? "object" : undefined;
  if (condition.kind !== "refused") return undefined;
  const [keyword = "", ...others] = Object.keys(condition.schema);
  const type = others.length === 0 ? TYPES_OF_KEYWORDS[keyword] : undefined;
  const isOther = (each: string): boolean => each !== type && !(type === "number" && each === "integer");
  return type !== undefined && [...types].some(isOther) ? type : undefined;
}

/** Returns the values that a description lists, null too; undefined if it lists none. */
function readClosedValues(described: Described): readonly Json[] | undefined {
  const list = findValueList(described, "closed");
  if (list === undefined) return undefined;
  const allowsNull = [...listStatements(described, "enum"), ...listStatements(described, "const")].every(
    ({ value }) => value === null || (Array.isArray(value) && value.includes(null)),
  );
  const values = allowsNull ? [...list.values, null] : list.values;
  const types = readStatedTypes(described) ?? EVERY_TYPE;
  return values.filter((value) => types.has(getJsonType(value)));
}

/** Returns types without those that another one includes, in the usual order. */
function simplifyTypes(types: ReadonlySet<string>): readonly string[] {
  return [...intersectTypes(EVERY_TYPE, types)].filter(
    (type) => !(type === "integer" && types.has("number")),
  );
}

function readOwner({ parts }: Described, { schema }: Spot): readonly Json[] | undefined {
  const owner = parts.find((part) => part.schema.additionalProperties === schema);
  return (
    owner && [
      { properties: owner.schema.properties ?? {}, patternProperties: owner.schema.patternProperties ?? {} },
    ]
  );
}

/** Returns the names of all fields that schemas or their alternatives declare. */
function collectDeclaredNames(schemas: readonly Json[], definitions: Definitions): DeclaredNames {
  const fields = new Set<string>();
  const patterns = new Set<string>();
  const described = describeSchema(schemas.map(createSpotWithoutPlace), definitions, EVERYTHING, (edge) =>
    edge === "not" || edge === "x-writer" ? "skip" : "certain",
  );
  for (const { schema } of described.parts) {
    for (const name of Object.keys(isObject(schema.properties) ? schema.properties : {})) fields.add(name);
    for (const pattern of Object.keys(isObject(schema.patternProperties) ? schema.patternProperties : {}))
      patterns.add(pattern);
  }
  return { fields: [...fields], patterns: [...patterns] };
}
