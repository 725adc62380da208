/** A cheap sufficient test that no value satisfies two of the branches: by type, or by the constant in a tag. */
import { type Atom, bit, type Formula, type Formulas } from "../formula.js";

interface Traits {
  readonly mask: number;
  /** What the strings and numbers at a required property may be, as texts. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Whether the branches are disjoint for a reason that can be read off them; false says nothing. */
export function areDisjoint(branches: readonly Formula[], f: Formulas): boolean {
  const traits = branches.map((branch) => traitsOf(branch, f));
  return traits.every((one, i) => traits.slice(i + 1).every((other) => apart(one, other)));
}

function apart(one: Traits, other: Traits): boolean {
  const common = one.mask & other.mask;
  if (common === 0) return true;
  if (common !== bit("object")) return false;
  for (const [key, values] of one.tags) {
    const others = other.tags.get(key);
    if (others && [...values].every((value) => !others.has(value))) return true;
  }
  return false;
}

function traitsOf(formula: Formula, f: Formulas): Traits {
  const parts = formula.kind === "and" ? formula.parts : [formula];
  let mask = -1;
  const required = new Set<string>();
  const listed = new Map<string, ReadonlySet<string>>();
  for (const part of parts) {
    if (part.kind === "types") mask &= part.mask;
    if (part.kind !== "literal" || !part.positive || part.atom.on !== "object") continue;
    if (part.atom.is === "has") required.add(part.atom.key);
    const [tag] = part.atom.is === "each" ? part.atom.keys.names : [];
    const values = part.atom.is === "each" && tag !== undefined ? tagValues(part.atom, f) : undefined;
    if (values && tag !== undefined) listed.set(tag, values);
  }
  const tags = new Map([...listed].filter(([key]) => required.has(key)));
  return { mask, tags };
}

/** The values that an atom about a single property leaves, when it leaves a list of strings. */
function tagValues(atom: Atom & { on: "object"; is: "each" }, f: Formulas): ReadonlySet<string> | undefined {
  const { keys, value } = atom;
  if (keys.complement || keys.patterns.length > 0 || keys.names.length !== 1 || value.kind !== "and")
    return undefined;
  if (!value.parts.includes(f.types(bit("string")))) return undefined;
  for (const part of value.parts) {
    if (part.kind === "literal" && part.positive && part.atom.on === "string" && part.atom.is === "among") {
      return new Set(part.atom.values);
    }
  }
  return undefined;
}
