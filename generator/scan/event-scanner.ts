/**
 * Recognises events of one protocol in the bytes of their lines. An event that is recognised is one that the validators
 * of the profile accept; it is never parsed as a whole, only the fields that somebody asks for are.
 */
import { isObject, type Json, type JsonObject } from "../json.js";
import { bodyReading, envelopeReading } from "../model/event.js";
import type { Profile } from "../model/profile.js";
import type { EventType, Protocol } from "../model/protocol.js";
import { streamKey } from "../stream/stream-key.js";
import { createView, fieldsIn } from "./fields.js";
import { createInstance, type Measure } from "./instance.js";
import { LONGEST_LOOSE_ID, LOOSE_ID, NO_ROOM, NOTHING, TYPE_SLOTS } from "./layout.js";
import { both, onlyString, type Shape, withMember } from "./shape.js";
import { shapeOf } from "./shape-of.js";

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

/** One event type. */
interface Known {
  readonly type: string;
  /** Where the members of events and of payloads are in their views. */
  readonly members: Int16Array;
  readonly payload: Int16Array;
  /** The index of the payload among the members; -1 where it has no view. */
  readonly property: number;
  /** Whether the payload's fields are the event's own. */
  readonly isFlat: boolean;
  /** The indexes of the fields that have to be strings if they are there. */
  readonly texts: readonly number[];
  /** Those of the only field of the stream's key, of the number and of the id; -1 where there is none. */
  readonly key: number;
  readonly sequence: number;
  readonly id: number;
}

const UNKNOWN_TYPE = -2;

/** A scanner for the events of `protocol`. Events with a field of `foreign` are not recognised. Undefined where scanners cannot run. */
export function eventScanner(
  protocol: Protocol,
  profile: Profile,
  foreign: readonly string[],
): EventScanner | undefined {
  const { discriminator, placement, property } = protocol.envelope;
  const contract = protocol.stream;
  const key = contract?.key ?? [];
  const instance = createInstance(discriminator, key[0] ?? "", commonFields(protocol));
  if (instance === undefined) return undefined;
  const fields = fieldsIn(instance.memory);
  const payloadView = createView(fields, 1);
  const payloadProperty = (event: EventType): string | undefined =>
    placement === "nested" ? property : placement === "keyed" ? event.payloadProperty : undefined;
  const payload = (index: number): unknown =>
    index === current.property && fields.isObject(0, index) ? payloadView.object : fields.read(0, index);
  const told = protocol.events.map((event) => [payloadProperty(event) ?? "", payload] as const);
  const eventView = createView(fields, 0, new Map([...told, [discriminator, () => current.type]]));
  const types = new Map(protocol.events.map((event) => [hashOf(event.type), event] as const));
  const known: Known[] = [];
  let envelope: Shape | undefined;
  let current: Known = NOTHING_KNOWN;
  let base = 0;
  const learnType = (hash: number): boolean => {
    const event = types.get(hash);
    if (event === undefined || known.length >= TYPE_SLOTS / 2) return false;
    envelope ??= shapeOf(envelopeReading(profile, protocol));
    const body = shapeOf(bodyReading(profile, protocol, event));
    const shape = [body, withMember(discriminator, onlyString(event.type))].reduce(both, envelope);
    const { node, names } = instance.program.add(shape, payloadProperty(event));
    const [own, inner] = names;
    const index = (name: string | undefined): number => (name === undefined ? -1 : own.indexOf(name));
    known.push({
      type: event.type,
      members: eventView.learn(own),
      payload: payloadView.learn(inner),
      property: inner.length > 0 ? index(payloadProperty(event)) : -1,
      isFlat: payloadProperty(event) === undefined,
      texts: key.map(index).filter((place) => place >= 0),
      key: key.length === 1 ? index(key[0]) : -1,
      sequence: index(contract?.sequence),
      id: index(contract?.id),
    });
    const isForeign = foreign.some((name) => own.includes(name));
    instance.learn(hash, isForeign ? NOTHING : node, known.length - 1);
    return true;
  };
  /** Whether the fields of the stream's key are strings, if they are there. */
  const hasKey = ({ texts }: Known): boolean => {
    for (const index of texts) if (fields.has(0, index) && !fields.isText(0, index)) return false;
    return true;
  };
  const show = (one: Known): void => {
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
      if (stop === UNKNOWN_TYPE && learnType(instance.hash())) stop = instance.scanEvent(start - base);
      if (stop < 0) return -1;
      show(known[instance.type()] as Known);
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
      return instance.meetId(stream, start, fields.stop(0, current.id) - 1 - start, 1);
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

const NOTHING_KNOWN: Known = {
  ...{ type: "", members: new Int16Array(0), payload: new Int16Array(0) },
  ...{ property: -1, isFlat: true, texts: [], key: -1, sequence: -1, id: -1 },
};

/** The fields that streams and their rules go by. */
function commonFields({ stream }: Protocol): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: Json | undefined): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value))
      if (name === "key") for (const field of [member].flat()) found.add(String(field));
      else visit(member);
  };
  visit(stream as unknown as Json);
  if (stream?.id !== undefined) found.delete(stream.id);
  return found;
}

/** FNV-1a over the bytes of a text as JSON spells it, without its quotation marks. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(JSON.stringify(text).slice(1, -1)))
    hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
