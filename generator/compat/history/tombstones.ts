/** Finds faults of tombstones: removed names without one, withdrawn names in use again, and removed tombstones. */
import type { Tombstone } from "../../protocol/protocol.js";
import type { UnclassifiedChange } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { createMissingTombstone, createNameChange, createRemovedTombstone } from "./name-changes.js";
import {
  coversName,
  createNameKey,
  dropSharedNames,
  type Name,
  type ReleasedNames,
  selectTombstonesToKeep,
} from "./released-names.js";
import { findRemovedNames, getDeclaredOldName } from "./removed-names.js";

/** Returns removed names without a tombstone, each once for all events that had it. */
export function findMissingTombstones(evidence: Evidence): UnclassifiedChange[] {
  const { tombstones } = evidence.current;
  const renamedKeys = new Set(
    [...evidence.releasedNames.current.names.listed.values()].flatMap((name) => {
      const oldName = getDeclaredOldName(name);
      return oldName ? [createNameKey(oldName)] : [];
    }),
  );
  const unrecordedNames = findRemovedNames(evidence).filter(
    ({ name }) =>
      !renamedKeys.has(createNameKey(name)) && !tombstones.some((tombstone) => coversName(tombstone, name)),
  );
  const groups = new Map<string, { names: readonly [Name, ...Name[]]; release: string }>();
  for (const { name, version } of unrecordedNames) {
    const key = `${name.kind} ${findFamily(evidence, name) ?? name.name}`;
    const namesOfGroup = groups.get(key)?.names;
    groups.set(key, { names: namesOfGroup ? [...namesOfGroup, name] : [name], release: version.label });
  }
  return [...groups.values()].map(({ names, release }) => createMissingTombstone(names, release));
}

/** Returns the rename of several names that a name belongs to, if there is one. */
function findFamily({ changes }: Evidence, { name }: Name): string | undefined {
  return changes.find(({ rename }) => rename?.members?.some(([old]) => old === name))?.name;
}

/** Returns names in use that a release had withdrawn, or that were removed and have another meaning now. */
export function findReusedNames({ releasedNames, current }: Evidence): UnclassifiedChange[] {
  const tombstones = selectTombstonesToKeep(releasedNames);
  return dropSharedNames([...releasedNames.current.names.listed.values()]).flatMap((name) => {
    const tombstone = tombstones.find((each) => coversName(each, name));
    if (tombstone) return [createNameChange(name, "after", tombstone.removedIn)];
    const last = findLastUseBeforeRemoval(releasedNames, name);
    const hasNewMeaning = last !== undefined && last.meaning() !== name.meaning();
    return hasNewMeaning && !current.tombstones.some((each) => coversName(each, name))
      ? [createNameChange(name, "after")]
      : [];
  });
}

/** Returns the name as the last release with it declared it, if a later release does not have it. */
function findLastUseBeforeRemoval({ past }: ReleasedNames, name: Name): Name | undefined {
  const held = past
    .filter(({ isRelease, isBinding }) => isRelease && isBinding)
    .map(({ names }) => names.find(name));
  const newest = held.length - 1;
  if (newest < 0 || held[newest] !== undefined) return undefined;
  return held.findLast((each) => each !== undefined);
}

/** Returns the tombstones of releases that were removed, unless their names are in use again. */
export function findRemovedTombstones({ releasedNames, current }: Evidence): UnclassifiedChange[] {
  const isInUse = (tombstone: Tombstone): boolean =>
    [...releasedNames.current.names.listed.values()].some((name) => coversName(tombstone, name));
  const currentKeys = new Set(current.tombstones.map(createTombstoneKey));
  const removedTombstones = selectTombstonesToKeep(releasedNames).filter(
    (tombstone) => !currentKeys.has(createTombstoneKey(tombstone)) && !isInUse(tombstone),
  );
  const unique = new Map(removedTombstones.map((tombstone) => [createTombstoneKey(tombstone), tombstone]));
  return [...unique.values()].map(createRemovedTombstone);
}

function createTombstoneKey({ kind, name, in: where }: Tombstone): string {
  return JSON.stringify([kind, name, where ?? null]);
}
