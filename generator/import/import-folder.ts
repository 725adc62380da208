/** Makes a protocol from a folder of schemas: each file that no other refers to is an event, or a union of events. */
import { isObject, type Json } from "../json.js";
import { counted } from "../text.js";
import { baseName, type Documents, idOf, referredFiles, statedDialect } from "./bundle.js";
import { ImportError } from "./import-error.js";
import { type Imported, type ImportSettings, importMade } from "./import-union.js";

/** Imports `files`, whose paths are below `folder`. Throws an ImportError as `importUnion` does. */
export function importFolder(
  folder: string,
  files: readonly string[],
  read: Documents["read"],
  settings: ImportSettings,
): Imported {
  const byId = new Map(files.map((file) => [idOf(read(file)), file]));
  const withId = (uri: string): string | undefined => byId.get(uri);
  const referred = new Set(files.flatMap((file) => referredFiles(file, { read, withId })));
  const events = files.filter((file) => !referred.has(file) && describesValues(read(file)));
  if (events.length === 0) throw new ImportError(`${folder}: none of its files is the schema of an event.`);
  const { namesAre, names } = nameFiles(events, read);
  const $schema = events.map((file) => statedDialect(read(file))).find((each) => each !== undefined);
  const union = {
    ...($schema !== undefined && { $schema }),
    oneOf: events.map((file) => ({ $ref: encodeURIComponent(file) })),
  };
  const documents = { read, withId, nameOf: (file: string) => names.get(file) };
  const imported = importMade(union, documents, settings, { source: folder, least: 1, namesAre });
  const others = files.length - events.length;
  if (others === 0) return imported;
  const note = `not events, because other files refer to them or they describe no values: ${counted(others, "file")}`;
  return { ...imported, notes: [...imported.notes, note] };
}

/** Whether a document describes values, and does not only hold definitions. */
function describesValues(document: Json | undefined): boolean {
  return isObject(document) && Object.keys(document).some((keyword) => !NOT_ABOUT_VALUES.has(keyword));
}

const NOT_ABOUT_VALUES = new Set([
  ...["$schema", "$id", "id", "title", "description", "$comment", "definitions", "$defs"],
]);

interface FileNames {
  /** What the names are, for people. */
  readonly namesAre: string;
  /** By file. */
  readonly names: ReadonlyMap<string, string>;
}

/** Returns names of the events: by the first way that gives each file a name of its own. */
function nameFiles(files: readonly string[], read: Documents["read"]): FileNames {
  const byPath = {
    namesAre: "the file path",
    nameOf: (file: string) => file.replace(/(\.schema)?\.json$/, "").replaceAll("/", "."),
  };
  const ways = [
    { namesAre: "the file name", nameOf: baseName },
    {
      namesAre: "the end of the $id",
      nameOf: (file: string) => baseName(idOf(read(file))?.split("#")[0] ?? ""),
    },
  ];
  const isDistinct = ({ nameOf }: typeof byPath): boolean => {
    const names = new Set(files.map((file) => nameOf(file).toLowerCase()));
    return names.size === files.length && !names.has("");
  };
  const { namesAre, nameOf } = ways.find(isDistinct) ?? byPath;
  return { namesAre, names: new Map(files.map((file) => [file, nameOf(file)])) };
}
