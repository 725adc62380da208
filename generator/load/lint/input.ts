import type { Location } from "../../finding.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Definition } from "../../schema/json-schema.js";
import type { Source } from "../../source/source.js";
import type { SchemaFile } from "../folder.js";
import type { Manifest } from "../manifest.js";

/** A loaded protocol with the files that it came from, for checks that need both. */
export interface LintInput {
  readonly manifest: Manifest;
  readonly manifestSource: Source;
  readonly files: readonly SchemaFile[];
  readonly protocol: Protocol;
}

/** Returns the schemas of the envelope, the payloads, the resources and the definitions. */
export function rootSchemas({ envelope, events, resources, definitions }: Protocol): Definition[] {
  const payloads = events.map(({ payload, at }) => ({ schema: payload, at }));
  return [envelope, ...payloads, ...resources, ...Object.values(definitions)];
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
