import { isObject, type Json, type JsonObject, own } from "../../json.js";
import { type Dialect, hidesSiblings, parseDialectName } from "../../schema/dialects.js";
import { mapSubschemas } from "../../schema/walk.js";

/** Replaces one schema object; its subschemas have been replaced already. */
export type ReplaceSchema = (schema: JsonObject, dialect: Dialect) => JsonObject;

/** Replaces schemas where a dialect expects them, and nowhere else: not inside constants or annotations. */
export function rewriteSchemas(schema: Json, outerDialect: Dialect, replace: ReplaceSchema): Json {
  if (!isObject(schema)) return schema;
  const dialect = readStatedDialect(schema) ?? outerDialect;
  const onlyReference = hidesSiblings(schema, dialect);
  const change = (child: Json, keyword: string): Json =>
    onlyReference && keyword !== "definitions" ? child : rewriteSchemas(child, dialect, replace);
  return replace(mapSubschemas(schema, change, dialect), dialect);
}

/** Returns the dialect that the schema states by `$schema`, if it does; throws `UnsupportedSchema` for one that is not known. */
export function readStatedDialect(schema: Json): Dialect | undefined {
  const stated = isObject(schema) ? own(schema, "$schema") : undefined;
  return typeof stated === "string" ? parseDialectName(stated) : undefined;
}
