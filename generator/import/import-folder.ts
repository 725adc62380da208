/**
 * Creates a protocol from a folder of schemas, or from one file with a list of them. Each schema that no other one refers to
 * is an event, or a union of events.
 */
import type { Location } from "../finding.js";
import { isObject, type Json, mapValues } from "../json.js";
import { formatCount, joinFirst } from "../text.js";
import { findApiKind } from "./api-documents.js";
import { cutFileName, listReferredFiles, readStatedDialect } from "./bundle.js";
import { ImportError } from "./import-error.js";
import { type Imported, type ImportSettings, importGeneratedUnion } from "./import-union.js";
import { createResources, cutExtension, type Documents, readId } from "./resources.js";
import { acceptsAnything, mayBeObject } from "./union.js";

/**
 * Imports `files`, whose paths are below `folder`. The events are named after the first of `nameSources` whose names
 * differ, or after their paths. Throws an ImportError as `importUnion` does.
 */
export function importFolder(
  folder: string,
  files: readonly string[],
  documents: Documents,
  settings: ImportSettings,
  nameSources: readonly NameSource[] = [FILE_NAME, ID],
): Imported {
  const { read } = documents;
  const listed = { listFiles: () => files, ...documents };
  const resources = createResources(listed);
  // An OpenAPI or AsyncAPI document refers to events as a whole; it is no part of them.
  const schemas = files.filter((file) => findApiKind(read(file)) === undefined);
  const referred = schemas.map((file) => listReferredFiles(file, listed, resources));
  const isEvent = (file: string): boolean =>
    describesObjects(
      read(file),
      referred.some(({ parts }) => parts.has(file)),
    ) && !referred.some(({ whole }) => whole.has(file));
  const events = files.filter(isEvent);
  if (events.length === 0) throw new ImportError(`${folder}: none of its files is the schema of an event.`);
  const { nameSource, names } = nameFiles(events, read, nameSources, createPathSource(folder));
  const $schema = events.map((file) => readStatedDialect(read(file))).find((each) => each !== undefined);
  const union = {
    ...($schema !== undefined && { $schema }),
    oneOf: events.map((file) => ({ $ref: encodeURIComponent(file) })),
  };
  const nameTarget = (file: string, pointer: string): string | undefined =>
    pointer === "" ? names.get(file) : undefined;
  const named = { ...listed, nameTarget };
  const imported = importGeneratedUnion(union, named, settings, {
    name: folder,
    minEvents: 1,
    nameSource,
    isMadeOfNamed: true,
  });
  const others = files.filter((file) => !events.includes(file));
  if (others.length === 0) return imported;
  const otherNames = joinFirst(
    others.map((file) => cutFolder(file, folder)),
    MAX_NAMES,
  );
  const note = `not events, because other files refer to them or they describe no objects: ${formatCount(others.length, "file")}: ${otherNames}`;
  return { ...imported, notes: [...imported.notes, note] };
}

/** The maximum number of files that the note about files without events names. */
const MAX_NAMES = 10;

/**
 * Returns whether a document describes objects, and does not only hold definitions. If other files refer to its definitions,
 * its type says nothing about that.
 */
function describesObjects(document: Json | undefined, holdsDefinitions: boolean): boolean {
  const neutral = [...NEUTRAL_KEYWORDS, ...(holdsDefinitions ? ["type"] : [])];
  return isObject(document) && !acceptsAnything(document, neutral) && mayBeObject(document);
}

/** Keywords that are not annotations and say nothing about values. */
const NEUTRAL_KEYWORDS = ["$id", "definitions", "$defs"];

/** A way to name the event of a file. */
interface NameSource {
  /** The source in words, for messages: "the file name". */
  readonly nameSource: string;
  getName(file: string, document: Json | undefined): string;
}

const FILE_NAME: NameSource = { nameSource: "the file name", getName: cutFileName };

/** Names events after the paths below `folder`. */
function createPathSource(folder: string): NameSource {
  return {
    nameSource: "the file path",
    getName: (file) => cutExtension(cutFolder(file, folder)).replaceAll("/", "."),
  };
}

function cutFolder(file: string, folder: string): string {
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
}

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

/** Names the events after the first of `sources` whose names all differ, or after `fallback`. */
function nameFiles(
  files: readonly string[],
  read: Documents["read"],
  sources: readonly NameSource[],
  fallback: NameSource,
): { readonly nameSource: string; readonly names: ReadonlyMap<string, string> } {
  const isDistinct = ({ getName }: NameSource): boolean => {
    const names = new Set(files.map((file) => getName(file, read(file)).toLowerCase()));
    return names.size === files.length && !names.has("");
  };
  const { nameSource, getName } = sources.find(isDistinct) ?? fallback;
  return { nameSource, names: new Map(files.map((file) => [file, getName(file, read(file))])) };
}

/** Keywords at the root of schemas that are unusual fields of events. */
export const SCHEMA_KEYWORDS = new Set("$schema $id $ref $defs definitions oneOf anyOf allOf".split(" "));

/** Returns whether a document is a list of schemas. */
export function isSchemaList(document: Json | undefined): document is readonly Json[] {
  return (
    Array.isArray(document) &&
    document.length > 0 &&
    document.every(
      (item) =>
        isObject(item) &&
        (Object.keys(item).some((name) => SCHEMA_KEYWORDS.has(name)) ||
          (item.type === "object" && isObject(item.properties))),
    )
  );
}

/** Imports a list of schemas in `file` like a folder with one file per schema. Throws an ImportError as `importFolder` does. */
export function importList(file: string, list: readonly Json[], settings: ImportSettings): Imported {
  const schemas = new Map(list.map((schema, index) => [`${file}/${index}`, schema]));
  const read = (name: string): Json | undefined => schemas.get(name);
  const imported = importFolder(file, [...schemas.keys()], { read }, settings, [ID, TITLE]);
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
