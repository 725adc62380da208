import { findUnit, type Source } from "./sources.js";

/** Modules that everything imports. Their arrows would hide the others. */
const EVERYWHERE = [
  "finding.ts",
  "json.ts",
  "text.ts",
  "hash.ts",
  "sha256.ts",
  "random.ts",
  "nearest.ts",
  "group-by.ts",
  "get-item.ts",
];

/** Draws the imports between the folders of generator/ as a Mermaid graph, without arrows that longer paths imply. */
export function formatImportPicture(sources: readonly Source[]): string {
  const graph = collectUnitImports(sources);
  const arrows = [...graph].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => !isDetour(graph, from, to))
      .map((to) => `  ${formatNode(from)} --> ${formatNode(to)}`),
  );
  return ["```mermaid", "flowchart TD", ...arrows.sort(), "```"].join("\n");
}

/** Returns the units that each unit imports from, types included. */
export function collectUnitImports(sources: readonly Source[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { unit, imports } of sources) {
    if (EVERYWHERE.includes(unit)) continue;
    const targets = graph.get(unit) ?? new Set();
    graph.set(unit, targets);
    for (const to of imports.map(findUnit)) if (to !== unit && !EVERYWHERE.includes(to)) targets.add(to);
  }
  return graph;
}

/** Returns whether `to` can also be reached from `from` through another unit. */
function isDetour(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set([from, to]);
  const open = [...(graph.get(from) ?? [])].filter((unit) => unit !== to);
  for (let unit = open.pop(); unit !== undefined; unit = open.pop()) {
    if (seen.has(unit)) continue;
    seen.add(unit);
    for (const next of graph.get(unit) ?? [])
      if (next === to) return true;
      else open.push(next);
  }
  return false;
}

function formatNode(unit: string): string {
  return unit.endsWith(".ts") ? `${unit.replace(".", "_")}["${unit}"]` : `${unit}["${unit}/"]`;
}
