import { readFileSync } from "node:fs";
import { isObject, type Json } from "../../generator/json.js";

/** The question whether `b` accepts everything that `a` accepts, and the right answer. */
export interface LabelledQuestion {
  readonly a: Json;
  readonly b: Json;
  readonly isContained: boolean;
}

/** Returns the questions of a file of labelled pairs: JSON lines `{id, a, b, aSubB, bSubA}`. A label that is null is no question. */
export function readLabelledQuestions(file: string): LabelledQuestion[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const row: Json = JSON.parse(line);
      if (!isObject(row) || row.a === undefined || row.b === undefined) return [];
      const { a, b, aSubB, bSubA } = row;
      return [
        ...(typeof aSubB === "boolean" ? [{ a, b, isContained: aSubB }] : []),
        ...(typeof bSubA === "boolean" ? [{ a: b, b: a, isContained: bSubA }] : []),
      ];
    });
}
