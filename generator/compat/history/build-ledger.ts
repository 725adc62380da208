/** Builds the ledger of names of one contract from its releases and from what it is compared with. */
import type { Protocol } from "../../protocol/protocol.js";
import { nextReleaseVersion } from "../../protocol/version.js";
import type { BaselineSide } from "../compare.js";
import { type Ledger, type Names, namesOf, type PastNames } from "./released-names.js";

/**
 * Returns the names of every known version. Without releases the baselines stand for them.
 *
 * The releases of an earlier major bind the current one only until it has a release of its own: that release held each
 * name and each tombstone that existed then, or it would have been refused. What it neither held nor withdrew was
 * released later, in the earlier major alone.
 */
export function buildLedger(
  current: Protocol,
  baselines: readonly BaselineSide[],
  history: readonly Protocol[],
): Ledger {
  const sides = baselines.map(({ protocol }) => protocol);
  const earlier = history.filter(({ major }) => major <= current.major);
  const hasOwnRelease = earlier.some(({ major }) => major === current.major);
  const released = earlier.length > 0 ? earlier : [...sides].reverse();
  const others = sides.filter((each) => !isKnown(released, each));
  const past = (each: Protocol, isReleased: boolean): PastNames => ({
    ...heldBy(each, isKnown(sides, each)),
    label: labelOf(each, baselines),
    released: isReleased,
    binding: !hasOwnRelease || each.major === current.major,
  });
  const all = [...released.map((each) => past(each, true)), ...others.map((each) => past(each, false))];
  return { past: all, current: heldBy(current, false), whole: true, next: nextVersion(current, all) };
}

/** Returns the ledger where a release could not be read: only all releases together know the names. */
export function emptyLedger(current: Protocol): Ledger {
  return { past: [], current: heldBy(current, false), whole: false, next: current.version };
}

function heldBy(protocol: Protocol, compared: boolean): Names {
  return { protocol, compared, names: namesOf(protocol) };
}

function labelOf(protocol: Protocol, baselines: readonly BaselineSide[]): string {
  const side = baselines.find((each) => each.protocol === protocol);
  return side?.label ?? `release ${protocol.version}`;
}

function isKnown(past: readonly Protocol[], { major, version, envelope }: Protocol): boolean {
  return past.some(
    (each) => each.major === major && each.version === version && each.envelope.at.file === envelope.at.file,
  );
}

function nextVersion({ major, version }: Protocol, past: readonly PastNames[]): string {
  const releases = past.filter(({ released, protocol }) => released && protocol.major === major);
  return nextReleaseVersion(
    version,
    releases.map(({ protocol }) => protocol.version),
  );
}
