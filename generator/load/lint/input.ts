import type { Location } from "../../finding.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Definition } from "../../schema/json-schema.js";
import { listSchemas } from "../../schema/read-files.js";
import type { Source } from "../../source/source.js";
import type { SchemaFile } from "../folder.js";
import type { Manifest } from "../manifest.js";

/** A loaded protocol with the files that it came from, for checks that need both. */
export interface LintInput {
  readonly manifest: Manifest;
  readonly manifestSource: Source;
  readonly files: readonly SchemaFile[];
  /** Every file with schemas of the protocol: `files`, and those that they refer to. */
  readonly sources: readonly Source[];
  readonly protocol: Protocol;
}

/** Returns the schemas of the envelope, the payloads, the resources and the definitions. */
function rootSchemas({ envelope, events, resources, definitions }: Protocol): Definition[] {
  const payloads = events.map(({ payload, at }) => ({ schema: payload, at }));
  return [envelope, ...payloads, ...resources, ...Object.values(definitions)];
}

/** Returns the root schemas of files in which one of `keywords` holds a schema. Most files have none and are not walked again. */
export function rootSchemasWith(
  keywords: ReadonlySet<string>,
  { sources, protocol }: LintInput,
): Definition[] {
  const holds = (source: Source): boolean =>
    listSchemas(source).some(({ keyword }) => keyword !== undefined && keywords.has(keyword));
  const files = new Set(sources.filter(holds).map(({ file }) => file));
  return rootSchemas(protocol).filter(({ at }) => files.has(at.file));
}

/** Returns the line and column of a place in a schema, or of the name that its pointer ends with. */
export function locateIn(
  { files }: Pick<LintInput, "files">,
  { file, pointer }: Location,
  part: "value" | "name" = "value",
): Location {
  const source = files.find((each) => each.source.file === file)?.source;
  if (!source) return { file, pointer };
  return part === "name" ? source.locateKey(pointer) : source.locate(pointer);
}
