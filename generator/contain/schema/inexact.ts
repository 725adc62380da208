import { createScanner } from "jsonc-parser";
import { isExactNumber, join } from "../../json.js";

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
    else if (/[-\d]/.test(token) && !isExactNumber(scanner.getTokenValue())) {
      const [line, column] = [scanner.getTokenStartLine() + 1, scanner.getTokenStartCharacter() + 1];
      return { text: scanner.getTokenValue(), pointer: join("", ...path), line, column };
    }
  }
  return undefined;
}
