import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { didYouMean } from "../nearest.js";
import type { Protocol } from "../protocol/protocol.js";
import { type Loaded, loadSchemas } from "./load.js";
import type { LoadOptions } from "./protocol.js";

/** Loads the protocols of `ids`, or all of them. A folder without protocols and an id that is not there are usage errors. */
export async function loadProtocols(
  schemas: string,
  ids: readonly string[],
  options?: LoadOptions,
): Promise<Loaded> {
  const known = protocolIds(schemas);
  for (const id of ids)
    if (!known.includes(id))
      throw new UsageError(
        `There is no protocol "${id}" in ${schemas}${didYouMean(id, known)} There is ${known.join(", ")}.`,
      );
  return await loadSchemas(schemas, ids, options);
}

/** Loads protocols as `loadProtocols` does. Errors in the schemas are a usage error. */
export async function loadValidProtocols(
  schemas: string,
  ids: readonly string[],
  options?: LoadOptions,
): Promise<readonly Protocol[]> {
  const { protocols, findings } = await loadProtocols(schemas, ids, options);
  const error = findings.find(({ severity }) => severity === "error");
  if (error)
    throw new UsageError(`The schemas have errors, the first in ${error.at.file}; run accrete lint.`);
  return protocols;
}

function protocolIds(schemas: string): string[] {
  if (!existsSync(schemas))
    throw new UsageError(`The schemas folder ${schemas} does not exist; --schemas names another.`);
  if (!statSync(schemas).isDirectory())
    throw new UsageError(`${schemas} is not a folder; --schemas names another.`);
  const folders = (below: string): string[] =>
    readdirSync(path.join(schemas, below), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => path.posix.join(below, name));
  const ids = folders("")
    .flatMap(folders)
    .filter((id) => existsSync(path.join(schemas, id, "protocol.json")))
    .sort();
  if (ids.length === 0)
    throw new UsageError(`${schemas} holds no protocol: there is no <name>/v<major>/protocol.json.`);
  return ids;
}
