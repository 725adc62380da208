/**
 * Creates a protocol from a folder of schemas, or from one file with a list of them. Each schema that no other one refers to
 * is an event, or a union of events.
 */
import type { Location } from "../finding.js";
import { isObject, type Json, mapValues } from "../json.js";
import { formatCount } from "../text.js";
import { cutFileName, listReferredFiles, readStatedDialect } from "./bundle.js";
import { ImportError } from "./import-error.js";
import { type Imported, type ImportSettings, importGeneratedUnion } from "./import-union.js";
import { createResources, type Documents, readId } from "./resources.js";

/**
 * Imports `files`, whose paths are below `folder`. The events are named after the first of `nameSources` whose names
 * differ, or after their paths. Throws an ImportError as `importUnion` does.
 */
export function importFolder(
  folder: string,
  files: readonly string[],
  read: Documents["read"],
  settings: ImportSettings,
  nameSources: readonly NameSource[] = [FILE_NAME, ID],
): Imported {
  const listed = { read, listFiles: () => files };
  const resources = createResources(listed);
  const referredFiles = new Set(files.flatMap((file) => listReferredFiles(file, listed, resources)));
  const events = files.filter((file) => !referredFiles.has(file) && describesValues(read(file)));
  if (events.length === 0) throw new ImportError(`${folder}: none of its files is the schema of an event.`);
  const { nameSource, names } = nameFiles(events, read, nameSources);
  const $schema = events.map((file) => readStatedDialect(read(file))).find((each) => each !== undefined);
  const union = {
    ...($schema !== undefined && { $schema }),
    oneOf: events.map((file) => ({ $ref: encodeURIComponent(file) })),
  };
  const documents = { ...listed, nameDocument: (file: string) => names.get(file) };
  const imported = importGeneratedUnion(union, documents, settings, {
    name: folder,
    minEvents: 1,
    nameSource,
  });
  const others = files.length - events.length;
  if (others === 0) return imported;
  const note = `not events, because other files refer to them or they describe no values: ${formatCount(others, "file")}`;
  return { ...imported, notes: [...imported.notes, note] };
}

/** Returns whether a document describes values, and does not only hold definitions. */
function describesValues(document: Json | undefined): boolean {
  return isObject(document) && Object.keys(document).some((keyword) => !NEUTRAL_KEYWORDS.has(keyword));
}

/** Keywords that say nothing about values. */
const NEUTRAL_KEYWORDS = new Set([
  "$schema",
  "$id",
  "id",
  "title",
  "description",
  "$comment",
  "definitions",
  "$defs",
]);

/** A way to name the event of a file. */
interface NameSource {
  /** The source in words, for messages: "the file name". */
  readonly nameSource: string;
  getName(file: string, document: Json | undefined): string;
}

const FILE_NAME: NameSource = { nameSource: "the file name", getName: cutFileName };

const FILE_PATH: NameSource = {
  nameSource: "the file path",
  getName: (file) => file.replace(/(\.schema)?\.json$/, "").replaceAll("/", "."),
};

/**
 * Names events after the ends of `$id`s: `urn:order.placed` and `https://example.com/order.placed.json` are named
 * `order.placed`.
 */
const ID: NameSource = {
  nameSource: "the end of the $id",
  getName: (_file, document) => cutFileName((readId(document)?.split("#")[0] ?? "").replace(/^urn:/, "")),
};

/** Names events after titles. */
const TITLE: NameSource = {
  nameSource: "the title",
  getName: (_file, document) =>
    isObject(document) && typeof document.title === "string" ? document.title.trim() : "",
};

/** Names the events after the first of `sources` whose names all differ, or after their paths. */
function nameFiles(
  files: readonly string[],
  read: Documents["read"],
  sources: readonly NameSource[],
): { readonly nameSource: string; readonly names: ReadonlyMap<string, string> } {
  const isDistinct = ({ getName }: NameSource): boolean => {
    const names = new Set(files.map((file) => getName(file, read(file)).toLowerCase()));
    return names.size === files.length && !names.has("");
  };
  const { nameSource, getName } = sources.find(isDistinct) ?? FILE_PATH;
  return { nameSource, names: new Map(files.map((file) => [file, getName(file, read(file))])) };
}

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
