import { isObject, type Json, type JsonObject, objectFrom, own } from "../../json.js";
import { type Dialect, dialectNamed, since } from "../../schema/dialects.js";
import { holdsSubschemas } from "../../schema/keywords.js";

/** Replaces one schema object; its subschemas have been replaced already. */
export type Replace = (schema: JsonObject, dialect: Dialect) => JsonObject;

/** Rewrites a schema at the places where schemas stand, and nowhere else: not inside constants or annotations. */
export function rewriteSchemas(schema: Json, outer: Dialect, replace: Replace): Json {
  if (!isObject(schema)) return schema;
  const stated = own(schema, "$schema");
  const dialect = typeof stated === "string" ? dialectNamed(stated) : outer;
  const onlyReference = !since(dialect, "2019-09") && own(schema, "$ref") !== undefined;
  const members = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (onlyReference && keyword !== "definitions") return [keyword, value];
    return [keyword, rewriteInside(keyword, value, dialect, replace)];
  });
  return replace(objectFrom(members), dialect);
}

function rewriteInside(keyword: string, value: Json, dialect: Dialect, replace: Replace): Json {
  const holds = holdsSubschemas(dialect, keyword);
  const child = (each: Json) => rewriteSchemas(each, dialect, replace);
  if (!holds) return value;
  if (Array.isArray(value)) return value.map(child);
  if (!isObject(value)) return value;
  if (holds !== "map" && holds !== "map of schema or list") return child(value);
  return objectFrom(
    Object.entries(value).map(([name, each]) => [name, Array.isArray(each) ? each : child(each)]),
  );
}
