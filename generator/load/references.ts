import path from "node:path";
import type { Finding, KnownFinding, RuleId } from "../finding.js";
import { isObject, type Json, type JsonObject, join, own, tokens, valueAt } from "../json.js";
import { pascalCase } from "../protocol/names.js";
import type { Definition } from "../schema/json-schema.js";
import { holdsSubschemas } from "../schema/keywords.js";
import { referenceTo } from "../schema/reference.js";
import { mapSubschemas } from "../schema/walk.js";
import type { Source } from "../source/source.js";
import type { Files } from "./files.js";
import { schemasIn } from "./schemas-in.js";

/**
 * Resolves the `$ref`s of one protocol folder. Each schema that is referred to becomes a definition under a name made
 * of its place alone, and each `$ref` is rewritten to that name: afterwards no schema knows of files.
 */
export interface References {
  readonly definitions: { readonly [name: string]: Definition };
  /** Definitions that get the same name. */
  readonly findings: readonly Finding[];
  /** `document` of `relative` with its references rewritten; `$defs` are lifted out. */
  rewrite(relative: string, source: Source): Json;
}

interface Target {
  readonly relative: string;
  readonly source: Source;
  readonly pointer: string;
}

/** Resolves against `files`; `nameOf` gives the definition name of a whole file, or undefined to derive it. */
export function openReferences(files: Files, nameOf: (relative: string) => string | undefined): References {
  const findings: Finding[] = [];
  const definitions: { [name: string]: Definition } = Object.create(null);
  const owners = new Map<string, string>();
  const names = new Map<Target, string>();

  const rewriteSchema = (schema: Json, relative: string, source: Source): Json => {
    if (!isObject(schema)) return schema;
    const { $defs: _lifted, $anchor: _anchor, ...rest } = withReference(schema, relative, source);
    return mapSubschemas(rest, (sub) => rewriteSchema(sub, relative, source));
  };

  const withReference = (schema: JsonObject, relative: string, source: Source): JsonObject => {
    const reference = schema.$ref;
    if (typeof reference !== "string") return schema;
    const target = resolve(files, reference, relative, source);
    if ("rule" in target) return schema; // followReferences has said so
    return { ...schema, $ref: referenceTo(define(target, source, schema)) };
  };

  const define = (target: Target, source: Source, referring: JsonObject): string => {
    const name = names.get(target) ?? definitionName(target, nameOf);
    names.set(target, name);
    const owner = `${target.relative}#${target.pointer}`;
    const taken = owners.get(name);
    if (taken === undefined) {
      owners.set(name, owner);
      const at = target.source.locate(target.pointer);
      definitions[name] = { schema: true, at };
      const content = valueAt(target.source.document, target.pointer) as Json;
      const schema = rewriteSchema(content, target.relative, target.source);
      definitions[name] = { schema: schema as Definition["schema"], at };
    } else if (taken !== owner) {
      const pointer = schemasIn(source).find(({ schema }) => schema === referring)?.pointer ?? "";
      findings.push({
        rule: "definition-name-collision",
        severity: "error",
        message: `Two definitions get the name ${name}: ${taken} and ${owner}.`,
        at: source.locate(`${pointer}/$ref`),
        hint: "Rename one of the definitions.",
      });
    }
    return name;
  };

  return {
    definitions,
    findings,
    rewrite: (relative, source) => rewriteSchema(source.document, relative, source),
  };
}

type Unresolved = Omit<KnownFinding, "at">;

function unresolved(rule: RuleId, message: string, hint: string): Unresolved {
  return { rule, severity: "error", message, hint };
}

const resolved = new WeakMap<Files, Map<string, Target | Unresolved>>();

/** What `reference`, written in `relative`, points at, or why it points at nothing. Reads no file outside of `files`. */
export function resolve(
  files: Files,
  reference: string,
  relative: string,
  source: Source,
): Target | Unresolved {
  const before = resolved.get(files) ?? new Map<string, Target | Unresolved>();
  resolved.set(files, before);
  // The same text means the same for all files of a folder, unless it is about the file itself.
  const place = /^(#|$)/.test(reference) ? relative : relative.slice(0, relative.lastIndexOf("/"));
  const key = `${place}\0${reference}`;
  const found = before.get(key) ?? resolveAnew(files, reference, relative, source);
  before.set(key, found);
  return found;
}

function resolveAnew(files: Files, reference: string, relative: string, source: Source): Target | Unresolved {
  const quoted = JSON.stringify(reference);
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(reference))
    return unresolved(
      "ref-remote",
      `The reference ${quoted} leads out of this folder.`,
      "Nothing is ever fetched: put a copy beside the schema and refer to it by a relative path.",
    );
  const [file = "", fragment = ""] = splitFragment(reference);
  const target =
    file === "" ? relative : path.posix.normalize(path.posix.join(path.posix.dirname(relative), file));
  if (file.startsWith("/") || target === ".." || target.startsWith("../"))
    return unresolved(
      "ref-outside",
      `The reference ${quoted} leads out of the schemas folder.`,
      "Refer to a file below the schemas folder by a relative path.",
    );
  if (files.leadsOut(target))
    return unresolved(
      "ref-outside",
      `The reference ${quoted} points at a link that leads out of the schemas folder.`,
      "Put a copy inside of the folder instead of the link.",
    );
  if (target !== relative && !files.has(target))
    return unresolved(
      "ref-unresolved",
      `The reference ${quoted} points at a file that does not exist.`,
      "Check the path; it counts from the file that it stands in.",
    );
  const found = target === relative ? source : files.read(target);
  if (!found)
    return unresolved(
      "ref-unresolved",
      `The reference ${quoted} points at a file that could not be read.`,
      "Mend that file first.",
    );
  const pointer = fragment === "" || fragment.startsWith("/") ? fragment : anchor(found, fragment);
  if (pointer === undefined || !isSchemaPosition(found.document, pointer))
    return unresolved(
      "ref-unresolved",
      `The reference ${quoted} points at no schema in ${found.file}.`,
      "Check the part behind the #.",
    );
  return { relative: target, source: found, pointer };
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

function anchor(source: Source, name: string): string | undefined {
  return schemasIn(source).find(({ schema }) => schema.$anchor === name)?.pointer;
}

/** Whether a schema stands at `pointer`, as the keywords above it say. */
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

/** A name made of the definition's place alone: `shared/ids.schema.json#/$defs/RunId` → `RunId`. */
function definitionName(target: Target, nameOf: (relative: string) => string | undefined): string {
  const whole = nameOf(target.relative);
  const base = path.posix.basename(target.relative).replace(/(\.schema)?\.json$/, "");
  if (target.pointer === "") return whole ?? pascalCase(base);
  const last = pascalCase(target.pointer.slice(target.pointer.lastIndexOf("/") + 1));
  const shared = whole === undefined && /^\/\$defs\/[^/]*$/.test(target.pointer);
  return shared
    ? last
    : pascalCase(base) + (/^\/\$defs\/[^/]*$/.test(target.pointer) ? last : pascalCase(target.pointer));
}
