/** Creates the streams on which laws are checked. */
import { combineSeeds } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { buildStreams } from "./build-streams.js";
import { coverExtremes, coverOmissions, coverTypes, type Sample, type StreamOptions } from "./coverage.js";
import { findStreamErrors } from "./find-stream-errors.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Law } from "./law.js";
import { findScenario, type GeneratorContext } from "./scenarios.js";
import { createRandomScript, type Script } from "./script.js";

/** Streams on which a law is checked, and the seed of the choices of the check. */
export interface NumberedSample extends Sample {
  readonly seed: number;
}

/** The inputs that determine the samples of a law. */
interface SampleSource {
  readonly protocol: KitProtocol;
  readonly context: GeneratorContext;
  readonly seed: number;
  readonly runs: number;
  /** True if only random streams are listed. */
  readonly isRandomOnly?: boolean;
}

/** Returns the streams for a law: those that cover the contract, then random ones. */
export function listSamples(law: Law, source: SampleSource): readonly NumberedSample[] {
  const { protocol, context, seed, runs } = source;
  const {
    streams = 1,
    allowsGaps = true,
    excludesTerminalEvents = false,
    needsOneRun = false,
    coveringOnly = false,
    covers = "types",
    makesStreams = false,
  } = law;
  if (makesStreams)
    return [
      {
        ...generateSample(context, { operations: [], endsStreams: false }, streams),
        seed: combineSeeds(seed, 0),
      },
    ];
  const randomRuns = coveringOnly ? 0 : runs;
  const random = Array.from({ length: needsOneRun ? 1 : randomRuns }, (_, run): NumberedSample => {
    const runSeed = combineSeeds(seed, run);
    const script = createRandomScript(runSeed);
    const operations = script.operations.filter(
      (operation) => allowsGaps || findScenario(context, operation)?.member !== "gaps",
    );
    const endsStreams = !excludesTerminalEvents && script.endsStreams;
    return { ...generateSample(context, { operations, endsStreams }, streams), seed: runSeed };
  });
  if (needsOneRun || source.isRandomOnly) return random;
  const options = { streams, allowsGaps, endsStreams: !excludesTerminalEvents };
  const coveringSamples = listCoveringSamples(protocol, context, options, covers);
  return [
    ...coveringSamples.map((sample, index) => ({ ...sample, seed: combineSeeds(seed, index, 5) })),
    ...random,
  ];
}

/** Returns samples with every event type; with `fields`, also without each optional field, and with extreme values. */
export function listCoveringSamples(
  protocol: KitProtocol,
  context: GeneratorContext,
  options: StreamOptions,
  covers: NonNullable<Law["covers"]>,
): readonly Sample[] {
  const all = coverTypes(context, options, "all");
  if (covers === "types") return all;
  return [
    ...all,
    ...coverTypes(context, options, "none"),
    ...coverOmissions(context, protocol, all),
    ...coverExtremes(context, protocol, all),
  ];
}

/** The number of samples that are remembered. */
const MAX_GENERATED = 500;

/**
 * Generates the streams of a script and checks them before a consumer receives them. Remembers the last ones, because all
 * laws begin with the same scripts.
 */
export function generateSample(context: GeneratorContext, script: Script, streams: number): Sample {
  const key = JSON.stringify([streams, script]);
  const knownEvents = context.generated.get(key);
  if (knownEvents) return { events: knownEvents, script, streams };
  const builder = buildStreams(context, script, streams);
  // Without operations, the stream has the event that opens it.
  if (builder.events.length === 0) builder.start(builder.getCursor(0));
  const [error] = findStreamErrors(context.maker.protocol, builder.events);
  if (error)
    throw new Error(
      `The kit generated a stream that breaks ${error.rule}. This is a bug of the kit, not of the consumer: ${error.message}`,
    );
  if (context.generated.size >= MAX_GENERATED) context.generated.clear();
  context.generated.set(key, builder.events);
  return { events: builder.events, script, streams };
}

/** Numbers events without gaps. Returns undefined if the contract does not allow the result. */
export function renumberEvents(
  { maker }: GeneratorContext,
  { allowsGaps = true }: Pick<Law, "allowsGaps">,
  events: readonly SampleEvent[],
): readonly SampleEvent[] | undefined {
  const { stream } = maker.protocol;
  const field = stream?.sequence;
  const isAllowed = (list: readonly SampleEvent[]): boolean =>
    list.length > 0 && findStreamErrors(maker.protocol, list).length === 0;
  if (field === undefined) return isAllowed(events) ? events : undefined;
  const nextNumbers = new Map<string, number>();
  const numberedEvents = events.map((event) => {
    const key = JSON.stringify(stream?.key.map((name) => event[name] ?? null));
    const number = nextNumbers.get(key) ?? stream?.first ?? 0;
    nextNumbers.set(key, number + 1);
    return { ...event, [field]: number };
  });
  if (isAllowed(numberedEvents)) return numberedEvents;
  return allowsGaps && isAllowed(events) ? events : undefined;
}
