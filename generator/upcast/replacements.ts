/** Finds what tombstones and deprecations say to use instead of a field or a value. */
import { describeHolder } from "../compat/history/released-names.js";
import type { EventType, Tombstone } from "../protocol/protocol.js";
import { isSelector } from "../protocol/step-places.js";
import type { Site } from "./collect-sites.js";
import type { EventPair } from "./planned-step.js";
import { dropDepths } from "./site-conditions.js";

/** What to use instead of a name, and the statement that says so. */
export interface Replacement {
  readonly text: string;
  readonly reason: string;
  readonly tombstone?: Tombstone;
}

/** A field or a value of the earlier version. */
interface OldName {
  readonly kind: "field" | "value";
  readonly name: string;
  /** The object that has the field, or the value itself. */
  readonly site: Pick<Site, "path" | "owner" | "spots" | "branches">;
}

/** Returns what a tombstone of the later version, or the deprecation in the earlier one, says to use instead of a name. */
export function findReplacement(
  { from, to, event, target }: EventPair,
  old: OldName,
  replacedBy?: string,
): Replacement | undefined {
  // Unless it is an event type of the earlier version, too, the new name of the event type stands for it.
  const newType = from.events.some(({ type }) => type === target.type) ? undefined : target.type;
  const tombstone = to.tombstones.find(
    (each) => each.replacedBy !== undefined && isAbout(each, old, event, newType),
  );
  if (tombstone?.replacedBy !== undefined)
    return { text: tombstone.replacedBy, reason: `tombstone of ${old.name}`, tombstone };
  return replacedBy === undefined ? undefined : { text: replacedBy, reason: `x-replaced-by of ${old.name}` };
}

/** Returns whether a tombstone is about a field or a value of the earlier version. It may use the new name of the event type. */
export function isAbout(
  tombstone: Tombstone,
  { kind, name, site }: OldName,
  event: EventType,
  newType?: string,
): boolean {
  if (tombstone.kind !== kind || tombstone.name !== name) return false;
  if (tombstone.in === undefined) return true;
  const [holder, pointer] = tombstone.in.split("#");
  const isNewName = site.owner !== "" && holder === newType;
  if (holder !== describeHolder(site.owner) && !isNewName) return false;
  if (pointer === undefined || site.spots.some((spot) => spot.pointer === event.at.pointer + pointer))
    return true;
  return isBelow(site, pointer);
}

/** Keywords of which each schema is an alternative. */
const BRANCH = /\/(?:oneOf|anyOf)\/\d+|\/(?:then|else)(?=\/|$)/g;

/** Returns whether the pointer of a schema leads to a site, as far as names, items and branches tell. */
function isBelow({ path, branches }: OldName["site"], pointer: string): boolean {
  const place = pointer
    .replace(/\/properties\/([^/]+)/g, "/\0$1")
    .replace(BRANCH, "")
    .replace(/\/allOf\/\d+/g, "")
    .replace(/\/(?:items|additionalProperties|prefixItems\/\d+|patternProperties\/[^/]+)(?=\/|$)/g, "/*")
    .replaceAll("\0", "");
  const plain = dropDepths(path)
    .split("/")
    .map((token) => (isSelector(token) ? "*" : token))
    .join("/");
  const wanted = pointer.match(BRANCH) ?? [];
  const held = branches.map(
    (branch) => branch.pointer.match(/\/(?:oneOf|anyOf)\/\d+$|\/(?:then|else)$/)?.[0],
  );
  return plain.endsWith(place) && wanted.every((each) => held.includes(each));
}
