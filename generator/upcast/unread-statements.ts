/** Finds statements about former names and replacements that stand where no plan reads them. */
import { isObject, type Json, type JsonObject } from "../json.js";
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
      each.kind !== "event" && each.replacedBy !== undefined && !matched.has(each) && each.in?.includes("#"),
  );
  if (open.length === 0) return [];
  const sites = pairs.flatMap(({ from, event }) =>
    collectSites(from, event).list.map((site) => ({ site, event })),
  );
  return open.flatMap((tombstone): Gap[] => {
    const { name, in: place = "" } = tombstone;
    const anywhere = { ...tombstone, in: place.split("#")[0] ?? "" };
    const isNamed = sites.some(
      ({ site, event }) =>
        (hasField(site, name) && isAbout(anywhere, { kind: "field", name, site }, event)) ||
        (site.values.some(({ value }) => String(value) === name) &&
          isAbout(anywhere, { kind: "value", name, site }, event)),
    );
    const reason = "its place leads to no field or value of this name.";
    return isNamed ? [{ type: "", place, statement: `tombstone of ${name}`, reason }] : [];
  });
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
