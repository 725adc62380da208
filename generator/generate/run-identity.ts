import path from "node:path";
import { type Cache, hashText } from "../cache/cache.js";
import { hashFolder } from "../cache/hash-folder.js";
import type { GenerateOptions } from "./generate.js";

/** What a run depends on. */
interface RunIdentity {
  /** The name of the entry for all runs with the same options. */
  readonly name: string;
  /** The key of a run with the same options, schemas and fixtures. */
  readonly key: string;
  /** Also depends on when the files were written. */
  readonly stamp: string;
}

/**
 * Returns everything that the outputs of a run depend on, as hashes. Returns undefined if they may depend on something
 * outside of the folders, because the folders hold links.
 */
export function identifyRun(
  { protocols, schemas, out, fixtures, emit }: GenerateOptions,
  cache: Cache,
): RunIdentity | undefined {
  const schemasHash = hashFolder(schemas);
  // The outputs that every protocol has do not depend on the fixtures.
  const fixturesHash = emit.length === 0 ? NO_FIXTURES : hashFolder(fixtures);
  if (schemasHash === undefined || fixturesHash === undefined) return undefined;
  // Generated tests find the fixtures from the output folder.
  const options = [protocols, schemas, path.relative(path.resolve(out), path.resolve(fixtures)), emit];
  return {
    name: `generate-${hashText(JSON.stringify(options)).slice(0, 16)}`,
    key: cache.createKey([options, schemasHash.content, fixturesHash.content]),
    stamp: schemasHash.stamp + fixturesHash.stamp,
  };
}

const NO_FIXTURES = { content: "", stamp: "" };
