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
