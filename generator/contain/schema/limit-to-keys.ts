/** Reduces a document to the schemas that apply to values with certain keys, because validators compile whole documents. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { hidesSiblings } from "../../schema/dialects.js";
import { isKeywordOf } from "../../schema/keywords.js";
import type { Library, SchemaPlace } from "../../schema/resolve.js";
import { listSubschemas } from "../../schema/walk.js";
import { type DocumentContext, isReachedInside, prepareForValidators } from "./prepare-for-validators.js";

/** A document for the validators that is valid for some values only. */
export interface LimitedDocument {
  readonly schema: Json;
  /** The number of its schemas. */
  readonly schemaCount: number;
}

/**
 * Returns a document that accepts the same values as the given one, as long as all keys in a value, at every depth, are among
 * `keys`: the schemas of other properties become `true`, and definitions that nothing else leads to are removed. Returns
 * undefined if references of the document are dynamic.
 */
export function limitToKeys(
  document: Json,
  root: SchemaPlace,
  context: DocumentContext,
  keys: ReadonlySet<string>,
): LimitedDocument | undefined {
  const applicable = collectApplicableSchemas(root, context.library, keys);
  if (applicable === undefined) return undefined;
  const limited = { ...context, isReached: (schema: JsonObject) => applicable.has(schema) };
  const ignored = [...applicable]
    .flatMap((schema) => [...listOtherProperties(schema, keys)])
    .filter((schema) => !isReachedInside(schema, limited));
  const schema = prepareForValidators(document, root, { ...limited, ignored: new Set(ignored) });
  return { schema, schemaCount: applicable.size };
}

/** Returns the schemas that apply to values with these keys; undefined if a reference is dynamic. */
function collectApplicableSchemas(
  root: SchemaPlace,
  library: Library,
  keys: ReadonlySet<string>,
): ReadonlySet<JsonObject> | undefined {
  const found = new Set<JsonObject>();
  const places = [root];
  for (const place of places) {
    const { schema, resource } = place;
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    const { dialect } = resource;
    const has = (keyword: string): boolean => keyword in schema && isKeywordOf(dialect, keyword);
    if (has("$dynamicRef") || has("$recursiveRef")) return undefined;
    const { $ref } = schema;
    if (typeof $ref === "string") places.push(library.resolve($ref, place));
    if (hidesSiblings(schema, dialect)) continue;
    const others = listOtherProperties(schema, keys);
    for (const { keyword, schema: child } of listSubschemas(schema, "", dialect))
      if (keyword !== "$defs" && keyword !== "definitions" && !others.has(child))
        places.push(library.getPlace(child, place));
  }
  return found;
}

/** Returns the object schemas of the properties of a schema that are not among `keys`. */
function listOtherProperties({ properties }: JsonObject, keys: ReadonlySet<string>): ReadonlySet<Json> {
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return new Set(entries.flatMap(([name, child]) => (isObject(child) && !keys.has(name) ? [child] : [])));
}
