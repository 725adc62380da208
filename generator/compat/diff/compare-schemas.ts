import { RULES } from "../rules/rules.js";
import type { Aspect, Pair, Walk } from "./walk.js";

/** The comparisons of the rules, each once, in the order of the rules. */
const ASPECTS: ReadonlySet<Aspect> = new Set(RULES.flatMap(({ compareValues }) => compareValues ?? []));

/** Compares two views of one value in every respect; leaves out a pair of places that is being compared already. */
export function compareSchemas(walk: Walk, pair: Pair): void {
  if (isLiterallySame(walk, pair)) return;
  const sides = [pair.before, pair.after];
  const keys = [placesKey(sides.map(({ nodes }) => nodes)), placesKey(sides.map(({ parts }) => parts))];
  if (keys.some((key) => walk.open.has(key))) return;
  for (const key of keys) walk.open.add(key);
  for (const compareAspect of ASPECTS) if (compareAspect(walk, pair, compareSchemas) === true) break;
  for (const key of keys) walk.open.delete(key);
}

function placesKey(
  sides: readonly (readonly { readonly file: string; readonly pointer: string }[])[],
): string {
  return sides.map((places) => places.map(({ file, pointer }) => `${file}#${pointer}`).join(" ")).join(" | ");
}

function isLiterallySame({ literal }: Walk, { before, after }: Pair): boolean {
  if (before.nodes.length !== after.nodes.length) return false;
  return before.nodes.every(
    ({ schema }, index) => literal[0](schema) === literal[1](after.nodes[index]?.schema ?? true),
  );
}
