/**
 * `unevaluatedProperties` and `unevaluatedItems`. Which locations a schema has evaluated depends on which of its
 * branches hold, so the keyword becomes a choice over those conditions: once as evaluated, once as not. As more
 * evaluated locations only ever relax the keyword, "condition and weaker, or stronger" says it exactly.
 */
import type { Json } from "../../json.js";
import { since } from "../../schema/dialects.js";
import { Unsupported } from "../budget.js";
import { bit, type Formula, type KeySet } from "../formula.js";
import { tupleLength } from "./keywords-array.js";
import { declaredKeys, each } from "./keywords-object.js";
import { type Context, list, map, type Reader } from "./reader.js";

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

/** Calls `visit` for every schema that applies to the same instance as `at`, with the condition under which it does. */
function* applied(at: Context, when: Formula): Generator<readonly [Context, Formula]> {
  yield [at, when];
  const { formulas: f, schema } = at;
  const into = function* (
    child: Json | undefined,
    condition: Formula,
  ): Generator<readonly [Context, Formula]> {
    const context = child === undefined ? undefined : at.inside(child);
    if (context && condition !== f.nothing) yield* applied(context, condition);
  };
  for (const child of optional(schema.allOf)) yield* into(child, when);
  for (const child of [...optional(schema.anyOf), ...optional(schema.oneOf)]) {
    yield* into(child, f.and(when, at.child(child)));
  }
  if (schema.if !== undefined) {
    const condition = at.child(schema.if);
    yield* into(schema.if, f.and(when, condition));
    yield* into(schema.then, f.and(when, condition));
    yield* into(schema.else, f.and(when, f.not(condition)));
  }
  const dependent = schema.dependentSchemas;
  for (const [key, child] of dependent === undefined ? [] : map(dependent, "dependentSchemas")) {
    yield* into(child, f.and(when, f.types(bit("object")), f.literal({ on: "object", is: "has", key })));
  }
  for (const keyword of ["$ref", at.dialect === "2020-12" ? "$dynamicRef" : "$recursiveRef"]) {
    const target =
      schema[keyword] === undefined ? undefined : at.target(keyword, schema[keyword] as Json).context();
    if (target) yield* applied(target, when);
  }
}

function optional(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : list(value, "allOf");
}

function locations(at: Context, when: Formula, isSelf: boolean): Evaluated {
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

/** All evaluations of one subject, those under the same condition merged; the unconditional ones first. */
function evaluations(at: Context, subject: Subject): Evaluated[] {
  const byCondition = new Map<number, Evaluated>();
  const none = { when: at.formulas.anything, names: [], patterns: [], upTo: 0, matching: [] };
  byCondition.set(at.formulas.anything.id, { ...none, allProperties: false, allItems: false });
  for (const [context, when] of applied(at, at.formulas.anything)) {
    if (!since(context.dialect, "2019-09")) {
      throw new Unsupported(
        `${context.dialect} does not say what a schema evaluates, and one is applied here`,
      );
    }
    if (subject === "items" && context.dialect === "2019-09" && context.schema.contains !== undefined) {
      // The specification lets `contains` evaluate nothing there; the validators let it.
      throw new Unsupported("unevaluatedItems beside contains, which validators of 2019-09 read in two ways");
    }
    const found = locations(context, when, context.schema === at.schema);
    if (!speaks(found, subject)) continue;
    const known = byCondition.get(when.id);
    byCondition.set(when.id, known ? merge(known, found) : found);
  }
  return [...byCondition.values()];
}

function speaks(found: Evaluated, subject: Subject): boolean {
  return subject === "properties"
    ? found.allProperties || found.names.length > 0 || found.patterns.length > 0
    : found.allItems || found.upTo > 0 || found.matching.length > 0;
}

function merge(one: Evaluated, other: Evaluated): Evaluated {
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

function reader(
  subject: Subject,
  constrain: (found: Evaluated, value: Formula, at: Context) => Formula,
): Reader {
  return (value, at) => {
    const rest = at.child(value);
    if (rest === at.formulas.anything) return rest;
    const [base, ...conditional] = evaluations(at, subject);
    return base ? choose(base, conditional, (found) => constrain(found, rest, at), at) : rest;
  };
}

function choose(
  base: Evaluated,
  conditional: readonly Evaluated[],
  constrain: (found: Evaluated) => Formula,
  at: Context,
): Formula {
  const { formulas: f } = at;
  const strongest = constrain(base);
  const [first, ...others] = conditional;
  if (!first || strongest === f.anything) return strongest;
  const more = merge(base, first);
  const name = `unevaluated ${strongest.id} ${constrain(more).id} ${conditional.map(({ when }) => when.id)}`;
  return f.lazy(`${name} ${others.map((other) => constrain(merge(base, other)).id)}`, () =>
    f.or(choose(base, others, constrain, at), f.and(first.when, choose(more, others, constrain, at))),
  );
}

function properties(found: Evaluated, value: Formula, { formulas }: Context): Formula {
  if (found.allProperties) return formulas.anything;
  const keys: KeySet = { names: found.names, patterns: found.patterns, complement: true };
  return each(formulas, keys, value);
}

function items(found: Evaluated, value: Formula, { formulas: f }: Context): Formula {
  const rest = f.or(value, ...found.matching);
  if (found.allItems || rest === f.anything) return f.anything;
  return f.literal({ on: "array", is: "rest", from: found.upTo, value: rest });
}

/** The readers of this file by keyword. */
export const UNEVALUATED_KEYWORDS: { readonly [keyword: string]: Reader } = {
  unevaluatedProperties: reader("properties", properties),
  unevaluatedItems: reader("items", items),
};
