/** Makes events for vectors: valid ones, and changes of them. */
import { isObject, type Json, join, objectFrom, tokens } from "../../json.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import { createEventMaker, type EventMaker, type SampleEvent } from "../../sample/event-maker.js";
import type { Validators } from "../../validators/protocol-validators.js";
import type { FixtureEvent } from "../emitter.js";

/** The values that replace each field, with a word for each. */
const REPLACEMENTS: readonly (readonly [word: string, value: Json])[] = [
  ["null", null],
  ["an unknown value", "unknown value"],
  ["a negative number", -1],
  ["a fraction", 1.5],
  ["a list", [true]],
  ["an object", { unknown_field: [] }],
];

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
      index === 0 || !envelopeNames.includes(tokens(pointer)[0] ?? "");
    return [
      ...validEvents,
      ...changeFields(fullEvent, isChanged),
      ...addUnknownNames(maker, type, fullEvent),
    ];
  });
}

function makeValidEvents(maker: EventMaker, type: string, envelope: SampleEvent | object): FixtureEvent[] {
  return Array.from({ length: VALID_EVENTS }, (_, seed) => {
    const fieldChance = seed === 1 ? 1 : undefined;
    const event = maker.make({
      type,
      envelope: envelope as SampleEvent,
      wantedFields: {},
      seed,
      fieldChance,
    });
    return event === undefined ? [] : [{ id: `made/${type}/${seed}`, event }];
  }).flat();
}

/** Returns copies of an event, each without one field or with another value of it. */
function changeFields({ id, event }: FixtureEvent, isChanged: (pointer: string) => boolean): FixtureEvent[] {
  return listFields(event)
    .filter(isChanged)
    .flatMap((pointer) => [
      { id: `${id} without ${pointer}`, event: changeField(event, tokens(pointer)) },
      ...REPLACEMENTS.map(([word, value]) => ({
        id: `${id} with ${word} in ${pointer}`,
        event: changeField(event, tokens(pointer), value),
      })),
    ]);
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

/** Lists the pointers of all fields of objects, also of those in the first item of lists. */
function listFields(value: Json, pointer = ""): string[] {
  if (Array.isArray(value)) return value[0] === undefined ? [] : listFields(value[0], join(pointer, 0));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const memberPointer = join(pointer, name);
    return [memberPointer, ...listFields(member, memberPointer)];
  });
}

/** Returns a copy with another value of the field at `path`; without the field if there is no value. */
function changeField(container: Json, [name = "", ...path]: readonly string[], value?: Json): Json {
  const change = (member: Json | undefined): Json | undefined =>
    path.length === 0 ? value : changeField(member ?? {}, path, value);
  if (Array.isArray(container))
    return container.map((item, i) => (String(i) === name ? (change(item) ?? null) : item));
  const members = isObject(container) ? container : {};
  const entries = Object.entries({ ...members, [name]: change(members[name]) });
  return objectFrom(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
