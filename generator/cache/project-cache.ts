import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { Environment, Io } from "../io.js";
import { sha256Hex } from "../sha256.js";
import { readBuildId } from "./build-id.js";
import { type Cache, openCache } from "./cache.js";

/** A folder of entries, and what their names begin with. */
interface Place {
  readonly folder: string;
  readonly prefix?: string;
}

/**
 * Returns the place of the cache for these schemas: below node_modules of the nearest folder, at or above them, that has a
 * package.json; if there is none, in the user's folder for caches, which several projects share.
 */
function findPlace(schemas: string, environment: Environment): Place {
  const resolved = path.resolve(schemas);
  const findProject = (folder: string): string | undefined => {
    if (existsSync(path.join(folder, "package.json"))) return folder;
    const above = path.dirname(folder);
    return above === folder ? undefined : findProject(above);
  };
  const project = findProject(resolved);
  if (project !== undefined) return { folder: path.join(project, "node_modules/.cache/accrete") };
  const { XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  const caches = XDG_CACHE_HOME || LOCALAPPDATA || path.join(homedir(), ".cache");
  return { folder: path.join(caches, "accrete"), prefix: `${sha256Hex(resolved).slice(0, 16)}-` };
}

/**
 * Opens the cache of the project that holds the schemas. `folder` names another folder; `false` keeps results in this process
 * only. Notes about damaged entries go to `stderr`.
 */
export function openProjectCache(
  schemas: string,
  folder: string | false | undefined,
  { stderr, environment = {} }: Pick<Io, "stderr" | "environment">,
): Cache {
  const place = folder === undefined ? findPlace(schemas, environment) : folder !== false && { folder };
  // Two threads may come upon the same entry.
  const printed = new Set<string>();
  return openCache({ buildId: readBuildId(), ...(place && place) }, (sentence) => {
    if (!printed.has(sentence)) stderr(`accrete: note: ${sentence}\n`);
    printed.add(sentence);
  });
}
