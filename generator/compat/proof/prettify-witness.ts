/** Replaces unusual dates and times in a witness by common ones, as long as it is still a witness. */
import { createObject, isObject, type Json, listItems } from "../../json.js";

/**
 * Forms of dates and times with a common example of each. Proofs find unusual ones first, with year 0 or small letters.
 */
const COMMON_FORMS: readonly (readonly [form: RegExp, text: string])[] = [
  [/^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:\d\d)$/i, "2000-01-01T00:00:00Z"],
  [/^\d{4}-\d\d-\d\d$/, "2000-01-01"],
  [/^\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:\d\d)$/i, "00:00:00Z"],
];

/** Returns the witness with common dates and times. Replaces each one only if `isWitness` is true for the result. */
export function prettifyWitness(witness: Json, isWitness: (candidate: Json) => boolean): Json {
  if (typeof witness === "string") {
    const text = COMMON_FORMS.find(([form]) => form.test(witness))?.[1];
    if (text === undefined) return witness;
    // If the break depends on the year or on the letter case, only the other part is changed.
    const others = [text, witness.toUpperCase(), witness.replace(/^0000/, "2000")];
    return others.find((other) => other === witness || isWitness(other)) ?? witness;
  }
  if (Array.isArray(witness)) {
    const items = [...listItems(witness)];
    for (const [index, item] of items.entries())
      items[index] = prettifyWitness(item, (replaced) =>
        isWitness(items.map((each, otherIndex) => (otherIndex === index ? replaced : each))),
      );
    return items;
  }
  if (!isObject(witness)) return witness;
  const fields = new Map(Object.entries(witness));
  for (const [name, value] of fields)
    fields.set(
      name,
      prettifyWitness(value, (replaced) => isWitness(createObject(new Map(fields).set(name, replaced)))),
    );
  return createObject(fields);
}
