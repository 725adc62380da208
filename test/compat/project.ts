import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { emitRelease } from "../../generator/emit/release.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createTemporaryFolder } from "./temporary-folder.js";

const root = path.join(import.meta.dirname, "../..");

/** A copy of one protocol version in a temporary schemas folder, with its contract frozen as a release. */
export async function project(id = "hecate/v1"): Promise<string> {
  const schemas = path.join(createTemporaryFolder(), "schemas");
  cpSync(path.join(root, "schemas", id), path.join(schemas, id), {
    recursive: true,
    filter: (file) => !/releases$/.test(file),
  });
  await freeze(schemas, id);
  return schemas;
}

/** Freezes the contract as it stands, without any check, and moves on to `next`. */
export async function freeze(schemas: string, id = "hecate/v1", next?: string): Promise<void> {
  const [protocol] = (await loadSchemas(schemas, [id])).protocols;
  if (!protocol) throw new Error(`${id} has errors`);
  const { path: file, content } = emitRelease(protocol);
  cpSync(path.join(schemas, id, "protocol.json"), path.join(schemas, `${file}`), { force: true });
  writeFileSync(path.join(schemas, file), content);
  if (next !== undefined)
    edit(schemas, `${id}/protocol.json`, (document) => {
      document.version = next;
    });
}

/** A JSON document that a test changes. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into documents that they know
export type Document = any;

/** Changes one file of the project. */
export function edit(schemas: string, file: string, change: (document: Document) => void): void {
  const place = path.join(schemas, file);
  const document: Document = JSON.parse(readFileSync(place, "utf8"));
  change(document);
  writeFileSync(place, `${JSON.stringify(document, null, 2)}\n`);
}

/** Writes a new file. */
export function add(schemas: string, file: string, document: Document): void {
  writeFileSync(path.join(schemas, file), `${JSON.stringify(document, null, 2)}\n`);
}

/** Replaces text in every schema file, and renames files by a prefix. */
export function replaceAll(
  schemas: string,
  words: { readonly [from: string]: string },
  prefix?: [string, string],
): void {
  for (const file of readdirSync(schemas, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".schema.json")) continue;
    const place = path.join(schemas, file);
    const text = readFileSync(place, "utf8");
    const changed = Object.entries(words).reduce(
      (all, [from, to]) => all.replaceAll(`"${from}"`, `"${to}"`),
      text,
    );
    if (changed !== text) writeFileSync(place, changed);
    const base = path.basename(file);
    if (prefix && base.startsWith(prefix[0]))
      renameSync(place, path.join(path.dirname(place), base.replace(prefix[0], prefix[1])));
  }
}
