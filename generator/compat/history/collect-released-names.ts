/** Collects the names of a contract, its releases and its other baselines. */
import type { Protocol } from "../../protocol/protocol.js";
import { nextReleaseVersion } from "../../protocol/version.js";
import type { BaselineSide } from "../side.js";
import { collectNamesOf, type Names, type PastNames, type ReleasedNames } from "./released-names.js";

/**
 * Returns the names of every known version. Without releases, the baselines count as releases.
 *
 * The releases of an earlier major bind the current one only until it has a release of its own. That release has every
 * name and tombstone that existed then, or it would have been refused. Any other name was released later, in the earlier
 * major only.
 */
export function collectReleasedNames(
  current: Protocol,
  baselines: readonly BaselineSide[],
  history: readonly Protocol[],
): ReleasedNames {
  const sides = baselines.map(({ protocol }) => protocol);
  const earlier = history.filter(({ major }) => major <= current.major);
  const hasOwnRelease = earlier.some(({ major }) => major === current.major);
  // Baselines are ordered newest first, releases oldest first.
  const releases = earlier.length > 0 ? earlier : [...sides].reverse();
  const others = sides.filter((each) => !containsVersion(releases, each));
  const createPastNames = (each: Protocol, { released }: Pick<PastNames, "released">): PastNames => ({
    ...collectVersionNames(each, { compared: containsVersion(sides, each) }),
    label: findLabel(each, baselines),
    released,
    binding: !hasOwnRelease || each.major === current.major,
  });
  const all = [
    ...releases.map((each) => createPastNames(each, { released: true })),
    ...others.map((each) => createPastNames(each, { released: false })),
  ];
  return {
    past: all,
    current: collectVersionNames(current, { compared: false }),
    complete: true,
    next: findNextVersion(current, all),
  };
}

/** Returns the result for releases that cannot all be read: the so the names are unknown. */
export function createUnknownReleasedNames(current: Protocol): ReleasedNames {
  return {
    past: [],
    current: collectVersionNames(current, { compared: false }),
    complete: false,
    next: current.version,
  };
}

function collectVersionNames(protocol: Protocol, { compared }: Pick<Names, "compared">): Names {
  return { protocol, compared, names: collectNamesOf(protocol) };
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

function findNextVersion({ major, version }: Protocol, past: readonly PastNames[]): string {
  const releases = past.filter(({ released, protocol }) => released && protocol.major === major);
  return nextReleaseVersion(
    version,
    releases.map(({ protocol }) => protocol.version),
  );
}
