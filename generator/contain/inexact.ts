import { createScanner } from "jsonc-parser";
import { join } from "../json.js";

/** A number in a JSON text that JavaScript reads as another number. */
export interface Inexact {
  /** The number as it is written. */
  readonly text: string;
  readonly pointer: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** The first number of a JSON text that a double cannot hold as it is written; the text must be valid JSON. */
export function inexactNumber(json: string): Inexact | undefined {
  const scanner = createScanner(json, true);
  /** What comes next: for each open array its index, for each open object its key. */
  const path: (number | string)[] = [];
  let last = "";
  while (scanner.getPosition() < json.length) {
    scanner.scan();
    const token = json[scanner.getTokenOffset()] ?? "";
    const top = path.at(-1);
    if (token === "[") path.push(0);
    else if (token === "{") path.push("");
    else if (token === "]" || token === "}") path.pop();
    else if (token === "," && typeof top === "number") path[path.length - 1] = top + 1;
    else if (token === ":") path[path.length - 1] = last;
    else if (token === '"') last = scanner.getTokenValue();
    else if (/[-\d]/.test(token) && !isExact(scanner.getTokenValue())) {
      const [line, column] = [scanner.getTokenStartLine() + 1, scanner.getTokenStartCharacter() + 1];
      return { text: scanner.getTokenValue(), pointer: join("", ...path), line, column };
    }
  }
  return undefined;
}

/** Longer texts of numbers are not looked into. */
const LONGEST = 1_000;

/** Whether the double nearest to a decimal has that decimal as its shortest text. */
function isExact(text: string): boolean {
  const shortest = String(Number(text));
  return text === shortest || (text.length <= LONGEST && normal(text) === normal(shortest));
}

/** The digits without zeros at either end, and the power of ten that they count: equal for equal decimals. */
function normal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return whole === "" ? text : "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}
