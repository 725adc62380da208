/** Nondeterministic automata over bytes, as patterns are read. */

/** A step of the nondeterministic automaton: reads a byte of `bytes`, or nothing, perhaps only at the start or end. */
export interface Node {
  readonly bytes?: ReadonlySet<number>;
  readonly only?: "start" | "end";
  /** Where it leads; more than one only if it reads nothing. */
  readonly to: number[];
}

/** A nondeterministic automaton. */
export interface Nodes extends Part {
  readonly nodes: readonly Node[];
}

/** Where an automaton begins and ends. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** The nodes that are reached from these without reading, at the edge of the text if there is one; ascending. */
export function closure(
  { nodes }: Nodes,
  from: readonly number[],
  edge: "start" | "end" | undefined,
): readonly number[] {
  const seen = new Set(from);
  for (const at of seen) {
    const { bytes, only, to } = nodes[at] as Node;
    if (bytes === undefined && (only === undefined || only === edge)) for (const one of to) seen.add(one);
  }
  return [...seen].sort((a, b) => a - b);
}
