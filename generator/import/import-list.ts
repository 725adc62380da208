/** Creates a protocol from one file that holds a list of schemas. */
import type { Location } from "../finding.js";
import { isObject, type Json, mapValues } from "../json.js";
import { ID, importFolder, TITLE } from "./import-folder.js";
import type { Imported, ImportSettings } from "./import-union.js";

/** Keywords at the root of schemas that are unusual fields of events. */
export const SCHEMA_KEYWORDS = new Set("$schema $id $ref $defs definitions oneOf anyOf allOf".split(" "));

/** Returns whether a document is a list of schemas. */
export function isSchemaList(document: Json | undefined): document is readonly Json[] {
  return (
    Array.isArray(document) &&
    document.length > 0 &&
    document.every((item) => isObject(item) && Object.keys(item).some((name) => SCHEMA_KEYWORDS.has(name)))
  );
}

/** Imports a list of schemas in `file` like a folder with one file per schema. Throws an ImportError as `importFolder` does. */
export function importList(file: string, list: readonly Json[], settings: ImportSettings): Imported {
  const schemas = new Map(list.map((schema, index) => [`${file}/${index}`, schema]));
  const read = (name: string): Json | undefined => schemas.get(name);
  const imported = importFolder(file, [...schemas.keys()], read, settings, [ID, TITLE]);
  // The file `shop.json/3` is the item 3 of `shop.json`.
  const locate = (at: Location): Location => ({
    file,
    pointer: at.file.slice(file.length) + at.pointer,
  });
  const { parts } = imported;
  const definitions = mapValues(parts.definitions, (definition) => ({
    ...definition,
    at: locate(definition.at),
  }));
  const events = parts.events.map((event) => ({
    ...event,
    ...(event.origin && { origin: locate(event.origin) }),
  }));
  return { ...imported, parts: { ...parts, definitions, events } };
}
