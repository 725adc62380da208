/** Counts the schemas that a validator applies to one value. */
import { isObject, type Json, type JsonObject } from "../json.js";
import { getKeywords, type Vocabulary } from "./keywords.js";
import { listSubschemas } from "./walk.js";

/**
 * Returns a function that counts the schemas that a validator may apply to one value: to a value of the schema or to a part of
 * it, whichever are more. A schema counts as often as references and alternatives lead to it, because a validator remembers
 * nothing: definitions that refer twice to the next one double the number. `listTargets` returns the schemas to which the
 * references of a schema lead. Parts that an earlier call counted are left out.
 */
export function createAppliedSchemaCounter(
  vocabulary: Vocabulary,
  listTargets: (schema: JsonObject) => readonly Json[],
): (schema: Json) => number {
  const keywords = getKeywords(vocabulary);
  const counts = new Map<Json, number>();
  let greatest = 0;
  const count = (schema: Json): number => {
    if (!isObject(schema)) return 1;
    const known = counts.get(schema);
    if (known !== undefined) return known;
    // A schema that applies itself to the same value is refused elsewhere.
    counts.set(schema, 1);
    let sum = 1;
    for (const target of listTargets(schema)) sum += count(target);
    for (const { keyword, schema: part } of listSubschemas(schema, "", vocabulary)) {
      const partCount = count(part);
      if (keywords.get(keyword)?.subject === "same value") sum += partCount;
    }
    counts.set(schema, sum);
    greatest = Math.max(greatest, sum);
    return sum;
  };
  return (schema) => {
    greatest = 1;
    count(schema);
    return greatest;
  };
}
