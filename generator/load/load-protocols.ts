import { existsSync, statSync } from "node:fs";
import { UsageError } from "../failure.js";
import { didYouMean } from "../nearest.js";
import type { Protocol } from "../protocol/protocol.js";
import { openFiles } from "./files.js";
import { type LoadResult, listProtocolIds, loadFiles } from "./load.js";
import type { LoadOptions } from "./protocol.js";

/** Loads the protocols with these ids, or all protocols if `ids` is empty. A missing folder or protocol is a usage error. */
export async function loadProtocols(
  schemas: string,
  ids: readonly string[],
  options?: LoadOptions,
): Promise<LoadResult> {
  if (!existsSync(schemas))
    throw new UsageError(
      `The schemas folder ${schemas} does not exist; --schemas names another, such as node_modules/accrete-cli/schemas with the protocols that come with accrete.`,
    );
  if (!statSync(schemas).isDirectory())
    throw new UsageError(`${schemas} is not a folder; --schemas names another.`);
  const files = openFiles(schemas);
  const { ids: known } = listProtocolIds(files);
  if (known.length === 0)
    throw new UsageError(`${schemas} holds no protocol: there is no <name>/v<major>/protocol.json.`);
  for (const id of ids)
    if (!known.includes(id))
      throw new UsageError(
        `There is no protocol "${id}" in ${schemas}${didYouMean(id, known)} The protocols are ${known.join(", ")}.`,
      );
  return await loadFiles(files, schemas, ids, options);
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

/** Returns the ids of the versions of a protocol that lie between two of its major versions. */
export function listIdsBetween(
  schemas: string,
  { name, major }: Pick<Protocol, "name" | "major">,
  later: Pick<Protocol, "major">,
): string[] {
  const majors = Array.from(
    { length: Math.max(later.major - major - 1, 0) },
    (_, index) => major + index + 1,
  );
  const { ids } = listProtocolIds(openFiles(schemas));
  return majors.map((each) => `${name}/v${each}`).filter((id) => ids.includes(id));
}
