/**
 * Recognises events of one protocol in the bytes of their lines. The validators of the profile accept every recognised
 * event. Only the fields that a caller reads are parsed.
 */
import { getItem } from "../get-item.js";
import type { JsonObject } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import type { IdMemory } from "../stream/id-memory.js";
import { streamKey } from "../stream/stream-key.js";
import { createFields, createView, type Fields, type View } from "./fields.js";
import { createInstance, type Instance, type Measure } from "./instance.js";
import {
  collectKeyFields,
  createKnownTypes,
  type KnownType,
  type KnownTypes,
  NO_TYPE,
} from "./known-types.js";
import { MAX_SCRATCH_ID_LENGTH, NO_ROOM, SCRATCH_ID } from "./layout.js";
import { CURRENT_ID, createScannedIds } from "./scanned-ids.js";

/** An id in a stream: a text, or `CURRENT_ID` for the id of the recognised event. */
export type ScannedId = string | typeof CURRENT_ID;

/** A scanner that is created when it is first needed, and the memory of the ids that it reads. */
interface LazyScanner {
  /** Returns the scanner; undefined if scanners cannot run here, or if bytes do not show to which protocol an event belongs. */
  get(): EventScanner | undefined;
  readonly ids: IdMemory<ScannedId>;
}

/**
 * Returns a scanner for the events of `protocol`. Events with a field of `foreignFields` are not recognised, because they may
 * belong to another protocol. If `foreignFields` is undefined, no event is recognised.
 */
export function createScanner(
  protocol: Protocol,
  profile: Profile,
  foreignFields: readonly string[] | undefined,
): LazyScanner {
  // The object distinguishes "not created yet" from "there is no scanner".
  let created: { readonly scanner: EventScanner | undefined } | undefined;
  return {
    get() {
      created ??= { scanner: foreignFields && createEventScanner(protocol, profile, foreignFields) };
      return created.scanner;
    },
    ids: createScannedIds(() => created?.scanner),
  };
}

function createEventScanner(
  protocol: Protocol,
  profile: Profile,
  foreignFields: readonly string[],
): EventScanner | undefined {
  const { envelope, stream } = protocol;
  // The text of an event is inside of the text of its document, so every line is parsed.
  if (envelope.message !== undefined) return undefined;
  const instance = createInstance(envelope.discriminator, stream?.key[0] ?? "", collectKeyFields(protocol));
  return instance && new EventScanner(instance, protocol, profile, foreignFields);
}

/** The result of a scan of an event whose type is not yet in the memory of the scanner. */
const UNKNOWN_TYPE = -2;

/** Recognises events. All properties describe the event that was recognised last. */
export class EventScanner {
  private readonly fields: Fields;
  private readonly eventView: View;
  private readonly payloadView: View;
  private readonly types: KnownTypes;
  private readonly declaredStream: Protocol["stream"];
  /** True if the shard of a line can be computed from its bytes. */
  private readonly hasShards: boolean;
  private readonly scratch: Uint8Array;
  private readonly encoder = new TextEncoder();
  private current = NO_TYPE;
  /** The position of the first loaded byte in the bytes of the caller. */
  private loadedFrom = 0;

  constructor(
    private readonly instance: Instance,
    protocol: Protocol,
    profile: Profile,
    foreignFields: readonly string[],
  ) {
    const { envelope, events, stream } = protocol;
    this.declaredStream = stream;
    this.hasShards = stream?.key.length === 1 && /^[ -~]+$/.test(getItem(stream.key, 0));
    this.scratch = new Uint8Array(instance.memory, SCRATCH_ID, MAX_SCRATCH_ID_LENGTH);
    this.fields = createFields(instance.memory);
    this.payloadView = createView(this.fields, 1);
    const readPayload = (index: number): unknown =>
      index === this.current.property && this.fields.isObject(0, index)
        ? this.payloadView.object
        : this.fields.read(0, index);
    const payloads = events.map((event) => [findPayloadCarrier(envelope, event) ?? "", readPayload] as const);
    const readers = new Map([...payloads, [envelope.discriminator, () => this.current.type]]);
    this.eventView = createView(this.fields, 0, readers);
    const views = [this.eventView, this.payloadView] as const;
    this.types = createKnownTypes(protocol, profile, foreignFields, instance, views);
  }

  /** Loads the lines from `start` to `stop`, which must be UTF-8. Returns false if there is no room for them. */
  load(bytes: Uint8Array, start: number, stop: number): boolean {
    this.loadedFrom = start;
    return this.instance.load(bytes, start, stop);
  }

  /** Returns the end of the event that begins at `start` in the bytes of `load`; -1 if it was not recognised. */
  scan(start: number): number {
    const { instance, loadedFrom } = this;
    let stop = instance.scanEvent(start - loadedFrom);
    if (stop === UNKNOWN_TYPE && this.types.addTypeOfHash(instance.typeHash()))
      stop = instance.scanEvent(start - loadedFrom);
    if (stop < 0) return -1;
    this.fields.startEvent();
    this.selectType(getItem(this.types.types, instance.typeNumber()));
    return this.hasTextKey() ? stop + loadedFrom : -1;
  }

  /** Returns the CRC-32 of the loaded bytes from `start` to `stop`. */
  computeCrc(start: number, stop: number): number {
    return this.instance.computeCrc(start - this.loadedFrom, stop - this.loadedFrom) >>> 0;
  }

  private selectType(type: KnownType): void {
    if (type === this.current) return;
    this.current = type;
    this.eventView.selectMembers(type.members);
    this.payloadView.selectMembers(type.payload);
  }

  /** Returns whether all fields of the stream's key that the event has are strings. */
  private hasTextKey(): boolean {
    for (const index of this.current.keyFields)
      if (this.fields.has(0, index) && !this.fields.isText(0, index)) return false;
    return true;
  }

  /** Returns the start of the first line, from `start` on, that may belong to the shard `index` of `count`. */
  skipOtherShards(start: number, index: number, count: number): number {
    return this.hasShards
      ? this.instance.skipOtherShards(start - this.loadedFrom, index, count) + this.loadedFrom
      : start;
  }

  /** The number of lines that the last call of `skipOtherShards` skipped. */
  get skippedLines(): number {
    return this.hasShards ? this.instance.skippedLines : 0;
  }

  /** True if the line that `skipOtherShards` returned certainly belongs to the shard. */
  get isOwnShard(): boolean {
    return this.hasShards && this.instance.isOwnShard;
  }

  get type(): string {
    return this.current.type;
  }

  /** The key of the event's stream. */
  get stream(): string {
    return this.current.key >= 0
      ? ((this.fields.read(0, this.current.key) as string | undefined) ?? "")
      : streamKey(this.declaredStream, this.eventView.object);
  }

  get sequence(): number | undefined {
    const sequence = this.fields.read(0, this.current.sequence);
    return typeof sequence === "number" ? sequence : undefined;
  }

  get id(): string | undefined {
    const id = this.fields.read(0, this.current.id);
    return typeof id === "string" ? id : undefined;
  }

  /** `CURRENT_ID` if the event has an id. Reading it is cheaper than `id`, which makes a string. */
  get scannedId(): typeof CURRENT_ID | undefined {
    const { id } = this.current;
    return this.fields.has(0, id) && this.fields.isText(0, id) ? CURRENT_ID : undefined;
  }

  /** Returns the number of the event's id in that stream; see `rememberId` in assembly/ids.ts. */
  rememberId(stream: number): number {
    const { fields, current } = this;
    if (fields.isEscaped(0, current.id)) return this.findId(stream, this.id as string);
    const start = fields.getStart(0, current.id) + 1;
    const length = fields.getStop(0, current.id) - 1 - start;
    // A longer id is not added, because `findId` could not find it.
    return length > MAX_SCRATCH_ID_LENGTH ? NO_ROOM : this.instance.rememberId(stream, start, length, 1);
  }

  /** Returns the number of an id in a stream; a negative number if it was not remembered. Does not add the id. */
  findId(stream: number, id: string): number {
    // An id with lone surrogates has no UTF-8, so it was never added.
    const { read, written } = id.isWellFormed()
      ? this.encoder.encodeInto(id, this.scratch)
      : { read: -1, written: 0 };
    return read === id.length ? this.instance.rememberId(stream, SCRATCH_ID, written, 0) : NO_ROOM;
  }

  /** Begins a new generation of ids. */
  rotateIds(): void {
    this.instance.rotateIds();
  }

  /**
   * Returns the measure of a text of the payload; undefined if there is no such text, or if its bytes cannot be measured. All
   * calls return the same object.
   */
  measure(field: string): Measure | undefined {
    const { fields, current } = this;
    const { property, isFlat } = current;
    if (!isFlat && (property < 0 || !fields.isObject(0, property))) return undefined;
    const view = isFlat ? 0 : 1;
    const index = (isFlat ? this.eventView : this.payloadView).findIndex(field);
    if (!fields.has(view, index) || !fields.isText(view, index)) return undefined;
    return this.instance.measure(fields.getStart(view, index) + 1, fields.getStop(view, index) - 1);
  }

  /**
   * The event as an object. Its fields and those of its payload can be read, and return the parsed values. It has no own
   * members, so it cannot be listed or copied.
   */
  get event(): JsonObject {
    return this.eventView.object;
  }
}
