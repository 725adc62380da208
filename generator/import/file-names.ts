/** Assigns the names of files, which are also the names of types in generated code, to event types. */
import { toPascalCase } from "../protocol/names.js";

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Assigns a different name to each event type, in order: `textDocument.didOpen` for `textDocument/didOpen`. */
export function assignFileNames(types: readonly string[]): string[] {
  const taken = new Set<string>();
  const claimName = (name: string): boolean => {
    // Some file systems ignore letter case, and `a.b` and `a_b` are one name in TypeScript.
    const key = toPascalCase(name).toLowerCase();
    const isFree = !taken.has(key);
    taken.add(key);
    return isFree;
  };
  const unchanged = new Set(types.filter((type) => FILE_NAME.test(type) && claimName(type)));
  return types.map((type) => {
    if (unchanged.has(type)) return type;
    const base = toFileName(type);
    let name = base;
    for (let n = 2; !claimName(name); n++) name = `${base}.${n}`;
    return name;
  });
}

function toFileName(type: string): string {
  const cleaned = type.replace(/[^A-Za-z0-9_-]+/g, ".").replace(/^[^A-Za-z0-9]+|\.+$/g, "");
  return cleaned.slice(0, 150) || "event";
}

/** The number of names that the sentence about names lists. */
const LISTED_NAMES = 5;

/** Describes the names that differ from their event types in a sentence. Returns no sentence if none does. */
export function describeFileNames(types: readonly string[], names: readonly string[]): string[] {
  const pairs = types.flatMap((type, i) =>
    names[i] === type ? [] : [`${JSON.stringify(type)} is in ${names[i]}.schema.json`],
  );
  if (pairs.length === 0) return [];
  const more = pairs.length > LISTED_NAMES ? `, and ${pairs.length - LISTED_NAMES} more` : "";
  const listed = pairs.slice(0, LISTED_NAMES).join(", ");
  return [`some event types cannot be names of files and types; x-type states them: ${listed}${more}`];
}
