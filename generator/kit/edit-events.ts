/** Edits generated events as a feed or another version of the contract may change them. No function changes its arguments. */
import { createObject } from "../json.js";
import { combineSeeds } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { streamKey } from "../stream/stream-key.js";
import { mapPayload, TOKEN } from "./payload.js";
import type { Trial } from "./trial.js";

/** Adds `offset` to all sequence numbers that are at least `from`: those of the events, and those in gap markers. */
export function shiftNumbers(
  trial: Trial,
  events: readonly SampleEvent[],
  offset: number,
  from = 0,
): SampleEvent[] {
  const { protocol, rules } = trial;
  const field = protocol.stream?.sequence;
  if (field === undefined || offset === 0) return [...events];
  const shift = (fields: SampleEvent, ...names: readonly (string | undefined)[]): SampleEvent => {
    const shiftedFields = { ...fields };
    for (const name of names.filter((each) => each !== undefined)) {
      const value = fields[name];
      if (typeof value === "number" && value >= from) shiftedFields[name] = Math.max(0, value + offset);
    }
    return shiftedFields;
  };
  return events.map((event) => {
    const marker = rules.gaps?.find(({ type }) => type === event[protocol.envelope.discriminator]);
    return mapPayload(protocol, shift(event, field), (payload) =>
      shift(payload, marker?.first, marker?.last),
    );
  });
}

/** Inserts an event at `index`. It gets the number after the event before it, and later numbers of its stream move up. */
export function insertEvent(
  trial: Trial,
  events: readonly SampleEvent[],
  index: number,
  added: SampleEvent,
): SampleEvent[] {
  const { stream } = trial.protocol;
  const field = stream?.sequence;
  const before = events.slice(0, index);
  const after = events.slice(index);
  if (field === undefined) return [...before, added, ...after];
  const key = streamKey(stream, added);
  const isSameStream = (event: SampleEvent): boolean => streamKey(stream, event) === key;
  const previous = before.findLast(isSameStream);
  const number = previous === undefined ? (stream?.first ?? 0) : Number(previous[field]) + 1;
  const movedEvents = after.flatMap((event) =>
    isSameStream(event) ? shiftNumbers(trial, [event], 1, number) : [event],
  );
  return [...before, { ...added, [field]: number }, ...movedEvents];
}

/**
 * Makes an event of a type that the protocol does not declare, as the next event of the generated stream. Its id differs
 * from those of the `taken` events. Another `index` gives another type; every third one is of a new family.
 */
export function makeUnknownEvent(
  trial: Trial,
  index = 0,
  taken: readonly SampleEvent[] = trial.events,
): SampleEvent {
  const { protocol, model } = trial;
  const { discriminator, placement, property } = protocol.envelope;
  const { id, time, sequence } = protocol.stream ?? {};
  const cursor = trial.createBuilder().getCursor(0);
  // Other indexes and other streams give other declared types.
  const { length } = model.events;
  const declaredType = model.events[(index * 7 + trial.events.length) % Math.max(1, length)]?.type ?? "event";
  const base = { ...cursor.base, ...(sequence !== undefined && { [sequence]: cursor.next }) };
  const template = makeEventWithUnusedId(trial, { index, taken, type: declaredType, envelope: base });
  const ownFields = [id, time].flatMap((name) =>
    name === undefined || template?.[name] === undefined ? [] : [[name, template[name]] as const],
  );
  const payload = { [`${TOKEN}_note`]: `${TOKEN} ${index}`, nested: { list: [1, null, "two"] } };
  const carriers = { nested: { [property ?? ""]: payload }, keyed: { Future: payload }, inline: payload };
  const makeEvent = (type: string): SampleEvent => ({
    ...base,
    ...createObject(ownFields),
    [discriminator]: type,
    ...carriers[placement],
  });
  const newTypes = [`${TOKEN}_${index}`, `${TOKEN}.event`, TOKEN];
  const types = index % 3 === 2 ? newTypes : [`${declaredType}_${TOKEN}`, ...newTypes];
  const unknownEvent = types.map(makeEvent).find((event) => protocol.decodeEvent(event).kind === "unknown");
  return unknownEvent ?? makeEvent(TOKEN);
}

const MAX_ID_ATTEMPTS = 10;

/** Makes an event whose id none of `taken` has, if one is found in a few attempts. */
function makeEventWithUnusedId(
  { maker, random }: Trial,
  draft: {
    readonly index: number;
    readonly taken: readonly SampleEvent[];
    readonly type: string;
    readonly envelope: SampleEvent;
  },
): SampleEvent | undefined {
  const { index, taken, type, envelope } = draft;
  const id = maker.protocol.stream?.id;
  let event: SampleEvent | undefined;
  for (let attempt = 0; attempt < MAX_ID_ATTEMPTS; attempt++) {
    const seed = combineSeeds(1000 + index, attempt, random.below(2 ** 20));
    event = maker.make({ type, envelope, fixedFields: {}, seed });
    if (id === undefined || taken.every((other) => other[id] !== event?.[id])) break;
  }
  return event;
}
