/** Finds statements about former names and replacements that stand where no plan reads them. */
import { describeHolder } from "../compat/history/released-names.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import { coversType } from "../protocol/event-families.js";
import type { Tombstone } from "../protocol/protocol.js";
import { createSpot, type Spot } from "../schema/describe.js";
import { findTarget } from "../schema/reference.js";
import { listSubschemas } from "../schema/walk.js";
import { collectSites, hasField } from "./collect-sites.js";
import type { EventPair, Gap } from "./planned-step.js";
import { findReplacement, isAbout } from "./replacements.js";

/** Returns the statements of the later version that concern these event types, and that stand where no plan reads them. */
export function findUnreadStatements(pairs: readonly EventPair[]): Gap[] {
  return [...pairs.flatMap(findUnreadRenames), ...findUnreadTombstones(pairs)];
}

function findUnreadRenames({ to, event, target }: EventPair): Gap[] {
  const read = new Set(
    collectSites(to, target).list.flatMap(({ fields }) => fields.flatMap(({ statedBy }) => statedBy)),
  );
  const gaps: Gap[] = [];
  const visited = new Set<JsonObject>();
  const visit = ({ schema, file, pointer }: Spot, isRoot: boolean): void => {
    if (!isObject(schema) || visited.has(schema)) return;
    visited.add(schema);
    const former = schema["x-renamed-from"];
    // The event type itself has the statement at the root.
    if (typeof former === "string" && !isRoot && !read.has(schema))
      gaps.push({
        type: event.type,
        place: `${file}#${pointer}`,
        statement: `x-renamed-from ${former}`,
        reason: "it does not stand at a field to which the places of steps lead.",
      });
    for (const sub of listSubschemas(schema, pointer))
      visit({ schema: sub.schema, file, pointer: sub.pointer }, false);
    const found = findTarget(schema, to.definitions);
    if (found) visit(createSpot(found.schema, found.at), false);
  };
  const enter = (schema: Json, at: Parameters<typeof createSpot>[1]): void =>
    visit(createSpot(schema, at), true);
  enter(to.envelope.schema, to.envelope.at);
  enter(target.payload, target.at);
  return gaps;
}

/** Returns tombstones that name a field or a value of the earlier version at a place where it has none. */
function findUnreadTombstones(pairs: readonly EventPair[]): Gap[] {
  const [first] = pairs;
  if (first === undefined) return [];
  const matched = new Set(pairs.flatMap(listMatchedTombstones));
  const open = first.to.tombstones.filter(
    (each) =>
      each.kind !== "event" && each.replacedBy !== undefined && !matched.has(each) && each.in !== undefined,
  );
  if (open.length === 0) return [];
  const holders = listHolders(first);
  const sites = pairs.flatMap(({ from, event }) =>
    collectSites(from, event).list.map((site) => ({ site, event })),
  );
  const newSites = pairs.flatMap(({ to, target }) =>
    collectSites(to, target).list.map((site) => ({ site, event: target })),
  );
  return open.flatMap((tombstone): Gap[] => {
    const { name, in: place = "" } = tombstone;
    const [holder = "", pointer] = place.split("#");
    const createGap = (reason: string): Gap => ({
      type: "",
      place,
      statement: `tombstone of ${name}`,
      reason,
    });
    if (!holders.some((each) => coversType(each, holder)))
      return [createGap(`${holder} is not an event type of the two versions.`)];
    // The field or the value may have gone before the earlier version.
    if (pointer === undefined) return [];
    const anywhere = { ...tombstone, in: holder };
    const isNamed = sites.some(
      ({ site, event }) =>
        (hasField(site, name) && isAbout(anywhere, { kind: "field", name, site }, event)) ||
        (site.values.some(({ value }) => String(value) === name) &&
          isAbout(anywhere, { kind: "value", name, site }, event)),
    );
    const leadsSomewhere = [...sites, ...newSites].some(({ site, event }) =>
      isAbout(tombstone, { kind: tombstone.kind === "value" ? "value" : "field", name, site }, event),
    );
    const isOfThisVersion = tombstone.removedIn.split(".")[0] === String(first.to.major);
    if (isOfThisVersion && !leadsSomewhere)
      return [createGap("its place is in neither of the two versions.")];
    return isNamed ? [createGap("its place leads to no field or value of this name.")] : [];
  });
}

/** Returns the names of what may have fields in one of the versions, or may have had some before. */
function listHolders({ from, to }: EventPair): readonly string[] {
  const events = [...from.events, ...to.events].flatMap(({ type, renamedFrom = type }) => [
    type,
    renamedFrom,
  ]);
  const withdrawn = [...from.tombstones, ...to.tombstones].filter(({ kind }) => kind === "event");
  return [describeHolder(""), ...events, ...withdrawn.map(({ name }) => name)];
}

/** Returns the tombstones that say what to use instead of a field or a value of the earlier version. */
function listMatchedTombstones(pair: EventPair): (Tombstone | undefined)[] {
  return collectSites(pair.from, pair.event).list.flatMap((site) => {
    const find = (kind: "field" | "value", name: string) =>
      findReplacement(pair, { kind, name, site })?.tombstone;
    const values = site.values.filter(({ value }) => value !== null);
    return [
      ...site.fields.map(({ name }) => find("field", name)),
      ...values.map(({ value }) => find("value", String(value))),
    ];
  });
}
