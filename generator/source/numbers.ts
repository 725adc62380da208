import { errorFinding, type Finding } from "../finding.js";
import { isExactNumber, type Json, join } from "../json.js";
import type { Source } from "./source.js";

/** Any number that a double need not hold as it stands: fifteen digits are always safe. */
const LONG = /[\d.]+[eE][+-]?\d+|[\d.]{16,}/g;

/** Whether a number of the file may be read as another one. What only looks like a number, in a string, counts too. */
export function mayRound(source: Source): boolean {
  return (
    source
      .textAt("")
      ?.match(LONG)
      ?.some((text) => !isExactNumber(text)) === true
  );
}

/** Numbers of `value`, which stands at `pointer`, that JavaScript reads as other numbers: the contract would say those. */
export function lintNumbers(source: Source, pointer: string, value: Json): Finding[] {
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, each]) => lintNumbers(source, join(pointer, name), each));
  const text = typeof value === "number" ? source.textAt(pointer) : undefined;
  if (text === undefined || isExactNumber(text)) return [];
  return [
    errorFinding(
      "json-number",
      `The number ${text.slice(0, 100)} is read as ${value}, in JavaScript and wherever numbers are doubles.`,
      source.locate(pointer),
      "Write a number that a double holds as it stands; whole numbers are safe up to 9007199254740991.",
    ),
  ];
}
