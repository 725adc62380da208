import type { Issue, Profile } from "../runtime/runtime.js";
import type { Delivery, Gap } from "./delivery.js";
import type { StreamProtocol } from "./stream-protocol.js";
import { createTracker, type TrackLimits } from "./tracker.js";

/** The options of a reader. */
export interface ReaderOptions extends TrackLimits {
  /** `reader` by default: accept all that consumers must accept. */
  readonly profile?: Profile;
  /** Where streams continue after a restart: the sequence that `cursor` returned for each before. */
  readonly cursors?: Iterable<readonly [stream: string, sequence: number]>;
}

/** Classifies the values of a feed in the order of arrival. */
export interface Reader<Event, Unknown> {
  /**
   * Never throws on a JSON value and never changes it. `digest` stands for its content when redeliveries are compared;
   * give one for all values or for none: then the last events are kept, and must not be changed.
   */
  read(value: unknown, digest?: string | number): Delivery<Event, Unknown>;
  /** The highest sequence of a stream so far, after which to resume. */
  cursor(stream: string): number | undefined;
  /** The keys of the streams that are remembered. */
  streams(): readonly string[];
  /** The gaps of a stream: numbers that were skipped and did not arrive late, ascending. */
  gaps(stream: string): readonly Gap[];
  /** Forgets a stream that has ended. */
  forget(stream: string): void;
}

/** The events that a protocol decodes to. */
type Decoded<P extends AnyProtocol, Kind> = Extract<
  ReturnType<P["decodeEvent"]>,
  { readonly kind: Kind; readonly event: unknown }
>["event"];

type AnyProtocol = StreamProtocol<unknown, unknown>;

/** A reader of the events of a protocol: the `protocol` that a generated module exports. */
export function createReader<P extends AnyProtocol>(
  protocol: P,
  { profile = "reader", cursors = [], ...limits }: ReaderOptions = {},
): Reader<Decoded<P, "known">, Decoded<P, "unknown">> {
  type Event = Decoded<P, "known">;
  type Unknown = Decoded<P, "unknown">;
  const { stream: contract } = protocol;
  const { place, cursor, streams, gaps, forget } = createTracker(contract, limits, cursors);
  const asked = { profile };
  const read = (value: unknown, digest?: string | number): Delivery<Event, Unknown> => {
    const decoded = protocol.decodeEvent(value, asked);
    if (decoded.kind === "invalid") return { kind: "invalid", value, issues: decoded.issues };
    const unsafe = unsafeSequence(contract?.sequence, value);
    if (unsafe !== undefined) return { kind: "invalid", value, issues: [unsafe] };
    const { event } = decoded;
    const placement = place(event as object, digest);
    if (placement.kind !== "first") return { ...placement, event } as Delivery<Event, Unknown>;
    return { ...placement, kind: decoded.kind === "known" ? "event" : "unknown", event } as Delivery<
      Event,
      Unknown
    >;
  };
  return { read, cursor, streams, gaps, forget };
}

/** Numbers beyond 2^53 - 1 were rounded by JSON.parse, so they cannot order events. */
function unsafeSequence(field: string | undefined, value: unknown): Issue | undefined {
  if (field === undefined) return undefined;
  const sequence = (value as { readonly [name: string]: unknown } | null)?.[field];
  if (typeof sequence !== "number" || Number.isSafeInteger(sequence)) return undefined;
  const message = "must be a whole number that JavaScript holds exactly";
  return {
    pointer: `/${field.replace(/~/g, "~0").replace(/\//g, "~1")}`,
    keyword: "safe",
    message,
    path: [field],
  };
}
