/**
 * Searches for a number that satisfies bounds, multiples, and exclusions of multiples and of single numbers. The search is
 * exact over the rationals, which include every JSON number, so "empty" is a proof. A value must also be a JSON number.
 */
import { includesSorted } from "../binary-search.js";
import type { Budget } from "../budget.js";
import type { Atom } from "../formula.js";
import {
  ceil,
  compareRationals,
  createRational,
  divide,
  floor,
  isMultiple,
  lcm,
  multiply,
  type Rational,
  toNumber,
} from "../rational.js";
import { createUnknownOutcome, createValueOutcome, EMPTY, type Outcome } from "./outcome.js";

/** An atom about numbers, or its complement. */
interface NumberLiteral {
  readonly atom: Atom & { readonly type: "number" };
  readonly positive: boolean;
}

/** A lower or an upper bound. */
interface Bound {
  readonly limit: Rational;
  /** True if the limit itself is excluded. */
  readonly isExclusive: boolean;
}

/** The constraints of all literals together. */
interface NumberFacts {
  low?: Bound;
  high?: Bound;
  /** The number must be a multiple of this. */
  step?: Rational;
  /** The number must be a multiple of none of these. */
  avoidedSteps: Rational[];
  /** The number of values that are excluded one by one. */
  excludedCount: number;
  /** The shortest list of values that a literal allows. */
  candidates?: readonly Rational[];
}

/** The greatest number of multiples that are tried, in addition to the excluded numbers. */
const MAX_MULTIPLES = 2_000;
/** The greatest number of decimal places that are tried for a number that need not be a multiple. */
const MAX_DECIMALS = 330;
/** The greatest number of values that are tried for each number of decimal places. */
const MAX_NUMBERS_PER_DECIMAL = 60;
const ONE: Rational = { num: 1n, den: 1n };

/** Returns a number for which all literals hold. Tries numbers near zero first. */
export function solveNumbers(literals: readonly NumberLiteral[], budget: Budget): Outcome {
  const facts: NumberFacts = { avoidedSteps: [], excludedCount: 0 };
  for (const literal of literals) addLiteral(facts, literal);
  const holds = (value: Rational) => literals.every((literal) => satisfiesNumberLiteral(literal, value));
  if (facts.candidates) {
    budget.spend(1 + ((facts.candidates.length * literals.length) >> 2));
    return chooseJsonNumber(facts.candidates.filter(holds));
  }
  if (facts.low && facts.high) {
    const order = compareRationals(facts.low.limit, facts.high.limit);
    if (order > 0 || (order === 0 && (facts.low.isExclusive || facts.high.isExclusive))) return EMPTY;
    if (order === 0) return chooseJsonNumber([facts.low.limit].filter(holds));
  }
  return facts.step ? solveMultiples(facts, facts.step, holds, budget) : solveInterval(facts, holds, budget);
}

/** Returns whether the literal holds for a number. */
export function satisfiesNumberLiteral({ atom, positive }: NumberLiteral, value: Rational): boolean {
  return satisfiesNumberAtom(atom, value) === positive;
}

function satisfiesNumberAtom(atom: NumberLiteral["atom"], value: Rational): boolean {
  switch (atom.kind) {
    case "above":
      return isBeyond(compareRationals(value, atom.bound), atom.isExclusive);
    case "below":
      return isBeyond(compareRationals(atom.bound, value), atom.isExclusive);
    case "multiple":
      return isMultiple(value, atom.of);
    case "enum":
      return includesSorted(atom.values, (each) => compareRationals(each, value));
  }
}

function isBeyond(order: number, isExclusive: boolean): boolean {
  return isExclusive ? order > 0 : order >= 0;
}

function addLiteral(facts: NumberFacts, { atom, positive }: NumberLiteral): void {
  switch (atom.kind) {
    case "above":
    case "below":
      tightenBound(facts, (atom.kind === "above") === positive, {
        limit: atom.bound,
        // The complement of an exclusive bound is inclusive, and the reverse.
        isExclusive: atom.isExclusive === positive,
      });
      break;
    case "multiple":
      if (positive) facts.step = facts.step ? lcm(facts.step, atom.of) : atom.of;
      else facts.avoidedSteps.push(atom.of);
      break;
    case "enum":
      if (!positive) facts.excludedCount += atom.values.length;
      else if (!facts.candidates || atom.values.length < facts.candidates.length)
        facts.candidates = atom.values;
      break;
  }
}

function tightenBound(facts: NumberFacts, isLow: boolean, bound: Bound): void {
  const knownBound = isLow ? facts.low : facts.high;
  const order = knownBound ? compareRationals(bound.limit, knownBound.limit) : 0;
  const isTighter = !knownBound || (isLow ? order > 0 : order < 0) || (order === 0 && bound.isExclusive);
  if (!isTighter) return;
  if (isLow) facts.low = bound;
  else facts.high = bound;
}

function chooseJsonNumber(values: readonly Rational[]): Outcome {
  if (values.length === 0) return EMPTY;
  for (const value of values) {
    const number = toNumber(value);
    if (number !== undefined) return createValueOutcome(number);
  }
  return createUnknownOutcome("no JSON number is exact enough");
}

/** Searches for a multiple of `step`. If an avoided step divides `step`, there is none. */
function solveMultiples(
  facts: NumberFacts,
  step: Rational,
  holds: (value: Rational) => boolean,
  budget: Budget,
): Outcome {
  if (facts.avoidedSteps.some((avoided) => isMultiple(step, avoided))) return EMPTY;
  const low = facts.low ? roundUp(divide(facts.low.limit, step), facts.low.isExclusive) : undefined;
  const high = facts.high ? roundDown(divide(facts.high.limit, step), facts.high.isExclusive) : undefined;
  if (low !== undefined && high !== undefined && low > high) return EMPTY;
  const maxChecked = MAX_MULTIPLES + facts.excludedCount;
  let checkedCount = 0;
  let isInexact = false;
  for (const factor of listIntegersFromZero(low, high)) {
    if (checkedCount > maxChecked) break;
    checkedCount++;
    budget.spend();
    const value = multiply(step, createRational(factor));
    if (!holds(value)) continue;
    const number = toNumber(value);
    if (number !== undefined) return createValueOutcome(number);
    isInexact = true;
  }
  for (const factor of isInexact ? listRoundIntegers(low, high) : []) {
    budget.spend();
    const value = multiply(step, createRational(factor));
    const number = toNumber(value);
    if (number !== undefined && holds(value)) return createValueOutcome(number);
  }
  const isWholeRange = low !== undefined && high !== undefined && high - low <= BigInt(maxChecked);
  return isWholeRange && !isInexact ? EMPTY : createUnknownOutcome("no multiple was found near the bounds");
}

/** Returns the least integer above `value`, or `value` itself if it is an integer and not excluded. */
function roundUp(value: Rational, isExclusive: boolean): bigint {
  const next = ceil(value);
  return isExclusive && compareRationals(value, createRational(next)) === 0 ? next + 1n : next;
}

/** Returns the greatest integer below `value`, or `value` itself if it is an integer and not excluded. */
function roundDown(value: Rational, isExclusive: boolean): bigint {
  const next = floor(value);
  return isExclusive && compareRationals(value, createRational(next)) === 0 ? next - 1n : next;
}

/** Yields the integers from `low` to `high`. Begins with the one that is nearest to zero. */
function* listIntegersFromZero(low: bigint | undefined, high: bigint | undefined): Generator<bigint> {
  const isInRange = (k: bigint) => (low === undefined || k >= low) && (high === undefined || k <= high);
  let start = 0n;
  if (low !== undefined && low > 0n) start = low;
  else if (high !== undefined && high < 0n) start = high;
  if (isInRange(start)) yield start;
  for (let distance = 1n; isInRange(start + distance) || isInRange(start - distance); distance++) {
    if (isInRange(start + distance)) yield start + distance;
    if (isInRange(start - distance)) yield start - distance;
  }
}

/**
 * Yields integers with few significant digits from `low` to `high`, for ranges beyond the exact integers: first those with
 * the fewest zeros.
 */
function* listRoundIntegers(low: bigint | undefined, high: bigint | undefined): Generator<bigint> {
  const isNegative = high !== undefined && high < 0n;
  const [nearest, farthest] = isNegative ? [-high, low === undefined ? undefined : -low] : [low ?? 0n, high];
  for (let unit = 10n; unit <= nearest * 10n; unit *= 10n) {
    const factor = ((nearest + unit - 1n) / unit) * unit;
    if (farthest !== undefined && factor > farthest) return;
    yield isNegative ? -factor : factor;
  }
}

/**
 * Searches for a number that need not be a multiple. An interval of more than one point always holds a number that is not
 * excluded.
 */
function solveInterval(facts: NumberFacts, holds: (value: Rational) => boolean, budget: Budget): Outcome {
  let scale = ONE;
  const tenth = createRational(1n, 10n);
  for (let digits = 0; digits <= MAX_DECIMALS; digits++) {
    const low = facts.low ? roundUp(divide(facts.low.limit, scale), facts.low.isExclusive) : undefined;
    const high = facts.high ? roundDown(divide(facts.high.limit, scale), facts.high.isExclusive) : undefined;
    let checkedCount = 0;
    for (const factor of listIntegersFromZero(low, high)) {
      budget.spend();
      if (checkedCount > MAX_NUMBERS_PER_DECIMAL) break;
      checkedCount++;
      const value = multiply(scale, createRational(factor));
      const number = holds(value) ? toNumber(value) : undefined;
      if (number !== undefined) return createValueOutcome(number);
    }
    scale = multiply(scale, tenth);
  }
  return createUnknownOutcome("no JSON number was found between the bounds");
}
