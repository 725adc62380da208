/** If this fails, a mutation of the stream rules breaks somebody without a finding. */
import { describe, expect, it } from "vitest";
import type { Direction } from "../../../generator/compat/change.js";
import {
  decideStreams,
  STREAM_TRIES,
  type StreamAnswer,
} from "../../../generator/compat/streams/decide-streams.js";
import { makeSides } from "../../../generator/compat/streams/stream-sides.js";
import type { JsonObject } from "../../../generator/json.js";
import { buildStreams } from "../../../generator/kit/build-streams.js";
import { createGeneratorContext } from "../../../generator/kit/scenarios.js";
import { loadSchemas } from "../../../generator/load/load.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { createEventMaker } from "../../../generator/sample/event-maker.js";
import { mutateStreamRules } from "./stream-mutations.js";
import { areEventsValid, findFirstError } from "./stream-oracle.js";

const SCRIPTS = 40;

/** Creates streams of a contract with the generator of the kit. */
function createStreams(protocol: Protocol): (readonly JsonObject[])[] {
  const context = createGeneratorContext(
    createEventMaker(protocol, (event) => areEventsValid(protocol, "writer", [event])),
  );
  return Array.from({ length: SCRIPTS }, (_, script) => {
    const operations = Array.from({ length: 8 }, (_, index) => ({
      pick: script * 31 + index * 7,
      stream: 0,
      seed: script * 100 + index + 1,
      size: (script + index) % 3,
      together: index % 3 === 2,
    }));
    return buildStreams(context, { operations, endsStreams: script % 2 === 0 }, 1).events;
  }).filter((events) => findFirstError(protocol, "writer", events) === undefined);
}

/** The greatest number of streams that one question may try. With all rules of a protocol in each search, it was 120,863. */
const MAX_TRIES = 20_000;

async function decide(before: Protocol, after: Protocol, direction: Direction): Promise<StreamAnswer> {
  const budget = { left: STREAM_TRIES };
  const answer = await decideStreams(makeSides(before, after, direction), budget);
  expect(STREAM_TRIES - budget.left).toBeLessThan(MAX_TRIES);
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
  const [small, large] = direction === "forward" ? [after, before] : [before, after];
  const profile = direction === "forward" ? "reader" : "writer";
  const { events } = answer.witness;
  if (!areEventsValid(small, "writer", events) || !areEventsValid(large, profile, events))
    return "an event is invalid";
  if (findFirstError(small, "writer", events) !== undefined) return "the smaller side refuses the stream";
  return findFirstError(large, profile, events) === undefined
    ? "the larger side allows the stream"
    : undefined;
}

const { protocols } = await loadSchemas("schemas", ["hecate/v1", "frames/v1", "frames/v2", "evva/v0"]);

describe.each(protocols)("mutations of the stream rules of $id", (protocol) => {
  const mutations = mutateStreamRules(protocol);
  const streams = createStreams(protocol);
  const decided = { yes: 0, no: 0 };

  it("has streams and mutations to look at", () => {
    expect(streams.length).toBeGreaterThan(SCRIPTS / 2);
    expect(mutations.length).toBeGreaterThan(3);
  });

  it.each(mutations)("$name", async ({ protocol: mutant }) => {
    const [forward, backward] = [
      await decide(protocol, mutant, "forward"),
      await decide(protocol, mutant, "backward"),
    ];
    const swapped = {
      forward: await decide(mutant, protocol, "forward"),
      backward: await decide(mutant, protocol, "backward"),
    };
    for (const answer of [forward, backward, swapped.forward, swapped.backward])
      decided[answer.verdict === "undecided" ? "no" : "yes"]++;
    expect(findAnswerError(protocol, mutant, "forward", forward)).toBeUndefined();
    expect(findAnswerError(protocol, mutant, "backward", backward)).toBeUndefined();
    expect(findAnswerError(mutant, protocol, "forward", swapped.forward)).toBeUndefined();
    expect(findAnswerError(mutant, protocol, "backward", swapped.backward)).toBeUndefined();
    // What readers refuse, writers may not send: a break forward is one backward of the opposite change.
    if (forward.verdict === "broken") expect(swapped.backward.verdict).not.toBe("contained");
    if (swapped.forward.verdict === "broken") expect(backward.verdict).not.toBe("contained");
    for (const events of streams) {
      if (backward.verdict === "contained") expect(findFirstError(mutant, "writer", events)).toBeUndefined();
      if (swapped.forward.verdict === "contained")
        expect(findFirstError(mutant, "reader", events)).toBeUndefined();
    }
  });

  it("decides 99 of 100", () => {
    expect(decided.yes / (decided.yes + decided.no)).toBeGreaterThanOrEqual(0.99);
  });
});
