/** Decimal digits of numbers. */

/** Returns the number as it is written: digits times a power of ten. */
export function readDecimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [coefficient = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = coefficient.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Returns the product of two numbers as they are written in decimal digits, rounded once. */
export function scaleNumber(value: number, by: number): number {
  const [a, b] = [readDecimal(value), readDecimal(by)];
  return Number(`${a.digits * b.digits}e${a.exponent + b.exponent}`);
}

/** Returns a number in decimal digits, without an exponent: the shortest ones that give the number again. */
export function formatDecimal(value: number): string {
  const { digits, exponent } = readDecimal(value);
  const text = String(digits < 0n ? -digits : digits);
  const sign = digits < 0n ? "-" : "";
  if (exponent >= 0) return sign + text + "0".repeat(exponent);
  const padded = text.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
