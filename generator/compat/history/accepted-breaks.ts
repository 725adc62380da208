/**
 * Finds breaks that a release waived. A waiver of a release stays valid against every earlier release, as long as nothing
 * at the places of the break was broken since.
 */
import type { Protocol } from "../../protocol/protocol.js";
import { compareVersions } from "../../protocol/version.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { type Change, type ComparedChange, isAtOrBelow, isBreak } from "../change.js";
import { compare } from "../compare.js";
import { computeFingerprint } from "../describe.js";
import type { ContainmentCache } from "../proof/readings.js";
import { createUnlocatedSide } from "../side.js";
import { listPlaceKeys } from "./reported-breaks.js";
import { isWaivedBy, listValidWaivers } from "./waivers.js";

/**
 * Returns a test for the breaks of `current` against `baseline` that a later release of its major was made with: those of
 * a fingerprint that it waived, and those of its waived breaks whose content has only grown since.
 */
export async function findAcceptedBreaks(
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
    const breaks = await findBreaks(cache)(baseline)(release);
    const waived = breaks.filter((change) =>
      isWaivedBy(release, change.rule.id, computeFingerprint(change, release.id)),
    );
    if (waived.length === 0) continue;
    const isAccepted = await findAcceptedBreaks(release, current, history, cache);
    const since = (await findBreaks(cache)(release)(current)).filter(
      (change) =>
        !isAccepted(change) && !isWaivedBy(current, change.rule.id, computeFingerprint(change, current.id)),
    );
    const lasting = waived.filter((change) => !since.some((other) => areOverlapping(change, other)));
    for (const place of lasting.flatMap(listPlaceKeys)) places.add(place);
  }
  return (change) =>
    fingerprints.has(`${change.rule.id} ${computeFingerprint(change, current.id)}`) ||
    listPlaceKeys(change).every((place) => places.has(place));
}

/** Finds the breaks between two versions, once for each pair. */
const findBreaks = memoizeByObject((cache: ContainmentCache) =>
  memoizeByObject((before: Protocol) =>
    memoizeByObject(async (after: Protocol): Promise<ComparedChange[]> => {
      const changes = await compare(createUnlocatedSide(before), createUnlocatedSide(after), cache);
      return changes.filter(({ proof }) => isBreak(proof));
    }),
  ),
);

/** Returns whether two changes concern one value, or one of them a part of the other's. */
function areOverlapping(a: Change, b: Change): boolean {
  return a.occurrences.some((one) =>
    b.occurrences.some(
      (other) =>
        (one.event === other.event || one.event === "" || other.event === "") &&
        (isAtOrBelow(one.path, other.path) || isAtOrBelow(other.path, one.path)),
    ),
  );
}
