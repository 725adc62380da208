import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readOwnManifest } from "../load/own-package.js";
import { hashFolder } from "./hash-folder.js";

/** The file that `npm run build` writes beside the compiled modules: a hash of all of them. */
const BUILD_ID_FILE = new URL("../build-id", import.meta.url);

let buildId: string | undefined;

/**
 * Returns a text that differs between two builds of accrete, and between two versions of the packages that it imports. In a
 * checkout it depends on the sources. A cache does not use what another build wrote.
 */
export function readBuildId(): string {
  buildId ??= createBuildId();
  return buildId;
}

function createBuildId(): string {
  const hash = createHash("sha256");
  const sources = fileURLToPath(new URL("..", import.meta.url));
  hash.update(existsSync(BUILD_ID_FILE) ? readFileSync(BUILD_ID_FILE) : (hashFolder(sources)?.content ?? ""));
  for (const name of Object.keys(readOwnManifest().dependencies))
    hash.update(`${name} ${readInstalledVersion(name)}\n`);
  return hash.digest("hex");
}

/** Returns the version of a package that this module can import; an empty text for one that was built into this package. */
function readInstalledVersion(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const file = folders.map((folder) => path.join(folder, name, "package.json")).find(existsSync);
  return file === undefined ? "" : String(JSON.parse(readFileSync(file, "utf8")).version);
}
