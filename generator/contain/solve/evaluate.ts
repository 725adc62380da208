/** Decides exactly whether a value satisfies a formula, directly by the meaning of the atoms. */
import { formatCanonicalJson, getOwn, isObject, type Json } from "../../json.js";
import type { Budget } from "../budget.js";
import { type Atom, type Formula, getTypeBit, type KeySet, type TypeName } from "../formula.js";
import { convertToRational } from "../rational.js";
import { matchesPattern } from "../regex/matches-pattern.js";
import { satisfiesNumberLiteral } from "./numbers.js";
import { satisfiesStringLiteral } from "./strings.js";

/** Returns the JSON type of a value. */
function getTypeName(value: Json): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "object" ? "object" : (type as "boolean" | "number" | "string");
}

/** Returns whether the set holds the key. */
export function isInKeySet(keys: KeySet, key: string, budget: Budget): boolean {
  budget.spend(keys.names.length >> 6);
  const isListed =
    keys.names.includes(key) || keys.patterns.some((source) => matchesPattern(source, key, budget));
  return isListed !== keys.complement;
}

/** Returns whether `value` satisfies `formula`. Spends one step for each formula that it visits. */
export function evaluate(formula: Formula, value: Json, budget: Budget): boolean {
  budget.spend();
  switch (formula.kind) {
    case "types":
      return (formula.mask & getTypeBit(getTypeName(value))) !== 0;
    case "and":
      return formula.parts.every((part) => evaluate(part, value, budget));
    case "or":
      return formula.parts.some((part) => evaluate(part, value, budget));
    case "lazy":
      return evaluate(formula.expand(), value, budget);
    case "literal":
      if (formula.atom.type !== getTypeName(value)) return formula.positive;
      return satisfiesAtom(formula.atom, value, budget) === formula.positive;
  }
}

function satisfiesAtom(atom: Atom, value: Json, budget: Budget): boolean {
  switch (atom.type) {
    case "boolean":
      return value === true;
    case "number":
      return (
        typeof value === "number" &&
        satisfiesNumberLiteral({ atom, positive: true }, convertToRational(value))
      );
    case "string":
      return typeof value === "string" && satisfiesStringLiteral({ atom, positive: true }, value, budget);
    case "array":
      return Array.isArray(value) && satisfiesArrayAtom(atom, value, budget);
    case "object":
      return isObject(value) && satisfiesObjectAtom(atom, value, budget);
  }
}

function satisfiesArrayAtom(atom: Atom & { type: "array" }, items: readonly Json[], budget: Budget): boolean {
  switch (atom.kind) {
    case "atLeast":
      return items.length >= atom.count;
    case "atMost":
      return items.length <= atom.count;
    case "item": {
      const item = items[atom.index];
      return item === undefined || evaluate(atom.value, item, budget);
    }
    case "rest":
      return items.slice(atom.from).every((item) => evaluate(atom.value, item, budget));
    case "containsAtLeast":
      return items.filter((item) => evaluate(atom.value, item, budget)).length >= atom.count;
    case "containsAtMost":
      return items.filter((item) => evaluate(atom.value, item, budget)).length <= atom.count;
    case "unique":
      return new Set(items.map(formatCanonicalJson)).size === items.length;
  }
}

function satisfiesObjectAtom(
  atom: Atom & { type: "object" },
  value: { readonly [key: string]: Json },
  budget: Budget,
): boolean {
  switch (atom.kind) {
    case "atLeast":
      return Object.keys(value).length >= atom.count;
    case "atMost":
      return Object.keys(value).length <= atom.count;
    case "has":
      return getOwn(value, atom.key) !== undefined;
    case "each":
      return Object.keys(value).every(
        (key) => !isInKeySet(atom.keys, key, budget) || evaluate(atom.value, value[key] ?? null, budget),
      );
    case "names":
      return Object.keys(value).every((key) => evaluate(atom.value, key, budget));
  }
}
