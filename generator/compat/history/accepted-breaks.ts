/**
 * Finds breaks that a release waived. A waiver of a release stays valid against every earlier release, as long as nothing
 * at the places of the break was broken since.
 */
import type { Protocol } from "../../protocol/protocol.js";
import { compareVersions } from "../../protocol/version.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { areNestedPaths, type Change, type ComparedChange, isBreak } from "../change.js";
import { compare } from "../compare.js";
import { computeFingerprint } from "../create-finding.js";
import type { ContainmentCache } from "../proof/readings.js";
import { createUnlocatedSide } from "../side.js";
import { listPlaceKeys } from "./reported-breaks.js";
import { isWaivedBy, listValidWaivers } from "./waivers.js";

/**
 * Returns a test for breaks of `current` against `baseline` that a later release of the same major waived. These are the
 * breaks with the fingerprint of one of its waivers, and the breaks at the places of its waived breaks, if nothing at
 * these places was broken since.
 */
export async function createAcceptedBreaksTest(
  baseline: Protocol,
  current: Protocol,
  history: readonly Protocol[],
  cache: ContainmentCache,
): Promise<(change: Change) => boolean> {
  const fingerprints = new Set<string>();
  const places = new Set<string>();
  const later = history.filter(
    ({ major, version }) => major === baseline.major && compareVersions(version, baseline.version) > 0,
  );
  for (const release of later) {
    const waivers = listValidWaivers(release);
    for (const { rule, fingerprint } of waivers.values()) fingerprints.add(`${rule} ${fingerprint}`);
    if (waivers.size === 0) continue;
    const breaks = await findBreaks(baseline, release, cache);
    const waivedBreaks = breaks.filter((change) =>
      isWaivedBy(release, change.rule.id, computeFingerprint(change, release.id)),
    );
    if (waivedBreaks.length === 0) continue;
    const isAccepted = await createAcceptedBreaksTest(release, current, history, cache);
    const laterBreaks = (await findBreaks(release, current, cache)).filter(
      (change) =>
        !isAccepted(change) && !isWaivedBy(current, change.rule.id, computeFingerprint(change, current.id)),
    );
    const lastingBreaks = waivedBreaks.filter(
      (change) => !laterBreaks.some((other) => areOverlapping(change, other)),
    );
    for (const place of lastingBreaks.flatMap(listPlaceKeys)) places.add(place);
  }
  return (change) =>
    fingerprints.has(`${change.rule.id} ${computeFingerprint(change, current.id)}`) ||
    listPlaceKeys(change).every((place) => places.has(place));
}

/** Returns the breaks between two versions. Each pair of versions is compared once for each cache. */
function findBreaks(before: Protocol, after: Protocol, cache: ContainmentCache): Promise<ComparedChange[]> {
  return compareOnce(cache)(before)(after);
}

/** Compares two versions once for each cache. Returns the changes that break something. */
const compareOnce = memoizeByObject((cache: ContainmentCache) =>
  memoizeByObject((before: Protocol) =>
    memoizeByObject(async (after: Protocol): Promise<ComparedChange[]> => {
      const changes = await compare(createUnlocatedSide(before), createUnlocatedSide(after), cache);
      return changes.filter(({ proof }) => isBreak(proof));
    }),
  ),
);

/** Returns whether two changes concern the same value, or one concerns a part of the value of the other. */
function areOverlapping(a: Change, b: Change): boolean {
  return a.places.some((one) =>
    b.places.some(
      (other) =>
        (one.event === other.event || one.event === "" || other.event === "") &&
        areNestedPaths(one.path, other.path),
    ),
  );
}
