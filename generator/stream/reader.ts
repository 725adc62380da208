import type { Issue, Profile } from "../runtime/runtime.js";
import type { Delivery, Gap } from "./delivery.js";
import type { StreamProtocol } from "./stream-protocol.js";
import { createTracker, type TrackLimits } from "./tracker.js";

/** The options of a reader. */
export interface ReaderOptions extends TrackLimits {
  /** `reader` by default: accepts everything that consumers must accept. */
  readonly profile?: Profile;
  /** The numbers after which streams continue after a restart, as `cursor` returned them before. */
  readonly cursors?: Iterable<readonly [stream: string, sequence: number]>;
}

/** Classifies the values of a feed in the order of arrival. */
export interface Reader<Event, Unknown> {
  /**
   * Classifies a JSON value, without changing it. Never throws. Redeliveries are detected by `digest`, which stands for the
   * content. Pass one for all values or for none. Without digests the last events are kept, and must not be changed.
   */
  read(value: unknown, digest?: string | number): Delivery<Event, Unknown>;
  /** Returns the highest number of a stream so far, after which to resume. */
  cursor(stream: string): number | undefined;
  /** Returns the keys of the remembered streams. */
  streams(): readonly string[];
  /** Returns the gaps of a stream, ascending: numbers that were skipped and did not arrive late. */
  gaps(stream: string): readonly Gap[];
  /** Forgets a stream that has ended. */
  forget(stream: string): void;
}

/** The type of the events of one kind that a protocol decodes. */
type Decoded<P extends AnyProtocol, Kind> = Extract<
  ReturnType<P["decodeEvent"]>,
  { readonly kind: Kind; readonly event: unknown }
>["event"];

type AnyProtocol = StreamProtocol<unknown, unknown>;

/** Creates a reader for a protocol, which is the `protocol` that a generated module exports. */
export function createReader<P extends AnyProtocol>(
  protocol: P,
  { profile = "reader", cursors = [], ...limits }: ReaderOptions = {},
): Reader<Decoded<P, "known">, Decoded<P, "unknown">> {
  type Event = Decoded<P, "known">;
  type Unknown = Decoded<P, "unknown">;
  const { stream: contract } = protocol;
  const { place, cursor, streams, gaps, forget } = createTracker(contract, limits, cursors);
  const options = { profile };
  const read = (value: unknown, digest?: string | number): Delivery<Event, Unknown> => {
    const decoded = protocol.decodeEvent(value, options);
    if (decoded.kind === "invalid") return { kind: "invalid", value, issues: decoded.issues };
    const unsafe = findUnsafeSequence(contract?.sequence, value);
    if (unsafe !== undefined) return { kind: "invalid", value, issues: [unsafe] };
    const { event } = decoded;
    const placement = place(event as object, digest);
    const firstKind = decoded.kind === "known" ? "event" : "unknown";
    const kind = placement.kind === "first" ? firstKind : placement.kind;
    return { ...placement, kind, event } as Delivery<Event, Unknown>;
  };
  return { read, cursor, streams, gaps, forget };
}

/** Returns an issue if JSON.parse may have rounded the number of an event: numbers beyond 2^53 - 1 cannot order events. */
function findUnsafeSequence(field: string | undefined, value: unknown): Issue | undefined {
  if (field === undefined) return undefined;
  const sequence = (value as { readonly [name: string]: unknown } | null)?.[field];
  if (typeof sequence !== "number" || Number.isSafeInteger(sequence)) return undefined;
  const pointer = `/${field.replace(/~/g, "~0").replace(/\//g, "~1")}`;
  const message = "must be a whole number that JavaScript can represent exactly";
  return { pointer, keyword: "safe", message, path: [field] };
}
