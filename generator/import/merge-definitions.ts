/** Merges definitions with equal contents, such as the copies that every file of a folder has. */
import { formatCanonicalJson, type Json } from "../json.js";
import type { Dialect } from "../schema/dialects.js";
import type { Definition } from "../schema/json-schema.js";
import { type Definitions, formatReference, getDefinitionName } from "../schema/reference.js";
import { mapReferences } from "../schema/walk.js";

/** Returns a schema with the names of the definitions that it refers to replaced. */
type Rename = <S extends Json>(part: S, getName: (target: string) => string) => S;

/** A schema with its definitions. */
interface DefinedSchema {
  readonly schema: Json;
  readonly definitions: Definitions;
}

/**
 * Merges definitions that have equal contents and the same preferred name. `preferredNames` holds the names before numbers
 * made them different. The merged definitions are numbered again, in order.
 */
export function mergeDefinitions(
  { schema, definitions }: DefinedSchema,
  preferredNames: ReadonlyMap<string, string>,
  dialect: Dialect,
): DefinedSchema {
  const rename: Rename = (part, getName) =>
    mapReferences(part, (reference) => formatReference(getName(getDefinitionName(reference))), dialect);
  const groups = groupEqualDefinitions(definitions, preferredNames, rename);
  if (new Set(groups.values()).size === groups.size) return { schema, definitions };
  const names = new Map<string, string>();
  const merged: { [name: string]: Definition } = Object.create(null);
  const getName = (target: string): string => names.get(groups.get(target) ?? "") ?? target;
  const usedNames = new Set<string>();
  for (const [name, group] of groups) {
    if (names.has(group)) continue;
    const freeName = findFreeName(preferredNames.get(name) ?? name, (each) => usedNames.has(each));
    usedNames.add(freeName);
    names.set(group, freeName);
  }
  for (const [name, definition] of Object.entries(definitions))
    merged[getName(name)] ??= { ...definition, schema: rename(definition.schema, getName) };
  return { schema: rename(schema, getName), definitions: merged };
}

/**
 * Returns the group of each definition. Definitions are in one group if their schemas are equal, and references in them
 * lead to the same groups. The groups begin with all definitions of a preferred name, and are split until they are stable
 * (Moore's partition refinement), so that definitions that refer to themselves can be equal.
 */
function groupEqualDefinitions(
  definitions: Definitions,
  preferredNames: ReadonlyMap<string, string>,
  rename: Rename,
): ReadonlyMap<string, string> {
  let groups = new Map(Object.keys(definitions).map((name) => [name, preferredNames.get(name) ?? name]));
  let count: number;
  do {
    count = new Set(groups.values()).size;
    const current = groups;
    const next = Object.entries(definitions).map(([name, definition]): [string, string] => {
      const renamedSchema = rename(definition.schema, (target) => current.get(target) ?? target);
      return [name, `${preferredNames.get(name) ?? name}\n${formatCanonicalJson(renamedSchema)}`];
    });
    // Short names of groups keep the texts of the next round short.
    const ids = new Map([...new Set(next.map(([, text]) => text))].map((text, id) => [text, String(id)]));
    groups = new Map(next.map(([name, text]) => [name, ids.get(text) ?? ""]));
  } while (new Set(groups.values()).size !== count);
  return groups;
}

/** Returns the name, with a number behind it if the name is taken. */
export function findFreeName(name: string, isTaken: (name: string) => boolean): string {
  let freeName = name;
  for (let number = 2; isTaken(freeName); number++) freeName = `${name}${number}`;
  return freeName;
}
