import { isObject, type Json, own } from "../../json.js";
import { type Dialect, dialectNamed, since } from "../../schema/dialects.js";
import { defines } from "../../schema/keywords.js";

/**
 * All values that a schema may accept, where it lists them by `const`, `enum`, or an `anyOf` of such; what else it says
 * may rule some of them out. Undefined when it lists none, or more than `most`.
 */
export function listedValues(schema: Json, outer: Dialect, most: number): readonly Json[] | undefined {
  if (!isObject(schema)) return undefined;
  const stated = own(schema, "$schema");
  const dialect = typeof stated === "string" ? dialectNamed(stated) : outer;
  if (!since(dialect, "2019-09") && own(schema, "$ref") !== undefined) return undefined; // hides its siblings
  const single = defines(dialect, "const") ? own(schema, "const") : undefined;
  if (single !== undefined) return [single];
  const listed = own(schema, "enum");
  if (Array.isArray(listed)) return listed.length <= most ? listed : undefined;
  const branches = own(schema, "anyOf");
  if (!Array.isArray(branches) || branches.length > most) return undefined;
  // Where a branch states a dialect of its own, what counts is decided with its resource, not here.
  if (branches.some((branch) => isObject(branch) && own(branch, "$schema") !== undefined)) return undefined;
  const lists = branches.map((branch: Json) => listedValues(branch, dialect, most));
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}
