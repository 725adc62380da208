/**
 * Is there a number that satisfies bounds, multiples, exclusions of multiples and of single numbers? Exact over the
 * rationals, which hold every JSON number, so "empty" is a proof; a value must also be a JSON number.
 */

import { includesSorted } from "../binary-search.js";
import type { Budget } from "../budget.js";
import type { Atom } from "../formula.js";
import {
  ceil,
  compare,
  floor,
  isMultiple,
  lcm,
  over,
  type Rational,
  rational,
  times,
  toNumber,
} from "../rational.js";
import { EMPTY, found, type Outcome, unknown } from "./outcome.js";

/** An atom about numbers, or its complement. */
interface NumberLiteral {
  readonly atom: Atom & { readonly on: "number" };
  readonly positive: boolean;
}

interface Bound {
  readonly at: Rational;
  readonly open: boolean;
}

interface NumberFacts {
  low?: Bound;
  high?: Bound;
  step?: Rational;
  avoided: Rational[];
  /** How many numbers are excluded one by one. */
  excluded: number;
  among?: readonly Rational[];
}

const WINDOW = 2_000;
const ONE: Rational = { num: 1n, den: 1n };

/** Returns a number of which all the literals hold, as near to zero as is easily found. */
export function solveNumbers(literals: readonly NumberLiteral[], budget: Budget): Outcome {
  const facts: NumberFacts = { avoided: [], excluded: 0 };
  for (const literal of literals) addLiteral(facts, literal);
  const holds = (value: Rational) => literals.every((literal) => numberLiteralHolds(literal, value));
  if (facts.among) {
    budget.spend(1 + ((facts.among.length * literals.length) >> 2));
    return choose(facts.among.filter(holds));
  }
  if (facts.low && facts.high) {
    const order = compare(facts.low.at, facts.high.at);
    if (order > 0 || (order === 0 && (facts.low.open || facts.high.open))) return EMPTY;
    if (order === 0) return choose([facts.low.at].filter(holds));
  }
  return facts.step ? solveSteps(facts, facts.step, holds, budget) : solveDense(facts, holds, budget);
}

/** Returns whether the literal holds for a number. */
export function numberLiteralHolds({ atom, positive }: NumberLiteral, value: Rational): boolean {
  return numberAtom(atom, value) === positive;
}

function numberAtom(atom: NumberLiteral["atom"], value: Rational): boolean {
  switch (atom.is) {
    case "above":
      return compare(value, atom.bound) > (atom.open ? 0 : -1);
    case "below":
      return compare(value, atom.bound) < (atom.open ? 0 : 1);
    case "multiple":
      return isMultiple(value, atom.of);
    case "enum":
      return includesSorted(atom.values, (each) => compare(each, value));
  }
}

function addLiteral(facts: NumberFacts, { atom, positive }: NumberLiteral): void {
  switch (atom.is) {
    case "above":
    case "below":
      tighten(facts, (atom.is === "above") === positive, { at: atom.bound, open: atom.open === positive });
      break;
    case "multiple":
      if (positive) facts.step = facts.step ? lcm(facts.step, atom.of) : atom.of;
      else facts.avoided.push(atom.of);
      break;
    case "enum":
      if (!positive) facts.excluded += atom.values.length;
      else if (!facts.among || atom.values.length < facts.among.length) facts.among = atom.values;
      break;
  }
}

function tighten(facts: NumberFacts, isLow: boolean, bound: Bound): void {
  const known = isLow ? facts.low : facts.high;
  const order = known ? compare(bound.at, known.at) : 0;
  const tighter = !known || (isLow ? order > 0 : order < 0) || (order === 0 && bound.open);
  if (!tighter) return;
  if (isLow) facts.low = bound;
  else facts.high = bound;
}

function choose(values: readonly Rational[]): Outcome {
  if (values.length === 0) return EMPTY;
  for (const value of values) {
    const number = toNumber(value);
    if (number !== undefined) return found(number);
  }
  return unknown("no JSON number is exact enough");
}

/** Multiples of `step`. All of them are multiples of what divides `step`, and of nothing else. */
function solveSteps(
  facts: NumberFacts,
  step: Rational,
  holds: (value: Rational) => boolean,
  budget: Budget,
): Outcome {
  if (facts.avoided.some((avoided) => isMultiple(step, avoided))) return EMPTY;
  const low = facts.low ? lowest(over(facts.low.at, step), facts.low.open) : undefined;
  const high = facts.high ? highest(over(facts.high.at, step), facts.high.open) : undefined;
  if (low !== undefined && high !== undefined && low > high) return EMPTY;
  const window = WINDOW + facts.excluded;
  let checked = 0;
  let inexact = false;
  for (const k of nearZero(low, high)) {
    if (checked++ > window) break;
    budget.spend();
    const value = times(step, rational(k));
    if (!holds(value)) continue;
    const number = toNumber(value);
    if (number !== undefined) return found(number);
    inexact = true;
  }
  const all = low !== undefined && high !== undefined && high - low <= BigInt(window);
  return all && !inexact ? EMPTY : unknown("no multiple was found near the bounds");
}

function lowest(value: Rational, open: boolean): bigint {
  const next = ceil(value);
  return open && compare(value, rational(next)) === 0 ? next + 1n : next;
}

function highest(value: Rational, open: boolean): bigint {
  const next = floor(value);
  return open && compare(value, rational(next)) === 0 ? next - 1n : next;
}

/** Yields the integers from `low` to `high`, by their distance from the one that is nearest to zero. */
function* nearZero(low: bigint | undefined, high: bigint | undefined): Generator<bigint> {
  const inside = (k: bigint) => (low === undefined || k >= low) && (high === undefined || k <= high);
  const start = inside(0n) ? 0n : low !== undefined && low > 0n ? low : (high ?? 0n);
  if (inside(start)) yield start;
  for (let distance = 1n; inside(start + distance) || inside(start - distance); distance++) {
    if (inside(start + distance)) yield start + distance;
    if (inside(start - distance)) yield start - distance;
  }
}

/** Searches a number that need not be a multiple. An interval of more than one point always holds one that is not excluded. */
function solveDense(facts: NumberFacts, holds: (value: Rational) => boolean, budget: Budget): Outcome {
  let scale = ONE;
  const tenth = rational(1n, 10n);
  for (let digits = 0; digits <= 330; digits++) {
    const low = facts.low ? lowest(over(facts.low.at, scale), facts.low.open) : undefined;
    const high = facts.high ? highest(over(facts.high.at, scale), facts.high.open) : undefined;
    let checked = 0;
    for (const k of nearZero(low, high)) {
      budget.spend();
      if (checked++ > 60) break;
      const value = times(scale, rational(k));
      const number = holds(value) ? toNumber(value) : undefined;
      if (number !== undefined) return found(number);
    }
    scale = times(scale, tenth);
  }
  return unknown("no JSON number was found between the bounds");
}
