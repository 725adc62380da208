import { isObject, type Json, type JsonObject, join } from "../json.js";
import { type Holds, KEYWORDS } from "./keywords.js";

/** The keywords that hold subschemas: a schema is asked for its parts again and again. */
const HOLDING: ReadonlyMap<string, Holds> = new Map(
  [...KEYWORDS].flatMap(([keyword, { holds }]) => (holds ? [[keyword, holds] as const] : [])),
);

/** A subschema and where it stands below the schema that was asked about. */
export interface Subschema {
  readonly keyword: string;
  readonly schema: Json;
  readonly pointer: string;
}

/** The direct subschemas of `schema`, in document order. Values of the wrong shape are passed over. */
export function subschemas(schema: JsonObject, pointer = ""): Subschema[] {
  const found: Subschema[] = [];
  for (const keyword of Object.keys(schema)) {
    const holds = HOLDING.get(keyword);
    if (!holds) continue;
    const value = schema[keyword] as Json;
    if (holds === "schema") found.push({ keyword, schema: value, pointer: join(pointer, keyword) });
    else if (holds === "schemas" && Array.isArray(value))
      for (const [i, schema] of value.entries())
        found.push({ keyword, schema, pointer: join(pointer, keyword, i) });
    else if (holds === "map" && isObject(value))
      for (const [name, schema] of Object.entries(value))
        found.push({ keyword, schema, pointer: join(pointer, keyword, name) });
  }
  return found;
}

/** Calls `visit` for `schema` and each object schema below it, parents first. References are not followed. */
export function walk(
  schema: Json,
  visit: (schema: JsonObject, pointer: string, keyword: string | undefined) => void,
  pointer = "",
  keyword?: string,
): void {
  if (!isObject(schema)) return;
  visit(schema, pointer, keyword);
  for (const sub of subschemas(schema, pointer)) walk(sub.schema, visit, sub.pointer, sub.keyword);
}

/** A copy of `schema` with each direct subschema replaced by what `change` makes of it. */
export function mapSubschemas(
  schema: JsonObject,
  change: (schema: Json, keyword: string) => Json,
): { [key: string]: Json } {
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    const holds = HOLDING.get(keyword);
    if (holds === "schema") return [keyword, change(value, keyword)];
    if (holds === "schemas" && Array.isArray(value))
      return [keyword, value.map((sub) => change(sub, keyword))];
    if (holds === "map" && isObject(value))
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([k, sub]) => [k, change(sub, keyword)])),
      ];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}
