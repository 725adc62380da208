/** Finds faults in announcements: removals that no deprecation announced, and deprecations and renames without the other name. */
import { compareVersions } from "../../protocol/version.js";
import type { UnclassifiedChange } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { createNameChange } from "./name-changes.js";
import { coversName, dropSharedNames, type Name, type VersionNames } from "./released-names.js";
import { createReportedNamesTest, findRemovedNames, getDeclaredOldName } from "./removed-names.js";

/** Returns removed names that no release had deprecated, or that were removed in the release that deprecated them. */
export function findUnannouncedRemovals(
  wanted: "undeprecated" | "too early",
  evidence: Evidence,
): UnclassifiedChange[] {
  const isWanted = (name: Name): boolean =>
    wanted === "undeprecated" ? !name.deprecated : name.deprecated && isTooEarly(name, evidence);
  // A name that the newest release lacks was removed before it, so it can no longer be deprecated.
  const newest = evidence.releasedNames.past.findLast(({ isRelease }) => isRelease)?.names;
  return findRemovedNames(evidence)
    .filter(({ name }) => newest?.find(name))
    .filter(({ name }) => name.kind !== "value" && name.stability !== "experimental" && isWanted(name))
    .map(({ name }) => createNameChange(name, "before", name.deprecatedSince));
}

/**
 * Returns whether the current version is at most the version that deprecated the name. The schema may state this version;
 * it is also the first release that has the name deprecated.
 */
function isTooEarly(name: Name, { current, releasedNames }: Evidence): boolean {
  const isDeprecatedIn = ({ names }: VersionNames) => names.find(name)?.deprecated === true;
  const firstRelease = releasedNames.past.find(isDeprecatedIn)?.protocol.version;
  const versions = [name.deprecatedSince, firstRelease].filter((version) => version !== undefined);
  return versions.some((version) => compareVersions(current.version, version) <= 0);
}

/** Returns names whose deprecation is new and does not state what to use instead. */
export function findDeprecationsWithoutReplacement({ releasedNames }: Evidence): UnclassifiedChange[] {
  const newest = releasedNames.past.at(-1)?.names;
  if (!releasedNames.isComplete) return [];
  return dropSharedNames([...releasedNames.current.names.listed.values()])
    .filter(
      (name) => name.deprecated && name.replacedBy === undefined && newest?.find(name)?.deprecated !== true,
    )
    .map((name) => createNameChange(name, "after"));
}

type RenameFault = "unmatched" | "missing" | "not deprecated";

/** Returns declared renames whose old name has this fault. */
export function findRenameFaults(fault: RenameFault, evidence: Evidence): UnclassifiedChange[] {
  const { releasedNames, changes } = evidence;
  const isReported = createReportedNamesTest(changes);
  const names = releasedNames.past.length === 0 ? [] : [...releasedNames.current.names.listed.values()];
  return dropSharedNames(names).flatMap((name) => {
    const old = getDeclaredOldName(name);
    return old && classifyRename(old, evidence, isReported) === fault
      ? [createNameChange(name, "after", old.name)]
      : [];
  });
}

function classifyRename(
  old: Name,
  { releasedNames, current }: Evidence,
  isReported: (name: Name) => boolean,
): RenameFault | undefined {
  const currentName = releasedNames.current.names.find(old);
  if (currentName) return currentName.deprecated ? undefined : "not deprecated";
  if (current.tombstones.some((each) => coversName(each, old))) return undefined;
  if (!releasedNames.past.some(({ names }) => names.find(old))) return "unmatched";
  return isReported(old) ? undefined : "missing";
}
