import type { StreamFinding } from "../conform/stream-checker.js";
import type { Finding, Location } from "../finding.js";
import type { Input } from "../ingest/place.js";
import { locatePart, type Place, resolvePointer } from "../ingest/place.js";
import type { StreamShare } from "../ingest/stream-share.js";
import type { Json } from "../json.js";
import type { FindRow } from "../rows/find-row.js";
import type { Profile } from "../schema/readings.js";
import type { Placement } from "../stream/delivery.js";
import type { Validators } from "../validators/protocol-validators.js";
import type { AssumedProtocol } from "./assumed-protocol.js";
import type { ListedIds } from "./listed-ids.js";
import type { PlaceTable } from "./place-table.js";
import type { ProtocolSession } from "./protocol-session.js";
import type { IdBatch } from "./shared-ids.js";
import type { FindState } from "./states.js";
import type { Stats } from "./stats.js";
import { countFindings, type OrderedFinding, type Tally } from "./tally.js";

/** Receives the places of events in their streams. */
export interface PlacementObserver {
  /** Receives each event that is placed in its stream. */
  observe(protocol: ProtocolSession, placement: Placement, place: Place): void;
  /** Receives each stream that had ended and is forgotten. */
  observeEviction(protocol: ProtocolSession, stream: string): void;
}

/** The options of a session. */
export interface SessionOptions {
  readonly inputs: readonly Input[];
  readonly validators: readonly Validators[];
  readonly profile: Profile;
  /** True if events are validated one by one, without their streams. */
  readonly eventsOnly: boolean;
  /** The streams of this thread. */
  readonly share: StreamShare;
  readonly stats: Stats | undefined;
  /** True if all events of a stream follow one another, so that a stream ends when another one begins. */
  readonly isSortedByStream?: boolean;
  /** Returns whether two contents have the same bytes. */
  isSame(one: unknown, other: unknown): boolean;
  report(found: OrderedFinding): void;
  /** Returns a sentence that explains why an event is invalid; undefined if there is none. It becomes the hint of the first finding. */
  explainInvalid?(value: Json, protocolId: string | undefined): string | undefined;
  readonly placements?: PlacementObserver;
  /** Returns the place that a line of sorted events came from; absent if the inputs are not sorted. */
  findOrigin?(line: number): Pick<Location, "file" | "line"> | undefined;
  /** Passes ids that this thread read to the thread that compares the ids of all threads. */
  reportIds?(batch: IdBatch): void;
  /** Returns whether another finding can be printed. The exact place of a finding that is not printed is not determined. */
  hasRoom(): boolean;
}

/** The state of a session. */
export interface SessionState {
  readonly options: SessionOptions;
  /** The state of each protocol, by its id. */
  readonly protocols: ReadonlyMap<string, ProtocolSession>;
  readonly tally: Tally;
  readonly places: PlaceTable;
  readonly decodeOptions: { readonly profile: Profile };
  assumed: AssumedProtocol;
  /** Returns the row that a value is; undefined for other values. */
  readonly findRow: FindRow<ProtocolSession>;
  readonly findState: FindState<ProtocolSession>;
  /** True if the current input has had a value, of this thread or of another one. */
  hasValue: boolean;
  /** The number of bytes of all earlier inputs. */
  bytesBefore: number;
  /** The key of the current stream, if the events are sorted by their streams. */
  currentStream?: string;
  /** The ids of the events in the list that is being read. */
  readonly listedIds: ListedIds;
}

/** Returns the place of a part of an event; only the line if the finding will not be printed. */
export function locateForReport(
  { options }: SessionState,
  place: Place,
  pointer: string,
  part?: "value" | "name",
): Location {
  if (options.hasRoom()) return locatePart(place, pointer, part);
  return { file: place.input.name, pointer: resolvePointer(place, pointer), line: place.line };
}

/** Returns the protocols that had events so far. The others have no streams. */
export function listActiveProtocols({ protocols }: SessionState): readonly ProtocolSession[] {
  return [...protocols.values()].filter(({ events }) => events > 0);
}

/** Takes note of a text or a value that was refused, and whose stream it does not say: a raw line may hint at it. */
export function refuseUnplaced(state: SessionState, place: Place): void {
  if (state.options.eventsOnly) return;
  const stream = place.guessStream();
  const protocols =
    stream !== undefined && state.assumed.protocol ? [state.assumed.protocol] : listActiveProtocols(state);
  for (const { checker } of protocols) checker.refuse({ stream }, state.places.getId(place));
}

/**
 * Returns whether this thread reports a value that belongs to no stream. It is the thread of the stream that the raw line
 * hints at, or the first thread if there is no hint.
 */
export function isOwnPart(share: StreamShare, place: Place): boolean {
  if (share.threadCount === 1) return true;
  const hint = place.guessStream();
  return (hint === undefined ? 0 : share.findThread(hint)) === share.index;
}

/** Returns the finding of a stream rule, located at `place`, or where its event was if `place` is undefined. */
export function locateStreamFinding(
  state: SessionState,
  { rule, severity, message, hint: advice, pointer, index, refused }: StreamFinding,
  place: Place | undefined,
): Finding {
  const hint = refused === undefined ? advice : `${nameRefused(state, refused)} ${advice}`;
  if (place) return { rule, severity, message, at: locateForReport(state, place, pointer), hint };
  return { rule, severity, message, at: state.places.locate(index), hint };
}

/** Returns a sentence that names the line of a refused value, which may be one of the missing events. */
function nameRefused({ places, options }: SessionState, index: number): string {
  const location = places.locate(index);
  const { file, line } = options.findOrigin?.(location.line ?? 0) ?? location;
  return `Line ${line} of ${file} was refused and may be what is missing.`;
}

/** Reports findings about the event at a place. */
export function report(state: SessionState, place: Place, findings: readonly Finding[]): void {
  const order = state.bytesBefore + place.offset;
  for (const finding of findings) reportAt(state, finding, order, place.itemIndex);
}

/** Reports a finding with its position among all findings. */
export function reportAt(
  { tally, options }: SessionState,
  finding: Finding,
  order: number,
  itemIndex: number,
): void {
  countFindings(tally, [finding]);
  options.report({ finding, order, itemIndex });
}
