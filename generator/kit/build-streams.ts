/**
 * Builds streams from scripts. The writer validators and the stream checker check every event, and events that they
 * refuse are left out. The same script gives the same streams.
 */
import { combineSeeds, createRandom } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { findScenario, type GeneratorContext } from "./scenarios.js";
import type { Operation, Script } from "./script.js";
import { createStreamBuilder, type StreamBuilder } from "./stream-builder.js";

/** Builds the streams of `script`: at most `streams` of them, interleaved. */
export function buildStreams(context: GeneratorContext, script: Script, streams: number): StreamBuilder {
  const builder = createStreamBuilder(context);
  for (const group of groupOperations(script.operations)) {
    const queues = group.map((operation) => ({
      cursor: builder.getCursor(operation.stream % streams),
      seed: operation.seed,
      fieldChance: operation.fieldChance,
      proposals: listProposals(context, builder, operation),
    }));
    const rounds = Math.max(...queues.map(({ proposals }) => proposals.length));
    for (let round = 0; round < rounds; round++)
      for (const { cursor, seed, fieldChance, proposals } of queues) {
        const proposal = proposals[round];
        // Seed 0 gives the simplest values.
        if (proposal) builder.send(cursor, proposal, seed === 0 ? 0 : combineSeeds(seed, round), fieldChance);
      }
  }
  if (script.endsStreams) endStreams(context, builder, script, streams);
  return builder;
}

/** Groups the operations that run at the same time, at most three. */
function groupOperations(operations: readonly Operation[]): Operation[][] {
  const groups: Operation[][] = [];
  for (const operation of operations) {
    const last = groups.at(-1);
    if (last && operation.isParallel && last.length < 3) last.push(operation);
    else groups.push([operation]);
  }
  return groups;
}

/** Returns the events that the scenario of an operation proposes. */
function listProposals(context: GeneratorContext, builder: StreamBuilder, operation: Operation) {
  const { pick, seed, size } = operation;
  const proposals = findScenario(context, operation)?.propose({
    random: createRandom(seed),
    size,
    requiredType: typeof pick === "string" ? pick : undefined,
    createUniqueValue: (type, field) => builder.makeUnusedValue(type, field, seed),
  });
  return [...(proposals ?? [])];
}

/** Sends each started stream one of the terminal events. */
function endStreams(
  { maker }: GeneratorContext,
  builder: StreamBuilder,
  { operations }: Script,
  streams: number,
): void {
  const types = maker.protocol.stream?.rules?.terminal?.types ?? [];
  for (let index = 0; index < streams; index++) {
    const type = types[(operations.length + index) % types.length];
    const cursor = builder.getCursor(index);
    if (cursor.isStarted && type !== undefined) builder.send(cursor, { type, fixedFields: {} }, 0);
  }
}

/** The number of times that each event type is tried. A type that is not allowed at first may be allowed later. */
const ROUNDS = 2;

/**
 * Generates streams with every event type of a contract at least once, as far as its rules allow that. There is one
 * stream for each terminal event.
 */
export const generateCoverage = memoizeByObject((context: GeneratorContext): readonly SampleEvent[] => {
  const { terminal } = context.maker.protocol.stream?.rules ?? {};
  const streams = Math.max(2, terminal?.types.length ?? 0);
  const types = Array.from({ length: ROUNDS }, () => [...context.coverageOrder.keys()]).flat();
  const operations = types.map(
    (pick, index): Operation => ({
      pick,
      stream: index % streams,
      seed: combineSeeds(index, 11),
      size: 1,
      isParallel: false,
    }),
  );
  return buildStreams(context, { operations, endsStreams: true }, streams).events;
});
