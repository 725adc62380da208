/** Refers created schema files to the schemas with which editors complete, explain and check them. */
import path from "node:path";
import type { OutputFile } from "../protocol/protocol.js";

/** The folder of the published schemas in the installed package, relative to the folder that holds node_modules. */
export const EDITOR_SCHEMAS = "node_modules/accrete-cli/dist/load";

/**
 * Returns the files with a relative `$schema`. Their paths are relative to the folder of all schemas. `editorSchemas` is
 * the folder of the published schemas, relative to the same folder.
 */
export function referToEditorSchemas(files: readonly OutputFile[], editorSchemas: string): OutputFile[] {
  return files.map((file) => {
    const name = path.posix.basename(file.path) === "protocol.json" ? "protocol" : "event";
    const schema = path.posix.join(editorSchemas, `${name}.schema.json`);
    const $schema = path.posix.relative(path.posix.dirname(file.path), schema);
    const { $schema: _dialect, ...rest } = JSON.parse(file.content);
    return { ...file, content: `${JSON.stringify({ $schema, ...rest }, undefined, 2)}\n` };
  });
}
