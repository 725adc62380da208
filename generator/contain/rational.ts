/**
 * Computes with exact rational numbers. A JSON number means the decimal that its shortest text shows: 0.1 is one tenth, not
 * the double nearest to it, because `multipleOf` is about decimals.
 */

/** A fraction in lowest terms with a positive denominator. */
export interface Rational {
  readonly num: bigint;
  readonly den: bigint;
}

/** Returns the greatest common divisor, never negative. */
function gcd(a: bigint, b: bigint): bigint {
  let x = a < 0n ? -a : a;
  let y = b < 0n ? -b : b;
  while (y !== 0n) {
    const rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

/** Returns the fraction num/den in lowest terms. `den` is not zero. */
export function createRational(num: bigint, den = 1n): Rational {
  const divisor = gcd(num, den) * (den < 0n ? -1n : 1n);
  return divisor === 0n ? { num: 0n, den: 1n } : { num: num / divisor, den: den / divisor };
}

/** Returns the decimal that the shortest text of a finite number shows. */
export function convertToRational(value: number): Rational {
  if (Number.isSafeInteger(value)) return { num: BigInt(value), den: 1n };
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return power >= 0
    ? createRational(digits * 10n ** BigInt(power))
    : createRational(digits, 10n ** BigInt(-power));
}

/** Returns the JSON number that means exactly this fraction, or undefined if there is none. */
export function toNumber(value: Rational): number | undefined {
  const candidate = value.den === 1n ? Number(value.num) : approximateQuotient(value);
  if (!Number.isFinite(candidate)) return undefined;
  return compareRationals(convertToRational(candidate), value) === 0 ? candidate : undefined;
}

function approximateQuotient(value: Rational): number {
  const scale = 10n ** 400n;
  return Number(`${(value.num * scale) / value.den}e-400`);
}

/** Returns a number below, at or above 0, as `a` is below, at or above `b`. */
export function compareRationals(a: Rational, b: Rational): number {
  const difference = a.num * b.den - b.num * a.den;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/** Returns whether `value` is an integer times `step`. `step` is not zero. */
export function isMultiple(value: Rational, step: Rational): boolean {
  return (value.num * step.den) % (value.den * step.num) === 0n;
}

/** Returns the least positive number that is a multiple of both. */
export function lcm(a: Rational, b: Rational): Rational {
  const numerator = (a.num / gcd(a.num, b.num)) * b.num;
  return createRational(numerator < 0n ? -numerator : numerator, gcd(a.den, b.den));
}

/** Returns a · b. */
export function multiply(a: Rational, b: Rational): Rational {
  return createRational(a.num * b.num, a.den * b.den);
}

/** Returns a / b. `b` is not zero. */
export function divide(a: Rational, b: Rational): Rational {
  return createRational(a.num * b.den, a.den * b.num);
}

/** Returns the greatest integer that is not above `value`. */
export function floor(value: Rational): bigint {
  const quotient = value.num / value.den;
  return value.num < 0n && value.num % value.den !== 0n ? quotient - 1n : quotient;
}

/** Returns the least integer that is not below `value`. */
export function ceil(value: Rational): bigint {
  return -floor({ num: -value.num, den: value.den });
}

/** Returns a text that is the same for equal fractions only. */
export function formatRational(value: Rational): string {
  return value.den === 1n ? String(value.num) : `${value.num}/${value.den}`;
}
