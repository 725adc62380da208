import type { Proposal } from "../conform/stream-rule.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import { combineSeeds, seededRandom } from "../random.js";
import type { EventMaker, KitEvent, Wanted } from "../sample/event-maker.js";
import { streamKey } from "../stream/stream-key.js";
import { createErrorChecker, type ErrorChecker } from "./find-stream-errors.js";
import type { GeneratorContext } from "./scenarios.js";
import { createStreamBase, createStreamCursor, type StreamCursor } from "./stream-cursor.js";

/** Generates streams event by event. */
export interface StreamBuilder {
  readonly maker: EventMaker;
  readonly events: KitEvent[];
  cursor(index: number): StreamCursor;
  /** Takes over what another builder has sent, to go on from there. */
  resume(sent: readonly KitEvent[], streams: number): void;
  /** Opens a stream, if it is not open. */
  begin(cursor: StreamCursor): void;
  /** Sends what is proposed and returns the event; undefined if it would break a rule. */
  send(cursor: StreamCursor, proposal: Proposal, seed: number): KitEvent | undefined;
  /** A value of a payload field that no other event has. */
  fresh(type: string, field: string, seed: number): Json;
}

/** What a builder knows of what it has sent. */
interface Sent {
  readonly context: GeneratorContext;
  readonly events: KitEvent[];
  readonly cursors: StreamCursor[];
  readonly ids: Set<Json>;
  /** How many things were made, so that each is another one. */
  count: number;
  /** Opened when it is needed: most players only tell again what was judged before. */
  judge: ErrorChecker | undefined;
}

/** A builder that has sent nothing. */
export function createStreamBuilder(context: GeneratorContext): StreamBuilder {
  const sent: Sent = { context, events: [], cursors: [], ids: new Set(), count: 0, judge: undefined };
  return {
    ...{ maker: context.maker, events: sent.events },
    cursor: (index) => lineAt(sent, index),
    resume: (events, streams) => resume(sent, events, streams),
    begin: (cursor) => begin(sent, cursor),
    send: (cursor, proposal, seed) => send(sent, cursor, proposal, seed),
    fresh: (type, field, seed) => fresh(sent, type, field, seed),
  };
}

function lineAt({ context, cursors }: Sent, index: number): StreamCursor {
  const { maker, bases } = context;
  for (let at = cursors.length; at <= index; at++) {
    const known = bases[at] ?? createStreamBase(maker, at, bases);
    bases[at] = known;
    cursors.push(createStreamCursor(known, maker.model));
  }
  return cursors[index] as StreamCursor;
}

function resume(sent: Sent, events: readonly KitEvent[], streams: number): void {
  const { stream } = sent.context.maker.model;
  const open = Array.from({ length: streams }, (_, index) => lineAt(sent, index));
  for (const event of events) {
    const at = open.find(({ key }) => key === streamKey(stream, event));
    if (at) take(sent, at, event);
  }
  sent.count = 10_000;
}

function begin(sent: Sent, cursor: StreamCursor): void {
  if (cursor.begun) return;
  cursor.begun = true;
  const { terminal, openings = [] } = sent.context.maker.model.stream?.rules ?? {};
  const opening = terminal?.opens[0];
  if (opening !== undefined) send(sent, cursor, { type: opening, wanted: {} }, 0);
  for (const { type, after = [] } of openings)
    if (type !== opening && after.includes(opening ?? "") && sent.cursors.indexOf(cursor) % 2 === 1)
      send(sent, cursor, { type, wanted: {} }, 0);
}

function send(sent: Sent, cursor: StreamCursor, proposal: Proposal, seed: number): KitEvent | undefined {
  begin(sent, cursor);
  sent.count++;
  const event = offer(sent, cursor, proposal, seed);
  if (event !== undefined) take(sent, cursor, event);
  return event;
}

/** How often an event is made anew that has the id of another or breaks a rule. */
const TRIES = 4;

/** The event of a proposal, if one can be made that breaks no rule. */
function offer(
  sent: Sent,
  cursor: StreamCursor,
  { type, wanted, skip = 0, gap }: Proposal,
  seed: number,
): KitEvent | undefined {
  const { maker } = sent.context;
  const { stream } = maker.model;
  const sequence = cursor.next + skip;
  const named = {
    ...wanted,
    ...(gap?.first !== undefined && { [gap.first]: cursor.next }),
    ...(gap?.last !== undefined && { [gap.last]: sequence - 1 }),
  };
  const numbers = seededRandom(seed);
  const envelope = { ...cursor.base, ...(stream?.sequence !== undefined && { [stream.sequence]: sequence }) };
  for (let again = 0; again < TRIES; again++) {
    const event = maker.make({
      ...{ type, wanted: named, envelope },
      seed: combineSeeds(seed, again, sent.count) * Math.sign(seed || again),
      settle: (payload) => {
        for (const adjuster of cursor.adjusters) adjuster.adjust(type, payload, numbers);
      },
    });
    if (event === undefined) return undefined;
    if (stream?.id !== undefined && sent.ids.has(event[stream.id] ?? null)) continue;
    if (judgeOf(sent).take(event).length === 0) return event;
    // It has seen what was not sent.
    sent.judge = undefined;
  }
  return undefined;
}

function judgeOf(sent: Sent): ErrorChecker {
  if (sent.judge) return sent.judge;
  sent.judge = createErrorChecker(sent.context.maker.model);
  for (const event of sent.events) sent.judge.take(event);
  return sent.judge;
}

/** Notes an event that was sent. */
function take({ context, events, ids }: Sent, cursor: StreamCursor, event: KitEvent): void {
  const { maker } = context;
  const { stream, envelope } = maker.model;
  events.push(event);
  if (stream?.id !== undefined) ids.add(event[stream.id] ?? null);
  cursor.next = stream?.sequence === undefined ? cursor.next + 1 : Number(event[stream.sequence]) + 1;
  cursor.begun = true;
  const type = String(event[envelope.discriminator]);
  const name = maker.carrier(type);
  const payload = name === undefined ? event : event[name];
  if (isObject(payload)) for (const adjuster of cursor.adjusters) adjuster.record?.(type, payload);
}

/** A value of a field that no other event has, of the first kind that the field takes. */
function fresh(sent: Sent, type: string, field: string, seed: number): Json {
  const { maker, kinds } = sent.context;
  sent.count++;
  const { count } = sent;
  const values: readonly Json[] = [`${field.slice(0, 4)}-${count}`, count, [`${field.slice(0, 4)}-${count}`]];
  const probe = (wanted: Wanted, seed: number): KitEvent | undefined =>
    maker.make({ type, envelope: probeEnvelope(sent), wanted, seed });
  const kind =
    kinds.get(`${type} ${field}`) ?? values.findIndex((value) => probe({ [field]: value }, 0) !== undefined);
  kinds.set(`${type} ${field}`, kind);
  if (kind >= 0) return values[kind] as Json;
  const made = probe({}, combineSeeds(seed, count));
  const name = maker.carrier(type);
  const payload = made && name !== undefined ? made[name] : made;
  return (isObject(payload) ? payload[field] : undefined) ?? `${field}-${count}`;
}

function probeEnvelope(sent: Sent): JsonObject {
  const { stream, envelope } = sent.context.maker.model;
  return {
    ...lineAt(sent, 0).base,
    ...(stream?.sequence !== undefined && { [stream.sequence]: stream.first ?? 0 }),
    [envelope.discriminator]: "",
  };
}
