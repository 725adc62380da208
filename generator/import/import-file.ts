import { importList, isSchemaList } from "./import-folder.js";
import { importParts } from "./import-parts.js";
import { type Imported, type ImportSettings, importUnion } from "./import-union.js";
import type { Documents } from "./resources.js";

/** Imports the schema in a file, or the part of it that `fragment` names: a union, a list of schemas, or a single schema. */
export function importFile(
  name: string,
  documents: Documents,
  settings: ImportSettings,
  fragment: string | undefined,
): Imported {
  const document = fragment === undefined ? documents.read(name) : undefined;
  return isSchemaList(document)
    ? importList(name, document, settings)
    : (importParts(name, documents, settings, fragment) ?? importUnion(name, documents, settings, fragment));
}
