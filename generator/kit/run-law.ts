/** Checks a law on generated streams, and reports the smallest stream that breaks it. */
import fc from "fast-check";
import { combineSeeds, seededRandom } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { counted } from "../text.js";
import type { Adapter } from "./adapter.js";
import { findBrokenBasicLaw, getObservations } from "./basic-laws.js";
import { buildStreams } from "./build-streams.js";
import { findStreamErrors } from "./find-stream-errors.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Law } from "./law.js";
import { BrokenLaw, Inconclusive } from "./observe.js";
import { findScenario, type GeneratorContext } from "./scenarios.js";
import { completeScript, type Script, scriptDrafts } from "./script.js";
import { createStreamBuilder, type StreamBuilder } from "./stream-builder.js";
import { openTrial } from "./trial.js";

/** The consumer and the streams on which laws are checked. */
interface LawRun {
  readonly adapter: Adapter;
  readonly protocol: KitProtocol;
  readonly context: GeneratorContext;
  readonly seed: number;
  readonly runs: number;
}

/** The number of smaller streams that are tried after a law is broken. */
const MAX_SHRINKS = 150;

/** The largest number of random operations of a stream. */
const MAX_OPERATIONS = 8;

/** Throws if the consumer breaks the law. Returns a reason if the law cannot be checked on some stream. */
export function runLaw(law: Law, lawRun: LawRun): string | undefined {
  const { context, seed, runs } = lawRun;
  const brokenOthers: string[] = [];
  const types = [...context.coverageOrder.keys()];
  let shrinks = 0;
  let run = -1;
  let broken = false;
  const property = fc.property(scriptDrafts(MAX_OPERATIONS), (draft) => {
    if (broken && ++shrinks > MAX_SHRINKS) return;
    if (!broken) run++;
    try {
      tryLaw(law, lawRun, completeScript(draft, types, seed * runs + run));
    } catch (error) {
      if (error instanceof Inconclusive) return void brokenOthers.push(error.law);
      broken = true;
      throw error;
    }
  });
  const numRuns = law.once ? 1 : runs;
  const result = fc.check(property, { seed, numRuns });
  if (result.failed) {
    const [draft] = result.counterexample ?? [];
    if (draft !== undefined) tryLaw(law, lawRun, completeScript(draft, types, seed * runs + run), true);
    throw result.errorInstance ?? new Error(`The law ${law.id} failed, but not when it was tried again.`);
  }
  if (brokenOthers.length === 0) return undefined;
  const laws = [...new Set(brokenOthers)].join(" and ");
  return `on ${brokenOthers.length} of ${numRuns} streams the consumer breaks ${laws}, on which this law depends`;
}

/** Checks a law on the stream of one script. With `report`, a failure has the text for users. */
function tryLaw(law: Law, lawRun: LawRun, script: Script, report = false): void {
  const { adapter, protocol, context } = lawRun;
  const { streams = 1, gaps = true, ended = script.ended, basic = false } = law;
  const operations = script.operations.filter(
    (operation) => gaps || findScenario(context, operation)?.member !== "gaps",
  );
  const lawScript = { operations, ended };
  const events = generateStreams(context, lawScript, streams);
  const broken = basic ? undefined : findBrokenBasicLaw(adapter, protocol, events);
  if (broken !== undefined) throw new Inconclusive(broken);
  const seeds = script.operations.map(({ seed }) => seed);
  const { trial, fixture } = openTrial({
    adapter,
    protocol,
    maker: context.maker,
    script: lawScript,
    events,
    random: seededRandom(combineSeeds(...seeds, seeds.length)),
    views: basic ? undefined : getObservations(adapter).views,
    builder(): StreamBuilder {
      const builder = createStreamBuilder(context);
      builder.resume(events, streams);
      return builder;
    },
  });
  try {
    law.check(trial);
  } catch (error) {
    if (!(error instanceof BrokenLaw) || !report) throw error;
    throw new BrokenLaw(describeFailure(law, lawRun, fixture(), error.message));
  }
}

const MAX_GENERATED = 500;

/**
 * Generates the streams of a script and checks them before a consumer receives them. Remembers the last ones, because all
 * laws begin with the same scripts.
 */
function generateStreams(context: GeneratorContext, script: Script, streams: number): readonly SampleEvent[] {
  const key = JSON.stringify([streams, script]);
  const known = context.generated.get(key);
  if (known) return known;
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
  return builder.events;
}

/** The longest line of a fixture that is printed in full. */
const MAX_LINE = 20_000;

/** Describes the law, the failure, the smallest stream that shows it, and how to repeat the run. */
function describeFailure(
  { id, law }: Law,
  { protocol, seed, runs }: LawRun,
  events: readonly object[],
  message: string,
): string {
  const lines = events.map((event) => {
    const line = JSON.stringify(event);
    return line.length > MAX_LINE ? `${line.slice(0, 200)} … (${line.length} characters)` : line;
  });
  return `${id}: ${law}
${message}.

The smallest stream that shows it (${protocol.id}, ${counted(events.length, "event")}), as a fixture:

${lines.join("\n")}

Seed ${seed}, ${runs} runs. To repeat it, set { seed: ${seed}, runs: ${runs} } and run the one test:
  npx vitest run -t "${id}"    npx jest -t "${id}"    node --test --test-name-pattern="${id}"`;
}
