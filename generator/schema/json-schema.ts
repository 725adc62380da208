import type { Location } from "../finding.js";
import { isObject, type Json, type JsonObject } from "../json.js";

/**
 * A JSON Schema 2020-12 with the annotations of accrete. Inside a `Protocol` every `$ref` has the form
 * `#/$defs/<name>` and names a member of `Protocol.definitions`.
 */
export type Schema = boolean | JsonObject;

/** Returns a part of a schema that is itself a schema; `true`, which accepts everything, if there is none. */
export function readSubschema(value: Json | undefined): Schema {
  return typeof value === "boolean" || isObject(value) ? value : true;
}

/** Every JSON type; `number` includes integers. */
export const EVERY_TYPE: ReadonlySet<string> = new Set([
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
]);

/** A schema to which others refer by name, and its location. Pointers inside it continue `at.pointer`. */
export interface Definition {
  readonly schema: Schema;
  readonly at: Location;
}

/** Returns a schema without `$schema`. */
export function dropDialect(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}
