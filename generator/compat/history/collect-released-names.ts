/** Collects the names of a contract, its releases and its other baselines. */
import type { Protocol } from "../../protocol/protocol.js";
import { getNextReleaseVersion } from "../../protocol/version.js";
import type { BaselineSide } from "../side.js";
import {
  collectProtocolNames,
  type PastVersionNames,
  type ReleasedNames,
  type VersionNames,
} from "./released-names.js";

/**
 * Returns the names of every known version. Without releases, the baselines count as releases.
 *
 * The releases of an earlier major bind the current major only until it has a release of its own. That release has every
 * name and tombstone that existed then, or it would have been refused. Names that it does not have were released later,
 * in the earlier major only.
 */
export function collectReleasedNames(
  current: Protocol,
  baselines: readonly BaselineSide[],
  history: readonly Protocol[],
): ReleasedNames {
  const baselineProtocols = baselines.map(({ protocol }) => protocol);
  const earlier = history.filter(({ major }) => major <= current.major);
  const hasOwnRelease = earlier.some(({ major }) => major === current.major);
  // Baselines are ordered newest first, releases oldest first.
  const releases = earlier.length > 0 ? earlier : [...baselineProtocols].reverse();
  const others = baselineProtocols.filter((each) => !containsVersion(releases, each));
  const createPastNames = (
    each: Protocol,
    { isRelease }: Pick<PastVersionNames, "isRelease">,
  ): PastVersionNames => ({
    ...collectVersionNames(each, { wasCompared: containsVersion(baselineProtocols, each) }),
    label: findLabel(each, baselines),
    isRelease,
    isBinding: !hasOwnRelease || each.major === current.major,
  });
  const past = [
    ...releases.map((each) => createPastNames(each, { isRelease: true })),
    ...others.map((each) => createPastNames(each, { isRelease: false })),
  ];
  return {
    past,
    current: collectVersionNames(current, { wasCompared: false }),
    isComplete: true,
    next: findNextVersion(current, past),
  };
}

/** Returns the result if some releases cannot be read, so that the released names are unknown. */
export function createUnknownReleasedNames(current: Protocol): ReleasedNames {
  return {
    past: [],
    current: collectVersionNames(current, { wasCompared: false }),
    isComplete: false,
    next: current.version,
  };
}

function collectVersionNames(
  protocol: Protocol,
  { wasCompared }: Pick<VersionNames, "wasCompared">,
): VersionNames {
  return { protocol, wasCompared, names: collectProtocolNames(protocol) };
}

function findLabel(protocol: Protocol, baselines: readonly BaselineSide[]): string {
  const side = baselines.find((each) => each.protocol === protocol);
  return side?.label ?? `release ${protocol.version}`;
}

/** Returns whether a list has this version. A baseline of another folder may have the same number but not the same files. */
function containsVersion(protocols: readonly Protocol[], { major, version, envelope }: Protocol): boolean {
  return protocols.some(
    (each) => each.major === major && each.version === version && each.envelope.at.file === envelope.at.file,
  );
}

function findNextVersion({ major, version }: Protocol, past: readonly PastVersionNames[]): string {
  const releases = past.filter(({ isRelease, protocol }) => isRelease && protocol.major === major);
  return getNextReleaseVersion(
    version,
    releases.map(({ protocol }) => protocol.version),
  );
}
