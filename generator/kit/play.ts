/**
 * Streams out of scripts. Every event is taken by the validators of writers and by the stream checker before it counts:
 * what they refuse is left out, so the rules of a protocol need no code here. Same script, same streams.
 */
import type { Json } from "../json.js";
import { combineSeeds, seededRandom } from "../random.js";
import { openPlayer, type Player } from "./player.js";
import type { Operation, Script } from "./script.js";
import { happeningOf, type Stage } from "./stage.js";

/** The streams of `script`: at most `streams` of them, interleaved. */
export function play(stage: Stage, script: Script, streams: number): Player {
  const player = openPlayer(stage);
  const { maker } = stage;
  for (const group of grouped(script.operations)) {
    const queues = group.map((operation) => {
      const line = player.line(operation.stream % streams);
      const numbers = seededRandom(operation.seed);
      const fresh = (type: string, field: string): Json => player.fresh(type, field, operation.seed);
      const { pick, size } = operation;
      const must = typeof pick === "string" ? pick : undefined;
      const happening = happeningOf(stage, operation);
      const proposals = happening?.propose({ random: numbers, size, must, fresh }) ?? [];
      return { line, operation, proposals: [...proposals] };
    });
    for (let round = 0; queues.some(({ proposals }) => round < proposals.length); round++)
      for (const { line, operation, proposals } of queues) {
        const proposal = proposals[round];
        if (proposal)
          player.send(line, proposal, operation.seed === 0 ? 0 : combineSeeds(operation.seed, round));
      }
  }
  const ends = maker.model.stream?.rules?.terminal?.types ?? [];
  const [end] = ends;
  if (script.ended && end !== undefined)
    for (let index = 0; index < streams; index++) {
      const line = player.line(index);
      if (line.begun)
        player.send(
          line,
          { type: ends[(script.operations.length + index) % ends.length] ?? end, wanted: {} },
          0,
        );
    }
  return player;
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
