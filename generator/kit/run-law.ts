/** Checks a law on generated streams, and reports the smallest stream that breaks it. */
import { combineSeeds, seededRandom } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { formatCount } from "../text.js";
import type { Adapter } from "./adapter.js";
import { findBrokenBasicLaw, getObservations } from "./basic-laws.js";
import { buildStreams } from "./build-streams.js";
import { coverOmissions, coverTypes, listOmissions, type Sample, type StreamShape } from "./coverage.js";
import { findStreamErrors } from "./find-stream-errors.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Law } from "./law.js";
import { basicLaws } from "./laws/basic.js";
import { BrokenLaw } from "./observe.js";
import { findScenario, type GeneratorContext } from "./scenarios.js";
import { createRandomScript, type Operation, type Script } from "./script.js";
import { shrinkList } from "./shrink.js";
import { createStreamBuilder, type StreamBuilder } from "./stream-builder.js";
import { openTrial } from "./trial.js";

/** The consumer and the streams on which laws are checked. */
interface LawRun {
  readonly adapter: Adapter;
  readonly protocol: KitProtocol;
  readonly context: GeneratorContext;
  readonly seed: number;
  readonly runs: number;
  /** The laws that are known to be broken. Laws that depend on them are not checked. */
  readonly broken: Set<string>;
}

/** Streams on which a law is checked, and the seed of the choices of the check. */
interface NumberedSample extends Sample {
  readonly seed: number;
}

/**
 * Throws if the consumer breaks the law, or another one that is not known to be broken yet. Returns a reason if the law
 * cannot be checked on some streams.
 */
export function runLaw(law: Law, lawRun: LawRun): string | undefined {
  const samples = listSamples(law, lawRun);
  const unchecked: string[] = [];
  for (const sample of samples) {
    const failure = tryLaw(law, lawRun, sample);
    if (failure === undefined) continue;
    const id = failure.error.law ?? law.id;
    if (id === law.id || !lawRun.broken.has(id)) {
      lawRun.broken.add(id);
      throw describeFailure(law, lawRun, shrinkFailure(law, lawRun, sample, failure));
    }
    unchecked.push(id);
  }
  if (unchecked.length === 0) return undefined;
  const laws = [...new Set(unchecked)].join(" and ");
  return `on ${unchecked.length} of ${samples.length} streams the consumer breaks ${laws}, on which this law depends`;
}

/** Returns the streams for a law: those that cover the contract, then random ones. */
function listSamples(law: Law, { protocol, context, seed, runs }: LawRun): readonly NumberedSample[] {
  const { streams = 1, gaps = true, ended, once = false, covers = "types" } = law;
  const random = Array.from({ length: once ? 1 : runs }, (_, run): NumberedSample => {
    const number = combineSeeds(seed, run);
    const script = createRandomScript(number);
    const operations = script.operations.filter(
      (operation) => gaps || findScenario(context, operation)?.member !== "gaps",
    );
    return {
      ...generateSample(context, { operations, ended: ended ?? script.ended }, streams),
      seed: number,
    };
  });
  if (once) return random;
  const covering = listCoveringSamples(protocol, context, { streams, gaps, ended: ended ?? true }, covers);
  return [...covering.map((sample, index) => ({ ...sample, seed: combineSeeds(seed, index, 5) })), ...random];
}

/** Returns samples with every event type; with `fields`, also without each optional field. */
export function listCoveringSamples(
  protocol: KitProtocol,
  context: GeneratorContext,
  shape: StreamShape,
  covers: NonNullable<Law["covers"]>,
): readonly Sample[] {
  const all = coverTypes(context, shape, "all");
  if (covers === "types") return all;
  return [...all, ...coverTypes(context, shape, "none"), ...coverOmissions(context, protocol, all)];
}

/** A broken law, and the events that show it. */
interface Failure {
  readonly error: BrokenLaw;
  readonly fixture: readonly object[];
}

/** Basic laws that make every comparison of snapshots meaningless if they are broken on any stream. */
const ALWAYS_NEEDED = ["create-independent", "deterministic"];

/** Checks a law on one sample. */
function tryLaw(law: Law, lawRun: LawRun, sample: NumberedSample): Failure | undefined {
  const { adapter, protocol, context } = lawRun;
  const { events, streams, script, seed } = sample;
  const brokenBasicLaw = law.basic
    ? undefined
    : (ALWAYS_NEEDED.find((id) => lawRun.broken.has(id)) ?? findBrokenBasicLaw(adapter, protocol, events));
  const { trial, fixture } = openTrial({
    adapter,
    broken: lawRun.broken,
    protocol,
    maker: context.maker,
    script,
    events,
    random: seededRandom(seed),
    views: law.basic || brokenBasicLaw ? undefined : getObservations(adapter).views,
    builder(): StreamBuilder {
      const builder = createStreamBuilder(context);
      builder.resume(events, streams);
      return builder;
    },
  });
  try {
    if (brokenBasicLaw === undefined) law.check(trial);
    else {
      trial.setFixture(events);
      trial.requires(brokenBasicLaw, () => basicLaws.find(({ id }) => id === brokenBasicLaw)?.check(trial));
      throw new BrokenLaw("Another stream before has shown it, and this one did, too", brokenBasicLaw);
    }
  } catch (error) {
    if (!(error instanceof BrokenLaw)) throw error;
    return { error, fixture: fixture() };
  }
  return undefined;
}

/** Returns the failure on the smallest streams that break the same law: with fewer operations, events and fields. */
function shrinkFailure(law: Law, lawRun: LawRun, sample: NumberedSample, failure: Failure): Failure {
  let smallest = failure;
  const fails = (smaller: NumberedSample): boolean => {
    const found = tryLaw(law, lawRun, smaller);
    if (found === undefined || (found.error.law ?? law.id) !== (failure.error.law ?? law.id)) return false;
    if (found.fixture.length <= smallest.fixture.length) smallest = found;
    return true;
  };
  let { script } = sample;
  const setOperations = (operations: readonly Operation[]): NumberedSample => {
    const shorter: Script = { ...script, operations };
    return { ...generateSample(lawRun.context, shorter, sample.streams), seed: sample.seed };
  };
  let current = sample;
  if (fails(setOperations(script.operations))) {
    script = {
      ...script,
      operations: shrinkList(script.operations, (shorter) => fails(setOperations(shorter))),
    };
    current = setOperations(script.operations);
  }
  const setEvents = (events: readonly SampleEvent[]): NumberedSample | undefined => {
    const numbered = renumber(lawRun, law, events);
    return numbered && { ...current, events: numbered };
  };
  const failsWith = (events: readonly SampleEvent[]): boolean => {
    const smaller = setEvents(events);
    return smaller !== undefined && fails(smaller);
  };
  let events = shrinkList(current.events, failsWith);
  for (let index = 0; index < Math.min(events.length, MAX_SIMPLIFIED); index++)
    for (;;) {
      const simpler = listOmissions(lawRun.protocol, events[index] as SampleEvent)
        .map(({ event }) => events.with(index, event))
        .find(failsWith);
      if (simpler === undefined) break;
      events = simpler;
    }
  return smallest;
}

/** The number of events whose optional fields are removed from a fixture. */
const MAX_SIMPLIFIED = 4;

/** Numbers events without gaps. Returns undefined if the contract does not allow the result. */
function renumber(
  { context, protocol }: LawRun,
  { gaps = true }: Law,
  events: readonly SampleEvent[],
): readonly SampleEvent[] | undefined {
  const { stream } = protocol;
  const field = stream?.sequence;
  const isAllowed = (list: readonly SampleEvent[]): boolean =>
    list.length > 0 && findStreamErrors(context.maker.protocol, list).length === 0;
  if (field === undefined) return isAllowed(events) ? events : undefined;
  const next = new Map<string, number>();
  const numbered = events.map((event) => {
    const key = JSON.stringify(stream?.key.map((name) => event[name] ?? null));
    const number = next.get(key) ?? stream?.first ?? 0;
    next.set(key, number + 1);
    return { ...event, [field]: number };
  });
  if (isAllowed(numbered)) return numbered;
  return gaps && isAllowed(events) ? events : undefined;
}

const MAX_GENERATED = 500;

/**
 * Generates the streams of a script and checks them before a consumer receives them. Remembers the last ones, because all
 * laws begin with the same scripts.
 */
function generateSample(context: GeneratorContext, script: Script, streams: number): Sample {
  const key = JSON.stringify([streams, script]);
  const known = context.generated.get(key);
  if (known) return { events: known, script, streams };
  const builder = buildStreams(context, script, streams);
  // Without operations, the stream has the event that opens it.
  if (builder.events.length === 0) builder.start(builder.cursor(0));
  const [error] = findStreamErrors(context.maker.protocol, builder.events);
  if (error)
    throw new Error(
      `The kit generated a stream that breaks ${error.rule}. This is a bug of the kit, not of the consumer: ${error.message}`,
    );
  if (context.generated.size >= MAX_GENERATED) context.generated.clear();
  context.generated.set(key, builder.events);
  return { events: builder.events, script, streams };
}

/** The longest line of a fixture that is printed in full. */
const MAX_LINE = 20_000;

/** Describes the law, the failure, the smallest stream that shows it, and how to repeat the run. */
function describeFailure(law: Law, { protocol, seed, runs }: LawRun, { error, fixture }: Failure): BrokenLaw {
  const lines = fixture.map((event) => {
    const line = JSON.stringify(event);
    return line.length > MAX_LINE ? `${line.slice(0, 200)} … (${line.length} characters)` : line;
  });
  const isOther = error.law !== undefined && error.law !== law.id;
  const title = isOther
    ? `${error.law} is broken. The check of ${law.id} found this, which depends on it`
    : `${law.id}: ${law.law}`;
  return new BrokenLaw(
    `${title}
${error.message}.

The smallest stream that shows it (${protocol.id}, ${formatCount(fixture.length, "event")}), as a fixture:

${lines.join("\n")}

Seed ${seed}, ${runs} runs. To repeat it, set { seed: ${seed}, runs: ${runs} } and run the one test:
  npx vitest run -t "${law.id}"    npx jest -t "${law.id}"    node --test --test-name-pattern="${law.id}"`,
    error.law ?? law.id,
  );
}
