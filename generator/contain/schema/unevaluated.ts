/**
 * Compiles `unevaluatedProperties` and `unevaluatedItems`. The locations that a schema has evaluated depend on the
 * branches that hold. The more locations are evaluated, the weaker the keyword is. For each branch, the formula is therefore
 * a choice between the stronger form without the branch, and the weaker form together with the condition of the branch.
 */
import { getMembers, type Json } from "../../json.js";
import { isAtLeast } from "../../schema/dialects.js";
import { UnsupportedSchema } from "../budget.js";
import type { Formula, KeySet } from "../formula.js";
import type { KeywordCompiler, KeywordCompilers, KeywordContext } from "./keyword-compiler.js";
import { getTupleLength } from "./keywords-array.js";
import { collectDeclaredKeys, constrainProperties } from "./keywords-object.js";

/** The locations of a value that a schema evaluates if `condition` holds. */
interface EvaluatedLocations {
  readonly condition: Formula;
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  /** The number of items at the beginning that are evaluated. */
  readonly itemCount: number;
  /** Items that satisfy one of these formulas are evaluated. */
  readonly evaluatedItems: readonly Formula[];
  readonly hasAllProperties: boolean;
  readonly hasAllItems: boolean;
}

type Subject = "properties" | "items";

/** A schema that applies to a value if `condition` holds. */
type AppliedSchema = readonly [context: KeywordContext, condition: Formula];

/**
 * Yields every schema that applies to the same value as the schema of `context`, with the condition for this. Each schema is
 * yielded once for each condition.
 */
function* listAppliedSchemas(
  context: KeywordContext,
  condition: Formula,
  listed = new Set<string>(),
): Generator<AppliedSchema> {
  const key = `${context.key} ${condition.id}`;
  if (listed.has(key)) return;
  listed.add(key);
  yield [context, condition];
  const { formulas: f, schema } = context;
  const enterChild = function* (child: Json | undefined, childCondition: Formula): Generator<AppliedSchema> {
    const childContext = child === undefined ? undefined : context.enterChild(child);
    if (childContext && childCondition !== f.nothing)
      yield* listAppliedSchemas(childContext, childCondition, listed);
  };
  const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = schema;
  for (const child of allOf as readonly Json[]) yield* enterChild(child, condition);
  for (const child of [anyOf, oneOf].flat())
    yield* enterChild(child, f.and(condition, context.compileChild(child)));
  if (schema.if !== undefined) {
    const ifFormula = context.compileChild(schema.if);
    yield* enterChild(schema.if, f.and(condition, ifFormula));
    yield* enterChild(schema.then, f.and(condition, ifFormula));
    yield* enterChild(schema.else, f.and(condition, f.not(ifFormula)));
  }
  for (const [key, child] of Object.entries(getMembers(dependentSchemas)))
    yield* enterChild(
      child,
      f.and(condition, f.only("object"), f.literal({ type: "object", kind: "has", key })),
    );
  for (const keyword of ["$ref", context.dialect === "2020-12" ? "$dynamicRef" : "$recursiveRef"]) {
    const reference = schema[keyword];
    const target =
      reference === undefined ? undefined : context.resolveTarget(keyword, reference as string).enter();
    if (target) yield* listAppliedSchemas(target, condition, listed);
  }
}

function collectEvaluatedLocations(
  context: KeywordContext,
  condition: Formula,
  isSelf: boolean,
): EvaluatedLocations {
  const { schema, dialect } = context;
  const declaredKeys = collectDeclaredKeys(context);
  const is2020 = dialect === "2020-12";
  const hasTuple = !is2020 && Array.isArray(schema.items);
  return {
    condition,
    names: declaredKeys.names,
    patterns: declaredKeys.patterns,
    itemCount: getTupleLength(context),
    evaluatedItems: is2020 && schema.contains !== undefined ? [context.compileChild(schema.contains)] : [],
    hasAllProperties:
      schema.additionalProperties !== undefined || (!isSelf && schema.unevaluatedProperties !== undefined),
    hasAllItems:
      (schema.items !== undefined && !hasTuple) ||
      (hasTuple && schema.additionalItems !== undefined) ||
      (!isSelf && schema.unevaluatedItems !== undefined),
  };
}

/** Returns all evaluated locations. Those under the same condition are merged; the unconditional ones come first. */
function listEvaluatedLocations(context: KeywordContext, subject: Subject): EvaluatedLocations[] {
  const locationsByCondition = new Map<number, EvaluatedLocations>();
  const noLocations = {
    condition: context.formulas.anything,
    names: [],
    patterns: [],
    itemCount: 0,
    evaluatedItems: [],
    hasAllProperties: false,
    hasAllItems: false,
  };
  locationsByCondition.set(context.formulas.anything.id, noLocations);
  for (const [applied, condition] of listAppliedSchemas(context, context.formulas.anything)) {
    if (!isAtLeast(applied.dialect, "2019-09")) {
      throw new UnsupportedSchema(
        `${applied.dialect} does not define which locations a schema evaluates, and a schema of it is applied here`,
      );
    }
    if (subject === "items" && applied.dialect === "2019-09" && applied.schema.contains !== undefined) {
      // In 2019-09, `contains` evaluates nothing, but validators act as if it did.
      throw new UnsupportedSchema(
        "unevaluatedItems beside contains, which validators of 2019-09 read in two ways",
      );
    }
    const locations = collectEvaluatedLocations(applied, condition, applied.schema === context.schema);
    if (!hasLocations(locations, subject)) continue;
    const oldLocations = locationsByCondition.get(condition.id);
    locationsByCondition.set(
      condition.id,
      oldLocations ? mergeEvaluatedLocations(oldLocations, locations) : locations,
    );
  }
  return [...locationsByCondition.values()];
}

function hasLocations(locations: EvaluatedLocations, subject: Subject): boolean {
  return subject === "properties"
    ? locations.hasAllProperties || locations.names.length > 0 || locations.patterns.length > 0
    : locations.hasAllItems || locations.itemCount > 0 || locations.evaluatedItems.length > 0;
}

function mergeEvaluatedLocations(one: EvaluatedLocations, other: EvaluatedLocations): EvaluatedLocations {
  return {
    condition: one.condition,
    names: [...new Set([...one.names, ...other.names])].sort(),
    patterns: [...new Set([...one.patterns, ...other.patterns])].sort(),
    itemCount: Math.max(one.itemCount, other.itemCount),
    evaluatedItems: [...new Set([...one.evaluatedItems, ...other.evaluatedItems])],
    hasAllProperties: one.hasAllProperties || other.hasAllProperties,
    hasAllItems: one.hasAllItems || other.hasAllItems,
  };
}

/** Returns the compiler of a keyword. `constrain` returns the formula that all other locations satisfy `value`. */
function createUnevaluatedCompiler(
  subject: Subject,
  constrain: (evaluated: EvaluatedLocations, value: Formula, context: KeywordContext) => Formula,
): KeywordCompiler {
  return (value: Json, context) => {
    const formula = context.compileChild(value);
    if (formula === context.formulas.anything) return formula;
    const [base, ...conditional] = listEvaluatedLocations(context, subject);
    return base
      ? chooseByConditions(base, conditional, (evaluated) => constrain(evaluated, formula, context), context)
      : formula;
  };
}

/** Returns the formula of the keyword for each combination of the conditions, by the rule in the header of this file. */
function chooseByConditions(
  base: EvaluatedLocations,
  conditional: readonly EvaluatedLocations[],
  constrain: (evaluated: EvaluatedLocations) => Formula,
  context: KeywordContext,
): Formula {
  const { formulas: f } = context;
  const strongest = constrain(base);
  const [first, ...others] = conditional;
  if (!first || strongest === f.anything) return strongest;
  const weaker = mergeEvaluatedLocations(base, first);
  const name = `unevaluated ${strongest.id} ${constrain(weaker).id} ${conditional.map(({ condition }) => condition.id)}`;
  return f.lazy(`${name} ${others.map((other) => constrain(mergeEvaluatedLocations(base, other)).id)}`, () =>
    f.or(
      chooseByConditions(base, others, constrain, context),
      f.and(first.condition, chooseByConditions(weaker, others, constrain, context)),
    ),
  );
}

function constrainUnevaluatedProperties(
  evaluated: EvaluatedLocations,
  value: Formula,
  { formulas }: KeywordContext,
): Formula {
  if (evaluated.hasAllProperties) return formulas.anything;
  const keys: KeySet = { names: evaluated.names, patterns: evaluated.patterns, complement: true };
  return constrainProperties(formulas, keys, value);
}

function constrainUnevaluatedItems(
  evaluated: EvaluatedLocations,
  value: Formula,
  { formulas: f }: KeywordContext,
): Formula {
  const itemFormula = f.or(value, ...evaluated.evaluatedItems);
  if (evaluated.hasAllItems || itemFormula === f.anything) return f.anything;
  return f.literal({ type: "array", kind: "rest", from: evaluated.itemCount, value: itemFormula });
}

/** The compilers of the keywords about properties and items that no other keyword has evaluated. */
export const UNEVALUATED_KEYWORDS: KeywordCompilers = {
  unevaluatedProperties: createUnevaluatedCompiler("properties", constrainUnevaluatedProperties),
  unevaluatedItems: createUnevaluatedCompiler("items", constrainUnevaluatedItems),
};
