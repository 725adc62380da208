/** Compiles the keywords that combine schemas, and references. */
import type { Json } from "../../json.js";
import { UnsupportedSchema } from "../budget.js";
import { type Atom, type Formula, type Formulas, getTypeBit } from "../formula.js";
import type { KeywordCompiler, KeywordCompilers, KeywordContext } from "./keyword-compiler.js";

/** Returns the formula that exactly one branch holds. If no value satisfies two branches, it is the plain disjunction. */
function buildExactlyOne(f: Formulas, branches: readonly Formula[]): Formula {
  if (areDisjoint(branches, f)) return f.or(...branches);
  const buildNoneFrom = (from: number): Formula =>
    f.and(...branches.slice(from).map((branch) => f.not(branch)));
  const buildExactlyOneFrom = (from: number): Formula => {
    const [branch, ...others] = branches.slice(from);
    if (!branch) return f.nothing;
    if (others.length === 0) return branch;
    const name = `one ${branches.slice(from).map(({ id }) => id)}`;
    return f.lazy(name, () =>
      f.or(f.and(branch, buildNoneFrom(from + 1)), f.and(f.not(branch), buildExactlyOneFrom(from + 1))),
    );
  };
  return buildExactlyOneFrom(0);
}

function compileIf(value: Json, context: KeywordContext): Formula {
  const { formulas: f, schema } = context;
  const condition = context.compileChild(value);
  const compileBranch = (name: "then" | "else") =>
    schema[name] === undefined ? f.anything : context.compileChild(schema[name]);
  const thenFormula = compileBranch("then");
  const elseFormula = compileBranch("else");
  if (thenFormula === f.anything && elseFormula === f.anything) return f.anything;
  return f.and(f.or(f.not(condition), thenFormula), f.or(condition, elseFormula));
}

function createReferenceCompiler(keyword: string): KeywordCompiler {
  return (reference: string, context) => context.resolveTarget(keyword, reference).compile();
}

/** The compilers of the keywords that combine schemas, and of references. */
export const LOGIC_KEYWORDS: KeywordCompilers = {
  allOf: (branches: readonly Json[], context) => context.formulas.and(...branches.map(context.compileChild)),
  anyOf: (branches: readonly Json[], context) => context.formulas.or(...branches.map(context.compileChild)),
  oneOf: (branches: readonly Json[], context) =>
    buildExactlyOne(context.formulas, branches.map(context.compileChild)),
  not: (schema: Json, context) => context.formulas.not(context.compileChild(schema)),
  if: compileIf,
  $ref: createReferenceCompiler("$ref"),
  $dynamicRef: createReferenceCompiler("$dynamicRef"),
  $recursiveRef: (reference: string, context) => {
    if (reference !== "#") throw new UnsupportedSchema('"$recursiveRef" is not "#"');
    return context.resolveTarget("$recursiveRef", reference).compile();
  },
};

/** Facts about a branch that need no search. */
interface BranchTraits {
  /** The types that the branch allows. */
  readonly mask: number;
  /** The strings that each required property may be, if they are listed. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Returns whether the types of the branches, or the constants of a tag, show that no value satisfies two of them. */
function areDisjoint(branches: readonly Formula[], f: Formulas): boolean {
  const traits = branches.map((branch) => collectTraits(branch, f));
  return traits.every((one, i) => traits.slice(i + 1).every((other) => areDisjointByTraits(one, other)));
}

function areDisjointByTraits(one: BranchTraits, other: BranchTraits): boolean {
  const commonMask = one.mask & other.mask;
  if (commonMask === 0) return true;
  if (commonMask !== getTypeBit("object")) return false;
  for (const [key, values] of one.tags) {
    const others = other.tags.get(key);
    if (others && [...values].every((value) => !others.has(value))) return true;
  }
  return false;
}

function collectTraits(formula: Formula, f: Formulas): BranchTraits {
  const parts = formula.kind === "and" ? formula.parts : [formula];
  // All bits are set: the branch allows every type.
  let mask = -1;
  const requiredNames = new Set<string>();
  const listedTexts = new Map<string, ReadonlySet<string>>();
  for (const part of parts) {
    if (part.kind === "types") mask &= part.mask;
    if (part.kind !== "literal" || !part.positive || part.atom.type !== "object") continue;
    if (part.atom.kind === "has") requiredNames.add(part.atom.key);
    if (part.atom.kind !== "each") continue;
    const [tag] = part.atom.keys.names;
    const values = readTagValues(part.atom, f);
    if (values && tag !== undefined) listedTexts.set(tag, values);
  }
  const tags = new Map([...listedTexts].filter(([key]) => requiredNames.has(key)));
  return { mask, tags };
}

/** Returns the strings that an atom allows for a single property; undefined if it does not list them. */
function readTagValues(
  atom: Atom & { type: "object"; kind: "each" },
  f: Formulas,
): ReadonlySet<string> | undefined {
  const { keys, value } = atom;
  if (keys.complement || keys.patterns.length > 0 || keys.names.length !== 1 || value.kind !== "and")
    return undefined;
  if (!value.parts.includes(f.only("string"))) return undefined;
  for (const part of value.parts) {
    if (
      part.kind === "literal" &&
      part.positive &&
      part.atom.type === "string" &&
      part.atom.kind === "enum"
    ) {
      return new Set(part.atom.values);
    }
  }
  return undefined;
}
