/** The event types of a scanner. A type is written into its memory when the first event of the type comes. */
import { hashText } from "../hash.js";
import { isObject, type Json } from "../json.js";
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
  /** The members of events and of payloads, as arguments of `show` of their views. */
  readonly members: Int16Array;
  readonly payload: Int16Array;
  /** The index of the payload among the members; -1 if the payload has no view. */
  readonly property: number;
  /** Whether the payload's fields are the event's own. */
  readonly isFlat: boolean;
  /** The indexes of the fields of the stream's key, which must be strings in events that have them. */
  readonly texts: readonly number[];
  /** The indexes of the stream's key if it is one field, of the sequence number, and of the id; -1 for each that does not exist. */
  readonly key: number;
  readonly sequence: number;
  readonly id: number;
}

/** The type before any event was recognised. */
export const NO_TYPE: KnownType = {
  type: "",
  members: new Int16Array(0),
  payload: new Int16Array(0),
  property: -1,
  isFlat: true,
  texts: [],
  key: -1,
  sequence: -1,
  id: -1,
};

/** Types in the order of their numbers. */
export interface KnownTypes {
  readonly all: readonly KnownType[];
  /** Adds the type whose name has that hash. Returns false if there is none, or no room for it. */
  learn(hash: number): boolean;
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
  const byHash = new Map(events.map((event) => [hashTypeName(event.type), event] as const));
  const all: KnownType[] = [];
  let common: Shape | undefined;
  const deriveEventShape = (event: EventType): Shape => {
    common ??= deriveShape(createEnvelopeReading(profile, protocol));
    const body = deriveShape(createBodyReading(profile, protocol, event));
    return [body, createMemberShape(envelope.discriminator, createTextShape(event.type))].reduce(
      intersectShapes,
      common,
    );
  };
  return {
    all,
    learn(hash) {
      const event = byHash.get(hash);
      if (event === undefined || all.length >= TYPE_SLOTS / 2) return false;
      const property = findPayloadCarrier(protocol.envelope, event);
      const { node, names } = program.add(deriveEventShape(event), property);
      const [own, inner] = names;
      const index = (name: string | undefined): number => (name === undefined ? -1 : own.indexOf(name));
      const isForeign = foreignFields.some((name) => own.includes(name));
      addType(hash, isForeign ? NOTHING : node, all.length);
      all.push({
        type: event.type,
        members: eventView.addMembers(own),
        payload: payloadView.addMembers(inner),
        property: inner.length > 0 ? index(property) : -1,
        isFlat: property === undefined,
        texts: key.map(index).filter((place) => place >= 0),
        key: key.length === 1 ? index(key[0]) : -1,
        sequence: index(contract?.sequence),
        id: index(contract?.id),
      });
      return true;
    },
  };
}

/** Returns the fields that identify streams in the stream contract and its rules; their texts occur often. */
export function collectKeyFields({ stream }: Protocol): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: Json | undefined): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value))
      if (name === "key") for (const field of [member].flat()) found.add(String(field));
      else visit(member);
  };
  visit(stream as unknown as Json);
  if (stream?.id !== undefined) found.delete(stream.id);
  return found;
}

/** Returns the hash of the bytes of a type's name, as a JSON text spells it without the quotation marks. */
function hashTypeName(text: string): number {
  return hashText(Buffer.from(JSON.stringify(text).slice(1, -1)).toString("latin1"));
}
