/** The event types of a scanner. A type is written into the memory of the scanner when its first event is scanned. */
import { hashText } from "../hash.js";
import { isObject, type Json, toJson } from "../json.js";
import { hasOpenPayload } from "../protocol/event-fields.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import { createBodyReading, createEnvelopeReading } from "../protocol/message-readings.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import { createMemberShape, createTextShape, intersectShapes, type Shape } from "../schema/shape/shape.js";
import { deriveShape } from "../schema/shape/shape-of.js";
import type { View } from "./fields.js";
import type { Instance } from "./instance.js";
import { NOTHING, TYPE_SLOTS } from "./layout.js";

/** One event type. */
export interface KnownType {
  readonly type: string;
  /** The members of events, as the argument of `selectMembers` of their view. */
  readonly members: Int16Array;
  /** The members of payloads, as the argument of `selectMembers` of their view. */
  readonly payload: Int16Array;
  /** The index of the payload among the members; -1 if the payload has no view. */
  readonly property: number;
  /** True if the fields of the payload are members of the event. */
  readonly isFlat: boolean;
  /** The indexes of the fields of the stream's key. In events that have them they must be strings. */
  readonly keyFields: readonly number[];
  /** The index of the stream's key; -1 if the key is not one field. */
  readonly key: number;
  /** The index of the sequence number; -1 if there is none. */
  readonly sequence: number;
  /** The index of the id; -1 if there is none. */
  readonly id: number;
}

/** The type before any event was recognised. */
export const NO_TYPE: KnownType = {
  type: "",
  members: new Int16Array(0),
  payload: new Int16Array(0),
  property: -1,
  isFlat: true,
  keyFields: [],
  key: -1,
  sequence: -1,
  id: -1,
};

/** The event types that are in the memory of a scanner. */
export interface KnownTypes {
  /** The types in the order of their numbers. */
  readonly types: readonly KnownType[];
  /** Adds the type whose name has this hash. Returns false if there is no such type, or no room for it. */
  addTypeOfHash(hash: number): boolean;
}

/** Creates an empty table. Events with a field of `foreignFields` will not be recognised. */
export function createKnownTypes(
  protocol: Protocol,
  profile: Profile,
  foreignFields: readonly string[],
  { program, addType }: Instance,
  [eventView, payloadView]: readonly [event: View, payload: View],
): KnownTypes {
  const { stream: contract, envelope, events } = protocol;
  const key = contract?.key ?? [];
  const eventsByHash = new Map(events.map((event) => [hashTypeName(event.type), event] as const));
  const types: KnownType[] = [];
  let envelopeShape: Shape | undefined;
  const deriveEventShape = (event: EventType): Shape => {
    envelopeShape ??= deriveShape(createEnvelopeReading(profile, protocol));
    const body = deriveShape(createBodyReading(profile, protocol, event));
    return [body, createMemberShape(envelope.discriminator, createTextShape(event.type))].reduce(
      intersectShapes,
      envelopeShape,
    );
  };
  return {
    types,
    addTypeOfHash(hash) {
      const event = eventsByHash.get(hash);
      if (event === undefined || types.length >= TYPE_SLOTS / 2) return false;
      const property = findPayloadCarrier(protocol.envelope, event);
      const { node, names } = program.add(deriveEventShape(event), property);
      const [eventMembers, payloadMembers] = names;
      const findIndex = (name: string | undefined): number =>
        name === undefined ? -1 : eventMembers.indexOf(name);
      const isForeign = foreignFields.some((name) => eventMembers.includes(name));
      // The view of an event shows declared fields only, and a rule about redacted places looks for others as well.
      const isHidden =
        profile === "writer" && contract?.rules?.redactions !== undefined && hasOpenPayload(protocol, event);
      addType(hash, isForeign || isHidden ? NOTHING : node, types.length);
      types.push({
        type: event.type,
        members: eventView.addMembers(eventMembers),
        payload: payloadView.addMembers(payloadMembers),
        property: payloadMembers.length > 0 ? findIndex(property) : -1,
        isFlat: property === undefined,
        keyFields: key.map(findIndex).filter((index) => index >= 0),
        key: key.length === 1 ? findIndex(key[0]) : -1,
        sequence: findIndex(contract?.sequence),
        id: findIndex(contract?.id),
      });
      return true;
    },
  };
}

/** Returns the fields that identify streams in the stream contract and its rules. Their texts occur often. */
export function collectKeyFields({ stream }: Protocol): ReadonlySet<string> {
  const fields = new Set<string>();
  const visit = (value: Json | undefined): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value))
      if (name === "key") for (const field of [member].flat()) fields.add(String(field));
      else visit(member);
  };
  if (stream) visit(toJson(stream));
  if (stream?.id !== undefined) fields.delete(stream.id);
  return fields;
}

/** Returns the hash of the bytes of a type's name as a JSON string, without the quotation marks. */
function hashTypeName(text: string): number {
  return hashText(Buffer.from(JSON.stringify(text).slice(1, -1)).toString("latin1"));
}
