import { existsSync } from "node:fs";
import path from "node:path";
import { readBuildId } from "./build-id.js";
import { type Cache, openCache } from "./cache.js";

/**
 * Returns the folder of the cache for these schemas: below node_modules of the nearest folder, at or above them, that has a
 * package.json; if there is none, of the folder that holds the schemas.
 */
function findCacheFolder(schemas: string): string {
  const resolved = path.resolve(schemas);
  const findProject = (folder: string): string | undefined => {
    if (existsSync(path.join(folder, "package.json"))) return folder;
    const above = path.dirname(folder);
    return above === folder ? undefined : findProject(above);
  };
  return path.join(findProject(resolved) ?? path.dirname(resolved), "node_modules/.cache/accrete");
}

/**
 * Opens the cache of the project that holds the schemas. `folder` names another folder; `false` keeps results in this process
 * only. Notes about damaged entries go to `stderr`.
 */
export function openProjectCache(
  schemas: string,
  folder: string | false | undefined,
  stderr: (text: string) => void,
): Cache {
  const settings = {
    buildId: readBuildId(),
    ...(folder !== false && { folder: folder ?? findCacheFolder(schemas) }),
  };
  return openCache(settings, (sentence) => stderr(`accrete: note: ${sentence}\n`));
}
