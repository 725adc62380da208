import { errorFinding, type Finding } from "../finding.js";
import { isObject, type Json } from "../json.js";
import type { Definition } from "../schema/json-schema.js";
import { keywordsOf } from "../schema/keywords.js";
import { type Definitions, definitionNameOf } from "../schema/reference.js";
import { subschemas } from "../schema/walk.js";

/** Definitions that refer to themselves with no structure in between: no value and no type could be built. */
export function lintCycles(definitions: Definitions): Finding[] {
  return emptyCycles(definitions).map(({ name, at }) =>
    errorFinding(
      "ref-cycle",
      `The definition ${name} refers back to itself with nothing in between, so it describes no value and no type.`,
      at,
      "Let the cycle pass through a property or an item.",
    ),
  );
}

function emptyCycles(definitions: Definitions): { name: string; at: Definition["at"] }[] {
  const edges = new Map<string, Set<string>>();
  for (const [name, { schema }] of Object.entries(definitions)) edges.set(name, inPlaceReferences(schema));
  const reaches = (from: string, to: string): boolean => {
    const seen = new Set<string>();
    const queue = [...(edges.get(from) ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (next === to) return true;
      if (!seen.has(next)) {
        seen.add(next);
        queue.push(...(edges.get(next) ?? []));
      }
    }
    return false;
  };
  return Object.entries(definitions).flatMap(([name, { at }]) => (reaches(name, name) ? [{ name, at }] : []));
}

function inPlaceReferences(schema: Json): Set<string> {
  const found = new Set<string>();
  const visit = (node: Json): void => {
    if (!isObject(node)) return;
    if (typeof node.$ref === "string") found.add(definitionNameOf(node.$ref));
    for (const sub of subschemas(node))
      if (keywordsOf().get(sub.keyword)?.subject === "same value") visit(sub.schema);
  };
  visit(schema);
  return found;
}
