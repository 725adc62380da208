/** The keywords that combine schemas, and references. */
import type { Json } from "../../json.js";
import type { Formula, Formulas } from "../formula.js";
import { areDisjoint } from "./disjoint.js";
import { type Context, list, malformed, type Reader } from "./reader.js";

/** Exactly one of the branches holds. Where a tag tells all branches apart, any of them does. */
function exactlyOne(f: Formulas, branches: readonly Formula[]): Formula {
  if (areDisjoint(branches, f)) return f.or(...branches);
  const none = (from: number): Formula => f.and(...branches.slice(from).map((branch) => f.not(branch)));
  const one = (from: number): Formula => {
    const [branch, ...others] = branches.slice(from);
    if (!branch) return f.nothing;
    if (others.length === 0) return branch;
    const name = `one ${branches.slice(from).map(({ id }) => id)}`;
    return f.lazy(name, () => f.or(f.and(branch, none(from + 1)), f.and(f.not(branch), one(from + 1))));
  };
  return one(0);
}

function branches(value: Json, keyword: string, at: Context): readonly Formula[] {
  return list(value, keyword).map((branch) => at.child(branch));
}

function conditional(value: Json, at: Context): Formula {
  const { formulas: f, schema } = at;
  const condition = at.child(value);
  const branch = (name: "then" | "else") =>
    schema[name] === undefined ? f.anything : at.child(schema[name] as Json);
  const [yes, no] = [branch("then"), branch("else")];
  if (yes === f.anything && no === f.anything) return f.anything;
  return f.and(f.or(f.not(condition), yes), f.or(condition, no));
}

const reference =
  (keyword: string): Reader =>
  (value, at) =>
    at.target(keyword, value).formula();

/** The readers of this file by keyword. */
export const LOGIC_KEYWORDS: { readonly [keyword: string]: Reader } = {
  allOf: (value, at) => at.formulas.and(...branches(value, "allOf", at)),
  anyOf: (value, at) => at.formulas.or(...branches(value, "anyOf", at)),
  oneOf: (value, at) => exactlyOne(at.formulas, branches(value, "oneOf", at)),
  not: (value, at) => at.formulas.not(at.child(value)),
  if: conditional,
  $ref: reference("$ref"),
  $dynamicRef: reference("$dynamicRef"),
  $recursiveRef: (value, at) =>
    value === "#" ? reference("$recursiveRef")(value, at) : malformed("$recursiveRef"),
};
