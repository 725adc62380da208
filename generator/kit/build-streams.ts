/**
 * Streams out of scripts. Every event is taken by the validators of writers and by the stream checker before it counts:
 * what they refuse is left out, so the rules of a protocol need no code here. Same script, same streams.
 */
import type { Json } from "../json.js";
import { combineSeeds, seededRandom } from "../random.js";
import type { KitEvent } from "../sample/event-maker.js";
import { remembered } from "../sample/remembered.js";
import { type GeneratorContext, scenarioOf } from "./scenarios.js";
import type { Operation, Script } from "./script.js";
import { createStreamBuilder, type StreamBuilder } from "./stream-builder.js";

/** The streams of `script`: at most `streams` of them, interleaved. */
export function buildStreams(context: GeneratorContext, script: Script, streams: number): StreamBuilder {
  const builder = createStreamBuilder(context);
  const { maker } = context;
  for (const group of grouped(script.operations)) {
    const queues = group.map((operation) => {
      const cursor = builder.cursor(operation.stream % streams);
      const numbers = seededRandom(operation.seed);
      const fresh = (type: string, field: string): Json => builder.fresh(type, field, operation.seed);
      const { pick, size } = operation;
      const must = typeof pick === "string" ? pick : undefined;
      const scenario = scenarioOf(context, operation);
      const proposals = scenario?.propose({ random: numbers, size, must, fresh }) ?? [];
      return { cursor, operation, proposals: [...proposals] };
    });
    for (let round = 0; queues.some(({ proposals }) => round < proposals.length); round++)
      for (const { cursor, operation, proposals } of queues) {
        const proposal = proposals[round];
        if (proposal)
          builder.send(cursor, proposal, operation.seed === 0 ? 0 : combineSeeds(operation.seed, round));
      }
  }
  const ends = maker.model.stream?.rules?.terminal?.types ?? [];
  const [end] = ends;
  if (script.ended && end !== undefined)
    for (let index = 0; index < streams; index++) {
      const cursor = builder.cursor(index);
      if (cursor.begun)
        builder.send(
          cursor,
          { type: ends[(script.operations.length + index) % ends.length] ?? end, wanted: {} },
          0,
        );
    }
  return builder;
}

/** Operations that go on at the same time. */
function grouped(operations: readonly Operation[]): Operation[][] {
  const groups: Operation[][] = [];
  for (const operation of operations) {
    const last = groups.at(-1);
    if (last && operation.together && last.length < 3) last.push(operation);
    else groups.push([operation]);
  }
  return groups;
}

/** How often each event type is tried: one that does not fit at first may fit later. */
const ROUNDS = 2;

/** Streams that tell of every event type of a contract at least once, as far as its rules let them: one for each way to end. */
export const generateCoverage = remembered((context: GeneratorContext): readonly KitEvent[] => {
  const { terminal } = context.maker.model.stream?.rules ?? {};
  const streams = Math.max(2, terminal?.types.length ?? 0);
  const types = Array.from({ length: ROUNDS }, () => [...context.coverageOrder.keys()]).flat();
  const operations = types.map(
    (pick, index): Operation => ({
      ...{ pick, stream: index % streams, seed: combineSeeds(index, 11), size: 1, together: false },
    }),
  );
  return buildStreams(context, { operations, ended: true }, streams).events;
});
