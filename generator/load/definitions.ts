import path from "node:path";
import { createErrorFinding, type Finding } from "../finding.js";
import { getValueAtPointer, isObject, type Json, type JsonObject } from "../json.js";
import { toPascalCase } from "../protocol/names.js";
import { createSpot, describeSchema, EVERYTHING } from "../schema/describe.js";
import type { Definition } from "../schema/json-schema.js";
import { type FileReferences, listSchemas, type Target } from "../schema/read-files.js";
import { type Definitions, formatReference, getTargetName } from "../schema/reference.js";
import { mapSubschemas } from "../schema/walk.js";
import type { Source } from "../source/source.js";

/**
 * The definitions of a protocol: each schema that a reference leads to, under a name that is derived from its place only.
 * Each `$ref` is rewritten to that name, so that no schema refers to a file.
 */
export interface FolderDefinitions {
  readonly definitions: Definitions;
  /** Reports definitions that get the same name. */
  readonly findings: readonly Finding[];
  /** Returns the document of a file with its references rewritten and without its `$defs`. */
  rewrite(relative: string, source: Source): Json;
}

/** Reports definitions that refer to themselves directly, because no type can be generated for them. */
export function lintCycles(definitions: Definitions): Finding[] {
  return Object.entries(definitions).flatMap(([name, { schema, at }]) => {
    const description = describeSchema(createSpot(schema, at), definitions, EVERYTHING, () => "certain");
    if (!description.parts.some((part) => getTargetName(part.schema) === name)) return [];
    const message = `The definition ${name} refers back to itself with nothing in between, so it describes no value and no type.`;
    return [
      createErrorFinding("ref-cycle", message, at, "Let the cycle pass through a property or an item."),
    ];
  });
}

/** Collects the definitions. `nameFile` returns the name of a whole file; if it returns undefined, the name is derived from the path. */
export function collectDefinitions(
  references: FileReferences,
  nameFile: (relative: string) => string | undefined,
): FolderDefinitions {
  const findings: Finding[] = [];
  const definitions: { [name: string]: Definition } = Object.create(null);
  const owners = new Map<string, string>();
  const names = new Map<Target, string>();

  const rewriteSchema = (schema: Json, relative: string, source: Source): Json => {
    if (!isObject(schema)) return schema;
    const rest = removeNames(rewriteReference(schema, relative, source));
    return mapSubschemas(rest, (sub) => rewriteSchema(sub, relative, source));
  };

  const rewriteReference = (schema: JsonObject, relative: string, source: Source): JsonObject => {
    const reference = schema.$ref;
    if (typeof reference !== "string") return schema;
    const target = references.findTarget(reference, relative);
    if (!target) return schema; // `readReferences` reports it.
    return { ...schema, $ref: formatReference(addDefinition(target, source, schema)) };
  };

  const addDefinition = (target: Target, source: Source, referrer: JsonObject): string => {
    const name = names.get(target) ?? deriveDefinitionName(target, nameFile);
    names.set(target, name);
    const owner = `${target.relative}#${target.pointer}`;
    const existingOwner = owners.get(name);
    if (existingOwner === undefined) {
      owners.set(name, owner);
      const at = target.source.locate(target.pointer);
      // A definition comes before the definitions that it refers to.
      definitions[name] = { schema: true, at };
      const content = getValueAtPointer(target.source.document, target.pointer) as Json;
      const schema = rewriteSchema(content, target.relative, target.source);
      definitions[name] = { schema: schema as Definition["schema"], at };
    } else if (existingOwner !== owner) {
      const pointer = listSchemas(source).find(({ schema }) => schema === referrer)?.pointer ?? "";
      const message = `Two definitions get the name ${name}: ${existingOwner} and ${owner}.`;
      const at = source.locate(`${pointer}/$ref`);
      findings.push(
        createErrorFinding("definition-name-collision", message, at, "Rename one of the definitions."),
      );
    }
    return name;
  };

  return {
    definitions,
    findings,
    rewrite: (relative, source) => rewriteSchema(source.document, relative, source),
  };
}

/** Returns a schema without `$defs` and `$anchor`, which only serve references. */
function removeNames(schema: JsonObject): JsonObject {
  if (schema.$defs === undefined && schema.$anchor === undefined) return schema;
  const { $defs: _definitions, $anchor: _anchor, ...rest } = schema;
  return rest;
}

/** Derives the name of a definition from its place only: `RunId` for `RunId` of `$defs` in `shared/ids.schema.json`. */
function deriveDefinitionName(target: Target, nameFile: (relative: string) => string | undefined): string {
  const fileName = nameFile(target.relative);
  const base = toPascalCase(path.posix.basename(target.relative).replace(/(\.schema)?\.json$/, ""));
  if (target.pointer === "") return fileName ?? base;
  const [keyword, name = "", ...deeper] = target.pointer.slice(1).split("/");
  if (keyword !== "$defs" || deeper.length > 0) return base + toPascalCase(target.pointer);
  return fileName === undefined ? toPascalCase(name) : base + toPascalCase(name);
}
