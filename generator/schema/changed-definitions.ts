/** Tells which parts of two schemas have the same meaning, because they and the definitions that they need are the same. */
import { areEqual, getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { getTargetName } from "./reference.js";
import { walk } from "./walk.js";

/** Returns whether a part of one schema has the same text as a part of the other one, and refers to the same definitions. */
export type UnchangedTest = (a: Json, b: Json) => boolean;

/** Creates the test for two schemas with these `$defs`. A reference of another kind is never unchanged. */
export function createUnchangedTest(definitionsOfA: JsonObject, definitionsOfB: JsonObject): UnchangedTest {
  const changed = findChangedNames(definitionsOfA, definitionsOfB);
  return (a, b) =>
    areEqual(a, b) &&
    listReferredNames(a).every((name) => Object.hasOwn(definitionsOfA, name) && !changed.has(name));
}

/** The results of `listReferredNames`. */
const namesBySchema = new WeakMap<JsonObject, readonly string[]>();

/** Returns the names of the definitions to which a schema refers, each once. The name is empty for references of other kinds. */
export function listReferredNames(schema: Json): readonly string[] {
  if (!isObject(schema)) return [];
  const known = namesBySchema.get(schema);
  if (known) return known;
  const names = new Set<string>();
  walk(schema, (each) => {
    for (const keyword of Object.keys(each))
      if (keyword.startsWith("$") && keyword !== "$comment")
        names.add((keyword === "$ref" && getTargetName(each)) || "");
  });
  namesBySchema.set(schema, [...names]);
  return [...names];
}

/** Returns the names of definitions that differ, or that need one that differs or does not exist. */
function findChangedNames(definitionsOfA: JsonObject, definitionsOfB: JsonObject): ReadonlySet<string> {
  const names = Object.keys(definitionsOfA);
  const users = new Map<string, string[]>();
  for (const name of names)
    for (const used of listReferredNames(definitionsOfA[name] ?? true))
      users.set(used, [...(users.get(used) ?? []), name]);
  const missing = [...users.keys()].filter((name) => !Object.hasOwn(definitionsOfA, name));
  const changed = new Set([
    ...missing,
    ...names.filter((name) => !areEqual(definitionsOfA[name], getOwn(definitionsOfB, name))),
  ]);
  for (const name of changed) for (const user of users.get(name) ?? []) changed.add(user);
  return changed;
}
