/** Finds the stream and the number of events, of most events without parsing them. */
import { createProtocolFinder, findForeignFields } from "../conform/find-protocol.js";
import type { Place } from "../ingest/place.js";
import { createFullShare } from "../ingest/stream-share.js";
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { createRowFinder } from "../rows/find-row.js";
import { createScanner, type EventScanner } from "../scan/event-scanner.js";
import { streamKey } from "../stream/stream-key.js";
import type { Validators } from "../validators/protocol-validators.js";

/** The position of an event. */
interface EventPosition {
  /** The id of the protocol and the key of the stream, with a line end between them. */
  readonly stream: string;
  /** NaN if the event has no number. */
  readonly number: number;
  /** Milliseconds since 1970; NaN if it is not needed or unknown. */
  readonly time: number;
}

/** Finds the positions of events in their order. */
export interface EventLocator {
  /** The position of the last event. */
  readonly lastPosition: EventPosition;
  /** Loads lines, and returns whether events can be recognised in them. */
  loadBytes(bytes: Uint8Array, start: number, stop: number): boolean;
  /** Returns the end of the event that begins at `start` of the loaded bytes; -1 if it must be parsed. */
  scanEvent(start: number): number;
  /** Finds the position of the event that `scanEvent` recognised. */
  locateScanned(): void;
  locateValue(value: Json): void;
  /** Finds the position of a text that is not JSON: the stream that it seems to belong to, or that of the event before it. */
  locateUnreadable(place: Place): void;
}

/** Creates a locator. It reads times only if they are needed. */
export function createEventLocator(allValidators: readonly Validators[], needsTimes: boolean): EventLocator {
  const findRow = createRowFinder(allValidators.map((validators) => ({ validators })));
  const findProtocol = createProtocolFinder(allValidators);
  const scanners = createScanners(allValidators);
  /** The validators of the protocol to which the next event probably belongs. */
  let assumedValidators = allValidators.length === 1 ? allValidators[0] : undefined;
  /** The validators of the protocol for which the lines were loaded. */
  let loaded: Validators | undefined;
  let scanner: EventScanner | undefined;
  let last: EventPosition = { stream: "", number: 0, time: Number.NaN };
  const readTime = (event: object, { protocol }: Validators): number => {
    const field = needsTimes ? protocol.stream?.time : undefined;
    if (field === undefined) return Number.NaN;
    const time = (event as JsonObject)[field];
    return typeof time === "string" ? Date.parse(time) : Number(time ?? Number.NaN);
  };
  const setLast = (stream: string, number: unknown, time: number): void => {
    last = { stream, number: typeof number === "number" ? number : Number.NaN, time };
  };
  return {
    get lastPosition() {
      return last;
    },
    loadBytes(bytes, start, stop) {
      loaded = assumedValidators;
      scanner = loaded && scanners.get(loaded)?.get();
      return scanner?.load(bytes, start, stop) === true;
    },
    // The lines may be of another protocol than the one for which they were loaded.
    scanEvent: (start) => (loaded === assumedValidators ? (scanner?.scan(start) ?? -1) : -1),
    locateScanned() {
      if (scanner === undefined || loaded === undefined) return;
      const { stream: fields, id } = loaded.protocol;
      const time = readTime(scanner.event, loaded);
      setLast(`${id}\n${scanner.stream}`, fields?.sequence === undefined ? 0 : scanner.sequence, time);
    },
    locateValue(value) {
      const row = findRow(value, undefined);
      const event = row?.result.kind === "mapped" ? row.result.event : value;
      if (!isObject(event)) return;
      assumedValidators =
        row?.found.validators ?? findProtocol(event, assumedValidators) ?? assumedValidators;
      if (assumedValidators === undefined) return;
      const { stream: fields, id } = assumedValidators.protocol;
      const number = fields?.sequence === undefined ? 0 : getOwn(event, fields.sequence);
      setLast(`${id}\n${streamKey(fields, event)}`, number, readTime(event, assumedValidators));
    },
    locateUnreadable(place) {
      const stream = guessStream(place, assumedValidators);
      if (stream !== undefined) setLast(stream, undefined, Number.NaN);
    },
  };
}

/** Returns the scanners of protocols, which are created when they are first needed. */
function createScanners(
  allValidators: readonly Validators[],
): ReadonlyMap<Validators, { get(): EventScanner | undefined }> {
  return new Map(
    allValidators.map((validators) => {
      const foreignFields = findForeignFields(validators, allValidators);
      return [validators, createScanner(validators.protocol, "reader", foreignFields)] as const;
    }),
  );
}

/** Returns the stream that a text seems to belong to; undefined if it is uncertain. */
function guessStream(place: Place, assumed: Validators | undefined): string | undefined {
  if (assumed === undefined || place.textKind !== "line") return undefined;
  const share = createFullShare();
  share.setKey(assumed.protocol.stream?.key);
  const text = place.text();
  const stream = share.guessStream(text, 0, text.length);
  return stream === undefined ? undefined : `${assumed.protocol.id}\n${stream}`;
}
