/** Reads all versions of the protocols of an archive: their releases, and the current contracts. */

import type { BaselineSide } from "../../compat/side.js";
import { UsageError } from "../../failure.js";
import type { Environment } from "../../io.js";
import { locateOnDisk } from "../../load/baseline/locate-place.js";
import { checkReleases } from "../../load/releases/check-releases.js";
import type { Protocol } from "../../protocol/protocol.js";

/** The versions of one major of a protocol, oldest first. The last one is the current contract. */
export interface VersionHistory {
  readonly id: string;
  readonly versions: readonly BaselineSide[];
}

/**
 * Reads the histories of protocols.
 * @throws UsageError if a release is missing or damaged, because nothing can be proven without it.
 */
export function readVersionHistories(
  protocols: readonly Protocol[],
  schemas: string,
  environment: Environment | undefined,
): readonly VersionHistory[] {
  const ids = protocols.map(({ id }) => id);
  const releases = checkReleases(schemas, ids, environment);
  const error = releases.findings.find(({ severity }) => severity === "error");
  if (error !== undefined)
    throw new UsageError(`${error.at.file}: ${error.message} Without all releases, nothing can be proven.`);
  return protocols.map((protocol) => {
    const releasedVersions = releases
      .listReleases(protocol.name)
      .filter((release) => release.protocol.major === protocol.major)
      .map((release) => ({ protocol: release.protocol, locate: release.locate, label: release.version }));
    const current = { protocol, locate: locateOnDisk(), label: `${protocol.version} in the schemas folder` };
    return { id: protocol.id, versions: [...releasedVersions, current] };
  });
}
