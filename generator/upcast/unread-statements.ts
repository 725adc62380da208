/** Finds statements about former names and replacements that stand where no plan reads them. */
import { isObject, type Json, type JsonObject } from "../json.js";
import { createSpot, type Spot } from "../schema/describe.js";
import { findTarget } from "../schema/reference.js";
import { listSubschemas } from "../schema/walk.js";
import { collectSites } from "./collect-sites.js";
import type { EventPair, Gap, NamePlan } from "./plan-names.js";
import { isAbout } from "./replacements.js";

/** The plan for the names of an event type. */
interface PairPlan {
  readonly pair: EventPair;
  readonly names: NamePlan;
}

/** Returns the statements of the later version that concern event types of these plans, and that no plan has considered. */
export function findUnreadStatements(plans: readonly PairPlan[]): Gap[] {
  return [...plans.flatMap(findUnreadRenames), ...findUnreadTombstones(plans)];
}

function findUnreadRenames({ pair, names }: PairPlan): Gap[] {
  const { to, event, target } = pair;
  const gaps: Gap[] = [];
  const visited = new Set<JsonObject>();
  const visit = ({ schema, file, pointer }: Spot, isRoot: boolean): void => {
    if (!isObject(schema) || visited.has(schema)) return;
    visited.add(schema);
    const former = schema["x-renamed-from"];
    // The event type itself has the statement at the root.
    if (typeof former === "string" && !isRoot && !names.considered.has(schema))
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
function findUnreadTombstones(plans: readonly PairPlan[]): Gap[] {
  const [first] = plans;
  if (first === undefined) return [];
  const matched = new Set(plans.flatMap(({ names }) => [...names.matched]));
  const open = first.pair.to.tombstones.filter(
    (each) =>
      each.kind !== "event" && each.replacedBy !== undefined && !matched.has(each) && each.in?.includes("#"),
  );
  if (open.length === 0) return [];
  const sites = plans.flatMap(({ pair }) =>
    collectSites(pair.from, pair.event).list.map((site) => ({ site, event: pair.event })),
  );
  return open.flatMap((tombstone): Gap[] => {
    const { name, in: place = "" } = tombstone;
    const anywhere = { ...tombstone, in: place.split("#")[0] ?? "" };
    const isNamed = sites.some(
      ({ site, event }) =>
        (site.fields.some((field) => field.name === name) &&
          isAbout(anywhere, { kind: "field", name, site }, event)) ||
        (site.values.some(({ value }) => String(value) === name) &&
          isAbout(anywhere, { kind: "value", name, site }, event)),
    );
    const reason = "its place leads to no field or value of this name.";
    return isNamed ? [{ type: "", place, statement: `tombstone of ${name}`, reason }] : [];
  });
}
