import { getItem } from "../get-item.js";
import { createObject, type Json } from "../json.js";
import { getEnvelopeFields } from "../protocol/message-layout.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { ConsumerUnavailable } from "./adapter.js";
import { listOmissions } from "./coverage.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Law } from "./law.js";
import type { BrokenLaw } from "./observe.js";
import { getPayload } from "./payload.js";
import { generateSample, type NumberedSample, renumberEvents } from "./samples.js";
import type { GeneratorContext } from "./scenarios.js";
import type { Operation } from "./script.js";
import type { Steps } from "./steps.js";

/** The greatest number of smaller streams that are tried for one failure. */
const MAX_ATTEMPTS = 300;

/** A broken law, and the events that show it. */
export interface Failure {
  readonly error: BrokenLaw;
  readonly fixture: readonly object[];
}

/** The streams on which a law is checked: a sample, and what the streams lack that the law makes itself. */
export interface CheckedStreams {
  readonly sample: NumberedSample;
  /** Event types and optional fields, as `Reduction` has them. */
  readonly omitted: ReadonlySet<string>;
}

/** A failure to shrink, and how to check the same law on other streams. */
export interface FailedCheck {
  readonly law: Law;
  readonly protocol: KitProtocol;
  readonly context: GeneratorContext;
  readonly sample: NumberedSample;
  readonly failure: Failure;
  /** Checks the law on streams. */
  check(streams: CheckedStreams): Steps<Failure | undefined>;
}

/** A failure on streams. */
interface FailedStreams extends CheckedStreams {
  readonly failure: Failure;
}

/** The smallest streams that were found so far. */
interface Shrinker {
  readonly failed: FailedCheck;
  smallest: FailedStreams;
  attempts: number;
}

/** Returns the failure on the smallest streams that have it, as far as the consumer can still be tested. */
export function* shrinkFailure(failed: FailedCheck): Steps<FailedStreams> {
  const start: FailedStreams = { sample: failed.sample, omitted: new Set(), failure: failed.failure };
  const shrinker: Shrinker = { failed, smallest: start, attempts: 0 };
  try {
    if (!failed.law.makesStreams) yield* simplify(shrinker);
    while (shrinker.attempts < MAX_ATTEMPTS && (yield* removeParts(shrinker)));
  } catch (error) {
    if (!(error instanceof ConsumerUnavailable)) throw error;
  }
  return shrinker.smallest;
}

/** Checks smaller streams. If they have the same failure, they are the smallest ones. */
function* tryStreams(shrinker: Shrinker, streams: CheckedStreams | undefined): Steps<boolean> {
  if (streams === undefined) return false;
  shrinker.attempts++;
  const failure = yield* findSameFailure(shrinker.failed, streams);
  if (failure) shrinker.smallest = { ...streams, failure };
  return failure !== undefined;
}

/** Returns the failure on streams if it is the same: of the same law, and at the same place of its check. */
export function* findSameFailure(
  { law, protocol, failure, check }: FailedCheck,
  streams: CheckedStreams,
): Steps<Failure | undefined> {
  const found = yield* check(streams);
  if (found === undefined || found.error.law !== failure.error.law) return undefined;
  const types = law.makesStreams ? [] : Object.keys(protocol.schemas.events);
  const isSame = namePlace(found.error, types) === namePlace(failure.error, types);
  return isSame ? found : undefined;
}

/** Returns the message of a failure without what differs from stream to stream. It stands for the place in the check. */
function namePlace({ message }: BrokenLaw, types: readonly string[]): string {
  const plain = message
    .replace(/"(?:[^"\\]|\\.)*"|[{[].*[\]}]|\/\S*/g, "§")
    .replace(/#?\d+/g, "#")
    // One of something or many.
    .replace(/(# (?:\w+ )?\w+?)s\b/g, "$1");
  return types.reduce((text, type) => text.replaceAll(type, "§"), plain);
}

/** Removes operations of the script and events, many at first, and gives each event the simplest values. */
function* simplify(shrinker: Shrinker): Steps<void> {
  const { law, protocol, context, sample } = shrinker.failed;
  const createSample = (operations: readonly Operation[]): NumberedSample => ({
    ...generateSample(context, { ...sample.script, operations }, sample.streams),
    seed: sample.seed,
  });
  const fails = (operations: readonly Operation[]) =>
    tryStreams(shrinker, { sample: createSample(operations), omitted: new Set() });
  const { operations } = sample.script;
  // The script does not give the same events if these were changed after they were built, as in covering streams.
  if (yield* fails(operations)) yield* shrinkList(operations, fails);
  const tryEvents = (events: readonly SampleEvent[]) =>
    tryStreams(shrinker, replaceEvents(law, context, shrinker.smallest, events));
  yield* shrinkList(shrinker.smallest.sample.events, tryEvents);
  for (let index = 0; index < shrinker.smallest.sample.events.length; index++) {
    const { events } = shrinker.smallest.sample;
    const simplest = makeSimplestEvent(context, protocol, getItem(events, index));
    if (simplest !== undefined) yield* tryEvents(events.with(index, simplest));
  }
}

/** Returns streams with other events; undefined if the contract does not allow them. */
function replaceEvents(
  law: Law,
  context: GeneratorContext,
  { sample }: CheckedStreams,
  events: readonly SampleEvent[],
): CheckedStreams | undefined {
  const numbered = renumberEvents(context, law, events);
  return numbered && { sample: { ...sample, events: numbered }, omitted: new Set() };
}

/** Removes events and optional fields: of streams that a law makes all at once, then fewer. Returns whether one was removed. */
function* removeParts(shrinker: Shrinker): Steps<boolean> {
  const { failed, smallest: before } = shrinker;
  if (failed.law.makesStreams) {
    const names = listOmissibleNames(failed, before);
    yield* shrinkList(names, (kept) => {
      const removed = names.filter((name) => !kept.includes(name));
      return tryStreams(shrinker, { ...before, omitted: new Set([...before.omitted, ...removed]) });
    });
  } else
    for (const smaller of listSmaller(failed, before)) if (yield* tryStreams(shrinker, smaller)) return true;
  return shrinker.smallest !== before;
}

/** Returns what the streams of a law may lack: the types of the events of its failure, and their optional fields. */
function listOmissibleNames(
  { protocol }: FailedCheck,
  { failure, omitted }: FailedStreams,
): readonly string[] {
  const names = (failure.fixture as readonly SampleEvent[]).flatMap((event) => [
    String(event[protocol.envelope.discriminator]),
    ...listOmissions(protocol, event).map(({ name }) => name),
  ]);
  return [...new Set(names)].filter((name) => !omitted.has(name));
}

/** Yields the streams that lack one more event, or one more optional field. A failure is minimal if none of them shows it. */
export function* listSmaller(failed: FailedCheck, smallest: FailedStreams): Generator<CheckedStreams> {
  const { law, protocol, context } = failed;
  if (law.makesStreams) {
    for (const name of listOmissibleNames(failed, smallest))
      yield { ...smallest, omitted: new Set([...smallest.omitted, name]) };
    return;
  }
  const { events } = smallest.sample;
  for (const [index, event] of events.entries()) {
    const lists = [
      events.filter((_, at) => at !== index),
      ...listOmissions(protocol, event).map((omission) => events.with(index, omission.event)),
    ];
    for (const list of lists) {
      const smaller = replaceEvents(law, context, smallest, list);
      if (smaller) yield smaller;
    }
  }
}

/** Makes an event of the same type with the same envelope, the same ids and otherwise the simplest values. */
function makeSimplestEvent(
  { maker }: GeneratorContext,
  protocol: KitProtocol,
  event: SampleEvent,
): SampleEvent | undefined {
  const { envelope, stream } = maker.protocol;
  const payload = getPayload(protocol, event);
  const pickFields = (fields: SampleEvent, names: readonly string[]): SampleEvent =>
    createObject(
      names.flatMap((name): [string, Json][] => (fields[name] === undefined ? [] : [[name, fields[name]]])),
    );
  const type = String(event[envelope.discriminator]);
  const carrier = maker.findCarrier(type);
  const envelopeNames = Object.keys(getEnvelopeFields(envelope)).filter((name) => name !== carrier);
  const keys = (stream?.rules?.lifecycles ?? []).map(({ key }) => key);
  return maker.make({
    type,
    envelope: pickFields(event, envelopeNames),
    fixedFields: pickFields(payload, keys),
    seed: 0,
  });
}

/** Removes items of a list, all at first, then fewer, then one by one, as long as `fails` holds for the rest. */
function* shrinkList<T>(
  list: readonly T[],
  fails: (shorter: readonly T[]) => Steps<boolean>,
): Steps<readonly T[]> {
  let shortest = list;
  let size = list.length;
  while (size > 0) {
    for (let end = shortest.length; end > 0; end -= size) {
      const shorter = [...shortest.slice(0, Math.max(0, end - size)), ...shortest.slice(end)];
      if (yield* fails(shorter)) shortest = shorter;
    }
    size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return shortest;
}
