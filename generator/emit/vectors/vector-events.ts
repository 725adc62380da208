/** Makes events for vectors: valid ones, and changes of them. */
import { splitPointer } from "../../json.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import { changeField, changeFields } from "../../sample/change-fields.js";
import { createEventMaker, type EventMaker, type SampleEvent } from "../../sample/event-maker.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { createValidators, type Validators } from "../../validators/protocol-validators.js";
import type { FixtureEvent } from "../emitter.js";

/** Returns the validators of a protocol, which vectors of events and of streams share: each compiles its schemas once. */
export const getValidators = memoizeByObject(createValidators);

/** The number of valid events of each type. The first has few fields, the second has all. */
const VALID_EVENTS = 3;

/** Makes events of every type of `protocol`. The same protocol gives the same events. */
export function makeVectorEvents(protocol: Protocol, { decodeEvent }: Validators): FixtureEvent[] {
  const { events, envelope, stream } = protocol;
  const accepts = (event: SampleEvent): boolean => decodeEvent(event, { profile: "writer" }).kind === "known";
  const maker = createEventMaker(protocol, accepts);
  const sequence = stream?.sequence === undefined ? {} : { [stream.sequence]: stream.first ?? 0 };
  const sharedFields = maker.makeEnvelope(1, sequence);
  const envelopeNames = Object.keys(getEnvelopeFields(envelope)).filter((name) => name !== envelope.property);
  return events.flatMap(({ type }, index) => {
    const validEvents = makeValidEvents(maker, type, sharedFields);
    const [, fullEvent] = validEvents;
    if (fullEvent === undefined) return validEvents;
    // The envelope's fields are the same in all events, so they are changed in those of one type.
    const isChanged = (pointer: string): boolean =>
      index === 0 || !envelopeNames.includes(splitPointer(pointer)[0] ?? "");
    const changedEvents = Array.from(changeFields(fullEvent.event, isChanged), ({ change, event }) => ({
      id: `${fullEvent.id} ${change}`,
      event,
    }));
    return [...validEvents, ...changedEvents, ...addUnknownNames(maker, type, fullEvent)];
  });
}

function makeValidEvents(maker: EventMaker, type: string, envelope: SampleEvent | object): FixtureEvent[] {
  return Array.from({ length: VALID_EVENTS }, (_, seed) => {
    const fieldChance = seed === 1 ? 1 : undefined;
    const event = maker.make({
      type,
      envelope: envelope as SampleEvent,
      fixedFields: {},
      seed,
      fieldChance,
    });
    return event === undefined ? [] : [{ id: `made/${type}/${seed}`, event }];
  }).flat();
}

/** Returns copies of an event with an unknown type, and with unknown fields of the event and of its payload. */
function addUnknownNames(maker: EventMaker, type: string, { id, event }: FixtureEvent): FixtureEvent[] {
  const { discriminator } = maker.protocol.envelope;
  const carrier = maker.findCarrier(type);
  const field = "unknown_field";
  const value = { a: [null, 1.5, "b"] };
  return [
    { id: `${id} with an unknown type`, event: changeField(event, [discriminator], `${type}_unknown`) },
    { id: `${id} with an unknown field`, event: changeField(event, [field], value) },
    ...(carrier === undefined
      ? []
      : [{ id: `${id} with an unknown payload field`, event: changeField(event, [carrier, field], value) }]),
  ];
}
