/** How the events of a union are distinguished, and their types. */
import type { Leaf } from "./union.js";

/** The types of events, and what they were made of. */
export interface EventNames {
  /** The field of the message that is the event type; undefined if no single field is. */
  readonly field: string | undefined;
  /** What distinguishes the events, for people. */
  readonly source: string;
  /** The type of each leaf, in order. */
  readonly types: readonly string[];
}

/** Usual names of the field that holds the event type, the more usual ones first. */
export const TYPE_FIELDS = ["type", "event", "kind", "event_type", "eventType", "name", "method", "action"];

/**
 * Returns the types of leaves whose fixed fields are `fixed`: the values of one field, or of two, or the names of the
 * leaves, which `namesAre` describes for people. Undefined if nothing distinguishes all of them.
 */
export function nameEvents(
  leaves: readonly Leaf[],
  fixed: readonly ReadonlyMap<string, string>[],
  namesAre: string,
): EventNames | undefined {
  const fields = sortByUse([...new Set(fixed.flatMap((each) => [...each.keys()]))]);
  const inAll = fields.filter((name) => fixed.every((each) => each.has(name)));
  const values = (name: string): (string | undefined)[] => fixed.map((each) => each.get(name));
  // If there is one event only, every constant is different. Then only the usual names show that a field is the type.
  const single = inAll.find(
    (name) => areDistinct(values(name)) && (leaves.length > 1 || TYPE_FIELDS.includes(name)),
  );
  if (single !== undefined)
    return { field: single, source: `the field ${single}`, types: values(single) as string[] };
  const outer = [
    ...inAll.map((name) => ({ source: `the field ${name}`, prefixes: values(name) })),
    { source: namesAre, prefixes: leaves.map(({ names }) => withoutSuffix(names[0])) },
  ].filter(({ prefixes }) => !prefixes.includes(undefined));
  for (const { source, prefixes } of outer)
    for (const inner of fields) {
      const types = values(inner).map((value, i) =>
        value === undefined ? prefixes[i] : `${prefixes[i]}.${value}`,
      );
      if (areDistinct(types))
        return { field: undefined, source: `${source} and the field ${inner}`, types: types as string[] };
    }
  const names = leaves.map((leaf) => leaf.names.at(-1));
  const types = [names.map(withoutSuffix), names].find(areDistinct);
  return types && { field: undefined, source: namesAre, types: types as string[] };
}

/** Whether all texts are there, and differ in more than letter case. */
function areDistinct(types: readonly (string | undefined)[]): boolean {
  return (
    !types.includes(undefined) && new Set(types.map((type) => type?.toLowerCase())).size === types.length
  );
}

function sortByUse(names: readonly string[]): string[] {
  const rank = (name: string): number =>
    TYPE_FIELDS.includes(name) ? TYPE_FIELDS.indexOf(name) : TYPE_FIELDS.length;
  return [...names].sort((a, b) => rank(a) - rank(b));
}

/** Returns a name without the suffix that only says that it names an event: `issues_event` → `issues`. */
function withoutSuffix(name: string | undefined): string | undefined {
  return name?.replace(/(?<=.)[._$-]?event$/i, "").replace(/\$/g, ".");
}
