/** Finds faults of tombstones: removed names without one, withdrawn names in use again, and removed tombstones. */
import type { Tombstone } from "../../protocol/protocol.js";
import type { Difference } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { createSpot } from "../side.js";
import { createResourceKey, describeResource } from "../subjects.js";
import {
  coversName,
  createNameKey,
  dropSharedNames,
  type Name,
  type PastNames,
  type ReleasedNames,
  selectTombstonesToKeep,
} from "./released-names.js";
import { createDifference, findRemovedNames, getDeclaredOldName } from "./removed-names.js";

/** Returns removed names without a tombstone, each once for all events that had it. */
export function findMissingTombstones(evidence: Evidence): Difference[] {
  const { tombstones } = evidence.current;
  const renamed = new Set(
    [...evidence.releasedNames.current.names.values()].flatMap((name) => {
      const oldName = getDeclaredOldName(name);
      return oldName ? [createNameKey(oldName)] : [];
    }),
  );
  const unrecorded = findRemovedNames(evidence).filter(
    ({ name }) =>
      !renamed.has(createNameKey(name)) && !tombstones.some((tombstone) => coversName(tombstone, name)),
  );
  const groups = new Map<string, { names: Name[]; from: PastNames }>();
  for (const { name, from } of unrecorded) {
    const key = `${name.kind} ${findFamily(evidence, name) ?? name.name}`;
    groups.set(key, { names: [...(groups.get(key)?.names ?? []), name], from });
  }
  return [...groups.values()].flatMap(({ names, from }) => createDifferences(names, from));
}

function createDifferences(names: readonly Name[], { label }: PastNames): Difference[] {
  const [first] = names;
  if (!first) return [];
  const removed = [...new Set(names.map(({ name }) => name))];
  const occurrences = names.flatMap((name) => createDifference(name, "before").occurrences);
  return [createDifference(first, "before", { from: [label, ...removed], to: first.kind, occurrences })];
}

/** Returns the rename of several names that a name belongs to, if there is one. */
function findFamily({ changes }: Evidence, { name }: Name): string | undefined {
  return changes.find(({ rename }) => rename?.members?.some(([old]) => old === name))?.name;
}

/** Returns names in use that a release had withdrawn, or that were removed and have another meaning now. */
export function findReusedNames({ releasedNames, current }: Evidence): Difference[] {
  const tombstones = selectTombstonesToKeep(releasedNames);
  return dropSharedNames([...releasedNames.current.names.values()]).flatMap((name) => {
    const tombstone = tombstones.find((each) => coversName(each, name));
    if (tombstone) return [createDifference(name, "after", { from: tombstone.removedIn, to: name.kind })];
    const last = findLastUseBeforeRemoval(releasedNames, name);
    const changed = last !== undefined && last.meaning() !== name.meaning();
    return changed && !current.tombstones.some((each) => coversName(each, name))
      ? [createDifference(name, "after", { to: name.kind })]
      : [];
  });
}

/** Returns the name as the last release with it declared it, if a later release does not have it. */
function findLastUseBeforeRemoval({ past }: ReleasedNames, name: Name): Name | undefined {
  const held = past
    .filter(({ released, binding }) => released && binding)
    .map(({ names }) => names.get(createNameKey(name)));
  const newest = held.length - 1;
  if (newest < 0 || held[newest] !== undefined) return undefined;
  return held.findLast((each) => each !== undefined);
}

/** Returns the tombstones of releases that were removed, unless their names are in use again. */
export function findRemovedTombstones({ releasedNames, current }: Evidence): Difference[] {
  const isInUse = (tombstone: Tombstone): boolean =>
    [...releasedNames.current.names.values()].some((name) => coversName(tombstone, name));
  const kept = new Set(current.tombstones.map(createTombstoneKey));
  const removed = selectTombstonesToKeep(releasedNames).filter(
    (tombstone) => !kept.has(createTombstoneKey(tombstone)) && !isInUse(tombstone),
  );
  const unique = new Map(removed.map((tombstone) => [createTombstoneKey(tombstone), tombstone]));
  return [...unique.values()].map((tombstone) => ({
    name: tombstone.name,
    from: tombstone.removedIn,
    to: tombstone.kind,
    claim: {},
    occurrences: [{ event: createHolderKey(tombstone), path: "", steps: [], stability: "stable" }],
    before: createSpot(tombstone.name, tombstone.at),
  }));
}

/** Returns the event type or resource that a tombstone names; "" if it names the envelope or nothing. */
function createHolderKey({ in: where }: Tombstone): string {
  const [holder = ""] = where?.split("#") ?? [];
  // The text of a resource without a name is the prefix of the texts of all resources.
  const prefix = describeResource("");
  return holder.startsWith(prefix) ? createResourceKey(holder.slice(prefix.length)) : holder;
}

function createTombstoneKey({ kind, name, in: where }: Tombstone): string {
  return JSON.stringify([kind, name, where ?? null]);
}
