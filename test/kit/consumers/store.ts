/**
 * A correct consumer of a third design: an immutable store of entities, as state libraries have it. It takes events in
 * batches, so all its methods return promises. For any protocol.
 */
import type { Adapter, KitProtocol } from "../../../generator/kit/index.js";
import { createReader, createSseParser, unwrap } from "../../../generator/stream/index.js";

type Event = { readonly [field: string]: unknown };

/** Something that is shown: a text, a call, or a single event. */
interface Entity {
  readonly key: string;
  readonly type: string;
  readonly text: string;
  readonly isWhole: boolean;
  readonly history: readonly unknown[];
}

/** The entities of one stream in the order of their first events, and how often its texts began anew. */
interface StreamState {
  readonly entities: readonly Entity[];
  readonly turn: number;
}

type State = { readonly [stream: string]: StreamState };

const EMPTY: StreamState = { entities: [], turn: 0 };

export function storeAdapter(protocol: KitProtocol): Adapter {
  return { create: async () => createStore(protocol) };
}

function createStore(protocol: KitProtocol) {
  const { discriminator, property } = protocol.envelope;
  const { lifecycles = [], texts = [] } = protocol.rules ?? {};
  const reader = createReader(protocol);
  let state: State = {};
  let unknownEvents: readonly Event[] = [];
  let batch: unknown[] = [];
  let parser = createSseParser();

  /** Returns the state of a stream, whose key may be the name of a built-in property. */
  const findStream = (key: string): StreamState | undefined =>
    Object.hasOwn(state, key) ? state[key] : undefined;
  const typeOf = (event: Event): string => String(event[discriminator]);
  const payloadOf = (event: Event): Event => {
    const name = property ?? protocol.schemas.events[typeOf(event)]?.property;
    return name === undefined ? event : ((event[name] ?? {}) as Event);
  };

  /** Replaces the entity with this key, or adds one at the end. */
  function update(
    stream: StreamState,
    key: string,
    type: string,
    change: (before: Entity) => Entity,
  ): StreamState {
    const index = stream.entities.findLastIndex((entity) => entity.key === key);
    const before = stream.entities[index];
    if (before !== undefined) return { ...stream, entities: stream.entities.with(index, change(before)) };
    const created = change({ key, type, text: "", isWhole: false, history: [] });
    return { ...stream, entities: [...stream.entities, created] };
  }

  function reduceText(stream: StreamState, type: string, payload: Event): StreamState | undefined {
    const rule = texts.find(({ delta, whole }) => type === delta || type === whole);
    if (rule === undefined) return undefined;
    const key = JSON.stringify(["text", rule.whole, stream.turn, ...rule.key.map((field) => payload[field])]);
    return update(stream, key, rule.whole, (before) => {
      if (type === rule.whole) return { ...before, text: String(payload[rule.text]), isWhole: true };
      return before.isWhole ? before : { ...before, text: before.text + String(payload[rule.part]) };
    });
  }

  function reduce(stream: StreamState, event: Event, isKnown: boolean): StreamState {
    const type = typeOf(event);
    const payload = payloadOf(event);
    const turn = stream.turn + (texts.some(({ restart = [] }) => restart.includes(type)) ? 1 : 0);
    const next = { ...stream, turn };
    const text = isKnown ? reduceText(next, type, payload) : undefined;
    if (text !== undefined) return text;
    const rule = isKnown ? lifecycles.find(({ key }) => typeof payload[key] === "string") : undefined;
    const key = rule ? JSON.stringify([rule.key, payload[rule.key]]) : `#${next.entities.length}`;
    const shown = isKnown ? { type, payload } : event;
    return update(next, key, type, (before) => ({ ...before, history: [...before.history, shown] }));
  }

  /** Takes the events of the batch, in a microtask. */
  async function flush(): Promise<void> {
    await Promise.resolve();
    const values = batch;
    batch = [];
    for (const value of values) {
      const delivery = reader.read(value);
      if (delivery.kind !== "new" && delivery.kind !== "late") continue;
      const event = delivery.event as unknown as Event;
      if (!delivery.known) unknownEvents = [...unknownEvents, event];
      const before = findStream(delivery.stream) ?? EMPTY;
      state = { ...state, [delivery.stream]: reduce(before, event, delivery.known) };
    }
  }

  return {
    async push(event: unknown) {
      batch.push(event);
      await flush();
    },
    snapshot: async () => state,
    opaque: async () => unknownEvents,
    gaps: () => reader.streams().flatMap((stream) => reader.gaps(stream)),
    cursor: (stream: string) => reader.cursor(stream),
    viewRun: async (stream: string) => findStream(stream),
    async reconnect() {
      await flush();
      parser = createSseParser();
    },
    async ingest(bytes: Uint8Array) {
      for (const frame of parser.push(bytes))
        for (const { value } of unwrap(JSON.parse(frame.data))) batch.push(value);
      await flush();
    },
  };
}
