import type { Location } from "../finding.js";
import { getValueAtPointer, isObject, type Json, type JsonObject, mapValues } from "../json.js";
import { decodeFragment } from "../schema/resolve.js";
import { readStatedDialect } from "./bundle.js";
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
  const own = fragment === undefined ? undefined : findOwnSchema(documents.read(name), fragment);
  if (own !== undefined) return importOwnSchema(name, documents, settings, own);
  const document = fragment === undefined ? documents.read(name) : undefined;
  return isSchemaList(document)
    ? importList(name, document, settings)
    : (importParts(name, documents, settings, fragment) ?? importUnion(name, documents, settings, fragment));
}

/** A part of a document that is a schema of its own. */
interface OwnSchema {
  readonly schema: JsonObject;
  readonly pointer: string;
}

/**
 * Returns the part of a document that a fragment names if the part is a schema of its own: it states its dialect, and the
 * document is no schema around it. Such parts stand in the descriptions of APIs.
 */
function findOwnSchema(document: Json | undefined, fragment: string): OwnSchema | undefined {
  const pointer = decodeFragment(fragment);
  if (!pointer.startsWith("/") || readStatedDialect(document) !== undefined) return undefined;
  const schema = document === undefined ? undefined : getValueAtPointer(document, pointer);
  return isObject(schema) && readStatedDialect(schema) !== undefined ? { schema, pointer } : undefined;
}

/** Imports a schema that is a part of a document. Its references are relative to the part. */
function importOwnSchema(
  name: string,
  documents: Documents,
  settings: ImportSettings,
  { schema, pointer }: OwnSchema,
): Imported {
  const read = (file: string): Json | undefined => (file === name ? schema : documents.read(file));
  const imported = importFile(name, { ...documents, read }, settings, undefined);
  const { parts } = imported;
  const locate = (at: Location): Location =>
    at.file === name ? { ...at, pointer: pointer + at.pointer } : at;
  return {
    ...imported,
    parts: {
      ...parts,
      definitions: mapValues(parts.definitions, (each) => ({ ...each, at: locate(each.at) })),
      events: parts.events.map((event) => ({
        ...event,
        ...(event.origin && { origin: locate(event.origin) }),
      })),
    },
  };
}
