/** Finds the streams of an archive that are out of order, and the parts of the inputs that hold them. */
import type { Input, LineRange, Place } from "../ingest/place.js";
import type { ProtocolSession } from "../validate/protocol-session.js";
import type { PlacementObserver } from "../validate/session-state.js";
import { createPlaceNumber, readPlaceNumber } from "./event-partitions.js";
import type { InputPart } from "./input-part.js";

/** The streams that are out of order. */
interface DisorderedStreams {
  /** Returns whether a stream of any protocol with this key is one of them. */
  has(key: string): boolean;
  /** The share of these streams among all, from 0 to 1. */
  readonly share: number;
  /** The parts of the inputs that hold them, in their order. */
  readonly parts: readonly InputPart[];
}

/** Observes in which order the events of each stream come. */
export interface StreamOrder extends PlacementObserver {
  readonly isInOrder: boolean;
  /** True if it is faster to sort all streams, or if the streams that are out of order cannot be validated by themselves. */
  readonly needsWholeSort: boolean;
  /** Returns the streams that are out of order, after the end of the inputs; undefined if not all of them are in lines. */
  listDisordered(): DisorderedStreams | undefined;
}

/** The places of the first and of the last event of a stream. */
interface StreamExtent {
  /** See `createPlaceNumber`. */
  readonly first: number;
  /** The number of bytes of the input before the line. */
  readonly firstOffset: number;
  last: number;
  lastOffset: number;
  /** The highest number of an event that came in order. */
  highest: number;
  /** True if the validation has forgotten the stream, so that it could not validate further events. */
  isEvicted: boolean;
}

/** All streams are sorted if more than this share of them is out of order. */
const MAX_SHARE = 1 / 4;
/** The number of streams out of order up to which their share does not matter. */
const FEW_STREAMS = 16;
/** The number of streams whose extents are kept. */
const MAX_EXTENTS = 1_000_000;

/** Creates an observer that has not seen any event. */
export function createStreamOrder(inputs: readonly Input[]): StreamOrder {
  const extents = new Map<ProtocolSession, Map<string, StreamExtent>>();
  const disorderedKeys = new Set<string>();
  /** The inputs that are not lines, so that no part of them can be read. */
  const otherInputs = new Set<number>();
  let count = 0;
  let hasForgotten = false;
  let isInseparable = false;
  const createExtent = (
    protocol: ProtocolSession,
    sequence: number | undefined,
    place: Place,
  ): StreamExtent => {
    // An earlier event of the stream may have been forgotten, unless this is its first number.
    const isBegin = !hasForgotten || sequence === protocol.validators.protocol.stream?.first;
    const first = isBegin ? createPlaceNumber(place.input.index, place.line) : createPlaceNumber(0, 1);
    const firstOffset = isBegin ? place.offset : 0;
    return { first, firstOffset, last: 0, lastOffset: 0, highest: -Infinity, isEvicted: false };
  };
  const findStreams = (protocol: ProtocolSession): Map<string, StreamExtent> => {
    const streams = extents.get(protocol) ?? new Map<string, StreamExtent>();
    if (streams.size === 0) extents.set(protocol, streams);
    if (streams.size < MAX_EXTENTS) return streams;
    hasForgotten = true;
    for (const key of streams.keys()) if (!disorderedKeys.has(key)) streams.delete(key);
    return streams;
  };
  return {
    observe(protocol, placement, place) {
      const { stream, sequence, kind } = placement;
      let extent = extents.get(protocol)?.get(stream);
      if (extent === undefined) {
        extent = createExtent(protocol, sequence, place);
        findStreams(protocol).set(stream, extent);
        count++;
      }
      extent.last = createPlaceNumber(place.input.index, place.line);
      extent.lastOffset = place.offset;
      if (place.textKind !== "line") otherInputs.add(place.input.index);
      if (kind === "duplicate") return;
      const highest = kind === "late" ? placement.cursor : extent.highest;
      if (extent.isEvicted || (sequence !== undefined && sequence < highest)) {
        disorderedKeys.add(stream);
        isInseparable ||= protocol.comparesStreams;
      }
      if (kind !== "new") return;
      if (sequence !== undefined) extent.highest = sequence;
      // The validation has forgotten streams that may be open.
      if (placement.evicted !== undefined) isInseparable = true;
    },
    observeEviction(protocol, stream) {
      const extent = extents.get(protocol)?.get(stream);
      if (extent) extent.isEvicted = true;
    },
    get isInOrder() {
      return disorderedKeys.size === 0 && !isInseparable;
    },
    get needsWholeSort() {
      return isInseparable || (disorderedKeys.size > FEW_STREAMS && disorderedKeys.size > count * MAX_SHARE);
    },
    listDisordered() {
      const disordered = [...extents.values()].flatMap((streams) =>
        [...disorderedKeys].flatMap((key) => streams.get(key) ?? []),
      );
      const parts = joinQueries(joinExtents(disordered).flatMap((extent) => divideExtent(extent, inputs)));
      if (parts.some(({ input }) => otherInputs.has(input.index))) return undefined;
      return { has: (key) => disorderedKeys.has(key), share: disordered.length / count, parts };
    },
  };
}

/** The number of lines that are read as fast as a part of a file begins, and as a query of a Parquet file begins. */
const FILE_START_LINES = 1_000;
const QUERY_START_LINES = 50_000;

type Extent = Pick<StreamExtent, "first" | "firstOffset" | "last" | "lastOffset">;

/** Returns extents without overlap, in the order of the inputs. Those that are read faster together are joined. */
function joinExtents(extents: readonly Extent[]): readonly Extent[] {
  const joined: { -readonly [field in keyof Extent]: Extent[field] }[] = [];
  for (const { first, firstOffset, last, lastOffset } of [...extents].sort((a, b) => a.first - b.first)) {
    const previous = joined.at(-1);
    if (previous === undefined || first > previous.last + FILE_START_LINES)
      joined.push({ first, firstOffset, last, lastOffset });
    else if (last > previous.last) {
      previous.last = last;
      previous.lastOffset = lastOffset;
    }
  }
  return joined;
}

/** Divides an extent into the parts of the inputs. */
function divideExtent(
  { first, firstOffset, last, lastOffset }: Extent,
  inputs: readonly Input[],
): readonly InputPart[] {
  const [begin, end] = [readPlaceNumber(first), readPlaceNumber(last)];
  return inputs.slice(begin.inputIndex, end.inputIndex + 1).map((input) => {
    const isFirst = input.index === begin.inputIndex;
    const isLast = input.index === end.inputIndex;
    return {
      input,
      lines: [{ first: isFirst ? begin.line : 1, last: isLast ? end.line : Infinity }],
      offsets: { first: isFirst ? firstOffset : 0, last: isLast ? lastOffset : Infinity },
    };
  });
}

/** Joins parts that one query reads faster than several. */
function joinQueries(parts: readonly InputPart[]): readonly InputPart[] {
  const joined: (InputPart & { readonly lines: LineRange[] })[] = [];
  for (const { input, lines, offsets } of parts) {
    const previous = joined.at(-1);
    const lastLine = previous?.lines.at(-1)?.last ?? 0;
    const isNear = (lines[0]?.first ?? 1) <= lastLine + QUERY_START_LINES;
    if (input.open && previous?.input === input && isNear) previous.lines.push(...lines);
    else joined.push({ input, lines: [...lines], offsets });
  }
  return joined;
}
