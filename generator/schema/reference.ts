import { type JsonObject, own } from "../json.js";
import type { Definition } from "./json-schema.js";

const DEFS = "#/$defs/";

/** The name of the definition that a schema of a protocol refers to; undefined if it refers to none. */
export function targetName({ $ref }: JsonObject): string | undefined {
  return typeof $ref === "string" ? $ref.slice(DEFS.length) : undefined;
}

/** The definition that a schema refers to; undefined if it refers to none, or to one that is not there. */
export function targetOf(
  schema: JsonObject,
  definitions: { readonly [name: string]: Definition },
): Definition | undefined {
  const name = targetName(schema);
  return name === undefined ? undefined : own(definitions, name);
}
