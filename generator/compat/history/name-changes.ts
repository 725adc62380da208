/**
 * Creates changes about names, tombstones and declared renames. Their details are in `to` and `from`, because these belong
 * to the fingerprint: `to` is the kind of the name, and `from` is what else the finding states, such as a version.
 */
import type { Json } from "../../json.js";
import type { Tombstone } from "../../protocol/protocol.js";
import { createSpot } from "../../schema/describe.js";
import type { Change, Place, UnclassifiedChange } from "../change.js";
import { createResourceKey, RESOURCE_HOLDER_PREFIX } from "../subjects.js";
import type { Name } from "./released-names.js";

/** Creates a change about a name. The spot of a current name is `after`, and that of a released name is `before`. */
export function createNameChange(name: Name, side: "before" | "after", detail?: Json): UnclassifiedChange {
  return {
    name: name.name,
    ...(detail !== undefined && { from: detail }),
    to: name.kind,
    places: [createNamePlace(name)],
    claim: {},
    [side]: name.spot,
  };
}

function createNamePlace({ event, path, stability }: Name): Place {
  return { event, path, steps: [], stability };
}

/** Creates the change about names of one kind that `release` had, that were removed, and that have no tombstone. */
export function createMissingTombstone(
  names: readonly [Name, ...Name[]],
  release: string,
): UnclassifiedChange {
  const removedNames = [...new Set(names.map(({ name }) => name))];
  return {
    ...createNameChange(names[0], "before", [release, ...removedNames]),
    places: names.map(createNamePlace),
  };
}

/** Returns the details of a change about missing tombstones. */
export function readMissingTombstone({ from, to }: Change): {
  readonly kind: string;
  readonly release: string;
  readonly names: readonly string[];
} {
  const [release = "", ...names] = [from ?? []].flat().map(String);
  return { kind: String(to ?? ""), release, names };
}

/** Creates the change about a tombstone of a release that was removed. */
export function createRemovedTombstone(tombstone: Tombstone): UnclassifiedChange {
  return {
    name: tombstone.name,
    from: tombstone.removedIn,
    to: tombstone.kind,
    claim: {},
    places: [{ event: parseHolder(tombstone), path: "", steps: [], stability: "stable" }],
    before: createSpot(tombstone.name, tombstone.at),
  };
}

/** Returns the event type or the key of the resource that a tombstone names. Returns "envelope" or "" for other names. */
function parseHolder({ in: holderAndPointer = "" }: Tombstone): string {
  const [holder = ""] = holderAndPointer.split("#");
  return holder.startsWith(RESOURCE_HOLDER_PREFIX)
    ? createResourceKey(holder.slice(RESOURCE_HOLDER_PREFIX.length))
    : holder;
}
