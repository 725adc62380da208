import fc from "fast-check";
import { combineSeeds, seededRandom } from "../random.js";
import { eventMaker, type KitEvent } from "../sample/event-maker.js";
import { remembered } from "../sample/remembered.js";
import { type Adapter, freshConsumer, type Hook } from "./adapter.js";
import { buildStreams } from "./build-streams.js";
import { failureText } from "./failure.js";
import { findStreamErrors } from "./find-stream-errors.js";
import { type KitProtocol, modelOf } from "./kit-protocol.js";
import type { Law } from "./law.js";
import { LAWS } from "./laws/laws.js";
import { createGeneratorContext, type GeneratorContext, scenarioOf } from "./scenarios.js";
import { drafts, type Script, scriptOf } from "./script.js";
import { BrokenLaw, Inconclusive } from "./show.js";
import { brokenBasic, knownOf } from "./stability.js";
import { createStreamBuilder, type StreamBuilder } from "./stream-builder.js";
import { openTrial } from "./trial.js";

/** Options of the kit. */
export interface KitOptions {
  readonly protocol: KitProtocol;
  /** Determines all streams; 1 by default. */
  readonly seed?: number;
  /** The number of streams on which each law is tried; 20 by default. */
  readonly runs?: number;
}

/** One law, ready to be run. */
export interface ConsumerCase {
  readonly id: string;
  /** The law in words. */
  readonly law: string;
  /** Why it is not run: the hook that the consumer lacks, or what the protocol does not have. */
  readonly skipped?: string;
  /**
   * Throws if the consumer breaks the law. Returns why it cannot be judged, where the consumer breaks a law on which this
   * one rests; undefined if it keeps it. A skipped one does nothing.
   */
  run(): string | undefined;
}

/** The laws for a consumer of `protocol`, as cases for any test runner. Nothing is run yet. */
export function consumerCases(
  adapter: Adapter,
  { protocol, seed = 1, runs = 20 }: KitOptions,
): readonly ConsumerCase[] {
  checkOptions(adapter, protocol, seed, runs);
  const context = contextFor(protocol);
  const hooks = hooksOf(adapter);
  const coverage: ConsumerCase = {
    id: "kit-coverage",
    law: "The kit can make an event of each type of the contract. If this fails, the kit is at fault, not the consumer.",
    run() {
      const missing = missingTypes(context);
      if (missing.length > 0) throw new Error(`The kit cannot make events of ${missing.join(", ")}.`);
      return undefined;
    },
  };
  const cases = LAWS.map((law): ConsumerCase => {
    const { id, hook, absent } = law;
    const skipped =
      absent?.(protocol) ??
      (hook !== undefined && !hooks.has(hook) ? `the adapter has no ${hook}()` : undefined);
    if (skipped !== undefined) return { id, law: law.law, skipped, run: () => undefined };
    return { id, law: law.law, run: () => runLaw(law, { adapter, protocol, context, seed, runs }) };
  });
  return [coverage, ...cases];
}

/** Throws if the kit cannot run at all, so that not every law fails for the same reason. */
function checkOptions(adapter: Adapter, protocol: KitProtocol, seed: number, runs: number): void {
  if (typeof adapter?.create !== "function") throw new TypeError("The adapter has no create().");
  if (typeof protocol?.schemas !== "object")
    throw new TypeError("`protocol` has to be the object of that name that a generated module exports.");
  if (!Number.isInteger(seed)) throw new TypeError("`seed` has to be a whole number.");
  if (!Number.isInteger(runs) || runs < 1) throw new TypeError("`runs` has to be a whole number from 1.");
}

const contextFor = remembered((protocol: KitProtocol): GeneratorContext => {
  const accepts = (event: object): boolean =>
    protocol.decodeEvent(event, { profile: "writer" }).kind === "known";
  return createGeneratorContext(eventMaker(modelOf(protocol), accepts));
});

const HOOKS: readonly Hook[] = ["opaque", "gaps", "cursor", "viewRun", "ingest"];

/** The hooks of the consumers that `adapter` makes; none if it cannot make one, of which the laws speak. */
function hooksOf(adapter: Adapter): ReadonlySet<Hook> {
  try {
    const consumer = freshConsumer(adapter);
    return new Set(HOOKS.filter((hook) => typeof consumer[hook] === "function"));
  } catch {
    return new Set();
  }
}

interface Running {
  readonly adapter: Adapter;
  readonly protocol: KitProtocol;
  readonly context: GeneratorContext;
  readonly seed: number;
  readonly runs: number;
}

/** How many smaller streams are tried once a law is broken. */
const MAX_SHRINKS = 150;

/** The most operations of a stream, besides the tour through all event types. */
const MAX_OPERATIONS = 8;

function runLaw(law: Law, running: Running): string | undefined {
  const { context, seed, runs } = running;
  const unjudged: string[] = [];
  const tour = [...context.coverageOrder.keys()];
  let tries = 0;
  let run = -1;
  let broken = false;
  const property = fc.property(drafts(MAX_OPERATIONS), (draft) => {
    if (broken && ++tries > MAX_SHRINKS) return;
    if (!broken) run++;
    try {
      tryLaw(law, running, scriptOf(draft, tour, seed * runs + run));
    } catch (error) {
      if (error instanceof Inconclusive) return void unjudged.push(error.law);
      broken = true;
      throw error;
    }
  });
  const numRuns = law.once ? 1 : runs;
  const found = fc.check(property, { seed, numRuns });
  if (!found.failed) return unjudged.length === 0 ? undefined : restingOn(unjudged, numRuns);
  const [draft] = found.counterexample ?? [];
  if (draft !== undefined) tryLaw(law, running, scriptOf(draft, tour, seed * runs + run), true);
  throw found.errorInstance ?? new Error(`The law ${law.id} failed, but not when it was tried again.`);
}

/** Describes on how many streams a law could not be checked, and which broken laws are the reason. */
function restingOn(broken: readonly string[], runs: number): string {
  const laws = [...new Set(broken)].join(" and ");
  return `on ${broken.length} of ${runs} streams the consumer breaks ${laws}, on which this law rests`;
}

/** Tries a law on the stream of one script. `replay` makes the failure the one that people read. */
function tryLaw(
  law: Law,
  { adapter, protocol, context, seed, runs }: Running,
  script: Script,
  replay = false,
): void {
  const { streams = 1, ended, gaps = true } = law;
  const wanted = {
    ...{
      operations: script.operations.filter(
        (operation) => gaps || scenarioOf(context, operation)?.member !== "gaps",
      ),
    },
    ended: ended ?? script.ended,
  };
  const written = writtenBy(context, wanted, streams);
  const builder = (): StreamBuilder => {
    const again = createStreamBuilder(context);
    again.resume(written, streams);
    return again;
  };
  const numbers = seededRandom(
    combineSeeds(...script.operations.map(({ seed }) => seed), script.operations.length),
  );
  const basic = law.basic ? undefined : brokenBasic(adapter, protocol, written);
  if (basic !== undefined) throw new Inconclusive(basic);
  const { trial, fed } = openTrial({
    ...{ adapter, protocol, model: context.maker.model, random: numbers, script: wanted, builder },
    events: written,
    shown: law.basic ? undefined : knownOf(adapter).shown,
  });
  try {
    law.check(trial);
  } catch (error) {
    if (!(error instanceof BrokenLaw) || !replay) throw error;
    throw new BrokenLaw(failureText(law, { protocol, seed, runs, events: fed(), what: error.message }));
  }
}

/** The streams of a script, judged before any consumer is. The last ones are remembered: all laws begin with the same. */
function writtenBy(context: GeneratorContext, script: Script, streams: number): readonly KitEvent[] {
  const key = JSON.stringify([streams, script]);
  const known = context.written.get(key);
  if (known) return known;
  const builder = buildStreams(context, script, streams);
  // Even an empty script has one event, which opens the stream.
  if (builder.events.length === 0) builder.begin(builder.cursor(0));
  const [breach] = findStreamErrors(context.maker.model, builder.events);
  if (breach)
    throw new Error(
      `The kit made a stream that breaks ${breach.rule}, which is no fault of the consumer: ${breach.message}`,
    );
  if (context.written.size >= MAX_WRITTEN) context.written.clear();
  context.written.set(key, builder.events);
  return builder.events;
}

const MAX_WRITTEN = 500;

/** The event types of which no event can be made. */
const missingTypes = remembered((context: GeneratorContext): readonly string[] => {
  const { maker } = context;
  const { model } = maker;
  const { sequence, first = 0 } = model.stream ?? {};
  const envelope = {
    ...createStreamBuilder(context).cursor(0).base,
    ...(sequence !== undefined && { [sequence]: first }),
  };
  return model.events
    .map(({ type }) => type)
    .filter((type) => maker.make({ type, envelope, wanted: {}, seed: 1 }) === undefined);
});
