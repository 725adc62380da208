/** Changes of events that a feed may make: pure functions from events to events. */
import { isObject, type Json, objectFrom } from "../json.js";
import { combineSeeds } from "../random.js";
import type { Draft, KitEvent } from "../sample/event-maker.js";
import { streamKey } from "../stream/stream-key.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { StreamBuilder } from "./stream-builder.js";
import type { StreamCursor } from "./stream-cursor.js";
import type { Trial } from "./trial.js";

/** The field that carries the payload of an event; undefined where it lies beside the envelope. */
function carrierOf({ envelope, schemas }: KitProtocol, event: KitEvent): string | undefined {
  if (envelope.placement === "nested") return envelope.property;
  if (envelope.placement === "inline") return undefined;
  return schemas.events[String(event[envelope.discriminator])]?.property;
}

/** The payload of an event: the event itself where it lies beside the envelope. */
export function payloadOf(protocol: KitProtocol, event: KitEvent): KitEvent {
  const name = carrierOf(protocol, event);
  const payload = name === undefined ? event : event[name];
  return isObject(payload) ? payload : {};
}

/** An event with another payload. */
export function withPayload(
  protocol: KitProtocol,
  event: KitEvent,
  change: (payload: KitEvent) => KitEvent,
): KitEvent {
  const name = carrierOf(protocol, event);
  if (name === undefined) return protocol.envelope.placement === "keyed" ? event : change(event);
  const payload = event[name];
  return isObject(payload) ? { ...event, [name]: change(payload) } : event;
}

/** Moves the numbers of events, and those that gap markers name, by `by`. */
export function shifted(trial: Trial, events: readonly KitEvent[], by: number, from = 0): KitEvent[] {
  const { protocol, rules } = trial;
  const field = protocol.stream?.sequence;
  if (field === undefined || by === 0) return [...events];
  const move = (value: Json | undefined): Json | undefined =>
    typeof value === "number" && value >= from ? Math.max(0, value + by) : value;
  return events.map((event) => {
    const marker = rules.gaps?.find(({ type }) => type === event[protocol.envelope.discriminator]);
    const named = [marker?.first, marker?.last].filter((name) => name !== undefined);
    const moved = { ...event, [field]: move(event[field]) } as KitEvent;
    return withPayload(protocol, moved, (payload) => ({
      ...payload,
      ...objectFrom(
        named.flatMap((name) =>
          payload[name] === undefined ? [] : [[name, move(payload[name]) as Json] as const],
        ),
      ),
    }));
  });
}

/** `events` with `added` at `index`: it takes the number after the event before it, and later ones move up. */
export function inserted(
  trial: Trial,
  events: readonly KitEvent[],
  index: number,
  added: KitEvent,
): KitEvent[] {
  const { protocol } = trial;
  const field = protocol.stream?.sequence;
  if (field === undefined) return [...events.slice(0, index), added, ...events.slice(index)];
  const key = streamKey(protocol.stream, added);
  const mine = (event: KitEvent): boolean => streamKey(protocol.stream, event) === key;
  const before = events.slice(0, index).findLast(mine);
  const number = before === undefined ? (protocol.stream?.first ?? 0) : Number(before[field]) + 1;
  const later = events
    .slice(index)
    .map((event) => (mine(event) ? (shifted(trial, [event], 1, number)[0] ?? event) : event));
  return [...events.slice(0, index), { ...added, [field]: number }, ...later];
}

/** A word that no schema knows. */
export const TOKEN = "qzfuture";

/** An event whose id none of `taken` has, if one is found. */
function newLike(
  { maker }: StreamBuilder,
  taken: readonly KitEvent[],
  draft: Omit<Draft, "seed">,
  seed: (again: number) => number,
): KitEvent | undefined {
  const id = maker.model.stream?.id;
  let made: KitEvent | undefined;
  for (let again = 0; again < 10; again++) {
    made = maker.make({ ...draft, seed: seed(again) });
    if (id === undefined || taken.every((event) => event[id] !== made?.[id])) break;
  }
  return made;
}

/** An event of a type that the protocol does not declare, with an id that none of `taken` has, as the next one of a stream. */
export function unknownEvent(
  trial: Trial,
  builder: StreamBuilder,
  cursor: StreamCursor,
  { index = 0, taken = builder.events }: { index?: number; taken?: readonly KitEvent[] } = {},
): KitEvent {
  const { protocol, model } = trial;
  const { discriminator, placement, property } = protocol.envelope;
  const { stream } = protocol;
  const known =
    model.events[(index * 7 + trial.events.length) % Math.max(1, model.events.length)]?.type ?? "event";
  const base = { ...cursor.base, ...(stream?.sequence !== undefined && { [stream.sequence]: cursor.next }) };
  const like = newLike(builder, taken, { type: known, envelope: base, wanted: {} }, (again) =>
    combineSeeds(1000 + index, again, trial.random.below(2 ** 20)),
  );
  const own = [stream?.id, stream?.time].flatMap((name) =>
    name === undefined || like?.[name] === undefined ? [] : [[name, like[name]] as const],
  );
  const payload = { [`${TOKEN}_note`]: `${TOKEN} ${index}`, nested: { list: [1, null, "two"] } };
  const event = (type: string): KitEvent => ({
    ...{ ...base, ...objectFrom(own), [discriminator]: type },
    ...(placement === "nested"
      ? { [property ?? ""]: payload }
      : placement === "keyed"
        ? { Future: payload }
        : payload),
  });
  const types = [`${known}_${TOKEN}`, `${TOKEN}_${index}`, `${TOKEN}.event`, TOKEN];
  const fitting = types.find((type) => protocol.decodeEvent(event(type)).kind === "unknown");
  return event(fitting ?? TOKEN);
}
