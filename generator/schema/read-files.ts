/**
 * Finds the files that the schemas of a folder refer to, and the target of each reference. The reference parser finds the
 * files. It reads only what `FolderFiles` returns: it uses no network, and no path leads out of the folder.
 */
import path from "node:path";
import { createErrorFinding, type Finding, type KnownFinding, type RuleId } from "../finding.js";
import {
  getChild,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  splitPointer,
} from "../json.js";
import type { Source } from "../source/source.js";
import { getSubschemaLayout } from "./keywords.js";
import { listSubschemas, type Subschema } from "./walk.js";

/** The files of one folder, by their paths below it with forward slashes. */
interface FolderFiles {
  /** Returns whether the file exists inside the folder. */
  readonly has: (relative: string) => boolean;
  /** Returns whether the path leads out of the folder, such as by a symbolic link. */
  readonly leadsOut: (relative: string) => boolean;
  /** Returns the parsed file; undefined if it cannot be parsed, which is reported elsewhere. */
  readonly read: (relative: string) => Source | undefined;
}

/** A file by its path below the folder. */
interface FolderFile {
  readonly relative: string;
  readonly source: Source;
}

/** The schema that a reference leads to: at `pointer` in a file. */
export interface Target extends FolderFile {
  readonly pointer: string;
}

/** The references of some files and of all files that they lead to. */
export interface FileReferences {
  /** The files that the roots refer to, directly or not. The roots are not among them. */
  readonly reached: readonly FolderFile[];
  /** A finding for each reference that leads to no schema. */
  readonly findings: readonly Finding[];
  /** Returns the target of a reference in the file `relative`; undefined if it leads to no schema. */
  readonly findTarget: (reference: string, relative: string) => Target | undefined;
}

/** Reads every file that `roots` refer to, directly or not. Resolves all references, also those in unused definitions. */
export async function readReferences(
  files: FolderFiles,
  roots: readonly FolderFile[],
): Promise<FileReferences> {
  const sources = new Map(roots.map(({ relative, source }) => [relative, source]));
  await addReachableFiles(files, sources);
  const targets = new Map<string, Target | UnresolvedReference>();
  const resolve = (reference: string, relative: string): Target | UnresolvedReference => {
    // A reference has the same target in all files of a folder, unless it refers into its own file.
    const isIntoOwnFile = reference === "" || reference.startsWith("#");
    const place = isIntoOwnFile ? relative : relative.slice(0, relative.lastIndexOf("/") + 1);
    const key = `${place}\0${reference}`;
    const target = targets.get(key) ?? resolveReference(files, sources, reference, relative);
    targets.set(key, target);
    return target;
  };
  const findings = [...sources].flatMap(([relative, source]) =>
    listReferences(source).flatMap(({ reference, pointer }) => {
      const target = resolve(reference, relative);
      if (!("rule" in target)) return [];
      return [createErrorFinding(target.rule, target.message, source.locate(`${pointer}/$ref`), target.hint)];
    }),
  );
  const rootFiles = new Set(roots.map(({ relative }) => relative));
  return {
    reached: [...sources].flatMap(([relative, source]) =>
      rootFiles.has(relative) ? [] : [{ relative, source }],
    ),
    findings,
    findTarget: (reference, relative) => {
      const target = resolve(reference, relative);
      return "rule" in target ? undefined : target;
    },
  };
}

/** The URL of the folder for the reference parser. It is not a file URL, so that the rules for local paths do not apply. */
const BASE = "https://accrete.invalid/";

/**
 * Adds to `sources` all files to which its files lead. Most protocols refer only to their own files, which `sources` already
 * holds. The reference parser takes long to load, so it is loaded only for other files.
 */
async function addReachableFiles(files: FolderFiles, sources: Map<string, Source>): Promise<void> {
  const references = [...sources].flatMap(
    ([relative, source]) => readSkeleton(files, relative, source).allOf,
  );
  const unreadReferences = references.filter(({ $ref }) => !sources.has(getRelativePath($ref)));
  if (unreadReferences.length === 0) return;
  const read = ({ url }: { readonly url: string }): Skeleton => {
    const relative = getRelativePath(url);
    const source = sources.get(relative) ?? files.read(relative);
    if (!source) throw new Error(`${relative} cannot be read`);
    sources.set(relative, source);
    return readSkeleton(files, relative, source);
  };
  const { $RefParser } = await import("@apidevtools/json-schema-ref-parser");
  await new $RefParser().resolve(
    BASE,
    { allOf: unreadReferences },
    {
      continueOnError: true,
      resolve: {
        file: false,
        http: false,
        folder: {
          order: 1,
          canRead: ({ url }: { readonly url: string }) => url.startsWith(BASE),
          read: (file: never) => read(file) as never,
        },
      },
      parse: {
        json: false,
        yaml: false,
        text: false,
        binary: false,
        skeleton: {
          order: 1,
          canParse: true,
          allowEmpty: true,
          parse: ({ data }: { readonly data: never }) => data,
        },
      },
    },
  );
}

/** Returns the path below the folder of a file that has the URL `url` for the reference parser. */
function getRelativePath(url: string): string {
  return decodeURIComponent(url.slice(BASE.length));
}

/**
 * Returns the references of a file to other files that may be read. The reference parser sees nothing else of a file, because
 * in a whole file it would also follow references in examples and constants.
 */
function readSkeleton(files: FolderFiles, relative: string, source: Source): Skeleton {
  const names = new Set(listReferences(source).map(({ reference }) => reference.split("#", 1)[0] ?? ""));
  names.delete("");
  const targets = [...names].map((name) => locateFile(name, relative));
  return {
    allOf: targets.flatMap((target) =>
      "rule" in target || files.leadsOut(target.file) || !files.has(target.file)
        ? []
        : [{ $ref: BASE + target.file.split("/").map(encodeURIComponent).join("/") }],
    ),
  };
}

/** The references of a file to other files, in the form that the reference parser reads. */
interface Skeleton {
  readonly allOf: readonly { readonly $ref: string }[];
}

/** The results of `listSchemas`. */
const schemasBySource = new WeakMap<Source, readonly LocatedSchema[]>();

/** A schema of a file, with its pointer. */
export interface LocatedSchema {
  readonly schema: JsonObject;
  readonly pointer: string;
  /** The keyword that holds the schema; undefined for the whole document. */
  readonly keyword: string | undefined;
  /** What stands where its keywords hold schemas. */
  readonly parts: readonly Subschema[];
}

/** Returns every schema of a file that is an object, parents first. References are not followed. The file is walked once. */
export function listSchemas(source: Source): readonly LocatedSchema[] {
  const cached = schemasBySource.get(source);
  if (cached) return cached;
  const found: LocatedSchema[] = [];
  const add = (schema: Json, pointer: string, keyword?: string): void => {
    if (!isObject(schema)) return;
    const parts = listSubschemas(schema, pointer);
    found.push({ schema, pointer, keyword, parts });
    for (const part of parts) add(part.schema, part.pointer, part.keyword);
  };
  add(source.document, "");
  schemasBySource.set(source, found);
  return found;
}

function listReferences(source: Source): { readonly reference: string; readonly pointer: string }[] {
  return listSchemas(source).flatMap(({ schema: { $ref }, pointer }) =>
    typeof $ref === "string" ? [{ reference: $ref, pointer }] : [],
  );
}

/** The finding about a reference that leads to no schema. */
type UnresolvedReference = Omit<KnownFinding, "at">;

function createUnresolvedReference(rule: RuleId, message: string, hint: string): UnresolvedReference {
  return { rule, severity: "error", message, hint };
}

/** Returns the file and the fragment that `reference` names. The file lies inside the folder, but it may not exist. */
function locateFile(
  reference: string,
  relative: string,
): { file: string; fragment: string } | UnresolvedReference {
  const quoted = JSON.stringify(reference);
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(reference))
    return createUnresolvedReference(
      "ref-remote",
      `The reference ${quoted} leads out of this folder.`,
      "Nothing is ever fetched: put a copy beside the schema and refer to it by a relative path.",
    );
  const [name = "", fragment = ""] = splitFragment(reference);
  const file = name === "" ? relative : path.posix.join(path.posix.dirname(relative), name);
  if (name.startsWith("/") || file === ".." || file.startsWith("../"))
    return createUnresolvedReference(
      "ref-outside",
      `The reference ${quoted} leads out of the schemas folder.`,
      "Refer to a file below the schemas folder by a relative path.",
    );
  return { file, fragment };
}

function resolveReference(
  files: FolderFiles,
  sources: ReadonlyMap<string, Source>,
  reference: string,
  relative: string,
): Target | UnresolvedReference {
  const quoted = JSON.stringify(reference);
  const located = locateFile(reference, relative);
  if ("rule" in located) return located;
  const { file, fragment } = located;
  const source = sources.get(file);
  if (file !== relative && files.leadsOut(file))
    return createUnresolvedReference(
      "ref-outside",
      `The reference ${quoted} points at a link that leads out of the schemas folder.`,
      "Put a copy inside of the folder instead of the link.",
    );
  if (file !== relative && !files.has(file))
    return createUnresolvedReference(
      "ref-unresolved",
      `The reference ${quoted} points at a file that does not exist.`,
      reference.includes("\\")
        ? "Write / in place of \\: the separator is the same on all systems."
        : "Check the path; it counts from the file that it stands in.",
    );
  if (!source)
    return createUnresolvedReference(
      "ref-unresolved",
      `The reference ${quoted} points at a file that could not be read.`,
      "Fix that file first.",
    );
  const pointer = fragment === "" || fragment.startsWith("/") ? fragment : findAnchor(source, fragment);
  if (pointer === undefined || !isSchemaPosition(source.document, pointer))
    return createUnresolvedReference(
      "ref-unresolved",
      `The reference ${quoted} points at no schema in ${source.file}.`,
      "Check the part behind the #.",
    );
  return { relative: file, source, pointer };
}

/** Returns the parts of a reference before and after its `#`, decoded. A part that cannot be decoded stays as it is. */
function splitFragment(reference: string): string[] {
  const hash = reference.indexOf("#");
  const parts = hash === -1 ? [reference] : [reference.slice(0, hash), reference.slice(hash + 1)];
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return parts;
  }
}

function findAnchor(source: Source, name: string): string | undefined {
  return listSchemas(source).find(({ schema }) => schema.$anchor === name)?.pointer;
}

/** Returns whether the keywords above `pointer` make its value a schema. */
function isSchemaPosition(document: Json, pointer: string): boolean {
  const path = splitPointer(pointer);
  // A pointer with another spelling would create a second definition of the same schema.
  if (joinPointer("", ...path) !== pointer) return false;
  let schema: Json | undefined = document;
  for (let next = path.shift(); next !== undefined; next = path.shift()) {
    if (!isObject(schema)) return false;
    const layout = getSubschemaLayout("protocol", next);
    const value: Json | undefined = getOwn(schema, next);
    if (layout === undefined || value === undefined) return false;
    if (layout === "schema") {
      schema = value;
      continue;
    }
    // The keyword holds a list or a map, and the next token names one of its schemas.
    const name = path.shift();
    if (name === undefined || Array.isArray(value) !== (layout === "list")) return false;
    schema = getChild(value, name);
  }
  return isObject(schema) || typeof schema === "boolean";
}
