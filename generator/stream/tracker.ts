/**
 * Tracks streams of accepted events: cursors, gaps and the ids of the last events. `window` and `streams` bound the memory.
 * If something relevant may have been forgotten, the placement of an event shows it.
 */
import type { Gap, Placement } from "./delivery.js";
import { type IdMemory, mappedIds } from "./id-memory.js";
import { sameContent } from "./same-content.js";
import { streamKey } from "./stream-key.js";
import type { StreamContract } from "./stream-protocol.js";

/** The limits of a tracker. */
export interface TrackLimits {
  /** The least number of ids that are remembered, over all streams; 65,536 by default. A redelivery is detected if fewer new events came in between. */
  readonly window?: number;
  /** The greatest number of open streams; 10,000 by default. Beyond that, the streams without an event for the longest time are forgotten. */
  readonly streams?: number;
}

/** Tracks the streams of one protocol. `Id` is another form of ids, in addition to strings. */
export interface Tracker<Id = string> {
  /** Places an event in its stream. `digest` stands for its content. Pass one for all events or for none; then the events are kept. */
  place(event: object, digest?: string | number): Placement;
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
  /** Begins a new generation of ids and forgets those before the last one. This also happens after each `window` of ids. */
  rotateGeneration(): void;
}

/** The state of one stream. */
interface State {
  /** The key: the same string object for all events, which makes later lookups fast. */
  readonly key: string;
  /** The unique number under which its ids are remembered. */
  readonly number: number;
  cursor: number | undefined;
  gaps: readonly Gap[];
  /** The cursors at the beginning of the young and of the old generation. Earlier ids are forgotten. */
  youngFrom: number | undefined;
  oldFrom: number | undefined;
  used: number;
}

interface Memory<Id> {
  readonly contract: StreamContract | undefined;
  readonly window: number;
  readonly most: number;
  readonly same: (one: unknown, other: unknown) => boolean;
  readonly states: Map<string, State>;
  readonly ids: IdMemory<string | Id>;
  /** Cursors of streams that were retired. */
  readonly past: Map<string, number>;
  clock: number;
  /** The number of streams so far. */
  made: number;
  /** The number of ids in the young generation. */
  young: number;
}

/** Creates a tracker. Streams start without events, or after the number that `cursors` has for them. `same` compares contents; `ids` remembers ids. */
export function createTracker<Id = string>(
  contract: StreamContract | undefined,
  { window = 65_536, streams = 10_000 }: TrackLimits = {},
  cursors: Iterable<readonly [stream: string, sequence: number]> = [],
  same: (one: unknown, other: unknown) => boolean = sameContent,
  ids: IdMemory<string | Id> = mappedIds() as IdMemory<string | Id>,
): Tracker<Id> {
  const states = new Map<string, State>();
  const most = Math.max(1, streams);
  const counts = { clock: 0, made: 0, young: 0 };
  const memory: Memory<Id> = { contract, window, most, same, states, ids, past: new Map(), ...counts };
  for (const [stream, cursor] of cursors) begin(memory, stream, cursor);
  return {
    place: (event, digest) => place(memory, event, digest),
    placeKnown: (stream, sequence, id, content) => placeKnown(memory, stream, sequence, id, content),
    cursor: (stream) => states.get(stream)?.cursor,
    gaps: (stream) => states.get(stream)?.gaps ?? [],
    streams: () => [...states.keys()],
    forget: (stream) => {
      states.delete(stream);
      memory.past.delete(stream);
    },
    retire: (stream) => retire(memory, stream),
    rotateGeneration: () => rotate(memory),
  };
}

function place<Id>(memory: Memory<Id>, event: object, digest: string | number | undefined): Placement {
  const { contract } = memory;
  const sequence = field(event, contract?.sequence);
  const id = field(event, contract?.id);
  return placeKnown(
    memory,
    streamKey(contract, event),
    typeof sequence === "number" ? sequence : undefined,
    typeof id === "string" ? id : undefined,
    digest ?? event,
  );
}

function placeKnown<Id>(
  memory: Memory<Id>,
  key: string,
  sequence: number | undefined,
  id: string | Id | undefined,
  content: unknown,
): Placement {
  const { contract, states } = memory;
  const known = states.get(key);
  const evicted = known === undefined ? makeRoom(memory) : undefined;
  const state = known ?? begin(memory, key, memory.past.get(key));
  const { key: stream } = state;
  state.used = ++memory.clock;
  if (id !== undefined) {
    const before = memory.ids.remember(state.number, id, content);
    if (before !== undefined)
      return { kind: memory.same(before, content) ? "duplicate" : "conflict", stream, sequence };
  }
  const placement =
    sequence === undefined
      ? ({ kind: "first", stream, sequence, gap: undefined, evicted } as const)
      : advance(state, sequence, contract?.first, evicted);
  if (id !== undefined && ++memory.young >= memory.window) rotate(memory);
  return placement;
}

/** The greatest number of retired streams whose cursors are kept. */
const MAX_PAST = 10_000;

function retire<Id>({ states, past }: Memory<Id>, stream: string): void {
  const cursor = states.get(stream)?.cursor;
  states.delete(stream);
  past.delete(stream);
  if (cursor === undefined) return;
  past.set(stream, cursor);
  const [oldest] = past.keys();
  if (past.size > MAX_PAST && oldest !== undefined) past.delete(oldest);
}

/** Moves the cursor to `sequence`, except for a late event. */
function advance(
  state: State,
  sequence: number,
  first: number | undefined,
  evicted: readonly string[] | undefined,
): Placement {
  const { cursor, key: stream } = state;
  if (cursor !== undefined && sequence <= cursor) {
    if (state.gaps.length > 0) state.gaps = fillGap(state.gaps, sequence, first ?? 0);
    const forgotten = state.oldFrom !== undefined && sequence <= state.oldFrom;
    return { kind: "late", stream, sequence, cursor, forgotten };
  }
  const gap = gapBefore(cursor, sequence, first);
  if (gap !== undefined) state.gaps = addGap(state.gaps, gap);
  state.cursor = sequence;
  return { kind: "first", stream, sequence, gap, evicted };
}

function rotate<Id>(memory: Memory<Id>): void {
  memory.young = 0;
  memory.ids.rotateGeneration();
  for (const state of memory.states.values()) {
    state.oldFrom = state.youngFrom;
    state.youngFrom = state.cursor;
  }
}

/** Evicts an eighth of the streams if there are too many, so that not every new stream costs a search. */
function makeRoom<Id>({ states, most }: Memory<Id>): readonly string[] | undefined {
  if (states.size < most) return undefined;
  const byUse = [...states].sort(([, a], [, b]) => a.used - b.used);
  const evicted = byUse.slice(0, Math.ceil(most / 8)).map(([stream]) => stream);
  for (const stream of evicted) states.delete(stream);
  return evicted;
}

function begin<Id>(memory: Memory<Id>, key: string, cursor: number | undefined): State {
  const number = memory.made++;
  const state = { key, number, cursor, gaps: [], youngFrom: cursor, oldFrom: cursor, used: 0 };
  memory.states.set(key, state);
  return state;
}

function gapBefore(cursor: number | undefined, sequence: number, first: number | undefined): Gap | undefined {
  if (cursor !== undefined) return sequence > cursor + 1 ? { after: cursor, before: sequence } : undefined;
  return first !== undefined && sequence > first ? { before: sequence } : undefined;
}

/** Returns a field of an event. Inherited members are neither strings nor numbers, so callers ignore them. */
function field(event: object, name: string | undefined): unknown {
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
function fillGap(gaps: readonly Gap[], sequence: number, first: number): readonly Gap[] {
  return gaps.flatMap((gap) => {
    const after = gap.after ?? first - 1;
    if (sequence <= after || sequence >= gap.before) return [gap];
    return [
      ...(sequence > after + 1 ? [{ ...gap, before: sequence }] : []),
      ...(sequence < gap.before - 1 ? [{ after: sequence, before: gap.before }] : []),
    ];
  });
}
