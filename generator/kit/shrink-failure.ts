import { getItem } from "../get-item.js";
import { createObject } from "../json.js";
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

/** The greatest number of shorter lists that are tried for one failure. */
const MAX_ATTEMPTS = 200;

/** A broken law, and the events that show it. */
export interface Failure {
  readonly error: BrokenLaw;
  readonly fixture: readonly object[];
}

/** A failure to shrink, and how to check the same law on other streams. */
interface FailedCheck {
  readonly law: Law;
  readonly protocol: KitProtocol;
  readonly context: GeneratorContext;
  readonly sample: NumberedSample;
  readonly failure: Failure;
  /** Checks the law on streams. */
  check(sample: NumberedSample): Steps<Failure | undefined>;
}

/** The greatest number of events that are simplified. */
const MAX_SIMPLIFIED = 8;

/** Returns the failure on the smallest streams that break the same law, as far as the consumer can still be tested. */
export function* shrinkFailure(failed: FailedCheck): Steps<Failure> {
  const smallest = { failure: failed.failure };
  try {
    yield* shrinkStreams(failed, smallest);
  } catch (error) {
    if (!(error instanceof ConsumerUnavailable)) throw error;
  }
  return smallest.failure;
}

/**
 * Puts the failure on the smallest streams that break the same law into `smallest`. These have fewer operations and events,
 * no optional fields, and the simplest values.
 */
function* shrinkStreams(
  { law, protocol, context, sample, failure, check }: FailedCheck,
  smallest: { failure: Failure },
): Steps<void> {
  const fails = function* (smaller: NumberedSample): Steps<boolean> {
    const smallerFailure = yield* check(smaller);
    if (smallerFailure === undefined || smallerFailure.error.law !== failure.error.law) return false;
    if (smallerFailure.fixture.length <= smallest.failure.fixture.length) smallest.failure = smallerFailure;
    return true;
  };
  const current = yield* shrinkOperations(context, sample, fails);
  const failsWith = function* (events: readonly SampleEvent[]): Steps<boolean> {
    const numberedEvents = renumberEvents(context, law, events);
    return numberedEvents !== undefined && (yield* fails({ ...current, events: numberedEvents }));
  };
  let events = yield* shrinkList(current.events, failsWith);
  for (let index = 0; index < Math.min(events.length, MAX_SIMPLIFIED); index++) {
    const simplest = makeSimplestEvent(context, protocol, getItem(events, index));
    if (simplest !== undefined && (yield* failsWith(events.with(index, simplest))))
      events = events.with(index, simplest);
    events = yield* omitFields(protocol, events, index, failsWith);
  }
}

/** Removes operations of the script as long as the law stays broken. */
function* shrinkOperations(
  context: GeneratorContext,
  sample: NumberedSample,
  fails: (smaller: NumberedSample) => Steps<boolean>,
): Steps<NumberedSample> {
  const createSample = (operations: readonly Operation[]): NumberedSample => ({
    ...generateSample(context, { ...sample.script, operations }, sample.streams),
    seed: sample.seed,
  });
  const { operations } = sample.script;
  // The script does not give the same events if these were changed after they were built, as in covering streams.
  if (!(yield* fails(createSample(operations)))) return sample;
  return createSample(yield* shrinkList(operations, (shorter) => fails(createSample(shorter))));
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
      names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const])),
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

/** Leaves optional fields of one event out, as long as the law stays broken. */
function* omitFields(
  protocol: KitProtocol,
  events: readonly SampleEvent[],
  index: number,
  fails: (events: readonly SampleEvent[]) => Steps<boolean>,
): Steps<readonly SampleEvent[]> {
  let simplest = events;
  let candidates = listOmissions(protocol, getItem(events, index));
  for (;;) {
    const candidate = candidates.shift();
    if (candidate === undefined) return simplest;
    const simpler = simplest.with(index, candidate.event);
    if (!(yield* fails(simpler))) continue;
    simplest = simpler;
    candidates = listOmissions(protocol, candidate.event);
  }
}

/** Removes items of a list, many at first, then one by one, as long as `fails` holds for the rest. */
function* shrinkList<T>(
  list: readonly T[],
  fails: (shorter: readonly T[]) => Steps<boolean>,
): Steps<readonly T[]> {
  let shortest = list;
  let attempts = 0;
  let size = list.length;
  do {
    size = Math.ceil(size / 2);
    for (let end = shortest.length; end > 0 && attempts < MAX_ATTEMPTS; end -= size) {
      const shorter = [...shortest.slice(0, Math.max(0, end - size)), ...shortest.slice(end)];
      attempts++;
      if (yield* fails(shorter)) shortest = shorter;
    }
  } while (size > 1);
  return shortest;
}
