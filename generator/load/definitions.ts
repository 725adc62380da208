import path from "node:path";
import { errorFinding, type Finding } from "../finding.js";
import { isObject, type Json, type JsonObject, valueAt } from "../json.js";
import { pascalCase } from "../protocol/names.js";
import { describeSchema, EVERYTHING, nodeAt } from "../schema/describe.js";
import type { Definition } from "../schema/json-schema.js";
import { type FileReferences, schemasIn, type Target } from "../schema/read-files.js";
import { type Definitions, referenceTo, targetName } from "../schema/reference.js";
import { mapSubschemas } from "../schema/walk.js";
import type { Source } from "../source/source.js";

/**
 * The definitions of a protocol: each schema that is referred to, under a name made of its place alone. Each `$ref` is
 * rewritten to that name; afterwards no schema knows of files.
 */
export interface FolderDefinitions {
  readonly definitions: Definitions;
  /** Definitions that get the same name. */
  readonly findings: readonly Finding[];
  /** `document` of `relative` with its references rewritten; `$defs` are lifted out. */
  rewrite(relative: string, source: Source): Json;
}

/** Reports definitions that refer to themselves with no structure in between: no value and no type could be built. */
export function lintCycles(definitions: Definitions): Finding[] {
  return Object.entries(definitions).flatMap(([name, { schema, at }]) => {
    const whole = describeSchema(nodeAt(schema, at), definitions, EVERYTHING, () => "certain");
    if (!whole.parts.some((part) => targetName(part.schema) === name)) return [];
    const message = `The definition ${name} refers back to itself with nothing in between, so it describes no value and no type.`;
    return [errorFinding("ref-cycle", message, at, "Let the cycle pass through a property or an item.")];
  });
}

/** Collects the definitions; `nameOf` gives the name of a whole file, or undefined to derive it from the path. */
export function collectDefinitions(
  references: FileReferences,
  nameOf: (relative: string) => string | undefined,
): FolderDefinitions {
  const findings: Finding[] = [];
  const definitions: { [name: string]: Definition } = Object.create(null);
  const owners = new Map<string, string>();

  const rewriteSchema = (schema: Json, relative: string, source: Source): Json => {
    if (!isObject(schema)) return schema;
    const { $defs: _lifted, $anchor: _anchor, ...rest } = withReference(schema, relative, source);
    return mapSubschemas(rest, (sub) => rewriteSchema(sub, relative, source));
  };

  const withReference = (schema: JsonObject, relative: string, source: Source): JsonObject => {
    const reference = schema.$ref;
    if (typeof reference !== "string") return schema;
    const target = references.targetOf(reference, relative);
    if (!target) return schema; // the references have a finding about it
    return { ...schema, $ref: referenceTo(define(target, source, schema)) };
  };

  const define = (target: Target, source: Source, referring: JsonObject): string => {
    const name = definitionName(target, nameOf);
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
      const message = `Two definitions get the name ${name}: ${taken} and ${owner}.`;
      const at = source.locate(`${pointer}/$ref`);
      findings.push(errorFinding("definition-name-collision", message, at, "Rename one of the definitions."));
    }
    return name;
  };

  return {
    definitions,
    findings,
    rewrite: (relative, source) => rewriteSchema(source.document, relative, source),
  };
}

/** Returns a name made of the definition's place alone: `RunId` for `RunId` of `$defs` in `shared/ids.schema.json`. */
function definitionName(target: Target, nameOf: (relative: string) => string | undefined): string {
  const whole = nameOf(target.relative);
  const base = pascalCase(path.posix.basename(target.relative).replace(/(\.schema)?\.json$/, ""));
  if (target.pointer === "") return whole ?? base;
  const [keyword, name = "", ...deeper] = target.pointer.slice(1).split("/");
  if (keyword !== "$defs" || deeper.length > 0) return base + pascalCase(target.pointer);
  return whole === undefined ? pascalCase(name) : base + pascalCase(name);
}
