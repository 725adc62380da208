/** Reads and writes the references of a protocol. `#/$defs/<name>` refers to a definition; its name is not escaped. */
import { createObject, getOwn, type Json, type JsonObject } from "../json.js";
import { type Definition, readSubschema, type Schema } from "./json-schema.js";

const DEFS = "#/$defs/";

/** Definitions by name. */
export type Definitions = { readonly [name: string]: Definition };

/** Returns the schema to which a `$ref` leads. */
export type FindSchema = (reference: string) => Schema;

/** Returns the name of the definition to which the value of a `$ref` leads. */
export function getDefinitionName(reference: string): string {
  return reference.slice(DEFS.length);
}

/** Returns the value of a `$ref` to the definition `name`. */
export function formatReference(name: string): string {
  return DEFS + name;
}

/** Returns the name of the definition to which a schema refers; undefined if the schema has no `$ref`. */
export function getTargetName({ $ref }: JsonObject): string | undefined {
  return typeof $ref === "string" ? getDefinitionName($ref) : undefined;
}

/** Returns the definition to which a schema refers; undefined if there is no `$ref` or no such definition. */
export function findTarget(schema: JsonObject, definitions: Definitions): Definition | undefined {
  const name = getTargetName(schema);
  return name === undefined ? undefined : getOwn(definitions, name);
}

/** Returns a function that finds schemas in `definitions`. For an unresolved reference it returns `true`. */
export function createFindSchema(definitions: Definitions): FindSchema {
  return (reference) => getOwn(definitions, getDefinitionName(reference))?.schema ?? true;
}

/** Returns plain schemas by name as definitions without a place. */
export function createDefinitions(schemas: { readonly [name: string]: Json }): Definitions {
  const at = { file: "", pointer: "" };
  return createObject(
    Object.entries(schemas).map(([name, schema]) => [name, { schema: readSubschema(schema), at }] as const),
  );
}
