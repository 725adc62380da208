/**
 * `unevaluatedProperties` and `unevaluatedItems`. Which locations a schema has evaluated depends on which of its branches
 * hold, so the keyword becomes a choice over those conditions. More evaluated locations only ever make the keyword
 * weaker, so each choice is: the stronger form, or the condition together with the weaker form.
 */
import type { Json, JsonObject } from "../../json.js";
import { since } from "../../schema/dialects.js";
import { Unsupported } from "../budget.js";
import type { Formula, KeySet } from "../formula.js";
import type { KeywordCompiler, KeywordCompilers, KeywordContext } from "./keyword-compiler.js";
import { tupleLength } from "./keywords-array.js";
import { declaredKeys, everyProperty } from "./keywords-object.js";

/** Locations that are evaluated where `when` holds. */
interface Evaluated {
  readonly when: Formula;
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  /** Items before this index. */
  readonly upTo: number;
  /** Items that satisfy one of these. */
  readonly matching: readonly Formula[];
  readonly allProperties: boolean;
  readonly allItems: boolean;
}

type Subject = "properties" | "items";

/** Yields every schema that applies to the same instance as `at`, with the condition under which it does. */
function* appliedSchemas(at: KeywordContext, when: Formula): Generator<readonly [KeywordContext, Formula]> {
  yield [at, when];
  const { formulas: f, schema } = at;
  const into = function* (
    child: Json | undefined,
    condition: Formula,
  ): Generator<readonly [KeywordContext, Formula]> {
    const context = child === undefined ? undefined : at.inside(child);
    if (context && condition !== f.nothing) yield* appliedSchemas(context, condition);
  };
  const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = schema;
  for (const child of allOf as readonly Json[]) yield* into(child, when);
  for (const child of [anyOf, oneOf].flat() as readonly Json[])
    yield* into(child, f.and(when, at.child(child)));
  if (schema.if !== undefined) {
    const condition = at.child(schema.if);
    yield* into(schema.if, f.and(when, condition));
    yield* into(schema.then, f.and(when, condition));
    yield* into(schema.else, f.and(when, f.not(condition)));
  }
  for (const [key, child] of Object.entries(dependentSchemas as JsonObject))
    yield* into(child, f.and(when, f.only("object"), f.literal({ on: "object", is: "has", key })));
  for (const keyword of ["$ref", at.dialect === "2020-12" ? "$dynamicRef" : "$recursiveRef"]) {
    const reference = schema[keyword];
    const target = reference === undefined ? undefined : at.target(keyword, reference as string).context();
    if (target) yield* appliedSchemas(target, when);
  }
}

function evaluatedBy(at: KeywordContext, when: Formula, isSelf: boolean): Evaluated {
  const { schema, dialect } = at;
  const declared = declaredKeys(at);
  const newest = dialect === "2020-12";
  const tuple = !newest && Array.isArray(schema.items);
  return {
    when,
    names: declared.names,
    patterns: declared.patterns,
    upTo: tupleLength(at),
    matching: newest && schema.contains !== undefined ? [at.child(schema.contains)] : [],
    allProperties:
      schema.additionalProperties !== undefined || (!isSelf && schema.unevaluatedProperties !== undefined),
    allItems:
      (schema.items !== undefined && !tuple) ||
      (tuple && schema.additionalItems !== undefined) ||
      (!isSelf && schema.unevaluatedItems !== undefined),
  };
}

/** Returns all evaluations of one subject, those under the same condition merged; the unconditional ones first. */
function evaluations(at: KeywordContext, subject: Subject): Evaluated[] {
  const byCondition = new Map<number, Evaluated>();
  const none = { when: at.formulas.anything, names: [], patterns: [], upTo: 0, matching: [] };
  byCondition.set(at.formulas.anything.id, { ...none, allProperties: false, allItems: false });
  for (const [context, when] of appliedSchemas(at, at.formulas.anything)) {
    if (!since(context.dialect, "2019-09")) {
      throw new Unsupported(
        `${context.dialect} does not define which locations a schema evaluates, and a schema of it is applied here`,
      );
    }
    if (subject === "items" && context.dialect === "2019-09" && context.schema.contains !== undefined) {
      // By the specification `contains` evaluates nothing there; by the validators it does.
      throw new Unsupported("unevaluatedItems beside contains, which validators of 2019-09 read in two ways");
    }
    const found = evaluatedBy(context, when, context.schema === at.schema);
    if (!evaluatesAny(found, subject)) continue;
    const known = byCondition.get(when.id);
    byCondition.set(when.id, known ? mergeEvaluated(known, found) : found);
  }
  return [...byCondition.values()];
}

function evaluatesAny(found: Evaluated, subject: Subject): boolean {
  return subject === "properties"
    ? found.allProperties || found.names.length > 0 || found.patterns.length > 0
    : found.allItems || found.upTo > 0 || found.matching.length > 0;
}

function mergeEvaluated(one: Evaluated, other: Evaluated): Evaluated {
  return {
    when: one.when,
    names: [...new Set([...one.names, ...other.names])].sort(),
    patterns: [...new Set([...one.patterns, ...other.patterns])].sort(),
    upTo: Math.max(one.upTo, other.upTo),
    matching: [...new Set([...one.matching, ...other.matching])],
    allProperties: one.allProperties || other.allProperties,
    allItems: one.allItems || other.allItems,
  };
}

function compileUnevaluated(
  subject: Subject,
  constrain: (found: Evaluated, value: Formula, at: KeywordContext) => Formula,
): KeywordCompiler {
  return (value: Json, at) => {
    const rest = at.child(value);
    if (rest === at.formulas.anything) return rest;
    const [base, ...conditional] = evaluations(at, subject);
    return base ? chooseByConditions(base, conditional, (found) => constrain(found, rest, at), at) : rest;
  };
}

function chooseByConditions(
  base: Evaluated,
  conditional: readonly Evaluated[],
  constrain: (found: Evaluated) => Formula,
  at: KeywordContext,
): Formula {
  const { formulas: f } = at;
  const strongest = constrain(base);
  const [first, ...others] = conditional;
  if (!first || strongest === f.anything) return strongest;
  const more = mergeEvaluated(base, first);
  const name = `unevaluated ${strongest.id} ${constrain(more).id} ${conditional.map(({ when }) => when.id)}`;
  return f.lazy(`${name} ${others.map((other) => constrain(mergeEvaluated(base, other)).id)}`, () =>
    f.or(
      chooseByConditions(base, others, constrain, at),
      f.and(first.when, chooseByConditions(more, others, constrain, at)),
    ),
  );
}

function properties(found: Evaluated, value: Formula, { formulas }: KeywordContext): Formula {
  if (found.allProperties) return formulas.anything;
  const keys: KeySet = { names: found.names, patterns: found.patterns, complement: true };
  return everyProperty(formulas, keys, value);
}

function items(found: Evaluated, value: Formula, { formulas: f }: KeywordContext): Formula {
  const rest = f.or(value, ...found.matching);
  if (found.allItems || rest === f.anything) return f.anything;
  return f.literal({ on: "array", is: "rest", from: found.upTo, value: rest });
}

/** The compilers of the keywords about what no other keyword has evaluated. */
export const UNEVALUATED_KEYWORDS: KeywordCompilers = {
  unevaluatedProperties: compileUnevaluated("properties", properties),
  unevaluatedItems: compileUnevaluated("items", items),
};
