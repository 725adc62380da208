/** Checks a law on generated streams, and reports the smallest stream that breaks it. */
import { createRandom } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import type { Adapter } from "./adapter.js";
import { findBrokenBasicLaw, getObservations } from "./basic-laws.js";
import type { Claim } from "./claims.js";
import { describeFailure } from "./describe-failure.js";
import { fitContext } from "./infer-shown.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Law } from "./law.js";
import { basicLaws } from "./laws/basic.js";
import { BrokenLaw, ignoreBrokenLaw, showEvents } from "./observe.js";
import { listSamples, type NumberedSample, renumberEvents } from "./samples.js";
import type { GeneratorContext } from "./scenarios.js";
import { type CheckedStreams, type FailedCheck, type Failure, shrinkFailure } from "./shrink-failure.js";
import type { Steps } from "./steps.js";
import { createStreamBuilder, type StreamBuilder } from "./stream-builder.js";
import { openTrial } from "./trial.js";

/** The consumer and the streams on which laws are checked. */
export interface LawRun {
  readonly adapter: Adapter;
  readonly protocol: KitProtocol;
  readonly context: GeneratorContext;
  readonly seed: number;
  readonly runs: number;
  /** What the consumer claims to show; absent if it claims nothing. */
  readonly claims?: readonly Claim[];
  /** Returns the command that checks one law again; by default, the commands of test runners. */
  readonly repeatCommand?: (law: string) => string;
  /** Set if the laws are checked on random streams only. */
  readonly isRandomOnly?: boolean;
  /** The laws that are known to be broken. Laws that depend on them are not checked. */
  readonly broken: Set<string>;
}

/** The reason why a law could not be checked on some streams. */
interface UncheckedLaw {
  /** The broken laws on which it depends. */
  readonly laws: readonly string[];
  readonly reason: string;
}

/** A broken law, and the streams on which it was found. */
interface FoundFailure {
  readonly failure: Failure;
  readonly sample: NumberedSample;
}

/**
 * Throws if the consumer breaks the law, or another one that is not known to be broken yet. Returns a reason if the law
 * cannot be checked on some streams.
 */
export function* runLaw(law: Law, lawRun: LawRun): Steps<UncheckedLaw | undefined> {
  const outcome = yield* findFailedCheck(law, lawRun);
  if (outcome === undefined || "reason" in outcome) return outcome;
  throw describeFailure(law, lawRun, (yield* shrinkFailure(outcome)).failure);
}

/** Returns the first failure of a law, with what is needed to shrink it; or why the law cannot be checked. */
export function* findFailedCheck(law: Law, lawRun: LawRun): Steps<FailedCheck | UncheckedLaw | undefined> {
  // A law that is known to be broken is not checked again, so it would break on every smaller stream.
  const broken = new Set(lawRun.broken);
  const outcome = yield* findFailure(law, lawRun);
  if (outcome === undefined || "reason" in outcome) return outcome;
  const check = ({ sample, omitted }: CheckedStreams) =>
    checkSample(law, { ...lawRun, broken, context: reduceContext(law, lawRun, omitted) }, sample);
  const { protocol, context } = lawRun;
  return { law, protocol, context, ...outcome, check };
}

/** Returns a context whose scenes lack some events and fields. */
function reduceContext(
  law: Law,
  { context, protocol }: LawRun,
  names: ReadonlySet<string>,
): GeneratorContext {
  if (names.size === 0) return context;
  const renumber = (events: readonly SampleEvent[]) => {
    const isKnown = events.every(
      (event) => protocol.decodeEvent(event, { profile: "writer" }).kind === "known",
    );
    return isKnown ? renumberEvents(context, law, events) : undefined;
  };
  return { ...context, reduction: { names, renumber, base: context } };
}

/** Returns the first failure of a law, or of another one that is not known to be broken yet; or why it cannot be checked. */
export function* findFailure(law: Law, lawRun: LawRun): Steps<FoundFailure | UncheckedLaw | undefined> {
  const missing = (law.dependsOn ?? []).filter((id) => lawRun.broken.has(id));
  if (missing.length > 0)
    return {
      laws: missing,
      reason: `the consumer breaks ${missing.join(" and ")}, on which this law depends`,
    };
  const samples = listSamples(law, lawRun);
  const unchecked: string[] = [];
  for (const sample of samples) {
    const failure = yield* checkPlayableEvents(law, lawRun, sample);
    if (failure === undefined) continue;
    const id = failure.error.law ?? law.id;
    if (id === law.id || !lawRun.broken.has(id)) {
      lawRun.broken.add(id);
      return { failure, sample };
    }
    unchecked.push(id);
  }
  if (unchecked.length === 0) return undefined;
  const laws = [...new Set(unchecked)];
  const reason = `on ${unchecked.length} of ${samples.length} streams the consumer breaks ${laws.join(" and ")}, on which this law depends`;
  return { laws, reason };
}

/** The greatest number of event types that are left out of a stream because the consumer throws at them. */
const MAX_LEFT_OUT = 5;

/** Checks a law on a sample. If the consumer is known to throw, leaves out the events at which it throws. */
function* checkPlayableEvents(law: Law, lawRun: LawRun, sample: NumberedSample): Steps<Failure | undefined> {
  let failure = yield* checkSample(law, lawRun, sample);
  let current = sample;
  for (let attempt = 0; attempt < MAX_LEFT_OUT; attempt++) {
    const isThrowing = failure?.error.law === "never-throws" && lawRun.broken.has("never-throws");
    const events = isThrowing ? yield* leaveOutThrowingType(law, lawRun, current.events) : undefined;
    if (events === undefined) return failure;
    current = { ...current, events };
    failure = yield* checkSample(law, lawRun, current);
  }
  return failure;
}

/**
 * Returns events without the type of the first one at which a consumer throws; without that one and all later ones if the
 * contract does not allow to leave the type out. Returns undefined if the consumer throws at no event or no event is left.
 */
function* leaveOutThrowingType(
  law: Law,
  { adapter, protocol, context }: LawRun,
  events: readonly SampleEvent[],
): Steps<readonly SampleEvent[] | undefined> {
  const { discriminator } = protocol.envelope;
  for (const [index, event] of events.entries()) {
    const playedEvents = events.slice(0, index + 1);
    if ((yield* ignoreBrokenLaw(showEvents(adapter, protocol, playedEvents))) !== undefined) continue;
    const others = events.filter((other) => other[discriminator] !== event[discriminator]);
    return renumberEvents(context, law, others) ?? renumberEvents(context, law, events.slice(0, index));
  }
  return undefined;
}

/** Basic laws that make every comparison of snapshots meaningless if they are broken on any stream. */
const ALWAYS_NEEDED = ["create-independent", "deterministic"];

/** Checks a law on one sample. */
function* checkSample(law: Law, lawRun: LawRun, sample: NumberedSample): Steps<Failure | undefined> {
  const { adapter, protocol } = lawRun;
  const { events, streams, script, seed } = sample;
  const context = law.fitsConsumer ? yield* fitContext(adapter, protocol, lawRun.context) : lawRun.context;
  let brokenBasicLaw: string | undefined;
  if (!law.isBasic)
    brokenBasicLaw =
      ALWAYS_NEEDED.find((id) => lawRun.broken.has(id)) ??
      (yield* findBrokenBasicLaw(adapter, protocol, events));
  const { trial, fixture, dropConsumers } = openTrial({
    adapter,
    fitsConsumer: law.fitsConsumer === true,
    broken: lawRun.broken,
    protocol,
    context,
    script,
    claims: lawRun.claims ?? [],
    events,
    random: createRandom(seed),
    observations: law.isBasic || brokenBasicLaw ? undefined : getObservations(adapter),
    createBuilder(): StreamBuilder {
      const builder = createStreamBuilder(context);
      builder.resume(events, streams);
      return builder;
    },
  });
  try {
    if (brokenBasicLaw === undefined) yield* law.check(trial);
    else {
      trial.setFixture(events);
      const basicLaw = basicLaws.find(({ id }) => id === brokenBasicLaw);
      if (basicLaw) yield* trial.requires(brokenBasicLaw, basicLaw.check(trial));
      throw new BrokenLaw("Another stream before has shown it, and this one did, too", brokenBasicLaw);
    }
    yield* dropConsumers();
  } catch (error) {
    if (!(error instanceof BrokenLaw)) throw error;
    return { error, fixture: fixture() };
  }
  return undefined;
}
