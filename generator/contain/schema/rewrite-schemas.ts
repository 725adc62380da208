import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { type Dialect, hidesSiblings, parseDialectName } from "../../schema/dialects.js";
import { mapSubschemas } from "../../schema/walk.js";

/** Returns the schema that replaces a schema object. The subschemas of the object have been replaced already. */
export type ReplaceSchema = (schema: JsonObject, dialect: Dialect) => JsonObject;

/** Replaces all schemas of a document. It does not change constants and annotations that look like schemas. */
export function rewriteSchemas(schema: Json, outerDialect: Dialect, replace: ReplaceSchema): Json {
  if (!isObject(schema)) return schema;
  const dialect = readStatedDialect(schema) ?? outerDialect;
  const hasOnlyReference = hidesSiblings(schema, dialect);
  const rewriteChild = (child: Json, keyword: string): Json =>
    hasOnlyReference && keyword !== "definitions" ? child : rewriteSchemas(child, dialect, replace);
  return replace(mapSubschemas(schema, rewriteChild, dialect), dialect);
}

/** Returns the dialect that the schema states by `$schema`. Throws `UnsupportedSchema` for an unknown dialect. */
export function readStatedDialect(schema: Json): Dialect | undefined {
  const uri = isObject(schema) ? getOwn(schema, "$schema") : undefined;
  return typeof uri === "string" ? parseDialectName(uri) : undefined;
}
