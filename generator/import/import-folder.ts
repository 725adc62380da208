/** Creates a protocol from a folder of schemas. Each file that no other file refers to is an event, or a union of events. */
import { isObject, type Json } from "../json.js";
import { formatCount } from "../text.js";
import { cutFileName, type Documents, listReferredFiles, readId, readStatedDialect } from "./bundle.js";
import { ImportError } from "./import-error.js";
import { type Imported, type ImportSettings, importGeneratedUnion } from "./import-union.js";

/** Imports `files`, whose paths are below `folder`. Throws an ImportError as `importUnion` does. */
export function importFolder(
  folder: string,
  files: readonly string[],
  read: Documents["read"],
  settings: ImportSettings,
): Imported {
  const fileById = new Map(files.map((file) => [readId(read(file)), file]));
  const findById = (uri: string): string | undefined => fileById.get(uri);
  const referred = new Set(files.flatMap((file) => listReferredFiles(file, { read, findById })));
  const events = files.filter((file) => !referred.has(file) && describesValues(read(file)));
  if (events.length === 0) throw new ImportError(`${folder}: none of its files is the schema of an event.`);
  const { nameSource, names } = nameFiles(events, read);
  const $schema = events.map((file) => readStatedDialect(read(file))).find((each) => each !== undefined);
  const union = {
    ...($schema !== undefined && { $schema }),
    oneOf: events.map((file) => ({ $ref: encodeURIComponent(file) })),
  };
  const documents = { read, findById, nameDocument: (file: string) => names.get(file) };
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
  return isObject(document) && Object.keys(document).some((keyword) => !NOT_ABOUT_VALUES.has(keyword));
}

/** Keywords that say nothing about values. */
const NOT_ABOUT_VALUES = new Set([
  "$schema",
  "$id",
  "id",
  "title",
  "description",
  "$comment",
  "definitions",
  "$defs",
]);

/** The names of the events in files. */
interface FileNames {
  /** The origin of the names, for messages: "the file name". */
  readonly nameSource: string;
  /** The name of each file. */
  readonly names: ReadonlyMap<string, string>;
}

/** Names the events after their file names, the ends of their `$id`s, or their paths: the first of these that differ. */
function nameFiles(files: readonly string[], read: Documents["read"]): FileNames {
  const byPath = {
    nameSource: "the file path",
    nameOf: (file: string) => file.replace(/(\.schema)?\.json$/, "").replaceAll("/", "."),
  };
  const candidates = [
    { nameSource: "the file name", nameOf: cutFileName },
    {
      nameSource: "the end of the $id",
      nameOf: (file: string) => cutFileName(readId(read(file))?.split("#")[0] ?? ""),
    },
  ];
  const isDistinct = ({ nameOf }: typeof byPath): boolean => {
    const names = new Set(files.map((file) => nameOf(file).toLowerCase()));
    return names.size === files.length && !names.has("");
  };
  const { nameSource, nameOf } = candidates.find(isDistinct) ?? byPath;
  return { nameSource, names: new Map(files.map((file) => [file, nameOf(file)])) };
}
