/** Counts events for `--stats`, by stream and by event type. */
import { addRange, countCovered, type Range } from "../conform/machine/ranges.js";
import type { JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Placement } from "../stream/delivery.js";

/** The maximum number of streams with counts of their own. Events of other streams are counted by type only. */
const MAX_STREAMS = 100_000;

/** The counts of one stream. */
export interface StreamStats {
  readonly protocol: string;
  readonly stream: string;
  /** The number of events without redeliveries. */
  events: number;
  unknown: number;
  redelivered: number;
  conflicting: number;
  late: number;
  /** The lowest sequence number. */
  first?: number;
  /** The highest sequence number. */
  last?: number;
  gaps: number;
  /** The count of sequence numbers that the gaps skip. */
  missing: number;
  /** The earliest time, in milliseconds since 1970. */
  begin?: number;
  /** The latest time, in milliseconds since 1970. */
  end?: number;
  /** The position of the first event among all lines. */
  readonly order: number;
  /** The number of values before the first event on its line. */
  readonly itemIndex: number;
}

/** The count of one event type. */
export interface TypeStats {
  readonly protocol: string;
  readonly type: string;
  /** True if the protocol declares the event type. */
  readonly known: boolean;
  /** The number of events with redeliveries. */
  events: number;
}

/** The count of the events of one type on one day. */
export interface DayStats {
  readonly protocol: string;
  /** The date in UTC, such as 2026-11-01; empty if the event has no valid time. */
  readonly day: string;
  readonly type: string;
  /** The number of events with redeliveries. */
  events: number;
}

/** All counts. */
export interface Stats {
  readonly streams: Map<string, StreamStats>;
  readonly types: Map<string, TypeStats>;
  /** The counts by day; undefined if days are not counted. */
  readonly days: Map<string, DayStats> | undefined;
  /** The numbers of refused events, which are not missing, by the same keys as `streams`. */
  readonly refused: Map<string, readonly Range[]>;
  /** The number of events of streams beyond the limit. */
  uncounted: number;
}

/** Creates empty counts. */
export function createStats(countsDays = false): Stats {
  return {
    streams: new Map(),
    types: new Map(),
    days: countsDays ? new Map() : undefined,
    refused: new Map(),
    uncounted: 0,
  };
}

/** An event and its place in its stream. */
interface CountedEvent {
  readonly protocol: Protocol;
  readonly value: JsonObject;
  readonly isKnown: boolean;
  readonly placement: Placement;
  readonly order: number;
  readonly itemIndex: number;
}

/** Counts an event by its type, and by its day if days are counted. */
export function countType(stats: Stats, protocol: Protocol, value: JsonObject, isKnown: boolean): void {
  const { id, envelope } = protocol;
  const type = String(value[envelope.discriminator]);
  const key = `${id}\n${type}`;
  const counts = stats.types.get(key) ?? { protocol: id, type, known: isKnown, events: 0 };
  counts.events++;
  stats.types.set(key, counts);
  if (stats.days) countDay(stats.days, protocol, type, value);
}

function countDay(
  days: Map<string, DayStats>,
  { id, stream }: Protocol,
  type: string,
  value: JsonObject,
): void {
  const milliseconds = readTime(stream?.time === undefined ? undefined : value[stream.time]);
  const date = new Date(milliseconds ?? Number.NaN);
  const day = Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, "2026-11-01".length);
  const key = [id, day, type].join("\n");
  const counts = days.get(key) ?? { protocol: id, day, type, events: 0 };
  counts.events++;
  days.set(key, counts);
}

/** Returns the milliseconds since 1970 of a time; undefined if it is not one. */
function readTime(time: unknown): number | undefined {
  const milliseconds = typeof time === "string" ? Date.parse(time) : time;
  return typeof milliseconds !== "number" || Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** Counts an event in its stream. */
export function countEvent(stats: Stats, event: CountedEvent): void {
  const { protocol, value, isKnown, placement } = event;
  countType(stats, protocol, value, isKnown);
  const { id, stream: contract } = protocol;
  const key = `${id}\n${placement.stream}`;
  const existing = stats.streams.get(key);
  if (existing === undefined && stats.streams.size >= MAX_STREAMS) {
    stats.uncounted++;
    return;
  }
  const stream = existing ?? createStreamStats(event);
  stats.streams.set(key, stream);
  if (!isKnown) stream.unknown++;
  countPlacement(stream, placement, contract?.first ?? 0, stats.refused.get(key));
  widenTime(stream, contract?.time === undefined ? undefined : value[contract.time]);
}

/** Remembers the number of a refused event. */
export function countRefusal(stats: Stats, { id }: Protocol, stream: string, sequence: number): void {
  const key = `${id}\n${stream}`;
  const numbers = stats.refused.get(key);
  if (numbers || stats.refused.size < MAX_STREAMS)
    stats.refused.set(key, addRange(numbers ?? [], sequence, sequence));
}

/** Creates the counts of the stream of its first event. */
function createStreamStats({ protocol, placement, order, itemIndex }: CountedEvent): StreamStats {
  return {
    protocol: protocol.id,
    stream: placement.stream,
    events: 0,
    unknown: 0,
    redelivered: 0,
    conflicting: 0,
    late: 0,
    gaps: 0,
    missing: 0,
    order,
    itemIndex,
  };
}

function countPlacement(
  counts: StreamStats,
  placement: Placement,
  first: number,
  refused: readonly Range[] = [],
): void {
  const { kind, sequence } = placement;
  if (kind === "duplicate") counts.redelivered++;
  else if (kind === "conflict") counts.conflicting++;
  else counts.events++;
  if (kind === "late") counts.late++;
  if (kind === "new" && placement.gap) {
    // A gap at the beginning of a stream has no number before it.
    const { before, after = first - 1 } = placement.gap;
    const missing = before - after - 1 - countCovered(refused, after + 1, before - 1);
    if (missing > 0) counts.gaps++;
    counts.missing += missing;
  }
  if (sequence === undefined) return;
  counts.first = Math.min(counts.first ?? sequence, sequence);
  counts.last = Math.max(counts.last ?? sequence, sequence);
}

function widenTime(counts: StreamStats, time: unknown): void {
  const milliseconds = readTime(time);
  if (milliseconds === undefined) return;
  counts.begin = Math.min(counts.begin ?? milliseconds, milliseconds);
  counts.end = Math.max(counts.end ?? milliseconds, milliseconds);
}

/** Replaces the counts of streams by those of `other`. Streams keep the places of their first events. */
export function replaceStreams(stats: Stats, other: Stats): void {
  for (const [key, counts] of other.streams) {
    const replaced = stats.streams.get(key);
    if (replaced) stats.streams.set(key, { ...counts, order: replaced.order, itemIndex: replaced.itemIndex });
  }
}

/** Adds the counts of another thread. No stream is counted by two threads. */
export function addStats(stats: Stats, other: Stats): void {
  for (const [key, counts] of other.streams) stats.streams.set(key, counts);
  for (const [key, counts] of other.types) {
    const existing = stats.types.get(key);
    if (existing) existing.events += counts.events;
    else stats.types.set(key, counts);
  }
  stats.uncounted += other.uncounted;
}
