/** Lists what becomes of each place of the earlier version, and finds values that would stand under the name of another one. */
import { joinPointer } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { isSelector } from "../protocol/step-places.js";
import { matchesType } from "../protocol/upcast.js";
import type { UpcastQuestion } from "./certify-plan.js";
import { collectSites, type Site, type SiteField } from "./collect-sites.js";
import type { Gap, PlannedStep } from "./planned-step.js";
import { isAbout } from "./replacements.js";
import { dropDepths } from "./site-conditions.js";
import type { Fate } from "./steps/step-kind.js";
import { listBranches, traceValue, type Way } from "./trace-value.js";
import { listNewTypes } from "./upcast-event.js";

/** What becomes of the values at a place of the earlier version. */
export interface LedgerEntry {
  readonly type: string;
  /** The place in events of the earlier version. */
  readonly place: string;
  readonly fate: Fate;
  /** The places in events of the later version, if they differ. */
  readonly to: readonly string[];
  /** The statements that say so. */
  readonly reasons: readonly string[];
  /** True if this holds under the conditions of the steps only. Another entry says what holds otherwise. */
  readonly isConditional: boolean;
}

/** The ledger of a plan. */
interface Ledger {
  readonly entries: readonly LedgerEntry[];
  /** Values that would stand under the name of another field. */
  readonly gaps: readonly Gap[];
}

/** Returns the ledger of steps. `refused` are the event types of which some events cannot be carried over. */
export function createLedger(
  { from, to }: Pick<UpcastQuestion, "from" | "to">,
  planned: readonly PlannedStep[],
  refused: ReadonlySet<string>,
): Ledger {
  const entries: LedgerEntry[] = [];
  const gaps: Gap[] = [];
  const newTypes = planned.map(({ step }) => step);
  for (const event of from.events) {
    const steps = planned.filter(
      ({ step: { types } }) => types === undefined || matchesType(types, event.type),
    );
    const types = listNewTypes(event.type, newTypes);
    const targets = to.events.filter(({ type }) => types.includes(type));
    const after =
      targets.length === 0 ? undefined : targets.flatMap((target) => collectSites(to, target).list);
    const places = listOldPlaces(from, event);
    const isThere = (place: string) => places.some((each) => dropDepths(each.place) === dropDepths(place));
    const sites = collectSites(from, event).list;
    for (const { place, site, field } of places)
      for (const way of traceValue(
        place,
        steps,
        from.envelope.discriminator,
        listBranches(listHolders(sites, place), sites),
      )) {
        const entry = describeWay({ type: event.type, place, way, isRefused: refused.has(event.type) });
        if (field === undefined || after === undefined) {
          entries.push(entry);
          continue;
        }
        const reader = way.places.flatMap((each) => findFields(after, each));
        const isDropped = to.tombstones.some((each) =>
          isAbout(each, { kind: "field", name: field.name, site }, event),
        );
        const isUnread = reader.length === 0 && !way.places.some((each) => isOpenPlace(after, each));
        entries.push(
          isUnread && entry.fate !== "merged" ? { ...entry, fate: isDropped ? "dropped" : "unread" } : entry,
        );
        const wrong =
          entry.fate === "kept" && reader.every((each) => isSuccessorOfOther(each, field))
            ? reader[0]
            : undefined;
        if (wrong?.renamedFrom !== undefined && isThere(joinPointer(site.path, wrong.renamedFrom)))
          gaps.push({
            type: event.type,
            place,
            statement: `x-renamed-from of ${wrong.name}`,
            reason: `the earlier version has another field with this name, and ${wrong.renamedFrom} stays.`,
          });
      }
  }
  return { entries, gaps };
}

/** Returns whether a field of the later version replaces a field that is not the given one of the earlier version. */
function isSuccessorOfOther({ name, renamedFrom }: SiteField, old: SiteField): boolean {
  return renamedFrom !== undefined && renamedFrom !== name && old.renamedFrom !== renamedFrom;
}

/** A place of the earlier version: that of a field, or that of selected values of a list or a map. */
interface OldPlace {
  readonly place: string;
  /** The object that has the field, or the selected value. */
  readonly site: Site;
  readonly field: SiteField | undefined;
}

/** Returns the places of an event type, each once. */
export function listOldPlaces(protocol: Protocol, event: EventType): OldPlace[] {
  const found = new Map<string, OldPlace>();
  const add = (each: OldPlace): void => {
    if (!found.has(each.place)) found.set(each.place, each);
  };
  for (const site of collectSites(protocol, event).list) {
    if (isSelector(dropDepths(site.path).split("/").at(-1) ?? ""))
      add({ place: site.path, site, field: undefined });
    for (const field of site.fields) add({ place: joinPointer(site.path, field.name), site, field });
  }
  return [...found.values()];
}

/** Returns the sites that hold the values at a place. */
function listHolders(sites: readonly Site[], place: string): readonly Site[] {
  return sites.filter(
    ({ path, fields }) => path === place || fields.some(({ name }) => joinPointer(path, name) === place),
  );
}

/** Returns the fields at a place. */
export function findFields(sites: readonly Site[], place: string): SiteField[] {
  const plain = dropDepths(place);
  return sites.flatMap(({ path, fields }) =>
    fields.filter(({ name }) => dropDepths(joinPointer(path, name)) === plain),
  );
}

/** Returns whether no site states anything about the object that holds a place, so that readers see all of it. */
function isOpenPlace(sites: readonly Site[], place: string): boolean {
  const parent = dropDepths(place.slice(0, place.lastIndexOf("/")));
  const holders = sites.filter(({ path }) => dropDepths(path) === parent);
  return holders.length > 0 && holders.every(({ fields }) => fields.length === 0);
}

/** What is known about a way. */
interface KnownWay {
  readonly type: string;
  readonly place: string;
  readonly way: Way;
  readonly isRefused: boolean;
}

function describeWay({ type, place, way, isRefused }: KnownWay): LedgerEntry {
  // If all events are carried over, no event has both values, so that none is in the way.
  const fates: readonly Fate[] = [
    ...(isRefused ? (["in the way"] as const) : []),
    "merged",
    // A text that was divided and made again is another text at one place.
    ...(way.places.length > 1 ? (["split"] as const) : []),
    ...(way.changes.has("split") ? [] : (["joined"] as const)),
    "computed",
    "rounded",
    "mapped",
    "moved",
  ];
  const isRemade = way.changes.has("split") && way.places.length === 1;
  const isMoved = way.places.length !== 1 || way.places[0] !== place;
  const fate =
    fates.find((each) => way.changes.has(each) && (each !== "moved" || isMoved)) ??
    (isRemade ? "mapped" : "kept");
  const to = isMoved ? way.places : [];
  const { reasons, isConditional } = way;
  return { type, place, fate, to, reasons, isConditional };
}
