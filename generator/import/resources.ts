/**
 * Finds schemas by their URIs, as JSON Schema resolves references: documents, and parts of documents with an `$id`. Nothing
 * is fetched from a network.
 */
import { isObject, type Json, type JsonObject } from "../json.js";
import { decodeFragment } from "../schema/resolve.js";
import { walk } from "../schema/walk.js";

/** The documents that may be read. Paths have forward slashes. */
export interface Documents {
  /** Returns the document at a path; undefined if there is none that may be read. */
  readonly read: (file: string) => Json | undefined;
  /** Returns the paths of the documents whose `$id`s references may name. */
  readonly listFiles?: () => readonly string[];
  /** Reads a document that may have the `$id` of a reference. The default is `read`. */
  readonly peek?: (file: string) => Json | undefined;
  /** The files of documents that are named by URIs, by URI without fragment. */
  readonly mapped?: ReadonlyMap<string, string>;
  /** Returns the name of a document, or a part of it, as a definition. The default is the end of the pointer or of the path. */
  readonly nameTarget?: (file: string, pointer: string) => string | undefined;
}

/** A document, or a part of one that has an `$id`. References in it are relative to its URI. */
export interface Resource {
  readonly file: string;
  readonly pointer: string;
  /** The URI that the `$id` gives; undefined if there is none. */
  readonly uri: string | undefined;
}

/** The resources of documents. */
export interface Resources {
  /** Returns the resource of a schema: `around`, or its own one if it has an `$id`. */
  readonly enter: (schema: JsonObject, around: Resource) => Resource;
  /** Returns the innermost resource around a place. */
  readonly findAround: (file: string, pointer: string) => Resource;
  /** Returns the resource that `base`, a reference without fragment, names in `from`. */
  readonly resolve: (base: string, from: Resource) => Resource | undefined;
}

/** Creates an index of the resources of documents. Documents are read only when a reference leads out of its own document. */
export function createResources({
  read,
  listFiles = () => [],
  peek = read,
  mapped = new Map(),
}: Documents): Resources {
  const uris = new Map([...mapped].map(([uri, file]) => [file, uri]));
  const byFile = new Map<string, readonly Resource[]>();
  const list = (file: string): readonly Resource[] => {
    const resources = byFile.get(file) ?? listResources(file, read(file), uris.get(file));
    byFile.set(file, resources);
    return resources;
  };
  let all: readonly Resource[] | undefined;
  const listAll = (): readonly Resource[] => {
    all ??= listFiles().flatMap((file) => byFile.get(file) ?? listResources(file, peek(file)));
    return all;
  };
  return {
    enter: (schema, around) => {
      const id = readId(schema);
      const uri = id === undefined ? undefined : resolveUri(id, around.uri);
      return (uri !== undefined && list(around.file).find((each) => each.uri === uri)) || around;
    },
    findAround: (file, pointer) =>
      list(file).findLast(
        (each) => pointer === each.pointer || pointer.startsWith(`${each.pointer}/`),
      ) as Resource,
    resolve: (base, from) => {
      if (base === "") return from;
      const uri = resolveUri(base, from.uri);
      const mappedFile = mapped.get(uri);
      if (mappedFile !== undefined) return list(mappedFile)[0];
      const hasUri = (each: Resource): boolean => each.uri === uri;
      const file = resolveRelativePath(base, from.file);
      const atPath = file === undefined || read(file) === undefined ? undefined : list(file)[0];
      const named =
        list(from.file).find(hasUri) ?? (atPath && hasUri(atPath) ? atPath : listAll().find(hasUri));
      return named ?? atPath ?? (base.startsWith("/") ? findByEnd(listAll(), base) : undefined);
    },
  };
}

/** Returns the resources of a document: the document itself, then its parts with an `$id`, outer ones first. */
function listResources(file: string, document: Json | undefined, mappedUri?: string): readonly Resource[] {
  const root = { file, pointer: "", uri: mappedUri ?? readId(document) };
  const parts: Resource[] = [];
  walk(
    document ?? true,
    (schema, pointer) => {
      const id = pointer === "" ? undefined : readId(schema);
      if (id !== undefined && !id.startsWith("#"))
        parts.push({ file, pointer, uri: resolveUri(id, root.uri) });
    },
    "2020-12",
  );
  return [root, ...parts];
}

/**
 * Returns the only resource whose URI ends with the path of a reference, with or without `.json`. Schemas that were moved
 * below a version refer to each other by such paths.
 */
function findByEnd(resources: readonly Resource[], path: string): Resource | undefined {
  const end = cutExtension(path);
  const found = resources.filter(({ uri }) => uri !== undefined && cutExtension(uri).endsWith(end));
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the path of a schema without the end that says that it is one, and in which language. */
export function cutExtension(path: string): string {
  return path.replace(/(\.schema)?\.(json|ya?ml)$/, "");
}

/** Returns the `$id` of a schema, without an empty fragment at its end. */
export function readId(schema: Json | undefined): string | undefined {
  if (!isObject(schema)) return undefined;
  const id = [schema.$id, schema.id].find((each) => typeof each === "string");
  return id === undefined ? undefined : dropEmptyFragment(id);
}

function resolveUri(reference: string, base: string | undefined): string {
  return URL.canParse(reference, base) ? dropEmptyFragment(new URL(reference, base).href) : reference;
}

function dropEmptyFragment(uri: string): string {
  return uri.replace(/#$/, "");
}

/** Returns the path in the folder that a relative reference leads to; undefined for a URI, and for a path out of the folder. */
export function resolveRelativePath(base: string, from: string): string | undefined {
  if (/^([a-z][a-z0-9+.-]*:|\/)/i.test(base)) return undefined;
  const parts: string[] = from.split("/").slice(0, -1);
  for (const part of decodeFragment(base).split("/")) {
    if (part === ".." && parts.pop() === undefined) return undefined;
    if (part !== ".." && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
