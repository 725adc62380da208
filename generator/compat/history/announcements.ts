/** Finds removals, deprecations and renames that a contract does not announce as it should. */
import { compareVersions } from "../../protocol/version.js";
import type { Difference } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { coversName, dropSharedNames, keyOf, type Name } from "./released-names.js";
import {
  createDifference,
  createReportedNamesTest,
  declaredOldName,
  findRemovedNames,
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
    .filter(({ name }) => newest?.has(keyOf(name)))
    .filter(({ name }) => name.kind !== "value" && name.stability !== "experimental" && isWanted(name))
    .map(({ name }) =>
      createDifference(name, "before", {
        to: name.kind,
        ...(name.deprecatedSince !== undefined && { from: name.deprecatedSince }),
      }),
    );
}

/**
 * Whether a name is removed in the version that deprecated it, or before. Both the version that the name states and the first
 * release in which it is deprecated count.
 */
function isTooEarly(name: Name, { current, releasedNames }: Evidence): boolean {
  const firstDeprecatedIn = releasedNames.past.find(({ names }) => names.get(keyOf(name))?.deprecated)
    ?.protocol.version;
  const deprecatedIn = [name.deprecatedSince, firstDeprecatedIn].filter((version) => version !== undefined);
  return deprecatedIn.some((version) => compareVersions(current.version, version) <= 0);
}

/** Returns newly deprecated names that do not state what replaces them. */
export function findDeprecationsWithoutReplacement({ releasedNames }: Evidence): Difference[] {
  const newest = releasedNames.past.at(-1)?.names;
  if (!releasedNames.complete) return [];
  return dropSharedNames([...releasedNames.current.names.values()])
    .filter(
      (name) =>
        name.deprecated && name.replacedBy === undefined && newest?.get(keyOf(name))?.deprecated !== true,
    )
    .map((name) => createDifference(name, "after", { to: name.kind }));
}

/**
 * A mistake in a declared rename. `unmatched`: no version before had the old name. `missing`: the old name was removed
 * without a finding or a tombstone. `not deprecated`: the old name is still there, but not deprecated.
 */
type RenameMistake = "unmatched" | "missing" | "not deprecated";

/** Returns the declared renames with this mistake. */
export function findRenameMistakes(wanted: RenameMistake, evidence: Evidence): Difference[] {
  const { releasedNames, changes } = evidence;
  const isReported = createReportedNamesTest(changes);
  const names = releasedNames.past.length === 0 ? [] : [...releasedNames.current.names.values()];
  return dropSharedNames(names).flatMap((name) => {
    const old = declaredOldName(name);
    return old && findRenameMistake(old, evidence, isReported) === wanted
      ? [createDifference(name, "after", { from: old.name, to: name.kind })]
      : [];
  });
}

/** Returns the mistake in a rename that declares the old name `old`. */
function findRenameMistake(
  old: Name,
  { releasedNames, current }: Evidence,
  isReported: (name: Name) => boolean,
): RenameMistake | undefined {
  const present = releasedNames.current.names.get(keyOf(old));
  if (present) return present.deprecated ? undefined : "not deprecated";
  if (current.tombstones.some((each) => coversName(each, old))) return undefined;
  if (!releasedNames.past.some(({ names }) => names.has(keyOf(old)))) return "unmatched";
  return isReported(old) ? undefined : "missing";
}
