/** Finds the place of a difference between two schemas that no rule names. */
import { canonical, isObject, type Json, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { targetName, targetOf } from "../../schema/reference.js";
import { below, type Spot, spotAt } from "../side.js";

/** How many definitions are followed. */
const MOST_REFERENCES = 16;

/**
 * Returns the innermost places that hold all of the difference between two schemas, references followed.
 */
export function locateDifference(
  before: Spot,
  after: Spot,
  protocols: { readonly before: Protocol; readonly after: Protocol },
  references = 0,
): readonly [before: Spot, after: Spot] {
  const [old, now] = [before.schema, after.schema];
  const here = [before, after] as const;
  if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
    const differing = old.flatMap((each, index) =>
      isEqual(each, now[index] ?? null, protocols) ? [] : [index],
    );
    return enter(differing, before, after, protocols, references) ?? here;
  }
  if (!isObject(old) || !isObject(now)) return here;
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => name !== "$ref");
  const differing = names.filter((name) => !isEqual(own(old, name), own(now, name), protocols));
  const replaced = findReplacement(differing, before, after);
  if (replaced) return replaced;
  const [from, to] = [
    targetOf(old, protocols.before.definitions),
    targetOf(now, protocols.after.definitions),
  ];
  if (differing.length === 0 && from && to && references < MOST_REFERENCES)
    return locateDifference(
      spotAt(from.schema, from.at),
      spotAt(to.schema, to.at),
      protocols,
      references + 1,
    );
  return enter(differing, before, after, protocols, references) ?? here;
}

/** One member that only the older schema has, and one that only the newer has, if nothing else differs. */
function findReplacement(
  differing: readonly string[],
  before: Spot,
  after: Spot,
): readonly [Spot, Spot] | undefined {
  const [removed, added] = [before, after].map(({ schema }) =>
    differing.filter((name) => member(schema, name) !== undefined),
  );
  const [from, to] = [removed?.[0], added?.[0]];
  if (differing.length !== 2 || from === undefined || to === undefined || from === to) return undefined;
  const [old, now] = [member(before.schema, from), member(after.schema, to)];
  return [below(before, old ?? null, from), below(after, now ?? null, to)];
}

/** Goes on in the only member that differs, if there is only one and both sides have it. */
function enter(
  differing: readonly (string | number)[],
  before: Spot,
  after: Spot,
  protocols: { readonly before: Protocol; readonly after: Protocol },
  references: number,
): readonly [Spot, Spot] | undefined {
  const [token, ...others] = differing;
  if (token === undefined || others.length > 0) return undefined;
  const [old, now] = [before, after].map(({ schema }) => member(schema, token));
  if (old === undefined || now === undefined) return undefined;
  return locateDifference(below(before, old, token), below(after, now, token), protocols, references);
}

function member(value: Json, token: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(token)];
  return isObject(value) ? own(value, String(token)) : undefined;
}

/** Whether two values are literally the same, and so is all that they refer to. */
function isEqual(
  a: Json | undefined,
  b: Json | undefined,
  protocols: { readonly before: Protocol; readonly after: Protocol },
  compared: Set<string> = new Set(),
): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (canonical(a) !== canonical(b)) return false;
  return referencesIn(a).every((name) => {
    if (compared.has(name)) return true;
    compared.add(name);
    const [old, now] = [protocols.before, protocols.after].map(
      ({ definitions }) => own(definitions, name)?.schema,
    );
    return isEqual(old, now, protocols, compared);
  });
}

/** The names of all definitions that a value refers to at any depth. */
function referencesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  const name = targetName(value);
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(referencesIn)];
}
