import type { Cache } from "../cache/cache.js";
import type { Io } from "../io.js";
import { type RawOptions, readCacheFolder, readText } from "./options.js";

/** Opens the cache that the options name. For `--no-cache`, opens one without files if it `isNeeded`, and else none. */
export async function openCache(options: RawOptions, io: Io, isNeeded = false): Promise<Cache | undefined> {
  const folder = readCacheFolder(options);
  if (folder === false && !isNeeded) return undefined;
  const { openProjectCache } = await import("../cache/project-cache.js");
  return openProjectCache(readText(options, "schemas"), folder, io);
}
