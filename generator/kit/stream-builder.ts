import type { ProposedEvent } from "../conform/stream-rule.js";
import { getOwn, isObject, type Json } from "../json.js";
import type { DedicatedStream } from "../protocol/stream-rules.js";
import { combineSeeds, createRandom } from "../random.js";
import type { EventMaker, FixedFields, SampleEvent } from "../sample/event-maker.js";
import { streamKey } from "../stream/stream-key.js";
import { createErrorChecker, type ErrorChecker } from "./find-stream-errors.js";
import type { GeneratorContext } from "./scenarios.js";
import { createStreamBase, createStreamCursor, type StreamCursor } from "./stream-cursor.js";

/** Generates streams event by event. */
export interface StreamBuilder {
  /** The events of all streams in the order in which they were sent. */
  readonly events: SampleEvent[];
  /** Returns the stream with this index. */
  getCursor(index: number): StreamCursor;
  /** Continues after events that another builder has sent. */
  resume(sent: readonly SampleEvent[], streams: number): void;
  /** Sends the events that open a stream, unless it has started. */
  start(cursor: StreamCursor): void;
  /** Sends a proposed event and returns it; undefined if it would break a rule. */
  send(
    cursor: StreamCursor,
    proposal: ProposedEvent,
    seed: number,
    fieldChance?: number,
  ): SampleEvent | undefined;
  /** Returns a value of a payload field that no other event has. */
  makeUnusedValue(type: string, field: string, seed: number): Json;
}

/** The state of a builder. */
interface BuilderState {
  readonly context: GeneratorContext;
  readonly events: SampleEvent[];
  readonly cursors: StreamCursor[];
  readonly ids: Set<Json>;
  /** The streams that belong to one thing each, by the declaration and the id of the thing. */
  readonly dedicated: Map<string, StreamCursor>;
  /** The things to which the events of other streams refer, by the declaration and the stream. */
  readonly things: Map<string, Json>;
  /** The number of events and values that were made. It is part of their seeds, which makes them different. */
  count: number;
  /** Checks `events`; created when it is needed, because most builders only resume events that were checked before. */
  checker: ErrorChecker | undefined;
}

/** The count after resuming. It is greater than the count of any builder, so no value repeats one of the resumed events. */
const RESUMED_COUNT = 10_000;

/** Returns a builder without events. */
export function createStreamBuilder(context: GeneratorContext): StreamBuilder {
  const state: BuilderState = {
    context,
    events: [],
    cursors: [],
    ids: new Set(),
    dedicated: new Map(),
    things: new Map(),
    count: 0,
    checker: undefined,
  };
  return {
    events: state.events,
    getCursor: (index) => getCursor(state, index),
    resume: (events, streams) => resumeStreams(state, events, streams),
    start: (cursor) => startStream(state, cursor),
    send: (cursor, proposal, seed, fieldChance) => sendEvent(state, cursor, proposal, seed, fieldChance),
    makeUnusedValue: (type, field, seed) => makeUnusedValue(state, type, field, seed),
  };
}

function getCursor({ context, cursors }: BuilderState, index: number): StreamCursor {
  const { maker, bases } = context;
  for (let next = cursors.length; next <= index; next++) {
    bases[next] ??= createStreamBase(maker, next, bases);
    cursors.push(createStreamCursor(bases[next] as (typeof bases)[number], maker.protocol));
  }
  return cursors[index] as StreamCursor;
}

function resumeStreams(state: BuilderState, events: readonly SampleEvent[], streams: number): void {
  const { stream } = state.context.maker.protocol;
  const cursors = Array.from({ length: streams }, (_, index) => getCursor(state, index));
  for (const event of events) {
    const eventKey = streamKey(stream, event);
    const cursor = cursors.find(({ key }) => key === eventKey) ?? findDedicatedCursor(state, event);
    if (cursor) recordEvent(state, cursor, event);
  }
  state.count = RESUMED_COUNT;
}

function startStream(state: BuilderState, cursor: StreamCursor): void {
  if (cursor.isStarted) return;
  cursor.isStarted = true;
  const { terminal, openings = [] } = state.context.maker.protocol.stream?.rules ?? {};
  const openingType = terminal?.opens[0];
  if (openingType === undefined) return;
  sendEvent(state, cursor, { type: openingType, fixedFields: {} }, 0);
  // Every other stream also gets the events that may follow its opening.
  if (state.cursors.indexOf(cursor) % 2 === 0) return;
  for (const { type, after = [] } of openings)
    if (type !== openingType && after.includes(openingType))
      sendEvent(state, cursor, { type, fixedFields: {} }, 0);
}

function sendEvent(
  state: BuilderState,
  cursor: StreamCursor,
  proposal: ProposedEvent,
  seed: number,
  fieldChance?: number,
): SampleEvent | undefined {
  startStream(state, cursor);
  state.count++;
  const routedProposal = routeProposal(state, cursor, proposal, seed);
  const event = makeAllowedEvent(state, routedProposal.cursor, routedProposal.proposal, seed, fieldChance);
  if (event !== undefined) recordEvent(state, routedProposal.cursor, event);
  return event;
}

/** Returns the declaration by which events of a type occur only on streams that belong to one thing each. */
function findDedication({ context }: BuilderState, type: string): DedicatedStream | undefined {
  const declaredStreams = context.maker.protocol.stream?.rules?.dedicatedStreams ?? [];
  return declaredStreams.find(({ always, types }) => always === true && types.includes(type));
}

/** Returns the stream of a proposal, which may belong to a thing, and the proposal with the id of that thing. */
function routeProposal(state: BuilderState, cursor: StreamCursor, proposal: ProposedEvent, seed: number) {
  const dedication = findDedication(state, proposal.type);
  if (dedication === undefined) return { cursor, proposal };
  const { key } = dedication;
  const name = JSON.stringify([key, cursor.key]);
  const id =
    proposal.fixedFields[key] ?? state.things.get(name) ?? makeUnusedValue(state, proposal.type, key, seed);
  state.things.set(name, id);
  const fixedFields = { ...proposal.fixedFields, [key]: id };
  return {
    cursor: getDedicatedCursor(state, dedication, id),
    proposal: { ...proposal, fixedFields },
  };
}

/** Returns the stream that belongs to a thing. It has no opening, because openings are events of other streams. */
function getDedicatedCursor(state: BuilderState, { key, stream }: DedicatedStream, id: Json): StreamCursor {
  const name = JSON.stringify([key, id]);
  const { protocol } = state.context.maker;
  const base = { ...getCursor(state, 0).base, [stream]: id };
  const cursor =
    state.dedicated.get(name) ??
    createStreamCursor({ key: streamKey(protocol.stream, base), base }, protocol);
  cursor.isStarted = true;
  state.dedicated.set(name, cursor);
  return cursor;
}

/** Returns the stream of an event that occurs only on streams that belong to one thing each; undefined for other events. */
function findDedicatedCursor(state: BuilderState, event: SampleEvent): StreamCursor | undefined {
  const { maker } = state.context;
  const type = String(event[maker.protocol.envelope.discriminator]);
  const dedication = findDedication(state, type);
  const payload = findPayload(maker, type, event);
  const id = dedication && isObject(payload) ? getOwn(payload, dedication.key) : undefined;
  return dedication && id !== undefined ? getDedicatedCursor(state, dedication, id) : undefined;
}

const MAX_ATTEMPTS = 6;

/** Makes the proposed event; undefined if each attempt repeats an id or breaks a rule. */
function makeAllowedEvent(
  state: BuilderState,
  cursor: StreamCursor,
  { type, fixedFields, skip = 0, gap }: ProposedEvent,
  seed: number,
  fieldChance: number | undefined,
): SampleEvent | undefined {
  const { maker } = state.context;
  const { stream } = maker.protocol;
  const sequence = cursor.next + skip;
  const fields = {
    ...fixedFields,
    ...(gap?.first !== undefined && { [gap.first]: cursor.next }),
    ...(gap?.last !== undefined && { [gap.last]: sequence - 1 }),
  };
  const random = createRandom(seed);
  const envelope = { ...cursor.base, ...(stream?.sequence !== undefined && { [stream.sequence]: sequence }) };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const event = maker.make({
      type,
      fixedFields: fields,
      envelope,
      // Later attempts have fewer optional fields, because some exclude each other or need other values.
      fieldChance: fieldChance === undefined ? undefined : fieldChance * (1 - attempt / MAX_ATTEMPTS),
      // The first attempt with seed 0 gives the simplest event.
      seed: seed === 0 && attempt === 0 ? 0 : combineSeeds(seed, attempt, state.count),
      adjustPayload: (payload) => {
        for (const adjuster of cursor.adjusters) adjuster.adjust(type, payload, random);
      },
    });
    if (event === undefined) return undefined;
    if (stream?.id !== undefined && state.ids.has(event[stream.id] ?? null)) continue;
    if (getChecker(state).check(event).length === 0) return event;
    // The checker has seen an event that is not sent, so a new one is needed.
    state.checker = undefined;
  }
  return undefined;
}

function getChecker(state: BuilderState): ErrorChecker {
  if (state.checker) return state.checker;
  state.checker = createErrorChecker(state.context.maker.protocol);
  for (const event of state.events) state.checker.check(event);
  return state.checker;
}

function recordEvent({ context, events, ids }: BuilderState, cursor: StreamCursor, event: SampleEvent): void {
  const { stream, envelope } = context.maker.protocol;
  events.push(event);
  if (stream?.id !== undefined) ids.add(event[stream.id] ?? null);
  cursor.next = stream?.sequence === undefined ? cursor.next + 1 : Number(event[stream.sequence]) + 1;
  cursor.isStarted = true;
  const type = String(event[envelope.discriminator]);
  const payload = findPayload(context.maker, type, event);
  if (isObject(payload)) for (const adjuster of cursor.adjusters) adjuster.record?.(type, payload);
}

function findPayload(maker: EventMaker, type: string, event: SampleEvent): Json | undefined {
  const name = maker.findCarrier(type);
  return name === undefined ? event : event[name];
}

/** Makes a value of the first form that the field accepts: a string, a number, a list. */
function makeUnusedValue(state: BuilderState, type: string, field: string, seed: number): Json {
  const { maker, valueForms } = state.context;
  state.count++;
  const { count } = state;
  const text = `${field.slice(0, 4)}-${count}`;
  const values: readonly Json[] = [text, count, [text]];
  const { stream, envelope: model } = maker.protocol;
  const envelope = {
    ...getCursor(state, 0).base,
    ...(stream?.sequence !== undefined && { [stream.sequence]: stream.first ?? 0 }),
    [model.discriminator]: "",
  };
  const make = (fixedFields: FixedFields, eventSeed: number) =>
    maker.make({ type, envelope, fixedFields, seed: eventSeed });
  const key = `${type} ${field}`;
  const form = valueForms.get(key) ?? values.findIndex((value) => make({ [field]: value }, 0) !== undefined);
  valueForms.set(key, form);
  if (form >= 0) return values[form] as Json;
  const event = make({}, combineSeeds(seed, count));
  const payload = event && findPayload(maker, type, event);
  return (isObject(payload) ? payload[field] : undefined) ?? `${field}-${count}`;
}
