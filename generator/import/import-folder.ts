/** A protocol out of a folder of schemas: each file that no other refers to is an event, or a union of some. */
import { isObject, type Json, type JsonObject } from "../json.js";
import { baseName, type Documents, idOf, statedDialect, targetsOf } from "./bundle.js";
import { Refused } from "./import-refusal.js";
import { type Identity, type Imported, importMade } from "./import-union.js";

/** Imports `files`, paths below `folder`. Throws `Refused` as `importUnion` does. */
export function importFolder(
  folder: string,
  files: readonly string[],
  read: Documents["read"],
  identity: Identity,
): Imported {
  const byId = new Map(files.map((file) => [idOf(read(file)), file]));
  const withId = (uri: string): string | undefined => byId.get(uri);
  const targets = new Set(files.flatMap((file) => targetsOf(file, { read, withId })));
  const events = files.filter((file) => !targets.has(file) && describes(read(file)));
  if (events.length === 0) throw new Refused(`${folder}: none of its files is the schema of an event.`);
  const names = namesOf(events, read);
  const union = {
    ...dialect(events, read),
    oneOf: events.map(($ref) => ({ $ref: encodeURIComponent($ref) })),
  };
  const imported = importMade(union, { read, withId, nameOf: (file) => names.of.get(file) }, identity, {
    source: folder,
    least: 1,
    names: names.said,
  });
  const aside = files.length - events.length;
  const serving = `${aside} of its files are not events: other files refer to them, or they describe no values`;
  return { ...imported, notes: [...imported.notes, ...(aside === 0 ? [] : [serving])] };
}

/** Whether a document says anything of a value, rather than only holding definitions. */
function describes(document: Json | undefined): boolean {
  return isObject(document) && Object.keys(document).some((keyword) => !SILENT.has(keyword));
}

const SILENT = new Set(["$schema", "$id", "id", "title", "description", "$comment", "definitions", "$defs"]);

function dialect(files: readonly string[], read: Documents["read"]): JsonObject {
  const $schema = files.map((file) => statedDialect(read(file))).find((each) => each !== undefined);
  return $schema === undefined ? {} : { $schema };
}

interface Names {
  readonly said: string;
  readonly of: ReadonlyMap<string, string>;
}

/** What to call the events by their files: the first of the ways that gives each its own name. */
function namesOf(files: readonly string[], read: Documents["read"]): Names {
  const ways: readonly (readonly [said: string, name: (file: string) => string])[] = [
    ["the file name", baseName],
    ["the end of the $id", (file) => baseName(idOf(read(file))?.split("#")[0] ?? "")],
    ["the file path", (file) => file.replace(/(\.schema)?\.json$/, "").replaceAll("/", ".")],
  ];
  const tried = ways.map(([said, name]) => ({ said, of: new Map(files.map((file) => [file, name(file)])) }));
  const distinct = ({ of }: Names): boolean =>
    new Set([...of.values()].map((name) => name.toLowerCase())).size === files.length &&
    ![...of.values()].includes("");
  return tried.find(distinct) ?? (tried[2] as Names);
}
