import { compareBranches } from "./compare-branches.js";
import {
  compareConditions,
  compareFields,
  compareItems,
  compareRest,
  compareStability,
} from "./compare-parts.js";
import {
  compareBounds,
  compareDefaults,
  compareLists,
  compareTexts,
  compareTypes,
} from "./compare-values.js";
import type { Pair, Walk } from "./walk.js";

/** Compares two views of one value in every respect; a pair of places that is being compared already is passed over. */
export function compareSchemas(walk: Walk, pair: Pair): void {
  if (literallySame(walk, pair)) return;
  const key = [pair.before, pair.after]
    .map(({ nodes }) => nodes.map(({ file, pointer }) => `${file}#${pointer}`).join(" "))
    .join(" | ");
  const parts = [pair.before, pair.after]
    .map((view) => view.parts.map(({ file, pointer }) => `${file}#${pointer}`).join(" "))
    .join(" | ");
  if (walk.open.has(key) || walk.open.has(parts)) return;
  walk.open.add(key).add(parts);
  compareOpened(walk, pair);
  walk.open.delete(key);
  walk.open.delete(parts);
}

function literallySame({ literal }: Walk, { before, after }: Pair): boolean {
  if (before.nodes.length !== after.nodes.length) return false;
  return before.nodes.every(
    ({ schema }, index) => literal[0](schema) === literal[1](after.nodes[index]?.schema ?? true),
  );
}

function compareOpened(walk: Walk, pair: Pair): void {
  compareStability(walk, pair);
  compareDefaults(walk, pair);
  if (compareTypes(walk, pair)) return;
  compareLists(walk, pair);
  compareBounds(walk, pair);
  compareTexts(walk, pair);
  compareFields(walk, pair, compareSchemas);
  compareRest(walk, pair, compareSchemas);
  compareItems(walk, pair, compareSchemas);
  compareBranches(walk, pair, compareSchemas);
  compareConditions(walk, pair);
}
