import type { Protocol } from "../../protocol/protocol.js";
import type { Source } from "../../source/source.js";
import type { SchemaFile } from "../folder.js";
import type { Manifest } from "../manifest.js";

/** A loaded protocol with the files it came from, for checks that need both. */
export interface LintInput {
  readonly manifest: Manifest;
  readonly manifestSource: Source;
  readonly files: readonly SchemaFile[];
  readonly protocol: Protocol;
}
