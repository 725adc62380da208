/**
 * Represents schemas of all dialects as formulas: boolean combinations of atoms. Equal formulas are the same object, so that
 * a formula and its complement are recognised at once.
 *
 * An atom constrains one JSON type. It holds for every value of another type, as JSON Schema keywords do; its
 * complement holds for no value of another type.
 */
import { formatRational, type Rational } from "./rational.js";

/** The JSON types; integers are numbers with a constraint. */
export const TYPES = ["null", "boolean", "number", "string", "array", "object"] as const;
/** One of the JSON types. */
export type TypeName = (typeof TYPES)[number];
/** The set of all types as a bit mask; bit i stands for `TYPES[i]`. */
const ALL_TYPES = (1 << TYPES.length) - 1;

/** Returns the bit of a type. */
export function getTypeBit(type: TypeName): number {
  return 1 << TYPES.indexOf(type);
}

/** A set of property names: those that are listed or matched by a pattern; with `complement`, all others. */
export interface KeySet {
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  readonly complement: boolean;
}

/** Returns the set of one key. */
export function createSingleKeySet(key: string): KeySet {
  return { names: [key], patterns: [], complement: false };
}

/** A limit on the number of characters, items or properties. */
interface SizeLimit<Type extends "string" | "array" | "object"> {
  readonly type: Type;
  readonly kind: "atLeast" | "atMost";
  readonly count: number;
}

/** A constraint on the values of one type. The values of `enum` are sorted: numbers by size, strings by code unit. */
export type Atom =
  | { readonly type: "boolean"; readonly kind: "true" }
  | {
      readonly type: "number";
      readonly kind: "above" | "below";
      readonly bound: Rational;
      /** True if the bound itself is excluded. */
      readonly isExclusive: boolean;
    }
  | { readonly type: "number"; readonly kind: "multiple"; readonly of: Rational }
  | { readonly type: "number"; readonly kind: "enum"; readonly values: readonly Rational[] }
  | { readonly type: "string"; readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly type: "string"; readonly kind: "pattern"; readonly source: string }
  | SizeLimit<"string">
  | SizeLimit<"array">
  | SizeLimit<"object">
  | { readonly type: "array"; readonly kind: "item"; readonly index: number; readonly value: Formula }
  /** All items from the index `from` on satisfy `value`. */
  | { readonly type: "array"; readonly kind: "rest"; readonly from: number; readonly value: Formula }
  | {
      readonly type: "array";
      readonly kind: "containsAtLeast" | "containsAtMost";
      readonly count: number;
      readonly value: Formula;
    }
  | { readonly type: "array"; readonly kind: "unique" }
  | { readonly type: "object"; readonly kind: "has"; readonly key: string }
  /** The values of all keys in `keys` satisfy `value`. */
  | { readonly type: "object"; readonly kind: "each"; readonly keys: KeySet; readonly value: Formula }
  /** All keys satisfy `value`. */
  | { readonly type: "object"; readonly kind: "names"; readonly value: Formula };

/** A schema as a formula. `id` is its identity: equal formulas of one `Formulas` have equal ids. */
export type Formula = { readonly id: number } & (
  | { readonly kind: "types"; readonly mask: number }
  | { readonly kind: "literal"; readonly atom: Atom; readonly positive: boolean }
  | { readonly kind: "and" | "or"; readonly parts: readonly Formula[] }
  | { readonly kind: "lazy"; readonly isReference: boolean; readonly expand: () => Formula }
);

type FormulaContent = Formula extends infer F ? (F extends Formula ? Omit<F, "id"> : never) : never;

/** The formulas of one question. */
export class Formulas {
  private readonly interned = new Map<string, Formula>();
  private readonly complements = new Map<number, Formula>();
  private nextId = 0;
  /** The formula that holds for every value. */
  readonly anything = this.types(ALL_TYPES);
  /** The formula that holds for no value. */
  readonly nothing = this.types(0);

  /** Returns the formula that holds for the values of the types in `mask`. */
  types(mask: number): Formula {
    return this.intern(`t${mask}`, { kind: "types", mask });
  }

  /** Returns the formula that holds for the values of one type. */
  only(type: TypeName): Formula {
    return this.types(getTypeBit(type));
  }

  /** Returns the formula that holds for the values of all types but one. */
  except(type: TypeName): Formula {
    return this.types(ALL_TYPES & ~getTypeBit(type));
  }

  /** Returns the atom, or its complement. */
  literal(atom: Atom, positive = true): Formula {
    return this.intern(`${positive ? "+" : "-"}${serializeAtom(atom)}`, { kind: "literal", atom, positive });
  }

  /**
   * Returns the formula with this name, which is expanded on demand: a recursive reference, or a choice that would be too
   * large if it were always expanded.
   */
  lazy(name: string, expand: () => Formula, isReference = false): Formula {
    const knownFormula = this.interned.get(`l${name}`);
    if (knownFormula) return knownFormula;
    let expanded: Formula | undefined;
    const expandOnce = () => {
      expanded ??= expand();
      return expanded;
    };
    return this.intern(`l${name}`, { kind: "lazy", isReference, expand: expandOnce });
  }

  /** Returns the conjunction. */
  and(...parts: readonly Formula[]): Formula {
    return this.join("and", parts, this.anything, this.nothing);
  }

  /** Returns the disjunction. */
  or(...parts: readonly Formula[]): Formula {
    return this.join("or", parts, this.nothing, this.anything);
  }

  /** Returns the complement, which holds exactly for the values for which `formula` does not hold. */
  not(formula: Formula): Formula {
    const knownComplement = this.complements.get(formula.id);
    if (knownComplement) return knownComplement;
    const complement = this.buildComplement(formula);
    this.complements.set(formula.id, complement);
    this.complements.set(complement.id, formula);
    return complement;
  }

  private buildComplement(formula: Formula): Formula {
    switch (formula.kind) {
      case "types":
        return this.types(ALL_TYPES & ~formula.mask);
      case "literal":
        return this.literal(formula.atom, !formula.positive);
      case "and":
        return this.or(...formula.parts.map((part) => this.not(part)));
      case "or":
        return this.and(...formula.parts.map((part) => this.not(part)));
      case "lazy":
        return this.lazy(`not ${formula.id}`, () => this.not(formula.expand()), formula.isReference);
    }
  }

  /** Joins parts. The unit changes nothing in a join; with the zero, the result is the zero. */
  private join(kind: "and" | "or", parts: readonly Formula[], unit: Formula, zero: Formula): Formula {
    const members = new Map<number, Formula>();
    let mask = kind === "and" ? ALL_TYPES : 0;
    for (const part of parts.flatMap((part) => (part.kind === kind ? part.parts : [part]))) {
      if (part.kind === "types") mask = kind === "and" ? mask & part.mask : mask | part.mask;
      else members.set(part.id, part);
    }
    const types = this.types(mask);
    if (types === zero) return zero;
    for (const id of members.keys()) {
      const complement = this.complements.get(id);
      if (complement && members.has(complement.id)) return zero;
    }
    if (types !== unit) members.set(types.id, types);
    const sortedMembers = [...members.values()].sort((a, b) => a.id - b.id);
    const [first = unit] = sortedMembers;
    if (sortedMembers.length <= 1) return first;
    return this.intern(`${kind} ${sortedMembers.map((part) => part.id).join(",")}`, {
      kind,
      parts: sortedMembers,
    });
  }

  private intern(key: string, content: FormulaContent): Formula {
    const knownFormula = this.interned.get(key);
    if (knownFormula) return knownFormula;
    const formula = { id: this.nextId++, ...content };
    this.interned.set(key, formula);
    return formula;
  }
}

/** Returns a text that is the same for equal key sets only. */
export function serializeKeySet(keys: KeySet): string {
  return `${keys.complement ? "~" : ""}${JSON.stringify([keys.names, keys.patterns])}`;
}

function serializeAtom(atom: Atom): string {
  const head = `${atom.type}.${atom.kind}`;
  switch (atom.kind) {
    case "true":
    case "unique":
      return head;
    case "above":
    case "below":
      return `${head}${atom.isExclusive ? "!" : ""}${formatRational(atom.bound)}`;
    case "multiple":
      return head + formatRational(atom.of);
    case "enum":
      return (
        head +
        JSON.stringify(
          atom.values.map((value) => (typeof value === "string" ? value : formatRational(value))),
        )
      );
    case "pattern":
      return head + atom.source;
    case "atLeast":
    case "atMost":
      return head + atom.count;
    case "item":
      return `${head}${atom.index}:${atom.value.id}`;
    case "rest":
      return `${head}${atom.from}:${atom.value.id}`;
    case "containsAtLeast":
    case "containsAtMost":
      return `${head}${atom.count}:${atom.value.id}`;
    case "has":
      return head + atom.key;
    case "each":
      return `${head}${serializeKeySet(atom.keys)}:${atom.value.id}`;
    case "names":
      return `${head}${atom.value.id}`;
  }
}
