import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { emitRelease } from "../../generator/emit/release.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createTemporaryFolder } from "../folders.js";

const root = path.join(import.meta.dirname, "../..");

/** Copies one protocol version to a temporary schemas folder, and freezes its contract as a release. */
export async function createProject(id = "hecate/v1"): Promise<string> {
  const schemas = path.join(createTemporaryFolder(), "schemas");
  cpSync(path.join(root, "schemas", id), path.join(schemas, id), {
    recursive: true,
    filter: (file) => !/releases$/.test(file),
  });
  await freezeContract(schemas, id);
  return schemas;
}

/** Freezes the current contract without any check. Then sets the version of protocol.json to `next`, if it is given. */
export async function freezeContract(schemas: string, id = "hecate/v1", next?: string): Promise<void> {
  const [protocol] = (await loadSchemas(schemas, [id])).protocols;
  if (!protocol) throw new Error(`${id} has errors`);
  const { path: file, content } = emitRelease(protocol);
  cpSync(path.join(schemas, id, "protocol.json"), path.join(schemas, file), { force: true });
  writeFileSync(path.join(schemas, file), content);
  if (next !== undefined) setVersion(schemas, next, id);
}

/** Sets the version of protocol.json. */
export function setVersion(schemas: string, version: string, id = "hecate/v1"): void {
  editFile(schemas, `${id}/protocol.json`, (document) => {
    document.version = version;
  });
}

/** A JSON document. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into documents that they know
export type Document = any;

/** Changes one file of the project. */
export function editFile(schemas: string, file: string, change: (document: Document) => void): void {
  const filePath = path.join(schemas, file);
  const document: Document = JSON.parse(readFileSync(filePath, "utf8"));
  change(document);
  writeFileSync(filePath, `${JSON.stringify(document, null, 2)}\n`);
}

/** Writes a new file. */
export function addFile(schemas: string, file: string, document: Document): void {
  writeFileSync(path.join(schemas, file), `${JSON.stringify(document, null, 2)}\n`);
}

/** Replaces quoted names in every schema file, and `prefix` at the beginning of the names of these files. */
export function replaceNames(
  schemas: string,
  names: { readonly [from: string]: string },
  prefix?: readonly [from: string, to: string],
): void {
  for (const file of readdirSync(schemas, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".schema.json")) continue;
    const filePath = path.join(schemas, file);
    const text = readFileSync(filePath, "utf8");
    const changed = Object.entries(names).reduce(
      (all, [from, to]) => all.replaceAll(`"${from}"`, `"${to}"`),
      text,
    );
    if (changed !== text) writeFileSync(filePath, changed);
    const base = path.basename(file);
    if (prefix && base.startsWith(prefix[0]))
      renameSync(filePath, path.join(path.dirname(filePath), base.replace(prefix[0], prefix[1])));
  }
}
