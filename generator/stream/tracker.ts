/**
 * Tracks streams of accepted events: cursors, gaps and the ids of the last events. `window` and `streams` bound the memory.
 * The placement of an event shows whether an id or a stream that it needs may have been forgotten.
 */
import type { StreamFields } from "./contract.js";
import type { Gap, Placement } from "./delivery.js";
import { createIdMaps, type IdMemory } from "./id-memory.js";
import { isSameContent } from "./same-content.js";
import { streamKey } from "./stream-key.js";

/** The limits of a tracker. */
export interface TrackLimits {
  /** The least number of ids that are remembered, over all streams; 65,536 by default. A redelivery is detected if fewer new events came in between. */
  readonly window?: number;
  /** The greatest number of open streams; 10,000 by default. Beyond that, the streams without an event for the longest time are forgotten. */
  readonly streams?: number;
}

/** Tracks the streams of one protocol. `Id` is another form of ids, in addition to strings. */
export interface Tracker<Id = string> {
  /**
   * Places an event in its stream. `digest` stands for its content. Pass one for all events or for none; then the events
   * are kept. `id` is used if the protocol has no field for ids.
   */
  place(event: object, digest?: string | number, id?: string): Placement;
  /** Places an event whose stream, number and id are known; `content` stands for the event. */
  placeKnown(
    stream: string,
    sequence: number | undefined,
    id: string | Id | undefined,
    content: unknown,
  ): Placement;
  cursor(stream: string): number | undefined;
  gaps(stream: string): readonly Gap[];
  streams(): readonly string[];
  /** Forgets a stream. Its next event starts a new one. */
  forget(stream: string): void;
  /** Forgets a stream except its cursor, so that later events can still be placed. The cursors of the last 10,000 such streams are kept. */
  retire(stream: string): void;
  /** Begins a new generation of ids. The ids of the generation before it are kept, all older ones are forgotten. This also happens after each `window` ids. */
  rotateGeneration(): void;
}

/** The state of one stream. */
export interface TrackedStream {
  /** The key: the same string object for all events, which makes later lookups fast. */
  readonly key: string;
  /** The unique number under which its ids are remembered. */
  readonly number: number;
  cursor: number | undefined;
  gaps: readonly Gap[];
  /** The cursors at the beginning of the young and of the old generation. Earlier ids are forgotten. */
  youngFrom: number | undefined;
  oldFrom: number | undefined;
  /** The value of the clock at its last event. */
  lastUsed: number;
}

/** What a tracker remembers, besides ids. */
export interface TrackerState {
  /** The streams by their keys. */
  readonly states: Map<string, TrackedStream>;
  /** Cursors of streams that were retired. */
  readonly retiredCursors: Map<string, number>;
  /** The number of events so far. */
  clock: number;
  /** The number of streams so far, with those that were forgotten. */
  streamCount: number;
  /** The number of ids in the young generation. */
  newIds: number;
}

/** The state of a tracker, and what it depends on. */
interface Memory<Id> extends TrackerState {
  readonly fields: StreamFields | undefined;
  readonly window: number;
  readonly maxStreams: number;
  readonly isSame: (one: unknown, other: unknown) => boolean;
  readonly ids: IdMemory<string | Id>;
}

/** Returns the state before any event. */
export function createTrackerState(): TrackerState {
  return { states: new Map(), retiredCursors: new Map(), clock: 0, streamCount: 0, newIds: 0 };
}

/**
 * Creates a tracker. Streams start without events, or after the number that `cursors` has for them. `isSame` compares contents;
 * `ids` remembers ids. The tracker continues from `initial` and changes it.
 */
export function createTracker<Id = string>(
  fields: StreamFields | undefined,
  { window = 65_536, streams = 10_000 }: TrackLimits = {},
  cursors: Iterable<readonly [stream: string, sequence: number]> = [],
  isSame: (one: unknown, other: unknown) => boolean = isSameContent,
  ids: IdMemory<string | Id> = createIdMaps(),
  initial: TrackerState = createTrackerState(),
): Tracker<Id> {
  const { states } = initial;
  const memory: Memory<Id> = Object.assign(initial, {
    fields,
    window,
    maxStreams: Math.max(1, streams),
    isSame,
    ids,
  });
  for (const [stream, cursor] of cursors) openStream(memory, stream, cursor);
  return {
    place: (event, digest, id) => place(memory, event, digest, id),
    placeKnown: (stream, sequence, id, content) => placeKnown(memory, stream, sequence, id, content),
    cursor: (stream) => states.get(stream)?.cursor,
    gaps: (stream) => states.get(stream)?.gaps ?? [],
    streams: () => [...states.keys()],
    forget: (stream) => {
      states.delete(stream);
      memory.retiredCursors.delete(stream);
    },
    retire: (stream) => retire(memory, stream),
    rotateGeneration: () => rotateGeneration(memory),
  };
}

function place<Id>(
  memory: Memory<Id>,
  event: object,
  digest: string | number | undefined,
  deliveryId: string | undefined,
): Placement {
  const { fields } = memory;
  const sequence = readField(event, fields?.sequence);
  const id = fields?.id === undefined ? deliveryId : readField(event, fields.id);
  return placeKnown(
    memory,
    streamKey(fields, event),
    typeof sequence === "number" ? sequence : undefined,
    typeof id === "string" ? id : undefined,
    digest ?? event,
  );
}

/** The number of the stream under which ids are remembered that all streams share. */
const ANY_STREAM = 0;

function placeKnown<Id>(
  memory: Memory<Id>,
  key: string,
  sequence: number | undefined,
  id: string | Id | undefined,
  content: unknown,
): Placement {
  const { fields, states } = memory;
  const openState = states.get(key);
  const evicted = openState === undefined ? makeRoom(memory) : undefined;
  const state = openState ?? openStream(memory, key, memory.retiredCursors.get(key));
  const { key: stream } = state;
  state.lastUsed = ++memory.clock;
  if (id !== undefined) {
    const owner = fields?.idScope === "protocol" ? ANY_STREAM : state.number;
    const firstContent = memory.ids.remember(owner, id, content);
    if (firstContent !== undefined)
      return { kind: memory.isSame(firstContent, content) ? "duplicate" : "conflict", stream, sequence };
  }
  const placement =
    sequence === undefined
      ? ({ kind: "new", stream, sequence, gap: undefined, evicted } as const)
      : placeBySequence(state, sequence, fields?.first, evicted);
  if (id !== undefined && ++memory.newIds >= memory.window) rotateGeneration(memory);
  return placement;
}

/** The greatest number of retired streams whose cursors are kept. */
const MAX_RETIRED = 10_000;

function retire<Id>({ states, retiredCursors }: Memory<Id>, stream: string): void {
  const cursor = states.get(stream)?.cursor;
  states.delete(stream);
  retiredCursors.delete(stream);
  if (cursor === undefined) return;
  retiredCursors.set(stream, cursor);
  const [oldest] = retiredCursors.keys();
  if (retiredCursors.size > MAX_RETIRED && oldest !== undefined) retiredCursors.delete(oldest);
}

/** Places an event by its number. Moves the cursor to the number, unless the event is late. */
function placeBySequence(
  state: TrackedStream,
  sequence: number,
  first: number | undefined,
  evicted: readonly string[] | undefined,
): Placement {
  const { cursor, key: stream } = state;
  if (cursor !== undefined && sequence <= cursor) {
    if (state.gaps.length > 0) state.gaps = removeFromGaps(state.gaps, sequence, first ?? 0);
    const forgotten = state.oldFrom !== undefined && sequence <= state.oldFrom;
    return { kind: "late", stream, sequence, cursor, forgotten };
  }
  const gap = findGap(cursor, sequence, first);
  if (gap !== undefined) state.gaps = addGap(state.gaps, gap);
  state.cursor = sequence;
  return { kind: "new", stream, sequence, gap, evicted };
}

function rotateGeneration<Id>(memory: Memory<Id>): void {
  memory.newIds = 0;
  memory.ids.rotateGeneration();
  for (const state of memory.states.values()) {
    state.oldFrom = state.youngFrom;
    state.youngFrom = state.cursor;
  }
}

/** Evicts an eighth of the streams if there are too many, so that not every new stream costs a search. */
function makeRoom<Id>({ states, maxStreams }: Memory<Id>): readonly string[] | undefined {
  if (states.size < maxStreams) return undefined;
  const byUse = [...states].sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
  const evicted = byUse.slice(0, Math.ceil(maxStreams / 8)).map(([stream]) => stream);
  for (const stream of evicted) states.delete(stream);
  return evicted;
}

function openStream<Id>(memory: Memory<Id>, key: string, cursor: number | undefined): TrackedStream {
  const number = memory.streamCount++;
  const state = { key, number, cursor, gaps: [], youngFrom: cursor, oldFrom: cursor, lastUsed: 0 };
  memory.states.set(key, state);
  return state;
}

function findGap(cursor: number | undefined, sequence: number, first: number | undefined): Gap | undefined {
  if (cursor !== undefined) return sequence > cursor + 1 ? { after: cursor, before: sequence } : undefined;
  return first !== undefined && sequence > first ? { before: sequence } : undefined;
}

/** Returns a field of an event. Inherited members are neither strings nor numbers, so callers ignore them. */
function readField(event: object, name: string | undefined): unknown {
  return name === undefined ? undefined : (event as { readonly [name: string]: unknown })[name];
}

/** The greatest number of gaps of a stream. Beyond that, the two oldest become one that spans both. */
const MAX_GAPS = 100;

/** Returns `gaps` with one more at the end. */
function addGap(gaps: readonly Gap[], gap: Gap): readonly Gap[] {
  if (gaps.length < MAX_GAPS) return [...gaps, gap];
  const [oldest, next, ...rest] = gaps;
  return oldest && next ? [{ ...oldest, before: next.before }, ...rest, gap] : [...gaps, gap];
}

/** Returns `gaps` after `sequence` arrived late: its gap is narrowed, split or removed. */
function removeFromGaps(gaps: readonly Gap[], sequence: number, first: number): readonly Gap[] {
  return gaps.flatMap((gap) => {
    const after = gap.after ?? first - 1;
    if (sequence <= after || sequence >= gap.before) return [gap];
    return [
      ...(sequence > after + 1 ? [{ ...gap, before: sequence }] : []),
      ...(sequence < gap.before - 1 ? [{ after: sequence, before: gap.before }] : []),
    ];
  });
}
