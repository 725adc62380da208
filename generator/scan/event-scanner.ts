/**
 * Recognises events of one protocol in the bytes of their lines. An event that is recognised is one that the validators
 * of the profile accept; it is never parsed as a whole, only the fields that somebody asks for are.
 */
import type { JsonObject } from "../json.js";
import { payloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import { streamKey } from "../stream/stream-key.js";
import { createView, fieldsIn } from "./fields.js";
import { createInstance, type Measure } from "./instance.js";
import { commonFields, type KnownType, knownTypes, NO_TYPE } from "./known-types.js";
import { LONGEST_LOOSE_ID, LOOSE_ID, NO_ROOM } from "./layout.js";

/** Recognises events. What is told of an event holds for the one that was recognised last, until the next. */
export interface EventScanner {
  /** Takes the lines from `start` to `stop`, which have to be UTF-8. Returns whether there was room for them. */
  load(bytes: Uint8Array, start: number, stop: number): boolean;
  /** Where the event ends that begins at `start`, or -1 if none was recognised. Both are places in the bytes that were loaded last. */
  scan(start: number): number;
  /** Where the first line begins, from `start` on, that is not surely of another share of the streams than `index` of `of`. */
  pass(start: number, index: number, of: number): number;
  /** How many lines come before it, and whether it surely is of that share. */
  readonly passed: number;
  readonly isOwn: boolean;
  readonly type: string;
  /** The key of its stream, its number and its id, as the stream contract names them. */
  readonly stream: string;
  readonly sequence: number | undefined;
  readonly id: string | undefined;
  readonly hasId: boolean;
  /** The number under which its id is remembered for a stream, see `meetId` in assembly/ids.ts; or that of another id, which is not added. */
  meetId(stream: number): number;
  findId(stream: number, id: string): number;
  ageIds(): void;
  /** The measure of a text of its payload, see assembly/measure.ts; undefined if it has none, or that cannot be told. One object for all. */
  measure(field: string): Measure | undefined;
  /** Its fields and those of its payload can be read as those of the parsed value; nothing else can be done with it. */
  readonly event: JsonObject;
}

const UNKNOWN_TYPE = -2;

/** A scanner for the events of `protocol`. Events with a field of `foreign` are not recognised. Undefined where scanners cannot run. */
export function eventScanner(
  protocol: Protocol,
  profile: Profile,
  foreign: readonly string[],
): EventScanner | undefined {
  const { discriminator } = protocol.envelope;
  const contract = protocol.stream;
  const key = contract?.key ?? [];
  const instance = createInstance(discriminator, key[0] ?? "", commonFields(protocol));
  if (instance === undefined) return undefined;
  const fields = fieldsIn(instance.memory);
  const payloadView = createView(fields, 1);
  const payload = (index: number): unknown =>
    index === current.property && fields.isObject(0, index) ? payloadView.object : fields.read(0, index);
  const told = protocol.events.map(
    (event) => [payloadCarrier(protocol.envelope, event) ?? "", payload] as const,
  );
  const eventView = createView(fields, 0, new Map([...told, [discriminator, () => current.type]]));
  const types = knownTypes(protocol, profile, foreign, instance, [eventView, payloadView]);
  let current = NO_TYPE;
  let base = 0;
  /** Whether the fields of the stream's key are strings, if they are there. */
  const hasKey = ({ texts }: KnownType): boolean => {
    for (const index of texts) if (fields.has(0, index) && !fields.isText(0, index)) return false;
    return true;
  };
  const show = (one: KnownType): void => {
    if (one === current) return;
    current = one;
    eventView.show(one.members);
    payloadView.show(one.payload);
  };
  /** Whether streams can be told apart in bytes. */
  const isShared = key.length === 1 && /^[ -~]+$/.test(key[0] as string);
  const encoder = new TextEncoder();
  const loose = new Uint8Array(instance.memory, LOOSE_ID, LONGEST_LOOSE_ID);
  const readId = (): string | undefined => {
    const id = fields.read(0, current.id);
    return typeof id === "string" ? id : undefined;
  };
  const findId = (stream: number, id: string): number => {
    // What is not well-formed cannot be UTF-8, and so was never added.
    const { read, written } = id.isWellFormed() ? encoder.encodeInto(id, loose) : { read: -1, written: 0 };
    return read === id.length ? instance.meetId(stream, LOOSE_ID, written, 0) : NO_ROOM;
  };
  return {
    load(bytes, start, stop) {
      base = start;
      return instance.load(bytes, start, stop);
    },
    scan(start) {
      let stop = instance.scanEvent(start - base);
      if (stop === UNKNOWN_TYPE && types.learn(instance.hash())) stop = instance.scanEvent(start - base);
      if (stop < 0) return -1;
      show(types.all[instance.type()] as KnownType);
      return hasKey(current) ? stop + base : -1;
    },
    pass: (start, index, of) => (isShared ? instance.pass(start - base, index, of) + base : start),
    get passed() {
      return isShared ? instance.passed : 0;
    },
    get isOwn() {
      return isShared && instance.isOwn;
    },
    get type() {
      return current.type;
    },
    get stream() {
      return current.key >= 0
        ? ((fields.read(0, current.key) as string | undefined) ?? "")
        : streamKey(contract, eventView.object);
    },
    get sequence() {
      const sequence = fields.read(0, current.sequence);
      return typeof sequence === "number" ? sequence : undefined;
    },
    get id() {
      return readId();
    },
    get hasId() {
      return fields.has(0, current.id) && fields.isText(0, current.id);
    },
    meetId(stream) {
      if (fields.isEscaped(0, current.id)) return findId(stream, readId() as string);
      const start = fields.start(0, current.id) + 1;
      const length = fields.stop(0, current.id) - 1 - start;
      // What is longer could not be found as a text, see findId.
      return length > LONGEST_LOOSE_ID ? NO_ROOM : instance.meetId(stream, start, length, 1);
    },
    findId,
    ageIds: instance.ageIds,
    measure(field) {
      const { property, isFlat } = current;
      if (!isFlat && (property < 0 || !fields.isObject(0, property))) return undefined;
      const view = isFlat ? 0 : 1;
      const index = (isFlat ? eventView : payloadView).index(field);
      if (!fields.has(view, index) || !fields.isText(view, index)) return undefined;
      return instance.measure(fields.start(view, index) + 1, fields.stop(view, index) - 1);
    },
    event: eventView.object,
  };
}
