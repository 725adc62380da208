/** Creates a function that returns each name once. A name that was returned before gets a number. */
export function createNameAssigner(taken: Iterable<string> = []): (name: string) => string {
  const used = new Set(taken);
  return (name) => {
    let uniqueName = name;
    for (let count = 2; used.has(uniqueName); count++) uniqueName = `${name}_${count}`;
    used.add(uniqueName);
    return uniqueName;
  };
}
