/** Advice on what to do about a finding: the hint of its rule or, where the contract allows, more exact text. */
import type { JsonObject } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol, Stability } from "../protocol/protocol.js";
import { type Change, isAtOrBelow, type Place } from "./change.js";
import { readMissingTombstone } from "./history/name-changes.js";
import { coversName, describeHolder } from "./history/released-names.js";
import { findHighestStability, isWaivable } from "./policy.js";
import { NAME_RULES } from "./rules/names.js";

/** The greatest number of tombstones in one advice. */
const MAX_TOMBSTONES = 5;

/**
 * Returns the advice for a change; undefined for changes between major versions. The contract will be released as
 * version `next`; undefined if it has no releases, tombstones and waivers.
 */
export function adviseOn(change: Change, current: Protocol, next: string | undefined): string | undefined {
  if (change.otherMajor) return undefined;
  if (next === undefined) return change.rule.hint;
  const advice = chooseAdvice(change, current, next);
  return isWaivable(change)
    ? `${advice} To accept the break, run accrete compat --waive FINGERPRINT --reason TEXT.`
    : advice;
}

function chooseAdvice(change: Change, current: Protocol, next: string): string {
  const { rule } = change;
  if (rule === NAME_RULES["tombstone-missing"])
    return formatMissingTombstones(change, current, next) ?? rule.hint;
  const removedNames = rule.removedNames?.(change) ?? [];
  const isCovered =
    removedNames.length > 0 &&
    removedNames.every((name) => current.tombstones.some((tombstone) => coversName(tombstone, name)));
  return isCovered ? ADVICE_WITH_TOMBSTONE[findHighestStability(change)] : rule.hint;
}

/** The advice for a removed name that has a tombstone. */
const ADVICE_WITH_TOMBSTONE: { readonly [stability in Stability]: string } = {
  experimental: "The tombstone exists, so nothing else needs to be done.",
  candidate: "The tombstone exists, but the break remains: keep the name until the next major version.",
  stable:
    "The tombstone exists, but the break remains: keep the name, deprecated, until the next major version.",
};

function formatMissingTombstones(change: Change, current: Protocol, next: string): string | undefined {
  const tombstones = listMissingTombstones(change, current, next);
  if (tombstones === undefined) return undefined;
  const more = tombstones.length > MAX_TOMBSTONES ? ` and ${tombstones.length - MAX_TOMBSTONES} more` : "";
  const texts = tombstones.slice(0, MAX_TOMBSTONES).map((tombstone) => JSON.stringify(tombstone));
  return `Add to the tombstones in protocol.json, with the reason: ${texts.join(", ")}${more}`;
}

/**
 * Returns the tombstones that a change of the rule `tombstone-missing` lacks, or undefined if the place of a name is not
 * known. The names belong to the places of the change one by one, unless there is only one name.
 */
export function listMissingTombstones(
  change: Change,
  current: Protocol,
  next: string | undefined,
): readonly JsonObject[] | undefined {
  if (change.rule !== NAME_RULES["tombstone-missing"] || next === undefined) return undefined;
  const { kind, names } = readMissingTombstone(change);
  const { places } = change;
  if (kind !== "event" && names.length !== 1 && names.length !== places.length) return undefined;
  const tombstones = places.map((place, index) => {
    if (kind === "event") return { kind, name: place.event, removedIn: next, reason: "…" };
    const name = names.length === 1 ? names[0] : names[index];
    return { kind, name: name ?? "", in: formatTombstonePlace(place, current), removedIn: next, reason: "…" };
  });
  return [...new Map(tombstones.map((tombstone) => [JSON.stringify(tombstone), tombstone])).values()];
}

/** Returns the `in` of a tombstone for a place: the event type, resource or envelope, and the pointer in its schema. */
export function formatTombstonePlace(
  { event, path }: Pick<Place, "event" | "path">,
  { envelope, events }: Protocol,
): string {
  if (event === "") return "envelope";
  const carrier = findPayloadCarrier(envelope, events.find(({ type }) => type === event) ?? {});
  const payloadPath = carrier === undefined ? "" : `/${carrier}`;
  const pathInPayload = isAtOrBelow(path, payloadPath) ? path.slice(payloadPath.length) : path;
  const pointer = pathInPayload.replace(/\/([^/]+)/g, (_all, token) =>
    token === "*" ? "/items" : `/properties/${token}`,
  );
  return pointer === "" ? describeHolder(event) : `${describeHolder(event)}#${pointer}`;
}
