import path from "node:path";
import type { Cache } from "../cache/cache.js";
import { hashFolder, stampFolder } from "../cache/hash-folder.js";
import { sha256Hex } from "../sha256.js";

/** What a run reads, and what it makes of it. */
export interface RunOptions {
  /** Ids of the protocols; all if there are none. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  readonly out: string;
  readonly fixtures: string;
  /** Names of optional outputs. */
  readonly emit: readonly string[];
}

/** What a run depends on. */
export interface RunIdentity {
  /** The name of the entry for all runs with the same options. */
  readonly name: string;
  /** The key of a run with the same options, schemas and fixtures. */
  readonly key: string;
  /** Returns whether no file has been written since this was created. Files that were loaded meanwhile had the hashed contents. */
  isCurrent(): boolean;
}

/**
 * Returns everything that the outputs of a run depend on, as hashes. Returns undefined if they may depend on something
 * outside of the folders, because the folders hold links.
 */
export function identifyRun(
  { protocols, schemas, out, fixtures, emit }: RunOptions,
  cache: Cache,
): RunIdentity | undefined {
  // The outputs that every protocol has do not depend on the fixtures.
  const folders = [schemas, ...(emit.length === 0 ? [] : [fixtures])];
  const hashes = folders.map(hashFolder);
  const contents = hashes.flatMap((hash) => hash?.content ?? []);
  if (contents.length < folders.length) return undefined;
  // Generated tests find the fixtures from the output folder.
  const options = [protocols, schemas, path.relative(path.resolve(out), path.resolve(fixtures)), emit];
  return {
    name: `generate-${sha256Hex(JSON.stringify(options)).slice(0, 16)}`,
    key: cache.createKey([options, contents]),
    isCurrent: () => folders.every((folder, index) => stampFolder(folder) === hashes[index]?.stamp),
  };
}
