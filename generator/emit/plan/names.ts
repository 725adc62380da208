/**
 * Creates a function that returns each name once. A name that was returned before, or that is in `reserved`, gets a number.
 * Names with the same result of `normalize` count as the same.
 */
export function createNameAssigner(
  reserved: Iterable<string> = [],
  normalize = (name: string) => name,
): (name: string) => string {
  const usedNames = new Set([...reserved].map(normalize));
  return (name) => {
    let uniqueName = name;
    for (let count = 2; usedNames.has(normalize(uniqueName)); count++) uniqueName = `${name}_${count}`;
    usedNames.add(normalize(uniqueName));
    return uniqueName;
  };
}

/** Returns the words of `text`, which white space separates. */
export function splitWords(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Returns a function that formats names as `format` does, and ends those that are reserved with an underscore. */
export function avoidNames(
  reserved: readonly string[],
  format: (name: string) => string,
): (name: string) => string {
  const names = new Set(reserved);
  return (name) => {
    const formatted = format(name);
    return names.has(formatted) ? `${formatted}_` : formatted;
  };
}

/** Formats a name of a type for languages in which it begins with a capital letter, so that it is never the name of a field. */
export function formatCapitalName(name: string): string {
  const letters = replaceOtherCharacters(name, "");
  return /^\p{Lu}/u.test(letters) ? letters : `X${letters}`;
}

/** Formats a name in snake_case: `AgentID` → `agent_id`. It never begins with a capital letter or an underscore. */
export function formatSnakeName(name: string): string {
  const words = replaceOtherCharacters(name, "_")
    .replace(/(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, "_")
    .toLowerCase()
    .replace(/_+/g, (underscores, at: number) => (at === 0 ? "" : underscores));
  return /^\p{XID_Start}/u.test(words) ? words : `field_${words}`.replace(/_$/, "");
}

/** Replaces characters that no identifier has. The result is in the normal form in which Python compares identifiers, and so in that of Rust. */
function replaceOtherCharacters(name: string, replacement: string): string {
  return name.normalize("NFKC").replace(/[^\p{XID_Continue}]+/gu, replacement);
}
