import path from "node:path";
import type { Cache } from "../cache/cache.js";
import { identifyResult, type ResultIdentity } from "../cache/identify-result.js";

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

/** Returns what the outputs of a run depend on; undefined if they may depend on something outside of the folders. */
export function identifyRun(
  { protocols, schemas, out, fixtures, emit }: RunOptions,
  cache: Cache,
): ResultIdentity | undefined {
  // Generated tests find the fixtures from the output folder.
  const options = [protocols, schemas, path.relative(path.resolve(out), path.resolve(fixtures)), emit];
  return identifyResult(cache, "generate", options, [schemas, fixtures]);
}
