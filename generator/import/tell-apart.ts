/** How the events of a union are told apart, and what they are called. */
import type { Leaf } from "./union.js";

/** The way in which events are told apart. */
export interface Naming {
  /** The field of the message that is the event type; undefined where no single field is. */
  readonly field: string | undefined;
  /** How the types were made, for people. */
  readonly said: string;
  /** The type of each leaf, in order. */
  readonly types: readonly string[];
}

/** Names of fields that are the event type, the more usual ones first. */
export const USUAL = ["type", "event", "kind", "event_type", "eventType", "name", "method", "action"];

/**
 * The naming for leaves with these constants, or undefined where nothing tells all of them apart. `called` says what
 * the names of the leaves are, for people.
 */
export function tellApart(
  leaves: readonly Leaf[],
  fixed: readonly ReadonlyMap<string, string>[],
  called: string,
): Naming | undefined {
  const everywhere = inOrder(
    [...(fixed[0]?.keys() ?? [])].filter((name) => fixed.every((each) => each.has(name))),
  );
  const values = (name: string): (string | undefined)[] => fixed.map((each) => each.get(name));
  // Of one event alone every constant is different: only the usual names say that they are the type.
  const single = everywhere.find(
    (name) => distinct(values(name)) && (leaves.length > 1 || USUAL.includes(name)),
  );
  if (single !== undefined)
    return { field: single, said: `the field ${single}`, types: values(single) as string[] };
  const anywhere = inOrder([...new Set(fixed.flatMap((each) => [...each.keys()]))]);
  const outers = [
    ...everywhere.map((name) => ({ said: `the field ${name}`, names: values(name) })),
    { said: called, names: leaves.map(({ names }) => bareName(names[0])) },
  ];
  for (const { said, names } of outers) {
    if (names.some((name) => name === undefined)) continue;
    for (const inner of anywhere) {
      const types = values(inner).map((value, i) =>
        value === undefined ? names[i] : `${names[i]}.${value}`,
      );
      if (distinct(types))
        return { field: undefined, said: `${said} and the field ${inner}`, types: types as string[] };
    }
  }
  const raw = leaves.map(({ names }) => names.at(-1));
  const types = [raw.map(bareName), raw].find(distinct);
  return types === undefined ? undefined : { field: undefined, said: called, types: types as string[] };
}

function distinct(types: readonly (string | undefined)[]): boolean {
  return (
    !types.includes(undefined) && new Set(types.map((type) => type?.toLowerCase())).size === types.length
  );
}

function inOrder(names: readonly string[]): string[] {
  const place = (name: string): number => (USUAL.includes(name) ? USUAL.indexOf(name) : USUAL.length);
  return [...names].sort((a, b) => place(a) - place(b));
}

/** `issues_event` → `issues`: what stands behind says no more than that it is an event. */
function bareName(name: string | undefined): string | undefined {
  return name?.replace(/(?<=.)[._$-]?event$/i, "").replace(/\$/g, ".");
}
