/** References inside a protocol: `#/$defs/<name>` names a definition, the name unescaped. */
import { type Json, type JsonObject, objectFrom, own } from "../json.js";
import type { Definition, Schema } from "./json-schema.js";

const DEFS = "#/$defs/";

/** Definitions by name. */
export type Definitions = { readonly [name: string]: Definition };

/** Returns the schema that a `$ref` names. */
export type FindSchema = (reference: string) => Schema;

/** Returns the name of the definition that `reference`, the value of a `$ref`, leads to. */
export function definitionNameOf(reference: string): string {
  return reference.slice(DEFS.length);
}

/** Returns the value of a `$ref` to the definition `name`. */
export function referenceTo(name: string): string {
  return DEFS + name;
}

/** Returns the name of the definition that a schema of a protocol refers to; undefined if it refers to none. */
export function targetName({ $ref }: JsonObject): string | undefined {
  return typeof $ref === "string" ? definitionNameOf($ref) : undefined;
}

/** Returns the definition that a schema refers to; undefined if it refers to none, or to one that does not exist. */
export function targetOf(schema: JsonObject, definitions: Definitions): Definition | undefined {
  const name = targetName(schema);
  return name === undefined ? undefined : own(definitions, name);
}

/** Looks references up in `definitions`; one that leads nowhere gives `true`, the schema of any value. */
export function findIn(definitions: Definitions): FindSchema {
  return (reference) => own(definitions, definitionNameOf(reference))?.schema ?? true;
}

/** Returns plain schemas by name as definitions without a place. */
export function definitionsAmong(schemas: { readonly [name: string]: Json }): Definitions {
  const at = { file: "", pointer: "" };
  return objectFrom(
    Object.entries(schemas).map(([name, schema]) => [name, { schema: schema as Schema, at }] as const),
  );
}

/** Looks references up among plain schemas by name; one that leads nowhere gives `true`. */
export function findAmong(schemas: { readonly [name: string]: Json }): FindSchema {
  return (reference) => (own(schemas, definitionNameOf(reference)) ?? true) as Schema;
}
