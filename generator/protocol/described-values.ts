/** Visits the values of an event together with what the schemas of its protocol state about each of them. */
import { getOwn, isObject, type Json, joinPointer } from "../json.js";
import {
  BRANCHES,
  createSpot,
  createSpotBelow,
  type Description,
  describeSchema,
  EVERYTHING,
  listHeldSchemas,
  listStatements,
  type Spot,
} from "../schema/describe.js";
import { mergeFields } from "../schema/merge.js";
import type { Definitions } from "../schema/reference.js";
import { findPayloadCarrier } from "./message-layout.js";
import type { Protocol } from "./protocol.js";

/** Visits a value at a pointer of the event. Returns whether the values inside of it are visited, too. */
type VisitValue = (value: Json, pointer: string, about: Description<typeof EVERYTHING>) => boolean;

/** What schemas state about a value, and the same of the values inside of it, which is derived when it is first asked for. */
interface DescribedPlace {
  readonly about: Description<typeof EVERYTHING>;
  getField(name: string): DescribedPlace | undefined;
  getItem(index: number): DescribedPlace | undefined;
}

/** The places of the values of envelopes and payloads. Events of a type share them. */
const placesByProtocol = new WeakMap<Protocol, Map<string | undefined, DescribedPlace>>();

/** Visits the values of an event, the outer ones first: those that the envelope describes, then those of the payload. */
export function visitDescribedValues(protocol: Protocol, event: Json, visit: VisitValue): void {
  const enter = (value: Json, place: DescribedPlace | undefined, pointer: string): void => {
    if (place === undefined || !visit(value, pointer, place.about)) return;
    if (Array.isArray(value))
      for (const [index, item] of value.entries())
        enter(item, place.getItem(index), joinPointer(pointer, index));
    else if (isObject(value))
      for (const [name, each] of Object.entries(value))
        enter(each, place.getField(name), joinPointer(pointer, name));
  };
  const { envelope, events } = protocol;
  enter(event, findPlace(protocol, undefined, createSpot(envelope.schema, envelope.at)), "");
  if (!isObject(event)) return;
  const declared = events.find(({ type }) => type === getOwn(event, envelope.discriminator));
  if (declared === undefined) return;
  const carrier = findPayloadCarrier(envelope, declared);
  const payload = carrier === undefined ? event : getOwn(event, carrier);
  if (payload === undefined) return;
  const place = findPlace(protocol, declared.type, createSpot(declared.payload, declared.at));
  enter(payload, place, carrier === undefined ? "" : joinPointer("", carrier));
}

/** Returns the place of the payload of an event type, or of the envelope. */
function findPlace(protocol: Protocol, type: string | undefined, spot: Spot): DescribedPlace | undefined {
  const places = placesByProtocol.get(protocol) ?? new Map<string | undefined, DescribedPlace>();
  placesByProtocol.set(protocol, places);
  const place = places.get(type) ?? describePlace([spot], protocol.definitions);
  if (place !== undefined) places.set(type, place);
  return place;
}

function describePlace(spots: readonly Spot[], definitions: Definitions): DescribedPlace | undefined {
  if (spots.length === 0) return undefined;
  const about = describeSchema(spots, definitions, EVERYTHING, BRANCHES);
  const below = new Map<string | number, DescribedPlace | undefined>();
  const remember = (key: string | number, list: () => readonly Spot[]): DescribedPlace | undefined => {
    if (!below.has(key)) below.set(key, describePlace(list(), definitions));
    return below.get(key);
  };
  let fields: ReturnType<typeof mergeFields> | undefined;
  return {
    about,
    getField(name) {
      fields ??= mergeFields(about);
      // Fields that are not declared share one place, however many there are.
      const declared = fields.get(name)?.spots;
      return declared
        ? remember(name, () => declared)
        : remember(0, () => listHeldSchemas(about, "additionalProperties"));
    },
    getItem(index) {
      const own = listStatements(about, "prefixItems").flatMap(({ value, spot }) =>
        Array.isArray(value) && index < value.length ? [createSpotBelow(spot, value[index], index)] : [],
      );
      return own.length > 0
        ? remember(index + 2, () => own)
        : remember(1, () => listHeldSchemas(about, "items"));
    },
  };
}
