/** Creates a function that returns each name once. A name that is taken gets a number, so earlier names stay the same. */
export function createNameAssigner(taken: Iterable<string> = []): (name: string) => string {
  const used = new Set(taken);
  return (name) => {
    let [free, count] = [name, 1];
    while (used.has(free)) free = `${name}_${++count}`;
    used.add(free);
    return free;
  };
}
