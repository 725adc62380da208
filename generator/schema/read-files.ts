/**
 * The files that schemas of a folder refer to, and where each reference leads. The reference parser finds the files;
 * it reads what `FolderFiles` gives and nothing else: there is no network, and no path leads out of the folder.
 */
import path from "node:path";
import { errorFinding, type Finding, type KnownFinding, type RuleId } from "../finding.js";
import { isObject, type Json, type JsonObject, join, own, tokens, valueAt } from "../json.js";
import type { Source } from "../source/source.js";
import { holdsSubschemas } from "./keywords.js";
import { walk } from "./walk.js";

/** The files of one folder, by their paths below it with forward slashes. */
interface FolderFiles {
  /** Whether a file exists there, inside of the folder. */
  readonly has: (relative: string) => boolean;
  /** Whether something stands there that leads out of the folder, such as a symbolic link. */
  readonly leadsOut: (relative: string) => boolean;
  /** The parsed file; undefined if it is broken, which is reported elsewhere. */
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
  /** The files that are referred to, directly or not, besides those that were asked about. */
  readonly reached: readonly FolderFile[];
  /** A finding for each reference that leads to no schema. */
  readonly findings: readonly Finding[];
  /** The target of a reference that stands in the file `relative`; undefined if it leads to no schema. */
  readonly targetOf: (reference: string, relative: string) => Target | undefined;
}

/** Reads every file that `roots` refer to, directly or not, and resolves all references, those of unused definitions too. */
export async function readReferences(
  files: FolderFiles,
  roots: readonly FolderFile[],
): Promise<FileReferences> {
  const sources = new Map(roots.map(({ relative, source }) => [relative, source]));
  await crawl(files, sources);
  const known = new Map<string, Target | Unresolved>();
  const resolve = (reference: string, relative: string): Target | Unresolved => {
    // The same text means the same for all files of a folder, unless it is about the file itself.
    const place = /^(#|$)/.test(reference) ? relative : path.posix.dirname(relative);
    const key = `${place}\0${reference}`;
    const found = known.get(key) ?? resolveReference(files, sources, reference, relative);
    known.set(key, found);
    return found;
  };
  const findings = [...sources].flatMap(([relative, source]) =>
    referencesIn(source).flatMap(({ reference, pointer }) => {
      const target = resolve(reference, relative);
      if (!("rule" in target)) return [];
      return [errorFinding(target.rule, target.message, source.locate(`${pointer}/$ref`), target.hint)];
    }),
  );
  const rootFiles = new Set(roots.map(({ relative }) => relative));
  return {
    reached: [...sources].flatMap(([relative, source]) =>
      rootFiles.has(relative) ? [] : [{ relative, source }],
    ),
    findings,
    targetOf: (reference, relative) => {
      const target = resolve(reference, relative);
      return "rule" in target ? undefined : target;
    },
  };
}

/** Where the folder is for the reference parser: a URL of no host, so that its rules for paths of a machine do not apply. */
const BASE = "https://accrete.invalid/";

/**
 * Adds all files to `sources` that those in it lead to. Most protocols refer to their own files only, which `sources`
 * holds from the start; the reference parser, which takes long to load, is loaded for the others.
 */
async function crawl(files: FolderFiles, sources: Map<string, Source>): Promise<void> {
  const skeletonOf = makeSkeletons(files);
  const references = [...sources].flatMap(([relative, source]) => skeletonOf(relative, source).allOf);
  const unread = references.filter(({ $ref }) => !sources.has(relativePath($ref)));
  if (unread.length === 0) return;
  const read = ({ url }: { readonly url: string }): Skeleton => {
    const relative = relativePath(url);
    const source = sources.get(relative) ?? files.read(relative);
    if (!source) throw new Error(`${relative} cannot be read`);
    sources.set(relative, source);
    return skeletonOf(relative, source);
  };
  const { $RefParser } = await import("@apidevtools/json-schema-ref-parser");
  await new $RefParser().resolve(
    BASE,
    { allOf: unread },
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
function relativePath(url: string): string {
  return decodeURIComponent(url.slice(BASE.length));
}

/**
 * Returns what the reference parser sees of a file: references to other files that may be read, each once. It would
 * follow what only looks like a reference in examples and constants, too.
 */
function makeSkeletons(files: FolderFiles): (relative: string, source: Source) => Skeleton {
  const urls = new Map<string, string | undefined>();
  const urlOf = (reference: string, relative: string): string | undefined => {
    const place = fileOf(reference, relative);
    if ("rule" in place || files.leadsOut(place.file) || !files.has(place.file)) return undefined;
    return BASE + place.file.split("/").map(encodeURIComponent).join("/");
  };
  return (relative, source) => {
    const folder = path.posix.dirname(relative);
    const found = new Set<string>();
    for (const { reference } of referencesIn(source)) {
      const [name = ""] = reference.split("#", 1);
      if (name === "") continue;
      const key = `${folder}\0${name}`;
      if (!urls.has(key)) urls.set(key, urlOf(name, relative));
      const url = urls.get(key);
      if (url !== undefined) found.add(url);
    }
    return { allOf: [...found].map(($ref) => ({ $ref })) };
  };
}

interface Skeleton {
  readonly allOf: readonly { readonly $ref: string }[];
}

const walked = new WeakMap<Source, readonly SchemaAt[]>();

/** A schema of a file, where it stands, and the keyword that holds it; none holds the whole document. */
interface SchemaAt {
  readonly schema: JsonObject;
  readonly pointer: string;
  readonly keyword: string | undefined;
}

/** Returns every schema of a file that is an object, parents first. References are not followed. The file is walked once. */
export function schemasIn(source: Source): readonly SchemaAt[] {
  const before = walked.get(source);
  if (before) return before;
  const found: SchemaAt[] = [];
  walk(source.document, (schema, pointer, keyword) => found.push({ schema, pointer, keyword }));
  walked.set(source, found);
  return found;
}

function referencesIn(source: Source): { readonly reference: string; readonly pointer: string }[] {
  return schemasIn(source).flatMap(({ schema: { $ref }, pointer }) =>
    typeof $ref === "string" ? [{ reference: $ref, pointer }] : [],
  );
}

type Unresolved = Omit<KnownFinding, "at">;

function unresolved(rule: RuleId, message: string, hint: string): Unresolved {
  return { rule, severity: "error", message, hint };
}

/** Returns the file and the fragment that `reference` names, whether or not the file exists; it lies inside of the folder. */
function fileOf(reference: string, relative: string): { file: string; fragment: string } | Unresolved {
  const quoted = JSON.stringify(reference);
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(reference))
    return unresolved(
      "ref-remote",
      `The reference ${quoted} leads out of this folder.`,
      "Nothing is ever fetched: put a copy beside the schema and refer to it by a relative path.",
    );
  const [name = "", fragment = ""] = splitFragment(reference);
  const file =
    name === "" ? relative : path.posix.normalize(path.posix.join(path.posix.dirname(relative), name));
  if (name.startsWith("/") || file === ".." || file.startsWith("../"))
    return unresolved(
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
): Target | Unresolved {
  const quoted = JSON.stringify(reference);
  const place = fileOf(reference, relative);
  if ("rule" in place) return place;
  const { file, fragment } = place;
  const source = sources.get(file);
  if (file !== relative && files.leadsOut(file))
    return unresolved(
      "ref-outside",
      `The reference ${quoted} points at a link that leads out of the schemas folder.`,
      "Put a copy inside of the folder instead of the link.",
    );
  if (file !== relative && !files.has(file))
    return unresolved(
      "ref-unresolved",
      `The reference ${quoted} points at a file that does not exist.`,
      "Check the path; it counts from the file that it stands in.",
    );
  if (!source)
    return unresolved(
      "ref-unresolved",
      `The reference ${quoted} points at a file that could not be read.`,
      "Fix that file first.",
    );
  const pointer = fragment === "" || fragment.startsWith("/") ? fragment : anchorIn(source, fragment);
  if (pointer === undefined || !isSchemaPosition(source.document, pointer))
    return unresolved(
      "ref-unresolved",
      `The reference ${quoted} points at no schema in ${source.file}.`,
      "Check the part behind the #.",
    );
  return { relative: file, source, pointer };
}

function splitFragment(reference: string): string[] {
  const hash = reference.indexOf("#");
  const parts = hash === -1 ? [reference] : [reference.slice(0, hash), reference.slice(hash + 1)];
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return parts;
  }
}

function anchorIn(source: Source, name: string): string | undefined {
  return schemasIn(source).find(({ schema }) => schema.$anchor === name)?.pointer;
}

/** Returns whether a schema stands at `pointer`, as the keywords above it say. */
function isSchemaPosition(document: Json, pointer: string): boolean {
  const path = tokens(pointer);
  // The same place in another spelling would get a second definition.
  if (join("", ...path) !== pointer) return false;
  let schema: Json | undefined = document;
  for (let next = path.shift(); next !== undefined; next = path.shift()) {
    if (!isObject(schema)) return false;
    const holds = holdsSubschemas("protocol", next);
    const value: Json | undefined = own(schema, next);
    const name = holds === "schema" ? "" : path.shift();
    if (holds === undefined || value === undefined || name === undefined) return false;
    if (holds !== "schema" && Array.isArray(value) !== (holds === "list")) return false;
    schema = holds === "schema" ? value : valueAt(value, join("", name));
  }
  return isObject(schema) || typeof schema === "boolean";
}
