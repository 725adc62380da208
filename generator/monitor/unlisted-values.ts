/** Finds the values of open lists that the contract does not list. */
import { getOwn, isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import {
  BRANCHES,
  createSpot,
  createSpotWithoutPlace,
  describeSchema,
  EVERYTHING,
  listHeldSchemas,
  listStatements,
  type Spot,
} from "../schema/describe.js";
import { OPEN_LIST } from "../schema/listed-values.js";
import { listStatedValues, mergeFields } from "../schema/merge.js";

/** A value that the open list of its field does not have. */
export interface UnlistedValue {
  /** The pointer of the field in the event, in which `*` stands for the index of an item. */
  readonly field: string;
  readonly value: string;
}

/** Adds the unlisted values in a value, and in its members and items, to `found`. */
type Visit = (value: Json, found: UnlistedValue[]) => void;

/** Returns a function that finds the unlisted values of an event. Events of undeclared types have none. */
export function createUnlistedValueFinder(
  protocol: Protocol,
): (type: string, event: JsonObject) => readonly UnlistedValue[] {
  const types = new Map(protocol.events.map((event) => [event.type, event]));
  const visits = new Map<string, Visit | undefined>();
  return (type, event) => {
    const declared = types.get(type);
    if (declared === undefined) return [];
    if (!visits.has(type))
      visits.set(type, createVisit(listEventSpots(protocol, declared), protocol, "", []));
    const found: UnlistedValue[] = [];
    visits.get(type)?.(event, found);
    return found;
  };
}

/** Returns the schemas of an event: that of its envelope, and that of its payload in its place. */
function listEventSpots({ envelope }: Protocol, event: EventType): readonly Spot[] {
  const carrier = findPayloadCarrier(envelope, event);
  const { payload, at } = event;
  return [
    createSpot(envelope.schema, envelope.at),
    carrier === undefined
      ? createSpot(payload, at)
      : createSpotWithoutPlace({ properties: { [carrier]: payload } }),
  ];
}

/**
 * Returns undefined if there are no lists here and below. A schema within itself is not entered again, so that the number of
 * fields is limited by the schemas, whatever the events are.
 */
function createVisit(
  spots: readonly Spot[],
  protocol: Protocol,
  pointer: string,
  outer: readonly Json[],
): Visit | undefined {
  const schemas = spots.map(({ schema }) => schema);
  if (schemas.every((schema) => outer.includes(schema))) return undefined;
  const described = describeSchema(spots, protocol.definitions, EVERYTHING, BRANCHES);
  const createBelow = (name: string, below: readonly Spot[]): Visit | undefined =>
    createVisit(below, protocol, joinPointer(pointer, name), [...outer, ...schemas]);
  const members = new Map(
    [...mergeFields(described).values()].flatMap((field) => {
      const visit = createBelow(field.name, field.spots);
      return visit === undefined ? [] : [[field.name, visit] as const];
    }),
  );
  const itemSpots = listHeldSchemas(described, "items");
  const visitItem = itemSpots.length === 0 ? undefined : createBelow("*", itemSpots);
  const isOpen = listStatements(described, OPEN_LIST).length > 0;
  if (!isOpen && members.size === 0 && visitItem === undefined) return undefined;
  // A value may be of any of the branches.
  const listed = new Set(isOpen ? listStatedValues(described).map(({ value }) => value) : []);
  const kinds = new Set([...listed].map((value) => typeof value));
  return (value, found) => {
    if (Array.isArray(value)) {
      if (visitItem !== undefined) for (const item of value) visitItem(item, found);
    } else if (isObject(value)) {
      for (const [name, visit] of members) {
        const member = getOwn(value, name);
        if (member !== undefined) visit(member, found);
      }
    } else if (value !== null && kinds.has(typeof value) && !listed.has(value))
      found.push({ field: pointer, value: String(value) });
  };
}
