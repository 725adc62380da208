/** Finds the names that were removed, and those that findings report already. */
import type { Protocol } from "../../protocol/protocol.js";
import { type ComparedChange, isAtOrBelow, isBreak } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { listResourceSubjects, parseResourceKey } from "../subjects.js";
import {
  createNameKey,
  dropSharedNames,
  type Name,
  type PastVersionNames,
  type ReleasedNames,
} from "./released-names.js";

/** Returns the old name that `name` states in x-renamed-from. */
export function getDeclaredOldName(name: Name): Name | undefined {
  if (name.renamedFrom === undefined) return undefined;
  return { ...name, name: name.renamedFrom, ...(name.kind === "event" && { event: name.renamedFrom }) };
}

/** A removed name, and the newest version that had it. */
interface RemovedName {
  readonly name: Name;
  readonly version: PastVersionNames;
}

/** Returns the removed names, without those that an error reports already. */
export function findRemovedNames({ releasedNames, changes }: Evidence): RemovedName[] {
  const removedNames = new Map<string, RemovedName>();
  const bindingReleases = releasedNames.past.filter((each) => each.isRelease && each.isBinding);
  const isReported = createReportedNamesTest(changes);
  const isNarrowed = createNarrowedNamesTest(changes);
  const isRemoval = (name: Name, { protocol, wasCompared }: PastVersionNames): boolean => {
    if (!isComparable(name, protocol, releasedNames)) return false;
    // The only value that a place allows cannot be given another meaning.
    if (name.isOnlyValue) return false;
    // An error reports the removal already.
    if (isReported(name)) return false;
    // Only a comparison shows that all values are still allowed and a name is merely stated differently.
    return !wasCompared || name.kind === "event" || isNarrowed(name);
  };
  for (const version of bindingReleases) {
    const missingNames = [...version.names.listed.values()].filter(
      (name) => !releasedNames.current.names.find(name),
    );
    for (const name of dropSharedNames(missingNames))
      if (isRemoval(name, version)) removedNames.set(createNameKey(name), { name, version });
  }
  return [...removedNames.values()].filter(({ name }) => !isRemovedWithParent(name, releasedNames));
}

/** Returns whether the event, the resource or a field that contains the name was removed, which removes the name too. */
function isRemovedWithParent(name: Name, releasedNames: ReleasedNames): boolean {
  if (name.kind === "event") return false;
  return isSubjectRemoved(name, releasedNames) || isHolderRemoved(name, releasedNames);
}

/** Returns whether the current contract lacks the event or resource of a name. */
function isSubjectRemoved({ event }: Name, { current }: ReleasedNames): boolean {
  const isEnvelope = event === "";
  if (isEnvelope || listResourceSubjects(current.protocol).some(({ type }) => type === event)) return false;
  return !current.names.find({ kind: "event", name: event, event, path: "" });
}

/**
 * Returns a test for names of subjects that were narrowed. If all values of a subject are still allowed, its names are
 * not removed; they are only stated differently.
 */
function createNarrowedNamesTest(changes: readonly ComparedChange[]): (name: Name) => boolean {
  const narrowingChanges = changes.filter(
    ({ proof }) => proof.backward !== undefined || proof.undecided !== undefined,
  );
  const events = new Set(narrowingChanges.flatMap(({ places }) => places.map(({ event }) => event)));
  return ({ event }) => events.has(event) || events.has("") || (event === "" && events.size > 0);
}

/**
 * Returns whether the path of a name leads to the same value in both versions. In messages with another layout it does
 * not.
 */
function isComparable(
  { kind, event }: Name,
  { envelope: old }: Protocol,
  { current }: ReleasedNames,
): boolean {
  const now = current.protocol.envelope;
  const dependsOnMessageLayout = kind !== "event" && parseResourceKey(event) === undefined;
  if (!dependsOnMessageLayout) return true;
  return old.placement === now.placement && old.property === now.property;
}

/** Returns whether one of the fields on the path of a name was removed. */
function isHolderRemoved({ event, path }: Name, { past, current }: ReleasedNames): boolean {
  const tokens = path.split("/").filter((token) => token !== "*");
  // The first token is empty, because a path begins with a slash.
  const holders = tokens
    .map((name, index) => ({ kind: "field", event, path: tokens.slice(0, index).join("/"), name }) as const)
    .slice(1);
  return holders.some((key) => !current.names.find(key) && past.some(({ names }) => names.find(key)));
}

/** Returns a test for names whose removal an error reports already. */
export function createReportedNamesTest(changes: readonly ComparedChange[]): (name: Name) => boolean {
  const errors = changes.filter(
    ({ proof, otherMajor, waived, places }) =>
      !otherMajor &&
      waived !== true &&
      isBreak(proof) &&
      places.some(({ stability }) => stability !== "experimental"),
  );
  const createKey = (event: string, name: string): string => JSON.stringify([event, name]);
  const reportedKeys = new Set(
    errors.flatMap((change) => {
      const names = listNamesIn(change);
      return change.places.flatMap(({ event }) => names.map((name) => createKey(event, name)));
    }),
  );
  const coveredPlaces = errors.filter(({ rule }) => rule.coversNamesBelow).flatMap(({ places }) => places);
  const isInside = ({ event, path }: Name): boolean =>
    coveredPlaces.some((at) => (at.event === event || at.event === "") && isAtOrBelow(path, at.path));
  // The envelope has the event "". A change of it is a change of every event.
  return (name) =>
    reportedKeys.has(createKey(name.event, name.name)) ||
    reportedKeys.has(createKey("", name.name)) ||
    isInside(name);
}

/** Returns all names that may be the removed name of a change. */
function listNamesIn({ name, from, rename }: ComparedChange): string[] {
  const oldNames = (rename?.members ?? []).map(([old]) => old);
  const candidates = [name, ...[from ?? []].flat().map(String), ...oldNames];
  // A moved field is named by its old path, whose last part is the name.
  return candidates.flatMap((candidate) => [candidate, candidate.slice(candidate.lastIndexOf("/") + 1)]);
}
