import type { Protocol } from "../../protocol/protocol.js";
import { compareVersions, getNextMinor } from "../../protocol/version.js";
import type { Change } from "../change.js";
import { compare } from "../compare.js";
import type { ContainmentCache } from "../proof/readings.js";
import { RELEASE_RULES } from "../rules/releases.js";
import { type BaselineSide, createProtocolSpot, createUnlocatedSide, type Side } from "../side.js";
import { compareStreams } from "../streams/compare-streams.js";
import { createRootPlace } from "../subjects.js";

/**
 * Returns a change if the contract differs from the newest release of its major although its version is not newer. Other
 * baselines make no difference.
 */
export async function findMissingBump(
  current: Side,
  history: readonly Protocol[],
  compared: { readonly baselines: readonly BaselineSide[]; readonly differing: ReadonlySet<string> },
  cache: ContainmentCache,
): Promise<Change[]> {
  const { version, major } = current.protocol;
  const newest = history.findLast((each) => each.major === major);
  if (!newest || compareVersions(newest.version, version) < 0) return [];
  const side = compared.baselines.find(({ protocol }) => protocol === newest);
  const differs = side ? compared.differing.has(side.label) : await isDifferent(newest, current, cache);
  if (!differs) return [];
  return [
    {
      rule: RELEASE_RULES["version-bump-insufficient"],
      name: version,
      to: getNextMinor(newest.version),
      claim: {},
      places: [createRootPlace({ type: "", stability: "candidate" })],
      after: createProtocolSpot(current.protocol, "version"),
    },
  ];
}

async function isDifferent(protocol: Protocol, current: Side, cache: ContainmentCache): Promise<boolean> {
  const newest = createUnlocatedSide(protocol);
  const changes = await compare(newest, current, cache);
  return changes.length > 0 || (await compareStreams(current, [newest], changes)).length > 0;
}
