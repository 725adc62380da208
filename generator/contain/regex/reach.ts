import type { CharSet } from "refa";
import type { Behind, Edge } from "./edge.js";

/** What of an automaton says where it leads. */
interface Graph {
  readonly edges: readonly (readonly Edge[])[];
  readonly sets: readonly CharSet[];
  readonly finals: ReadonlySet<number>;
  readonly behind: readonly Behind[];
}

/** The states that lead to a final one, or through a look-behind, without standing at the start of the text. */
export function statesAlive({ edges, finals, behind, sets }: Graph): ReadonlySet<number> {
  const before: number[][] = edges.map(() => []);
  for (const [from, own] of edges.entries()) {
    for (const edge of own) {
      const atStart = edge.is === "previous" && edge.negate && sets[edge.set]?.isAll;
      if (!atStart) before[edge.to]?.push(from);
    }
  }
  const alive = new Set([...finals, ...behind.map(({ accept }) => accept)]);
  for (const state of alive) for (const from of before[state] ?? []) alive.add(from);
  return alive;
}
