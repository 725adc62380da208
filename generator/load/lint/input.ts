import { createErrorFinding, type Finding, type Location } from "../../finding.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Definition } from "../../schema/json-schema.js";
import { listSchemas } from "../../schema/read-files.js";
import type { Source } from "../../source/source.js";
import type { SchemaFile } from "../folder.js";
import type { Manifest } from "../manifest.js";

/** The input of lint rules: a protocol and the files that it was built from. */
export interface LintInput {
  readonly manifest: Manifest;
  readonly manifestSource: Source;
  readonly files: readonly SchemaFile[];
  /** Every file with schemas of the protocol: `files`, and those that they refer to. */
  readonly sources: readonly Source[];
  readonly protocol: Protocol;
}

/** A mistake in protocol.json. */
export interface ManifestProblem {
  readonly message: string;
  readonly pointer: string;
}

/** Returns the findings about mistakes in protocol.json. */
export function reportManifestProblems(
  problems: readonly ManifestProblem[],
  { manifestSource }: LintInput,
): Finding[] {
  return problems.map(({ message, pointer }) =>
    createErrorFinding("protocol-invalid", message, manifestSource.locate(pointer)),
  );
}

/** Returns the schemas of the envelope, the payloads, the resources and the definitions. */
export function listRootSchemas({ envelope, events, resources, definitions }: Protocol): Definition[] {
  const payloads = events.map(({ payload, at }) => ({ schema: payload, at }));
  return [envelope, ...payloads, ...resources, ...Object.values(definitions)];
}

/** Returns the root schemas of files in which one of `keywords` holds a schema. The schemas of all other files need not be walked. */
export function findRootSchemasWith(
  keywords: ReadonlySet<string>,
  { sources, protocol }: LintInput,
): Definition[] {
  const hasKeyword = (source: Source): boolean =>
    listSchemas(source).some(({ keyword }) => keyword !== undefined && keywords.has(keyword));
  const files = new Set(sources.filter(hasKeyword).map(({ file }) => file));
  return listRootSchemas(protocol).filter(({ at }) => files.has(at.file));
}

/** Returns the line and column of a place in a schema, or of the name that its pointer ends with. */
export function locateInFiles(
  { sources }: Pick<LintInput, "sources">,
  { file, pointer }: Location,
  part: "value" | "name" = "value",
): Location {
  const source = sources.find((each) => each.file === file);
  if (!source) return { file, pointer };
  return part === "name" ? source.locateKey(pointer) : source.locate(pointer);
}
