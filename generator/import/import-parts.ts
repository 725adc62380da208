/** Creates a protocol from several schemas of one document: from a map of definitions, or from the messages of an AsyncAPI document. */
import {
  getValueAtPointer,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  splitPointer,
} from "../json.js";
import { findMetaschemaDialect } from "../schema/dialects.js";
import { decodeFragment } from "../schema/resolve.js";
import { listReferences } from "../schema/walk.js";
import { formatCount, joinFirst } from "../text.js";
import { findApiKind, listPayloads } from "./api-documents.js";
import { readStatedDialect } from "./bundle.js";
import { ImportError } from "./import-error.js";
import { type Imported, type ImportSettings, importGeneratedUnion } from "./import-union.js";
import { formatLoss } from "./notes.js";
import type { Documents } from "./resources.js";
import { acceptsAnything, mayBeObject } from "./union.js";

/** Names of fields that hold maps of schemas. */
const MAP_NAMES: readonly string[] = ["definitions", "$defs", "schemas"];

/**
 * Imports the parts of a document if the operand names several: a map of definitions, or an AsyncAPI document. Returns
 * undefined for one schema. Throws an ImportError for a document that has only parts, of which the operand names none.
 */
export function importParts(
  file: string,
  documents: Documents,
  settings: ImportSettings,
  fragment: string | undefined,
): Imported | undefined {
  const document = documents.read(file);
  if (!isObject(document)) return undefined;
  const kind = findApiKind(document);
  if (fragment === undefined && kind === "AsyncAPI") {
    const { payloads, withHeaders, withoutPayload } = listPayloads(file, documents.read);
    if (payloads.length === 0) throw new ImportError(`${file}: this AsyncAPI document has no messages.`);
    const imported = importAll(file, payloads, documents, settings, "the name of the message");
    const lost = describeMessages(
      formatLoss("the headers of messages were left out, because events have none"),
      withHeaders,
    );
    const skipped = describeMessages("messages without a payload were left out", withoutPayload);
    return {
      ...imported,
      notes: [...imported.notes, ...lost, ...skipped],
      readings: [...imported.readings, ...lost],
    };
  }
  if (fragment === undefined) {
    const maps = ["/definitions", "/$defs", "/components/schemas"];
    const map = maps.find((each) => isObject(getValueAtPointer(document, each)));
    const isOnlyParts =
      kind !== undefined || (acceptsAnything(document, ["$id", ...MAP_NAMES]) && map !== undefined);
    if (!isOnlyParts) return undefined;
    const name = Object.keys(getValueAtPointer(document, map ?? "") ?? {})[0];
    const hint =
      map &&
      ` Name one of its schemas, such as ${file}#${joinPointer(map, name ?? "")}, or all: ${file}#${map}.`;
    throw new ImportError(
      `${file} is ${kind === undefined ? "a document that only holds definitions" : `an ${kind} document`} and not a union of events.${hint ?? ""}`,
    );
  }
  const pointer = decodeFragment(fragment);
  const map = pointer.startsWith("/") ? getValueAtPointer(document, pointer) : undefined;
  return isMap(map) && MAP_NAMES.includes(splitPointer(pointer).at(-1) ?? "")
    ? importMap(file, pointer, Object.keys(map), documents, settings)
    : undefined;
}

function describeMessages(text: string, names: readonly string[]): string[] {
  return names.length > 0 ? [`${text}: ${names.join(", ")}`] : [];
}

/** Returns whether a value can be a map of schemas, and not a schema. */
function isMap(value: Json | undefined): value is JsonObject {
  return isObject(value) && Object.values(value).every((each) => isObject(each) || typeof each === "boolean");
}

/** Imports the definitions of a map to which no other one refers. */
function importMap(
  file: string,
  pointer: string,
  names: readonly string[],
  documents: Documents,
  settings: ImportSettings,
): Imported {
  const document = documents.read(file) ?? null;
  const map = getValueAtPointer(document, pointer) as { readonly [name: string]: Json };
  const dialect = findMetaschemaDialect((readStatedDialect(document) ?? "").replace(/#$/, "")) ?? "2020-12";
  const referred = new Set(
    names.flatMap((name) =>
      listReferences(map[name] ?? null, dialect)
        .flatMap((reference) => (reference.startsWith("#/") ? decodeFragment(reference.slice(1)) : []))
        .filter((each) => each !== joinPointer(pointer, name)),
    ),
  );
  const events = names.filter((name) => !referred.has(joinPointer(pointer, name)) && mayBeObject(map[name]));
  if (events.length === 0)
    throw new ImportError(`${file}#${pointer}: none of its schemas is that of an event.`);
  const parts = events.map((name) => ({ name, file, pointer: joinPointer(pointer, name) }));
  const imported = importAll(file, parts, documents, settings, "the name of the definition");
  const others = names.filter((name) => !events.includes(name));
  if (others.length === 0) return imported;
  const note = `not events, because other definitions refer to them or they are never objects: ${formatCount(others.length, "definition")}: ${joinFirst(others, 10)}`;
  return { ...imported, notes: [...imported.notes, note] };
}

function importAll(
  file: string,
  parts: readonly { readonly name: string; readonly file: string; readonly pointer: string }[],
  documents: Documents,
  settings: ImportSettings,
  nameSource: string,
): Imported {
  const $schema = readStatedDialect(documents.read(file));
  const encode = (text: string): string => encodeURIComponent(text);
  const union = {
    ...($schema !== undefined && { $schema }),
    oneOf: parts.map(({ file: own, pointer }) => ({
      $ref: `${own.split("/").map(encode).join("/")}#${pointer.split("/").map(encode).join("/")}`,
    })),
  };
  const names = new Map(parts.map((part) => [`${part.file}#${part.pointer}`, part.name]));
  const nameTarget = (target: string, pointer: string): string | undefined =>
    names.get(`${target}#${pointer}`);
  return importGeneratedUnion(union, { ...documents, nameTarget }, settings, {
    name: file,
    minEvents: 1,
    nameSource,
    isMadeOfNamed: true,
  });
}
