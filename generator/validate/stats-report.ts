import type { Summary } from "../report/reporter.js";
import { compareTexts, formatCount, sanitizeLine } from "../text.js";
import type { DayStats, Stats, StreamStats, TypeStats } from "./stats.js";

/** Summarizes the counts: streams in the order in which they begin, types by their number of events. The text names at most `limit` streams, 0 for all. */
export function summarizeStats({ streams, types, days, uncounted }: Stats, limit: number): Summary {
  const all = [...streams.values()].sort(compareFirstEvents);
  const typesByCount = [...types.values()].sort(
    (a, b) => b.events - a.events || compareTexts(a.type, b.type) || compareTexts(a.protocol, b.protocol),
  );
  const shown = limit === 0 ? all : all.slice(0, limit);
  const lines = [
    ...shown.map(formatStream),
    ...(shown.length < all.length
      ? [`${formatCount(all.length - shown.length, "more stream")} not shown (--limit 0 shows all)`]
      : []),
    ...(uncounted > 0
      ? [`${formatCount(uncounted, "event")} of streams beyond the first ${all.length}`]
      : []),
    ...typesByCount.map(formatType),
    ...(days ? formatDays([...days.values()]) : []),
  ];
  return {
    text: lines.join("\n"),
    data: {
      streams: all.map(createStreamData),
      types: typesByCount,
      ...(days && { days: [...days.values()].sort(compareDays) }),
      ...(uncounted > 0 && { uncounted }),
    },
  };
}

/** Compares two streams by the positions of their first events in the input. */
function compareFirstEvents(a: StreamStats, b: StreamStats): number {
  return a.order - b.order || a.itemIndex - b.itemIndex;
}

function formatStream(counts: StreamStats): string {
  const { protocol, stream, events, unknown, first, last, gaps, missing, begin, end } = counts;
  const parts = [
    formatCount(events, "event"),
    ...(first === undefined || last === undefined ? [] : [`sequence ${first} to ${last}`]),
    ...(gaps > 0 ? [`${formatCount(gaps, "gap")} of ${formatCount(missing, "number")}`] : []),
    ...(counts.redelivered > 0 ? [`${counts.redelivered} redelivered`] : []),
    ...(counts.conflicting > 0 ? [`${counts.conflicting} conflicting`] : []),
    ...(counts.late > 0 ? [`${counts.late} late`] : []),
    ...(unknown > 0 ? [`${unknown} of unknown type`] : []),
    ...(begin === undefined || end === undefined ? [] : [`${(end - begin) / 1000} s`]),
  ];
  return `${protocol} ${stream === "" ? "(one stream)" : sanitizeLine(stream)}: ${parts.join(", ")}`;
}

function formatType({ protocol, type, known, events }: TypeStats): string {
  return `${protocol} ${sanitizeLine(type)}: ${formatCount(events, "event")}${known ? "" : ", unknown type"}`;
}

function compareDays(a: DayStats, b: DayStats): number {
  return compareTexts(a.day, b.day) || compareTexts(a.protocol, b.protocol) || compareTexts(a.type, b.type);
}

/** Formats the number of events of each protocol on each day. */
function formatDays(days: readonly DayStats[]): string[] {
  const counts = new Map<string, number>();
  for (const { protocol, day, events } of [...days].sort(compareDays)) {
    const key = `${protocol} ${day === "" ? "without a time" : day}`;
    counts.set(key, (counts.get(key) ?? 0) + events);
  }
  return [...counts].map(([key, count]) => `${key}: ${formatCount(count, "event")}`);
}

function createStreamData({
  order: _order,
  itemIndex: _itemIndex,
  begin,
  end,
  ...counts
}: StreamStats): object {
  const time =
    begin === undefined || end === undefined
      ? {}
      : { begin: formatTime(begin), end: formatTime(end), seconds: (end - begin) / 1000 };
  return { ...counts, ...time };
}

function formatTime(time: number): string | number {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toISOString();
}
