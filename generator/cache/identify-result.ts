import type { Json } from "../json.js";
import { sha256Hex } from "../sha256.js";
import type { Entries } from "./entries.js";
import { hashFolder, stampFolder } from "./hash-folder.js";

/** What a result depends on. */
export interface ResultIdentity {
  /** The name of the entry for all results of this kind with the same options. */
  readonly name: string;
  /** The key of results with the same options and files. */
  readonly key: string;
  /** Returns whether no file has been written since this was created. Files that were read meanwhile had the hashed contents. */
  isCurrent(): boolean;
}

/**
 * Returns the identity of a result that depends on `options`, on these folders or files, and on the build of accrete. Returns
 * undefined if it may depend on something else, because the folders hold links.
 */
export function identifyResult(
  entries: Entries,
  kind: string,
  options: Json,
  paths: readonly string[],
): ResultIdentity | undefined {
  const hashes = paths.map(hashFolder);
  const contents = hashes.flatMap((hash) => hash?.content ?? []);
  if (contents.length < paths.length) return undefined;
  return {
    name: `${kind}-${sha256Hex(JSON.stringify(options)).slice(0, 16)}`,
    key: entries.createKey([options, contents]),
    isCurrent: () => paths.every((each, index) => stampFolder(each) === hashes[index]?.stamp),
  };
}

/** Returns a result from the cache. If it is not there, computes and remembers it. */
export async function rememberResult<T>(
  entries: Entries,
  identity: ResultIdentity | undefined,
  compute: () => Promise<T>,
): Promise<T> {
  const stored = identity && entries.read<T>(identity.name, identity.key);
  if (stored) return stored.value;
  const result = await compute();
  // Another process may have changed a file after it was hashed, and before it was read.
  if (identity?.isCurrent()) entries.write(identity.name, identity.key, result);
  return result;
}
