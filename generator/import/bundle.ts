/**
 * Bundles the schemas of one or several files into one schema of the same dialect, in which every `$ref` names a
 * definition, as in a protocol. Other keywords stay as they are. The bundle accepts the same values as the files.
 */
import { getValueAtPointer, isObject, type Json, type JsonObject, splitPointer } from "../json.js";
import { type Dialect, isAtLeast, parseDialectName } from "../schema/dialects.js";
import type { Definition, Schema } from "../schema/json-schema.js";
import { getKeywords, isKeywordOf } from "../schema/keywords.js";
import { type Definitions, formatReference } from "../schema/reference.js";
import { decodeFragment } from "../schema/resolve.js";
import { mapSubschemas, walk } from "../schema/walk.js";
import { ImportError } from "./import-error.js";
import { findFreeName, mergeDefinitions } from "./merge-definitions.js";
import { createResources, cutExtension, type Documents, type Resource, type Resources } from "./resources.js";

/** A schema with the definitions that it needs. */
export interface Bundle {
  readonly dialect: Dialect;
  /** True if `$schema` states the dialect. Otherwise it is guessed from the keywords; 2020-12 is the default. */
  readonly isStated: boolean;
  readonly schema: Json;
  readonly definitions: Definitions;
}

/** Bundles the schema in `file`. Throws an ImportError for a reference that cannot be resolved, and for mixed dialects. */
export function bundleSchemas(file: string, documents: Documents): Bundle {
  const { read } = documents;
  const root = read(file);
  if (root === undefined) throw new ImportError(`${file} cannot be read.`);
  const dialect = readDialect(root, file) ?? guessDialect(root);
  const definitions: { [name: string]: Definition } = Object.create(null);
  const names = new Map<string, string>();
  const preferredNames = new Map<string, string>();
  const resources = createResources(documents);
  const dynamicReferences = new Set<string>();

  const rewrite = (schema: Json, around: Resource): Json => {
    if (!isObject(schema)) return schema;
    if (acceptsNothing(schema)) return dialect === "draft4" ? { not: {} } : false;
    const from = resources.enter(schema, around);
    const {
      $schema: _dialect,
      $id: _id,
      id,
      $anchor: _anchor,
      $dynamicAnchor: _dynamicAnchor,
      $recursiveAnchor: _recursiveAnchor,
      definitions: _definitions,
      $defs: _$defs,
      ...rest
    } = schema;
    // Only draft-04 identifies schemas by `id`. In other dialects it is an unknown keyword.
    const isIdentifier = dialect === "draft4" || id === undefined;
    const keywords = replaceDynamicReference(
      isIdentifier ? rest : { ...rest, id },
      dialect,
      dynamicReferences,
    );
    const mappedKeywords = mapSubschemas(keywords, (sub) => rewrite(sub, from), dialect);
    if (typeof mappedKeywords.$ref !== "string") return mappedKeywords;
    return {
      ...mappedKeywords,
      $ref: formatReference(
        defineTarget(findTarget(mappedKeywords.$ref, from, dialect, documents, resources)),
      ),
    };
  };
  const defineTarget = (target: Target): string => {
    const key = `${target.file}#${target.pointer}`;
    const knownName = names.get(key);
    if (knownName !== undefined) return knownName;
    const document = read(target.file) as Json;
    if ((readDialect(document, target.file) ?? dialect) !== dialect)
      throw new ImportError(`${target.file} states another dialect than ${file}. Import them one by one.`);
    const preferredName = chooseDefinitionName(target, documents);
    const name = findFreeName(preferredName, (each) => Object.hasOwn(definitions, each));
    names.set(key, name);
    preferredNames.set(name, preferredName);
    // The name is assigned first, because the schema may refer to itself.
    definitions[name] = { schema: true, at: target };
    const around = resources.findAround(target.file, target.pointer);
    const schema = rewrite(getValueAtPointer(document, target.pointer) as Json, around) as Schema;
    definitions[name] = { schema, at: target };
    return name;
  };
  const schema = rewrite(root, resources.findAround(file, ""));
  const files = new Set([file, ...Object.values(definitions).map(({ at }) => at.file)]);
  for (const reference of dynamicReferences) checkDynamicReference(reference, [...files].map(read), dialect);
  const isStated = readStatedDialect(root) !== undefined;
  return { dialect, isStated, ...mergeDefinitions({ schema, definitions }, preferredNames, dialect) };
}

/** Returns whether a schema has an `enum` without values. Generators write it, although some metaschemas refuse it. */
function acceptsNothing(schema: JsonObject): boolean {
  return Array.isArray(schema.enum) && schema.enum.length === 0 && schema.$ref === undefined;
}

/** Replaces a reference whose target depends on the way to it by an ordinary one. */
function replaceDynamicReference(schema: JsonObject, dialect: Dialect, found: Set<string>): JsonObject {
  const keyword = dialect === "2019-09" ? "$recursiveRef" : "$dynamicRef";
  const { [keyword]: reference, ...rest } = schema;
  if (!isAtLeast(dialect, "2019-09") || typeof reference !== "string") return schema;
  found.add(reference);
  if (rest.$ref === undefined) return { ...rest, $ref: reference };
  return { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { $ref: reference }] };
}

/** Throws an ImportError if the target of a dynamic reference could depend on the way to it: if several schemas have its anchor. */
function checkDynamicReference(
  reference: string,
  documents: readonly (Json | undefined)[],
  dialect: Dialect,
): void {
  const name = reference.split("#")[1] ?? "";
  let anchors = 0;
  for (const document of documents)
    walk(
      document ?? true,
      ({ $dynamicAnchor, $recursiveAnchor }) => {
        if (name === "" ? $recursiveAnchor === true : $dynamicAnchor === name) anchors++;
      },
      dialect,
    );
  if (anchors > 1)
    throw new ImportError(
      `The schema uses the dynamic reference ${JSON.stringify(reference)}, and several schemas have its anchor, so that its target is known only during validation.`,
    );
}

/**
 * Lists the other files that `file` refers to as a whole, and those of which it refers to parts only, whether they exist or
 * not. Reads every `$ref`, in schemas or not.
 */
export function listReferredFiles(
  file: string,
  documents: Documents,
  resources: Resources,
): { readonly whole: ReadonlySet<string>; readonly parts: ReadonlySet<string> } {
  const whole = new Set<string>();
  const parts = new Set<string>();
  const visit = (value: Json, around: Resource): void => {
    if (typeof value !== "object" || value === null) return;
    const from = isObject(value) ? resources.enter(value, around) : around;
    if (isObject(value) && typeof value.$ref === "string") {
      const [base = "", fragment = ""] = value.$ref.split("#");
      const target = resources.resolve(base, from);
      const isWhole = target?.pointer === "" && fragment === "";
      if (target !== undefined && target.file !== file) (isWhole ? whole : parts).add(target.file);
    }
    for (const child of Object.values(value)) visit(child, from);
  };
  visit(documents.read(file) ?? null, resources.findAround(file, ""));
  return { whole, parts };
}

/** The path of a union that the import generates. No file has this name. */
export const GENERATED_UNION = "*";

/** Returns the option that helps if a reference leads nowhere: to a URL, or out of the folder. */
function describeRemedy(reference: string): string {
  const [url = ""] = reference.split("#");
  return /^https?:/.test(url)
    ? `--map ${url}=FILE names a file with its contents.`
    : "--root names a folder around it whose files references may lead to.";
}

/** The schema that a reference leads to. */
interface Target {
  readonly file: string;
  readonly pointer: string;
}

/** Finds the schema that `reference` in the resource `from` leads to. */
function findTarget(
  reference: string,
  from: Resource,
  dialect: Dialect,
  { read }: Documents,
  resources: Resources,
): Target {
  const [base = "", fragment = ""] = reference.split("#");
  const resource = resources.resolve(base, from);
  const document = resource && read(resource.file);
  const root = document === undefined ? undefined : getValueAtPointer(document, resource?.pointer ?? "");
  const pointer = root === undefined ? undefined : resolveFragment(root, decodeFragment(fragment), dialect);
  const target = root === undefined || pointer === undefined ? undefined : getValueAtPointer(root, pointer);
  if (resource === undefined || pointer === undefined || !(isObject(target) || typeof target === "boolean"))
    throw new ImportError(
      `${from.file === GENERATED_UNION ? "" : `${from.file}: `}the reference ${JSON.stringify(reference)} does not lead to a schema: no file of the folder has this path or this $id. Nothing is fetched from a network.`,
      describeRemedy(reference),
    );
  return { file: resource.file, pointer: resource.pointer + pointer };
}

/** Returns the JSON pointer to which a fragment leads: the fragment itself, or the pointer of the schema with this anchor. */
function resolveFragment(document: Json, fragment: string, dialect: Dialect): string | undefined {
  if (fragment === "" || fragment.startsWith("/")) return fragment;
  const pointers: string[] = [];
  walk(
    document,
    ({ $anchor, $dynamicAnchor, $id, id }, pointer) => {
      if ([$anchor, $dynamicAnchor, readAnchorOfId($id), readAnchorOfId(id)].includes(fragment))
        pointers.push(pointer);
    },
    dialect,
  );
  return pointers[0];
}

function readAnchorOfId(id: Json | undefined): Json | undefined {
  return typeof id === "string" && id.startsWith("#") ? id.slice(1) : undefined;
}

function chooseDefinitionName({ file, pointer }: Target, documents: Documents): string {
  return documents.nameTarget?.(file, pointer) ?? splitPointer(pointer).at(-1) ?? cutFileName(file);
}

/** Returns the name of a file without folders and extension. */
export function cutFileName(file: string): string {
  return cutExtension(file.split("/").at(-1) ?? file);
}

/** Returns the `$schema` of a document; undefined if it has none. */
export function readStatedDialect(document: Json | undefined): string | undefined {
  return isObject(document) && typeof document.$schema === "string" ? document.$schema : undefined;
}

/**
 * Guesses the dialect of a document that states none: draft-04 or draft-07 if it has a keyword, or a form of one, that
 * 2020-12 does not have; 2019-09 if it also has keywords that draft-07 lacks, or some beside `$ref`, which draft-07 ignores.
 */
function guessDialect(document: Json): Dialect {
  const traits = new Set<"draft4" | "draft7" | "2019-09" | "2020-12">();
  walk(
    document,
    (schema) => {
      const { items, exclusiveMinimum, exclusiveMaximum, $ref } = schema;
      if (typeof exclusiveMinimum === "boolean" || typeof exclusiveMaximum === "boolean")
        traits.add("draft4");
      if (Array.isArray(items)) traits.add("draft7");
      for (const keyword of Object.keys(schema)) {
        if (keyword === "additionalItems" || keyword === "dependencies") traits.add("draft7");
        if (keyword === "prefixItems") traits.add("2020-12");
        const facet = getKeywords("2019-09").get(keyword)?.facet ?? "annotations";
        const isIgnored = $ref !== undefined && facet !== "annotations" && facet !== "references";
        if (isIgnored || (keyword !== "$defs" && facet !== "annotations" && !isKeywordOf("draft7", keyword)))
          traits.add("2019-09");
      }
    },
    "2019-09",
  );
  if (traits.has("2020-12")) return "2020-12";
  if (traits.has("draft4")) return "draft4";
  if (!traits.has("draft7")) return "2020-12";
  return traits.has("2019-09") ? "2019-09" : "draft7";
}

function readDialect(document: Json, file: string): Dialect | undefined {
  const name = readStatedDialect(document);
  if (name === undefined) return undefined;
  try {
    return parseDialectName(name);
  } catch {
    throw new ImportError(`${file}: $schema is ${JSON.stringify(name)}, which accrete does not support.`);
  }
}
