/** Assigns the names of files, which are also the names of types in generated code, to event types. */
import { toPascalCase } from "../protocol/names.js";

/** An event type that its files and type can be named for. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Assigns a different name to each event type, in order: `textDocument.didOpen` for `textDocument/didOpen`. */
export function assignFileNames(types: readonly string[]): string[] {
  const claimedKeys = new Set<string>();
  const claimName = (name: string): boolean => {
    // Some file systems ignore letter case, and `a.b` and `a_b` are one name in TypeScript.
    const key = toPascalCase(name).toLowerCase();
    const isFree = !claimedKeys.has(key);
    claimedKeys.add(key);
    return isFree;
  };
  // All types that are names themselves come first, so that none of the other names takes theirs.
  const typesAsNames = new Set(types.filter((type) => FILE_NAME.test(type) && claimName(type)));
  return types.map((type) => {
    if (typesAsNames.has(type)) return type;
    const firstChoice = toFileName(type);
    let name = firstChoice;
    for (let n = 2; !claimName(name); n++) name = `${firstChoice}.${n}`;
    return name;
  });
}

/** Returns the event type with periods instead of the characters that names of files cannot have. */
function toFileName(type: string): string {
  const withPeriods = type.replace(/[^A-Za-z0-9_-]+/g, ".");
  const trimmedName = withPeriods.replace(/^[^A-Za-z0-9]+/, "").replace(/\.+$/, "");
  return trimmedName.slice(0, 150) || "event";
}

/** The number of names that the sentence about names lists. */
const LISTED_NAMES = 5;

/** Describes the names that differ from their event types in a sentence. Returns no sentence if none does. */
export function describeFileNames(types: readonly string[], names: readonly string[]): string[] {
  const clauses = types.flatMap((type, i) =>
    names[i] === type ? [] : [`${JSON.stringify(type)} is in ${names[i]}.schema.json`],
  );
  if (clauses.length === 0) return [];
  const more = clauses.length > LISTED_NAMES ? `, and ${clauses.length - LISTED_NAMES} more` : "";
  const list = clauses.slice(0, LISTED_NAMES).join(", ");
  return [`some event types cannot be names of files and types; x-type states them: ${list}${more}`];
}
