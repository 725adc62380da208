/** What to do about a finding, in the words of its rule or, where the contract says more, in closer ones. */

import { payloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Occurrence } from "./change.js";
import { buries, holderOf } from "./history/released-names.js";
import { takenNames } from "./history/taken-names.js";
import { strictest } from "./policy.js";
import type { Fact, Rule } from "./rules/rule.js";

/** How many tombstones are written out. */
const MOST_STONES = 5;

/** What to do about a fact; `next` is the version to come. Nothing against another major version: there is nothing to mend. */
export function adviceOn(rule: Rule, fact: Fact, current: Protocol, next: string): string | undefined {
  if (fact.otherMajor) return undefined;
  if (rule.id === "tombstone-missing") return tombstones(fact, current, next) ?? rule.repair;
  const taken = takenNames(fact);
  const buried =
    taken.length > 0 && taken.every((name) => current.tombstones.some((stone) => buries(stone, name)));
  return buried ? remaining(fact) : rule.repair;
}

/** What is left to do where the tombstone is there already. */
function remaining(fact: Fact): string {
  switch (strictest(fact)) {
    case "experimental":
      return "The tombstone is there; nothing else is to be done.";
    case "candidate":
      return "The tombstone is there; the break remains: keep the name until the next major version, or have the exception reviewed and waive it (accrete compat --waive).";
    case "stable":
      return "The tombstone is there; the break remains: keep the name, deprecated, until the next major version.";
  }
}

/** Tombstones to paste for the names of a fact, if it says which name went where. */
function tombstones({ from, to, occurrences }: Fact, current: Protocol, next: string): string | undefined {
  const [, ...names] = [from ?? []].flat().map(String);
  const stones = occurrences.map((place, index) => {
    const name = to === "event" ? place.event : names.length === 1 ? names[0] : names[index];
    const holder = to === "event" ? {} : { in: placeOf(place, current) };
    return { kind: to ?? "", name, ...holder, removedIn: next, reason: "…" };
  });
  if (to !== "event" && names.length !== 1 && names.length !== occurrences.length) return undefined;
  const texts = [...new Set(stones.map((stone) => JSON.stringify(stone)))];
  const more = texts.length > MOST_STONES ? ` and ${texts.length - MOST_STONES} more of the kind` : "";
  return `Add to the tombstones in protocol.json, with the reason: ${texts.slice(0, MOST_STONES).join(", ")}${more}`;
}

/** The event type, the resource or the envelope, and where in its schema the object or value is. */
function placeOf({ event, path }: Occurrence, { envelope, events }: Protocol): string {
  if (event === "") return "envelope";
  const carrier = payloadCarrier(envelope, events.find(({ type }) => type === event) ?? {});
  const start = carrier === undefined ? "" : `/${carrier}`;
  const inside = path === start || path.startsWith(`${start}/`) ? path.slice(start.length) : path;
  const pointer = inside.replace(/\/([^/]+)/g, (_all, token) =>
    token === "*" ? "/items" : `/properties/${token}`,
  );
  return pointer === "" ? holderOf(event) : `${holderOf(event)}#${pointer}`;
}
