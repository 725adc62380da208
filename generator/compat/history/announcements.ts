/** Finds faults in what a contract announces: the removal of names and their replacements. */
import { compareVersions } from "../../protocol/version.js";
import type { Difference } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { coversName, createNameKey, dropSharedNames, type Name } from "./released-names.js";
import {
  createDifference,
  createReportedNamesTest,
  findRemovedNames,
  getDeclaredOldName,
} from "./removed-names.js";

/** Returns removed names that no release had deprecated, or that were removed in the release that deprecated them. */
export function findUnannouncedRemovals(
  wanted: "undeprecated" | "too early",
  evidence: Evidence,
): Difference[] {
  const isWanted = (name: Name): boolean =>
    wanted === "undeprecated" ? !name.deprecated : name.deprecated && isTooEarly(name, evidence);
  // A name that the newest release lacks was removed before it, so it can no longer be deprecated.
  const newest = evidence.releasedNames.past.findLast(({ released }) => released)?.names;
  return findRemovedNames(evidence)
    .filter(({ name }) => newest?.has(createNameKey(name)))
    .filter(({ name }) => name.kind !== "value" && name.stability !== "experimental" && isWanted(name))
    .map(({ name }) =>
      createDifference(name, "before", {
        to: name.kind,
        ...(name.deprecatedSince !== undefined && { from: name.deprecatedSince }),
      }),
    );
}

/**
 * Returns whether the current version is not after the one that deprecated the name, as stated or as the first release
 * shows.
 */
function isTooEarly(name: Name, { current, releasedNames }: Evidence): boolean {
  const held = releasedNames.past.find(({ names }) => names.get(createNameKey(name))?.deprecated)?.protocol
    .version;
  const announced = [name.deprecatedSince, held].filter((version) => version !== undefined);
  return announced.some((version) => compareVersions(current.version, version) <= 0);
}

/** Returns names that are deprecated without a statement on what to use instead. */
export function findUnreplaced({ releasedNames }: Evidence): Difference[] {
  const newest = releasedNames.past.at(-1)?.names;
  if (!releasedNames.complete) return [];
  return dropSharedNames([...releasedNames.current.names.values()])
    .filter(
      (name) =>
        name.deprecated &&
        name.replacedBy === undefined &&
        newest?.get(createNameKey(name))?.deprecated !== true,
    )
    .map((name) => createDifference(name, "after", { to: name.kind }));
}

type RenameFault = "unmatched" | "missing" | "not deprecated";

/** Returns declared renames whose old name has this fault. */
export function findRenameFaults(fault: RenameFault, evidence: Evidence): Difference[] {
  const { releasedNames, changes } = evidence;
  const isReported = createReportedNamesTest(changes);
  const names = releasedNames.past.length === 0 ? [] : [...releasedNames.current.names.values()];
  return dropSharedNames(names).flatMap((name) => {
    const old = getDeclaredOldName(name);
    return old && classifyRename(old, evidence, isReported) === fault
      ? [createDifference(name, "after", { from: old.name, to: name.kind })]
      : [];
  });
}

function classifyRename(
  old: Name,
  { releasedNames, current }: Evidence,
  isReported: (name: Name) => boolean,
): RenameFault | undefined {
  const present = releasedNames.current.names.get(createNameKey(old));
  if (present) return present.deprecated ? undefined : "not deprecated";
  if (current.tombstones.some((each) => coversName(each, old))) return undefined;
  if (!releasedNames.past.some(({ names }) => names.has(createNameKey(old)))) return "unmatched";
  return isReported(old) ? undefined : "missing";
}
