/** Keeps open enumerations (`x-extensible-enum`) where they have an effect in a protocol. */
import { isObject, type Json } from "../json.js";
import { EXACT_KEYWORDS } from "../schema/keywords.js";
import { OPEN_LIST } from "../schema/listed-values.js";
import { type Definitions, getTargetName } from "../schema/reference.js";
import { collectDefinitionsBelow, hasSchemaWith, mapSubschemas } from "../schema/walk.js";
import type { ImportNotes } from "./notes.js";

/** A schema with its definitions, in which open enumerations are as they were written. */
interface SchemaWithDefinitions {
  readonly schema: Json;
  readonly definitions: Definitions;
}

/**
 * Removes open enumerations that are no list of values, and those below keywords whose schemas are the same in both readings,
 * also in definitions to which these schemas lead. Adds a note for each, and for those that it keeps.
 */
export function removeIneffectiveLists<T extends SchemaWithDefinitions>(bundle: T, notes: ImportNotes): T {
  const { schema, definitions } = bundle;
  const exactDefinitions = collectExactDefinitions(bundle);
  const remove = (node: Json, isExact: boolean): Json => {
    if (!isObject(node)) return node;
    const { [OPEN_LIST]: list, ...rest } = mapSubschemas(node, (sub, keyword) =>
      remove(sub, isExact || EXACT_KEYWORDS.has(keyword)),
    );
    if (list === undefined) return rest;
    if (!isExact && Array.isArray(list) && list.length > 0) {
      notes.add(`writers may send only the values of ${OPEN_LIST}, and readers accept others`);
      return { ...rest, [OPEN_LIST]: list };
    }
    notes.add(`the keyword ${OPEN_LIST} was left out where it has no effect`);
    return rest;
  };
  const entries = Object.entries(definitions).map(([name, definition]) => {
    const kept = remove(definition.schema, exactDefinitions.has(name));
    return [name, { ...definition, schema: isObject(kept) ? kept : definition.schema }] as const;
  });
  return { ...bundle, schema: remove(schema, false), definitions: Object.fromEntries(entries) };
}

/** Returns whether a schema, or a definition beside it, has an open enumeration. */
export function hasOpenList({ schema, definitions }: SchemaWithDefinitions): boolean {
  return [schema, ...Object.values(definitions).map((each) => each.schema)].some((each) =>
    hasSchemaWith(each, (part) => part[OPEN_LIST] !== undefined),
  );
}

/** Returns the names of the definitions to which schemas below a keyword lead that has the same schema in both readings. */
function collectExactDefinitions({ schema, definitions }: SchemaWithDefinitions): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (node: Json, isExact: boolean): Json => {
    if (!isObject(node)) return node;
    const name = getTargetName(node);
    if (isExact && name !== undefined) names.add(name);
    return mapSubschemas(node, (sub, keyword) => collect(sub, isExact || EXACT_KEYWORDS.has(keyword)));
  };
  for (const root of [schema, ...Object.values(definitions).map((each) => each.schema)]) collect(root, false);
  return new Set([...names].flatMap((name) => [name, ...collectDefinitionsBelow(name, definitions)]));
}
