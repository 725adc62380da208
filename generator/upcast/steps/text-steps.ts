/** Steps between one text and several fields. */
import { describeSplittable, pullBackPart } from "../../contain/preimage/pull-back-scalar.js";
import { splitPointer } from "../../json.js";
import type { SplitStep } from "../../protocol/upcast.js";
import { describeReplacement } from "./place-effects.js";
import { describeScalar, moveShape } from "./place-shapes.js";
import { findField, type PlacedSource, type StepBehaviour } from "./step-kind.js";

/** Splits a text into fields, at the first occurrences of a separator. */
export function readSplit({ from, separator, to }: SplitStep): StepBehaviour {
  const path = splitPointer(from);
  const targets = to.map(splitPointer);
  return {
    changeShape: (shape) => moveShape(shape, [path], targets, describeScalar),
    change: (event) => {
      const value = findField(event, from);
      if (value === undefined) return undefined;
      const parts = typeof value === "string" ? value.split(separator) : [];
      if (parts.length < to.length) {
        const message = `The value has no ${to.length} parts separated by ${JSON.stringify(separator)}.`;
        return { kind: "refused", place: from, message };
      }
      // The last field gets the rest of the text, which may contain the separator.
      const lastValue = parts.splice(to.length - 1).join(separator);
      return {
        kind: "changed",
        removed: [from],
        targets: to.map((pointer, index) => ({ to: pointer, value: parts[index] ?? lastValue })),
      };
    },
    describeEffect: (places) => {
      const changes = targets.map((target, index): PlacedSource => {
        const part = { separator, index, count: to.length };
        return {
          path: target,
          source: { kind: "computed", path, pull: (schema, context) => pullBackPart(schema, part, context) },
        };
      });
      const schema = describeSplittable(separator, to.length);
      return describeReplacement({ paths: [path], schema }, changes, places);
    },
    follow: (findMatch) => {
      const found = findMatch(from);
      return found && { fate: "split", found, move: { from, to } };
    },
    formatCall: () => ["split", path, separator, targets],
    formatSql: (sql) => {
      const { isPossible, parts } = sql.split("value", separator, to.length);
      return {
        isActive: "value IS NOT NULL",
        value: sql.find("event", path),
        changes: [
          `CASE WHEN ${isPossible} THEN ${sql.removeValue(path)} END`,
          ...targets.map((target, index) => sql.addValue(target, parts[index] ?? "NULL")),
        ],
      };
    },
  };
}
