import { createErrorFinding, type Finding } from "../finding.js";
import { isExactNumber, type Json, joinPointer } from "../json.js";
import { loadJsonc } from "./jsonc-package.js";
import type { Source } from "./source.js";

/** Matches numbers that a double may not represent exactly. Fifteen digits are always exact. */
const MAYBE_INEXACT = /[\d.]+[eE][+-]?\d+|[\d.]{16,}/g;

/** Returns whether JavaScript may read a number of the file as a different one. Digits in a string count, too. */
export function mayRound(source: Source): boolean {
  return (
    source
      .getText("")
      ?.match(MAYBE_INEXACT)
      ?.some((text) => !isExactNumber(text)) === true
  );
}

/** Reports numbers of `value`, which is at `pointer`, that JavaScript reads as different numbers. */
export function lintNumbers(source: Source, pointer: string, value: Json): Finding[] {
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, each]) =>
      lintNumbers(source, joinPointer(pointer, name), each),
    );
  const text = typeof value === "number" ? source.getText(pointer) : undefined;
  if (text === undefined || isExactNumber(text)) return [];
  return [
    createErrorFinding(
      "json-number",
      `The number ${text.slice(0, 100)} is read as ${value}, in JavaScript and wherever numbers are doubles.`,
      source.locate(pointer),
      "Write a number that a double represents exactly; whole numbers are exact up to 9007199254740991.",
    ),
  ];
}

/** A number in a JSON text that JavaScript reads as a different number. */
interface InexactNumber {
  /** The number as it is written. */
  readonly text: string;
  readonly pointer: string;
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1, in UTF-16 code units. */
  readonly column: number;
}

/** Returns the first number of a valid JSON text that a double does not represent exactly. */
export function findInexactNumber(json: string): InexactNumber | undefined {
  const scanner = loadJsonc().createScanner(json, true);
  /** The path to the next value: an index for each open array, a key for each open object. */
  const path: (number | string)[] = [];
  let lastString = "";
  while (scanner.getPosition() < json.length) {
    scanner.scan();
    const token = json[scanner.getTokenOffset()] ?? "";
    const last = path.at(-1);
    if (token === "[") path.push(0);
    else if (token === "{") path.push("");
    else if (token === "]" || token === "}") path.pop();
    else if (token === "," && typeof last === "number") path[path.length - 1] = last + 1;
    else if (token === ":") path[path.length - 1] = lastString;
    else if (token === '"') lastString = scanner.getTokenValue();
    else if (/[-\d]/.test(token) && !isExactNumber(scanner.getTokenValue())) {
      const line = scanner.getTokenStartLine() + 1;
      const column = scanner.getTokenStartCharacter() + 1;
      return { text: scanner.getTokenValue(), pointer: joinPointer("", ...path), line, column };
    }
  }
  return undefined;
}
