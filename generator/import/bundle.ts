/**
 * A schema of one or several files as one document in its own dialect: every `$ref` is `#/definitions/<name>`. The
 * keywords stay as they are. Law: the bundle accepts what the files accept.
 */

import { isObject, type Json, tokens, valueAt } from "../json.js";
import { type Dialect, dialectNamed } from "../schema/dialects.js";
import { mapSubschemas } from "../schema/walk.js";
import { Refused } from "./import-refusal.js";

/** A schema with the definitions that it needs. */
export interface Bundle {
  readonly dialect: Dialect;
  /** Whether the dialect was taken from `$schema`, rather than assumed. */
  readonly stated: boolean;
  readonly schema: Json;
  readonly definitions: { readonly [name: string]: Json };
}

/** The documents that may be read, by their paths with forward slashes. */
export interface Documents {
  /** The document at a path; undefined where there is none that may be read. */
  readonly read: (file: string) => Json | undefined;
  /** The path of the document that names itself by this URI. */
  readonly withId?: (uri: string) => string | undefined;
  /** What a whole document is called where it is referred to; by default its file's name. */
  readonly nameOf?: (file: string) => string | undefined;
}

/** Bundles the schema in `file`. Throws `Refused` for a reference that leads nowhere, and for dialects that mix. */
export function bundle(file: string, documents: Documents): Bundle {
  const { read } = documents;
  const root = read(file);
  if (root === undefined) throw new Refused(`${file} cannot be read.`);
  const said = statedDialect(root);
  const dialect = dialectOf(root, file) ?? "2020-12";
  const definitions: { [name: string]: Json } = Object.create(null);
  const names = new Map<string, string>();

  const rewrite = (schema: Json, from: string): Json => {
    if (!isObject(schema)) return schema;
    const { $schema: _s, $id: _i, id, $anchor: _a, definitions: _d, $defs: _e, ...rest } = schema;
    const kept = dialect === "draft4" || id === undefined ? rest : { ...rest, id };
    const mapped = mapSubschemas(kept, (sub) => rewrite(sub, from), dialect);
    return typeof mapped.$ref === "string" ? { ...mapped, $ref: refer(mapped.$ref, from) } : mapped;
  };
  const refer = (reference: string, from: string): string => {
    const target = locate(reference, from, documents);
    const key = `${target.file}#${target.pointer}`;
    const known = names.get(key);
    if (known !== undefined) return `#/definitions/${escaped(known)}`;
    const document = read(target.file) as Json;
    if ((dialectOf(document, target.file) ?? dialect) !== dialect)
      throw new Refused(`${target.file} is of another dialect than ${file}; import them one by one.`);
    const name = unique(nameOf(target, documents), definitions);
    names.set(key, name);
    definitions[name] = true;
    definitions[name] = rewrite(valueAt(document, target.pointer) as Json, target.file);
    return `#/definitions/${escaped(name)}`;
  };
  return { dialect, stated: said !== undefined, schema: rewrite(root, file), definitions };
}

function escaped(name: string): string {
  return name.replace(/~/g, "~0").replace(/\//g, "~1");
}

/** The name of the definition that a reference of a bundle names. */
export function definitionNamed(reference: string): string {
  return tokens(reference.slice(1))[1] ?? "";
}

/** The other files that `file` refers to, as far as there are such files. */
export function targetsOf(file: string, documents: Documents): string[] {
  const found = new Set<string>();
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    if (isObject(value) && typeof value.$ref === "string") {
      const target = fileOf(value.$ref.split("#")[0] ?? "", file, documents);
      if (target !== undefined && target !== file) found.add(target);
    }
    for (const below of Object.values(value)) visit(below);
  };
  visit(documents.read(file) ?? null);
  return [...found];
}

/** Stands for a union that is made here; the files have other names. */
export const MADE = "*";

interface Target {
  readonly file: string;
  readonly pointer: string;
}

/** Where `reference`, written in `from`, leads. A URI is looked up among the names that documents have for themselves. */
function locate(reference: string, from: string, documents: Documents): Target {
  const [base = "", fragment = ""] = reference.split("#");
  const file = fileOf(base, from, documents);
  const document = file === undefined ? undefined : documents.read(file);
  const pointer = document === undefined ? undefined : pointerOf(document, decoded(fragment));
  const found = document === undefined || pointer === undefined ? undefined : valueAt(document, pointer);
  if (file === undefined || pointer === undefined || !(isObject(found) || typeof found === "boolean"))
    throw new Refused(
      `${from === MADE ? "" : `${from}: `}the reference ${JSON.stringify(reference)} does not lead to a schema in the folder of the import. Nothing is fetched from a network.`,
    );
  return { file, pointer };
}

function fileOf(
  base: string,
  from: string,
  { read, withId = () => undefined }: Documents,
): string | undefined {
  if (base === "") return from;
  const id = idOf(read(from));
  if (id === base) return from;
  const uri = URL.canParse(base, id) ? bare(new URL(base, id).href) : base;
  return withId(uri) ?? sibling(base, from);
}

/** The URI by which a document names itself, without an empty fragment. */
export function idOf(document: Json | undefined): string | undefined {
  if (!isObject(document)) return undefined;
  const id = [document.$id, document.id].find((each) => typeof each === "string");
  return id === undefined ? undefined : bare(id as string);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function bare(uri: string): string {
  return uri.replace(/#$/, "");
}

function sibling(base: string, from: string): string | undefined {
  if (/^([a-z][a-z0-9+.-]*:|\/)/i.test(base)) return undefined;
  const parts: string[] = from.split("/").slice(0, -1);
  for (const part of decoded(base).split("/")) {
    if (part === ".." && parts.pop() === undefined) return undefined;
    if (part !== ".." && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The pointer that a fragment is, or the place of the anchor that it names. */
function pointerOf(document: Json, fragment: string): string | undefined {
  if (fragment === "" || fragment.startsWith("/")) return fragment;
  const search = (value: Json, pointer: string): string | undefined => {
    if (typeof value !== "object" || value === null) return undefined;
    if (isObject(value) && [value.$anchor, bareAnchor(value.$id), bareAnchor(value.id)].includes(fragment))
      return pointer;
    for (const [key, below] of Object.entries(value)) {
      const found = search(below, `${pointer}/${escaped(key)}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(document, "");
}

function bareAnchor(id: Json | undefined): Json | undefined {
  return typeof id === "string" && id.startsWith("#") ? id.slice(1) : undefined;
}

function nameOf({ file, pointer }: Target, documents: Documents): string {
  return tokens(pointer).at(-1) ?? documents.nameOf?.(file) ?? baseName(file);
}

/** The name of a file without folders and extension. */
export function baseName(file: string): string {
  return (file.split("/").at(-1) ?? file).replace(/(\.schema)?\.json$/, "");
}

function unique(name: string, taken: { readonly [name: string]: Json }): string {
  let free = name;
  for (let n = 2; Object.hasOwn(taken, free); n++) free = `${name}${n}`;
  return free;
}

/** The `$schema` of a document. */
export function statedDialect(document: Json | undefined): string | undefined {
  return isObject(document) && typeof document.$schema === "string" ? document.$schema : undefined;
}

function dialectOf(document: Json, file: string): Dialect | undefined {
  const name = statedDialect(document);
  if (name === undefined) return undefined;
  try {
    return dialectNamed(name);
  } catch {
    throw new Refused(`${file}: $schema is ${JSON.stringify(name)}, which accrete does not support.`);
  }
}
