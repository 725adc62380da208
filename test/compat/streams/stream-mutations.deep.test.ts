/** If this fails, a mutation of the stream rules breaks somebody without a finding. */
import { describe, expect, it } from "vitest";
import type { Direction } from "../../../generator/compat/change.js";
import {
  decideStreams,
  STREAM_TRIES,
  type StreamAnswer,
} from "../../../generator/compat/streams/decide-streams.js";
import { listDifferingMachines, makeSides } from "../../../generator/compat/streams/stream-sides.js";
import type { JsonObject } from "../../../generator/json.js";
import { buildStreams } from "../../../generator/kit/build-streams.js";
import { createGeneratorContext } from "../../../generator/kit/scenarios.js";
import { loadSchemas } from "../../../generator/load/load.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { createEventMaker } from "../../../generator/sample/event-maker.js";
import { mutateStreamRules } from "./stream-mutations.js";
import { areEventsValid, findFirstError } from "./stream-oracle.js";

/** Every twentieth mutation is decided. `ACCRETE_TEST_MUTATIONS=all` decides all of them. */
const STEP = process.env.ACCRETE_TEST_MUTATIONS === "all" ? 1 : 20;

/** The number of streams that the generator creates. */
const STREAMS = 40;

/** Creates streams of a contract with the generator of the kit. */
function createStreams(protocol: Protocol): (readonly JsonObject[])[] {
  const context = createGeneratorContext(
    createEventMaker(protocol, (event) => areEventsValid(protocol, "writer", [event])),
  );
  return Array.from({ length: STREAMS }, (_, number) => {
    const operations = Array.from({ length: 8 }, (_, index) => ({
      pick: number * 31 + index * 7,
      stream: 0,
      seed: number * 100 + index + 1,
      size: (number + index) % 3,
      isParallel: index % 3 === 2,
    }));
    return buildStreams(context, { operations, endsStreams: number % 2 === 0 }, 1).events;
  }).filter((events) => findFirstError(protocol, "writer", events) === undefined);
}

/**
 * The greatest budget that a decided question about up to 16 checkers may use, and that each further checker may add. The most
 * is 428,619, for the removal of all `redactions` of hecate/v1, of which each names many fields.
 */
const MAX_TRIES = 430_000;
const MAX_TRIES_OF_FURTHER = 6_250;

async function decide(before: Protocol, after: Protocol, direction: Direction): Promise<StreamAnswer> {
  const budget = { remainingTries: STREAM_TRIES };
  const sides = makeSides(before, after, direction);
  const answer = await decideStreams(sides, budget);
  const furtherCount = Math.max(0, listDifferingMachines(sides).length - 16);
  if (answer.verdict !== "undecided")
    expect(STREAM_TRIES - budget.remainingTries).toBeLessThan(
      MAX_TRIES + furtherCount * MAX_TRIES_OF_FURTHER,
    );
  return answer;
}

/** Returns why the witness of an answer is wrong according to the stream checkers; undefined if it is correct. */
function findAnswerError(
  before: Protocol,
  after: Protocol,
  direction: Direction,
  answer: StreamAnswer,
): string | undefined {
  if (answer.verdict !== "broken") return undefined;
  const [sender, receiver] = direction === "forward" ? [after, before] : [before, after];
  const profile = direction === "forward" ? "reader" : "writer";
  const { events } = answer.witness;
  if (!areEventsValid(sender, "writer", events) || !areEventsValid(receiver, profile, events))
    return "an event is invalid";
  if (findFirstError(sender, "writer", events) !== undefined) return "the sender may not send the stream";
  return findFirstError(receiver, profile, events) === undefined
    ? "the receiver allows the stream"
    : undefined;
}

const { protocols } = await loadSchemas("schemas", ["hecate/v1", "frames/v1", "frames/v2", "evva/v0"]);

describe.each(protocols)("mutations of the stream rules of $id", (protocol) => {
  const mutations = mutateStreamRules(protocol).filter((_, index) => index % STEP === 0);
  const streams = createStreams(protocol);
  const counts = { decided: 0, undecided: 0 };

  it("are enough, and so are the streams that test them", () => {
    expect(streams.length).toBeGreaterThan(STREAMS / 2);
    expect(mutations.length).toBeGreaterThan(3);
  });

  it.each(mutations)("$name", async ({ protocol: mutant }) => {
    const forward = await decide(protocol, mutant, "forward");
    const backward = await decide(protocol, mutant, "backward");
    const swapped = {
      forward: await decide(mutant, protocol, "forward"),
      backward: await decide(mutant, protocol, "backward"),
    };
    for (const answer of [forward, backward, swapped.forward, swapped.backward])
      counts[answer.verdict === "undecided" ? "undecided" : "decided"]++;
    expect(findAnswerError(protocol, mutant, "forward", forward)).toBeUndefined();
    expect(findAnswerError(protocol, mutant, "backward", backward)).toBeUndefined();
    expect(findAnswerError(mutant, protocol, "forward", swapped.forward)).toBeUndefined();
    expect(findAnswerError(mutant, protocol, "backward", swapped.backward)).toBeUndefined();
    // Writers may not send what readers refuse. So a forward break is a backward break of the opposite change.
    if (forward.verdict === "broken") expect(swapped.backward.verdict).not.toBe("contained");
    if (swapped.forward.verdict === "broken") expect(backward.verdict).not.toBe("contained");
    for (const events of streams) {
      if (backward.verdict === "contained") expect(findFirstError(mutant, "writer", events)).toBeUndefined();
      if (swapped.forward.verdict === "contained")
        expect(findFirstError(mutant, "reader", events)).toBeUndefined();
    }
  });

  // Undecided are most changes of the key of texts, which the machine of turns makes equal only in streams of many events.
  it("are decided in 98 of 100 questions", () => {
    expect(counts.decided / (counts.decided + counts.undecided)).toBeGreaterThanOrEqual(0.98);
  });
});
