import { createFreePathFinder } from "../conform/rules/state-changes.js";
import { getItem } from "../get-item.js";
import { groupBy } from "../group-by.js";
import { createObject, isObject, type Json, type JsonObject } from "../json.js";
import { selectEventTypes } from "../protocol/event-families.js";
import { combineSeeds, createRandom, type Random } from "../random.js";
import type { EventMaker, FixedFields, SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import type { Gap } from "../stream/delivery.js";
import { streamKey } from "../stream/stream-key.js";
import { createErrorChecker, type ErrorChecker } from "./find-stream-errors.js";
import type { ProposedEvent } from "./rule-scenarios.js";
import { createRuleStates, type PlacedEvent, type ProbedRules, type RuleStates } from "./rule-states.js";
import type { GeneratorContext } from "./scenarios.js";
import {
  type DraftTools,
  type EventDraft,
  isHopeless,
  isRemovable,
  solveDraft,
  type TriedDraft,
} from "./solve-event.js";
import { createStreamBase, type StreamCursor } from "./stream-cursor.js";

/** Generates streams event by event. */
export interface StreamBuilder {
  /** The events of all streams in the order in which they were sent. */
  readonly events: SampleEvent[];
  /** Returns the stream with this index. */
  getCursor(index: number): StreamCursor;
  /** Returns the streams that have events. */
  listCursors(): readonly StreamCursor[];
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
  /** Makes and sends an event that `solve` changes, also if it breaks a rule; undefined if `solve` fails. */
  sendSolved(
    cursor: StreamCursor,
    proposal: ProposedEvent,
    seed: number,
    solve: typeof solveDraft,
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
  /** The streams that rules demanded, by their keys. */
  readonly others: Map<string, StreamCursor>;
  states: RuleStates;
  /** True until the first event if the builder keeps all rules of the protocol. */
  isFresh: boolean;
  /** The number of events and values that were made. It is part of their seeds, which makes them different. */
  count: number;
  /** Checks `events`; created when it is needed, because most builders only resume events that were checked before. */
  checker: ErrorChecker | undefined;
}

/** The count after resuming. It is greater than the count of any builder, so no value repeats one of the resumed events. */
const RESUMED_COUNT = 10_000;

/** Returns a builder without events. */
export function createStreamBuilder(context: GeneratorContext, rules?: ProbedRules): StreamBuilder {
  const state: BuilderState = {
    context,
    events: [],
    cursors: [],
    ids: new Set(),
    others: new Map(),
    states: createRuleStates(context.maker.protocol, rules),
    isFresh: rules === undefined,
    count: 0,
    checker: undefined,
  };
  return {
    events: state.events,
    getCursor: (index) => getCursor(state, index),
    listCursors: () => [...state.cursors, ...state.others.values()].filter(({ isStarted }) => isStarted),
    resume: (events, streams) => resumeStreams(state, events, streams),
    start: (cursor) => startStream(state, cursor),
    send: (cursor, proposal, seed, fieldChance) => sendEvent(state, cursor, proposal, seed, fieldChance),
    sendSolved(cursor, proposal, seed, solve) {
      state.count++;
      return makeEvent(state, cursor, proposal, { seed, solve });
    },
    makeUnusedValue: (type, field, seed) => makeUnusedValue(state, type, field, seed),
  };
}

function getCursor({ context, cursors }: BuilderState, index: number): StreamCursor {
  const { maker, bases } = context;
  for (let next = cursors.length; next <= index; next++) {
    bases[next] ??= createStreamBase(maker, next, bases);
    const base = getItem(bases, next);
    cursors.push({ ...base, next: maker.protocol.stream?.first ?? 0, isStarted: false });
  }
  return getItem(cursors, index);
}

function resumeStreams(state: BuilderState, events: readonly SampleEvent[], streams: number): void {
  for (let index = 0; index < streams; index++) getCursor(state, index);
  const { resumed } = state.context;
  const states = resumed.get(events) ?? state.states;
  for (const event of events) resumeEvent(state, event, resumed.has(events) ? undefined : states);
  resumed.set(events, states);
  state.states = states.fork();
  state.count = RESUMED_COUNT;
}

/** Continues after an event that another builder has sent. Without `states`, they contain it already. */
function resumeEvent(state: BuilderState, event: SampleEvent, states: RuleStates | undefined): void {
  const { maker } = state.context;
  const { stream, envelope } = maker.protocol;
  const key = streamKey(stream, event);
  const cursor = findCursor(state, key) ?? addCursor(state, key, pickBase(state, event));
  const type = String(event[envelope.discriminator]);
  const payload = findPayload(maker, type, event);
  const sequence = stream?.sequence === undefined ? undefined : Number(event[stream.sequence]);
  const gap =
    sequence !== undefined && sequence > cursor.next
      ? createGap(cursor.next, sequence, stream?.first ?? 0)
      : undefined;
  const placed = { type, event, payload: isObject(payload) ? payload : {}, key, sequence, gap };
  states?.try(placed).commit();
  recordEvent(state, cursor, event);
}

/** Returns the fields of an event that all events of its stream have. */
function pickBase(state: BuilderState, event: SampleEvent): JsonObject {
  const names = Object.keys(getCursor(state, 0).base);
  return createObject(Object.entries(event).filter(([name]) => names.includes(name)));
}

/** The count before a stream is opened, for each stream. It is greater than other counts. */
const OPENING_COUNT = 100_000;

function startStream(state: BuilderState, cursor: StreamCursor): void {
  if (cursor.isStarted) return;
  cursor.isStarted = true;
  const { terminal, openings = [] } = state.context.maker.protocol.stream?.rules ?? {};
  const openingType = terminal?.opens[0];
  if (openingType === undefined) return;
  // Every other stream also gets the events that may follow its opening.
  const isLong = state.cursors.indexOf(cursor) % 2 !== 0;
  const others = openings.filter(
    ({ type, after = [] }) => isLong && type !== openingType && after.includes(openingType),
  );
  const types = [openingType, ...others.map(({ type }) => type)];
  const index = state.cursors.indexOf(cursor);
  const known = state.isFresh ? state.context.openings.get(index) : undefined;
  if (known) {
    for (const event of known.events) recordEvent(state, cursor, event);
    state.states = known.states.fork();
    return;
  }
  const { isFresh, count } = state;
  // What opens a stream does not depend on the values that were made before.
  state.count = OPENING_COUNT * (index + 2);
  for (const type of [...types, ...listFreeingTypes(state, types)])
    sendEvent(state, cursor, { type, fixedFields: {} }, 0);
  state.count = count;
  if (isFresh && index >= 0 && state.others.size === 0)
    state.context.openings.set(index, { events: [...state.events], states: state.states.fork() });
}

/** Returns the event types that lead a stream to states in which most event types may come. */
function listFreeingTypes({ context }: BuilderState, sent: readonly string[]): readonly string[] {
  return createFreePathFinders(context.maker.protocol).flatMap((findPath) => findPath(sent));
}

const createFreePathFinders = memoizeByObject((protocol: EventMaker["protocol"]) => {
  const { machines = [] } = protocol.stream?.rules ?? {};
  return machines
    .filter(({ key }) => key === undefined)
    .map((machine) => {
      const { forbids = [] } = machine;
      const countForbidden = (state: string): number =>
        new Set(
          forbids
            .filter((ban) => ban.in.includes(state) && ban.when === undefined && ban.has === undefined)
            .flatMap((ban) => selectEventTypes(protocol, ban.types, ban.except ?? [])),
        ).size;
      return createFreePathFinder(machine, countForbidden);
    });
});

function sendEvent(
  state: BuilderState,
  cursor: StreamCursor,
  proposal: ProposedEvent,
  seed: number,
  fieldChance?: number,
): SampleEvent | undefined {
  startStream(state, cursor);
  state.count++;
  return makeEvent(state, cursor, proposal, { seed, fieldChance });
}

/** The number of times that an event is made, because each attempt may repeat an id or break a rule. */
const MAX_ATTEMPTS = 6;

/** The number of payloads that are tried before an event counts as one that the rules do not allow at its place. */
const MAX_FAILURES = 3;

/** How an event is made. */
interface MakeOptions {
  readonly seed: number;
  readonly fieldChance?: number | undefined;
  /** Changes the event so that it may be sent; by default, so that it keeps all rules. */
  readonly solve?: typeof solveDraft;
}

/** Makes the proposed event and records it; undefined if the rules do not allow it. */
function makeEvent(
  state: BuilderState,
  cursor: StreamCursor,
  proposal: ProposedEvent,
  { seed, fieldChance, solve = solveDraft }: MakeOptions,
): SampleEvent | undefined {
  const { maker } = state.context;
  const { type, fixedFields } = proposal;
  const { stream } = maker.protocol;
  const tools = createTools(state, cursor, proposal, createRandom(seed));
  const keepsRules = solve === solveDraft;
  // Events without optional fields are made to be followed by others.
  const preference = fieldChance === 0 ? 1 : PREFERENCE;
  if (keepsRules && isHopeless({ type, payload: fixedFields, envelope: cursor.base }, tools))
    return undefined;
  // The maker reads the fields after the payload was solved.
  const envelope: { [name: string]: Json } = {};
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    let solved: SolvedEvent | undefined;
    let failures = 0;
    const event = maker.make({
      type,
      fixedFields,
      envelope,
      // Later attempts have fewer optional fields, because some exclude each other or need other values.
      fieldChance: fieldChance === undefined ? undefined : fieldChance * (1 - attempt / MAX_ATTEMPTS),
      // The first attempt with seed 0 gives the simplest event.
      seed: seed === 0 && attempt === 0 ? 0 : combineSeeds(seed, attempt, state.count),
      adjustPayload(payload) {
        solved = solveEvent(state, cursor, proposal, payload, { tools, solve, preference });
        if (solved === undefined) failures++;
        replaceFields(envelope, solved?.draft.envelope ?? {});
        if (solved && solved.draft.payload !== payload) replaceFields(payload, solved.draft.payload);
      },
      isWanted: () => solved !== undefined,
      isGivenUp: () => failures >= MAX_FAILURES,
    });
    if (event === undefined || solved === undefined) return undefined;
    if (stream?.id !== undefined && state.ids.has(event[stream.id] ?? null)) continue;
    if (!keepsRules || getChecker(state).check(event).length === 0) {
      solved.tried.commit();
      recordEvent(state, solved.cursor, event);
      return event;
    }
    // The checker has seen an event that is not sent, so a new one is needed.
    state.checker = undefined;
  }
  return undefined;
}

function replaceFields(target: { [name: string]: Json }, fields: JsonObject): void {
  for (const name of Object.keys(target)) delete target[name];
  Object.assign(target, fields);
}

/** A draft that keeps the rules, and its stream. */
interface SolvedEvent extends TriedDraft {
  readonly cursor: StreamCursor;
}

/** How the values of an event are chosen. */
interface SolverOptions extends Required<Pick<MakeOptions, "solve">> {
  readonly tools: DraftTools;
  /** The probability that a field gets a value which later events need. */
  readonly preference: number;
}

/** Changes the payload and the envelope of an event until they keep the rules. It may get another stream than `cursor`. */
function solveEvent(
  state: BuilderState,
  cursor: StreamCursor,
  { type, fixedFields, skip = 0 }: ProposedEvent,
  payload: { [name: string]: Json },
  { solve, tools, preference }: SolverOptions,
): SolvedEvent | undefined {
  const { maker, preferredValues } = state.context;
  const { stream } = maker.protocol;
  const own = preferredValues.filter((each) => each.type === type);
  // Several rules may need other values of the same field.
  for (const [field, choices] of groupBy(own, (each) => each.field))
    if (!Object.hasOwn(fixedFields, field)) {
      const isNeeded = choices.some((each) => each.isNeeded);
      if (isNeeded || (payload[field] !== undefined && tools.random.chance(preference)))
        payload[field] = getItem(tools.random.pick(choices).values, 0);
    }
  const result = solve({ type, payload, envelope: cursor.base }, tools);
  if (result === undefined) return undefined;
  const { key, sequence } = placeDraft(state, cursor, result.draft, skip);
  const number = stream?.sequence === undefined ? {} : { [stream.sequence]: sequence as number };
  const { envelope } = result.draft;
  return {
    ...result,
    draft: { ...result.draft, envelope: { ...envelope, ...number } },
    cursor: findCursor(state, key) ?? addCursor(state, key, envelope),
  };
}

/** Returns the tools with which an event is changed. The fields that a proposal fixes keep their values. */
function createTools(
  state: BuilderState,
  cursor: StreamCursor,
  { type, fixedFields, skip = 0, isLast = skip > 0 }: ProposedEvent,
  random: Random,
): DraftTools {
  const { maker } = state.context;
  const { protocol } = maker;
  return {
    maker,
    random,
    try: (draft) => state.states.try(placeDraft(state, cursor, draft, skip), isLast),
    isEditable: ({ in: place, field, value }) =>
      place === "payload"
        ? !Object.hasOwn(fixedFields, field) && (value !== undefined || isRemovable(protocol, type, field))
        : value !== undefined && protocol.stream?.key.includes(field) === true,
    makeUnusedValue: (of, field) => makeUnusedValue(state, of, field, 1),
  };
}

/** The probability that a field of a random event gets a value which later events need. */
const PREFERENCE = 0.75;

/** Returns a draft as an event in its stream. */
function placeDraft(
  state: BuilderState,
  cursor: StreamCursor,
  { type, payload, envelope }: EventDraft,
  skip: number,
): PlacedEvent {
  const { maker } = state.context;
  const { stream, envelope: model } = maker.protocol;
  const key = envelope === cursor.base ? cursor.key : streamKey(stream, envelope);
  const next = (key === cursor.key ? cursor : findCursor(state, key))?.next ?? stream?.first ?? 0;
  const sequence = stream?.sequence === undefined ? undefined : next + skip;
  const carrier = maker.findCarrier(type);
  const event = {
    ...envelope,
    ...(stream?.sequence !== undefined && { [stream.sequence]: next + skip }),
    [model.discriminator]: type,
    ...(carrier === undefined ? payload : { [carrier]: payload }),
  };
  const gap = skip > 0 && sequence !== undefined ? createGap(next, sequence, stream?.first ?? 0) : undefined;
  return { type, event, payload: carrier === undefined ? event : payload, key, sequence, gap };
}

/** Returns the gap before an event whose stream goes on with `next`. */
function createGap(next: number, before: number, first: number): Gap {
  return next === first ? { before } : { after: next - 1, before };
}

function findCursor(state: BuilderState, key: string): StreamCursor | undefined {
  return state.cursors.find((each) => each.key === key) ?? state.others.get(key);
}

/** Adds a stream that a rule demands. It has no opening, because openings are events of other streams. */
function addCursor(state: BuilderState, key: string, base: JsonObject): StreamCursor {
  const cursor = { key, base, next: state.context.maker.protocol.stream?.first ?? 0, isStarted: true };
  state.others.set(key, cursor);
  return cursor;
}

function getChecker(state: BuilderState): ErrorChecker {
  if (state.checker) return state.checker;
  state.checker = createErrorChecker(state.context.maker.protocol);
  for (const event of state.events) state.checker.check(event);
  return state.checker;
}

function recordEvent(state: BuilderState, cursor: StreamCursor, event: SampleEvent): void {
  const { context, events, ids } = state;
  const { stream } = context.maker.protocol;
  state.isFresh = false;
  events.push(event);
  if (stream?.id !== undefined) ids.add(event[stream.id] ?? null);
  cursor.next = stream?.sequence === undefined ? cursor.next + 1 : Number(event[stream.sequence]) + 1;
  cursor.isStarted = true;
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
  if (form >= 0) return getItem(values, form);
  const event = make({}, combineSeeds(seed, count));
  const payload = event && findPayload(maker, type, event);
  return (isObject(payload) ? payload[field] : undefined) ?? `${field}-${count}`;
}
