/**
 * Compiles `unevaluatedProperties` and `unevaluatedItems`. The locations that a schema has evaluated depend on the
 * branches that hold, so the keyword becomes a choice over the conditions of the branches. More evaluated locations make
 * the keyword weaker. So each choice is between the stronger form, and the condition together with the weaker form.
 */
import type { Json, JsonObject } from "../../json.js";
import { isAtLeast } from "../../schema/dialects.js";
import { UnsupportedSchema } from "../budget.js";
import type { Formula, KeySet } from "../formula.js";
import type { KeywordCompiler, KeywordCompilers, KeywordContext } from "./keyword-compiler.js";
import { getTupleLength } from "./keywords-array.js";
import { collectDeclaredKeys, constrainProperties } from "./keywords-object.js";

/** The locations of a value that a schema evaluates if `when` holds. */
interface Evaluated {
  readonly when: Formula;
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  /** The number of items at the beginning that are evaluated. */
  readonly itemCount: number;
  /** Items that satisfy one of these formulas are evaluated. */
  readonly matching: readonly Formula[];
  readonly allProperties: boolean;
  readonly allItems: boolean;
}

type Subject = "properties" | "items";

/** Yields every schema that applies to the same value as the schema of `context`, with the condition under which it applies. */
function* listAppliedSchemas(
  context: KeywordContext,
  when: Formula,
): Generator<readonly [KeywordContext, Formula]> {
  yield [context, when];
  const { formulas: f, schema } = context;
  const enterChild = function* (
    child: Json | undefined,
    condition: Formula,
  ): Generator<readonly [KeywordContext, Formula]> {
    const childContext = child === undefined ? undefined : context.enterChild(child);
    if (childContext && condition !== f.nothing) yield* listAppliedSchemas(childContext, condition);
  };
  const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = schema;
  for (const child of allOf as readonly Json[]) yield* enterChild(child, when);
  for (const child of [anyOf, oneOf].flat() as readonly Json[])
    yield* enterChild(child, f.and(when, context.compileChild(child)));
  if (schema.if !== undefined) {
    const condition = context.compileChild(schema.if);
    yield* enterChild(schema.if, f.and(when, condition));
    yield* enterChild(schema.then, f.and(when, condition));
    yield* enterChild(schema.else, f.and(when, f.not(condition)));
  }
  for (const [key, child] of Object.entries(dependentSchemas as JsonObject))
    yield* enterChild(child, f.and(when, f.only("object"), f.literal({ on: "object", is: "has", key })));
  for (const keyword of ["$ref", context.dialect === "2020-12" ? "$dynamicRef" : "$recursiveRef"]) {
    const reference = schema[keyword];
    const target =
      reference === undefined ? undefined : context.resolveTarget(keyword, reference as string).enter();
    if (target) yield* listAppliedSchemas(target, when);
  }
}

function collectEvaluated(context: KeywordContext, when: Formula, isSelf: boolean): Evaluated {
  const { schema, dialect } = context;
  const declared = collectDeclaredKeys(context);
  const is2020 = dialect === "2020-12";
  const hasTuple = !is2020 && Array.isArray(schema.items);
  return {
    when,
    names: declared.names,
    patterns: declared.patterns,
    itemCount: getTupleLength(context),
    matching: is2020 && schema.contains !== undefined ? [context.compileChild(schema.contains)] : [],
    allProperties:
      schema.additionalProperties !== undefined || (!isSelf && schema.unevaluatedProperties !== undefined),
    allItems:
      (schema.items !== undefined && !hasTuple) ||
      (hasTuple && schema.additionalItems !== undefined) ||
      (!isSelf && schema.unevaluatedItems !== undefined),
  };
}

/** Returns all evaluations of one subject. Those under the same condition are merged; the unconditional ones come first. */
function listEvaluations(context: KeywordContext, subject: Subject): Evaluated[] {
  const byCondition = new Map<number, Evaluated>();
  const none = { when: context.formulas.anything, names: [], patterns: [], itemCount: 0, matching: [] };
  byCondition.set(context.formulas.anything.id, { ...none, allProperties: false, allItems: false });
  for (const [applied, when] of listAppliedSchemas(context, context.formulas.anything)) {
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
    const found = collectEvaluated(applied, when, applied.schema === context.schema);
    if (!evaluatesAnything(found, subject)) continue;
    const known = byCondition.get(when.id);
    byCondition.set(when.id, known ? mergeEvaluated(known, found) : found);
  }
  return [...byCondition.values()];
}

function evaluatesAnything(found: Evaluated, subject: Subject): boolean {
  return subject === "properties"
    ? found.allProperties || found.names.length > 0 || found.patterns.length > 0
    : found.allItems || found.itemCount > 0 || found.matching.length > 0;
}

function mergeEvaluated(one: Evaluated, other: Evaluated): Evaluated {
  return {
    when: one.when,
    names: [...new Set([...one.names, ...other.names])].sort(),
    patterns: [...new Set([...one.patterns, ...other.patterns])].sort(),
    itemCount: Math.max(one.itemCount, other.itemCount),
    matching: [...new Set([...one.matching, ...other.matching])],
    allProperties: one.allProperties || other.allProperties,
    allItems: one.allItems || other.allItems,
  };
}

function compileUnevaluated(
  subject: Subject,
  constrain: (found: Evaluated, value: Formula, context: KeywordContext) => Formula,
): KeywordCompiler {
  return (value: Json, context) => {
    const rest = context.compileChild(value);
    if (rest === context.formulas.anything) return rest;
    const [base, ...conditional] = listEvaluations(context, subject);
    return base
      ? chooseByConditions(base, conditional, (found) => constrain(found, rest, context), context)
      : rest;
  };
}

/** Returns the formula of the keyword for each combination of the conditions, by the rule in the header of this file. */
function chooseByConditions(
  base: Evaluated,
  conditional: readonly Evaluated[],
  constrain: (found: Evaluated) => Formula,
  context: KeywordContext,
): Formula {
  const { formulas: f } = context;
  const strongest = constrain(base);
  const [first, ...others] = conditional;
  if (!first || strongest === f.anything) return strongest;
  const weaker = mergeEvaluated(base, first);
  const name = `unevaluated ${strongest.id} ${constrain(weaker).id} ${conditional.map(({ when }) => when.id)}`;
  return f.lazy(`${name} ${others.map((other) => constrain(mergeEvaluated(base, other)).id)}`, () =>
    f.or(
      chooseByConditions(base, others, constrain, context),
      f.and(first.when, chooseByConditions(weaker, others, constrain, context)),
    ),
  );
}

function constrainUnevaluatedProperties(
  found: Evaluated,
  value: Formula,
  { formulas }: KeywordContext,
): Formula {
  if (found.allProperties) return formulas.anything;
  const keys: KeySet = { names: found.names, patterns: found.patterns, complement: true };
  return constrainProperties(formulas, keys, value);
}

function constrainUnevaluatedItems(
  found: Evaluated,
  value: Formula,
  { formulas: f }: KeywordContext,
): Formula {
  const rest = f.or(value, ...found.matching);
  if (found.allItems || rest === f.anything) return f.anything;
  return f.literal({ on: "array", is: "rest", from: found.itemCount, value: rest });
}

/** The compilers of the keywords about properties and items that no other keyword has evaluated. */
export const UNEVALUATED_KEYWORDS: KeywordCompilers = {
  unevaluatedProperties: compileUnevaluated("properties", constrainUnevaluatedProperties),
  unevaluatedItems: compileUnevaluated("items", constrainUnevaluatedItems),
};
