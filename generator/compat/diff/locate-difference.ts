/** Finds the spots in which two schemas differ. */
import { formatCanonicalJson, getChild, getOwn, isObject, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { createSpot, createSpotBelow, type Spot } from "../../schema/describe.js";
import { findTarget, getTargetName } from "../../schema/reference.js";

/** The greatest number of definitions that are followed. */
const MAX_REFERENCES = 16;

/** Returns the innermost spots that contain everything in which two schemas differ. Follows references. */
export function locateDifference(
  before: Spot,
  after: Spot,
  protocols: { readonly before: Protocol; readonly after: Protocol },
): readonly [before: Spot, after: Spot] {
  const oldDefinitions = protocols.before.definitions;
  const newDefinitions = protocols.after.definitions;
  const locate = (old: Spot, now: Spot, references: number): readonly [Spot, Spot] => {
    if (Array.isArray(old.schema) !== Array.isArray(now.schema)) return [old, now];
    const names = [...new Set([...listMembers(old.schema), ...listMembers(now.schema)])];
    const differingNames = names.filter(
      (name) => !isEqual(getChild(old.schema, name), getChild(now.schema, name)),
    );
    const replacement = findReplacement(differingNames, old, now);
    if (replacement) return replacement;
    const [name] = differingNames;
    if (name === undefined)
      return references < MAX_REFERENCES ? followReferences(old, now, references) : [old, now];
    const from = getChild(old.schema, name);
    const to = getChild(now.schema, name);
    if (differingNames.length > 1 || from === undefined || to === undefined) return [old, now];
    return locate(createSpotBelow(old, from, name), createSpotBelow(now, to, name), references);
  };
  /** Continues the search in the definitions that two schemas refer to. */
  const followReferences = (old: Spot, now: Spot, references: number): readonly [Spot, Spot] => {
    const from = isObject(old.schema) ? findTarget(old.schema, oldDefinitions) : undefined;
    const to = isObject(now.schema) ? findTarget(now.schema, newDefinitions) : undefined;
    return from && to
      ? locate(createSpot(from.schema, from.at), createSpot(to.schema, to.at), references + 1)
      : [old, now];
  };
  /** Returns whether two values are literally equal, with all definitions that they refer to. */
  const isEqual = (a?: Json, b?: Json, compared = new Set<string>()): boolean => {
    if (a === undefined || b === undefined) return a === b;
    if (formatCanonicalJson(a) !== formatCanonicalJson(b)) return false;
    return listReferences(a).every((name) => {
      if (compared.has(name)) return true;
      compared.add(name);
      return isEqual(getOwn(oldDefinitions, name)?.schema, getOwn(newDefinitions, name)?.schema, compared);
    });
  };
  return locate(before, after, 0);
}

/** If two schemas differ only in that one member was replaced by another one, returns the spots of these members. */
function findReplacement(
  differing: readonly string[],
  before: Spot,
  after: Spot,
): readonly [Spot, Spot] | undefined {
  const removedName = differing.find((name) => getChild(before.schema, name) !== undefined);
  const addedName = differing.find((name) => getChild(after.schema, name) !== undefined);
  if (
    differing.length !== 2 ||
    removedName === undefined ||
    addedName === undefined ||
    removedName === addedName
  )
    return undefined;
  return [
    createSpotBelow(before, getChild(before.schema, removedName) ?? null, removedName),
    createSpotBelow(after, getChild(after.schema, addedName) ?? null, addedName),
  ];
}

/** Returns the names of the members of a schema except its reference, or the indexes of a list. */
function listMembers(schema: Json): string[] {
  return typeof schema === "object" && schema !== null
    ? Object.keys(schema).filter((name) => name !== "$ref")
    : [];
}

/** Returns the names of all definitions that a value refers to at any depth. */
function listReferences(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(listReferences);
  if (!isObject(value)) return [];
  const name = getTargetName(value);
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(listReferences)];
}
