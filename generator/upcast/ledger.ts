/** Lists what becomes of each place of the earlier version, and finds values that would stand under the name of another one. */
import { joinPointer } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { isSelector } from "../protocol/step-places.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import type { UpcastQuestion } from "./certify-plan.js";
import { collectSites, type Site, type SiteField } from "./collect-sites.js";
import { matchPlace, movePlace } from "./match-place.js";
import type { Gap, PlannedStep } from "./planned-step.js";
import { isAbout } from "./replacements.js";
import { dropDepths } from "./site-conditions.js";
import type { Fate } from "./steps/step-kind.js";
import { readStep } from "./steps/step-kinds.js";
import { findNewType } from "./upcast-event.js";

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

/** A way that a value takes through the steps. */
interface Way {
  readonly place: string;
  readonly changes: ReadonlySet<Fate>;
  /** Further places of the parts of the value. */
  readonly others: readonly string[];
  readonly reasons: readonly string[];
  readonly isConditional: boolean;
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
    const target = to.events.find(({ type }) => type === findNewType(event.type, newTypes));
    const after = target === undefined ? undefined : collectSites(to, target).list;
    const places = listOldPlaces(from, event);
    const isThere = (place: string) => places.some((each) => dropDepths(each.place) === dropDepths(place));
    for (const { place, site, field } of places)
      for (const way of traceValue(place, steps, from.envelope.discriminator)) {
        const entry = describeWay({ type: event.type, place, way, isRefused: refused.has(event.type) });
        if (field === undefined || after === undefined) {
          entries.push(entry);
          continue;
        }
        const reader = findFields(after, way.place);
        const isDropped = to.tombstones.some((each) =>
          isAbout(each, { kind: "field", name: field.name, site }, event),
        );
        const isUnread = reader.length === 0 && !isOpenPlace(after, way.place);
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
function listOldPlaces(protocol: Protocol, event: EventType): OldPlace[] {
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

function findFields(sites: readonly Site[], place: string): SiteField[] {
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

/** Returns the ways that the values at a place take through steps. */
function traceValue(place: string, steps: readonly PlannedStep[], discriminator: string): Way[] {
  const start: Way = { place, changes: new Set(), others: [], reasons: [], isConditional: false };
  return steps.reduce<Way[]>(
    (ways, { step, reason }) =>
      ways.flatMap((way) => {
        const changed = followStep(way, step, discriminator);
        if (changed === undefined) return [way];
        const { isPartial, ...next } = changed;
        const isConditional =
          isPartial || (step.when ?? step.streamsWith ?? step.streamsWithout) !== undefined;
        const moved: Way = {
          ...way,
          ...next,
          reasons: [...new Set([...way.reasons, reason])],
          isConditional: way.isConditional || isConditional,
        };
        return isConditional ? [{ ...way, isConditional: true }, moved] : [moved];
      }),
    [start],
  );
}

/** Returns what a step does with a value; undefined if it leaves it alone. */
function followStep(
  way: Way,
  step: UpcastStep,
  discriminator: string,
): (Partial<Way> & { readonly isPartial: boolean }) | undefined {
  const trace = readStep(step).follow(
    (place) => matchPlace(place, step.through ?? [], way.place),
    discriminator,
  );
  if (trace === undefined) return undefined;
  const { fate, found, move } = trace;
  const changes = new Set([...way.changes, fate]);
  if (move === undefined) return { changes, isPartial: found.isPartial };
  const [place = way.place, ...others] = move.to.map((to) => movePlace(to, found, move.from));
  return { place, ...(others.length > 0 && { others }), changes, isPartial: found.isPartial };
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
    "split",
    "joined",
    "computed",
    "mapped",
    "moved",
  ];
  const isMoved = way.place !== place;
  const fate = fates.find((each) => way.changes.has(each) && (each !== "moved" || isMoved)) ?? "kept";
  const to = isMoved || way.others.length > 0 ? [way.place, ...way.others] : [];
  const { reasons, isConditional } = way;
  return { type, place, fate, to, reasons, isConditional };
}
