/** If this fails, a listed change of stream rules gets another verdict. */
import { describe, expect, it } from "vitest";
import type { Direction } from "../../../generator/compat/change.js";
import {
  decideStreams,
  STREAM_TRIES,
  type StreamAnswer,
} from "../../../generator/compat/streams/decide-streams.js";
import { makeSides } from "../../../generator/compat/streams/stream-sides.js";
import { loadSchemas } from "../../../generator/load/load.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { chooseCases } from "../../depth.js";
import { copyStreamRules, replaceStreamRules } from "./stream-mutations.js";
import { areEventsValid, findFirstError } from "./stream-oracle.js";
import { type Expected, STREAM_TABLE, type StreamRow } from "./stream-table.js";

const protocols = new Map(
  (await loadSchemas("schemas", ["hecate/v1", "frames/v2", "evva/v0"])).protocols.map((each) => [
    each.id,
    each,
  ]),
);

/** Returns the contract of a row before and after the change. */
function applyChange({ protocol, edit, adds = {} }: StreamRow): readonly [Protocol, Protocol] {
  const before = protocols.get(protocol);
  if (!before) throw new Error(`${protocol} is missing`);
  const rules = copyStreamRules(before);
  edit(rules);
  const more = Object.entries(adds).flatMap(([type, like]) =>
    before.events.filter((event) => event.type === like).map((event) => ({ ...event, type })),
  );
  const events = [...before.events, ...more].sort((a, b) => (a.type < b.type ? -1 : 1));
  return [before, replaceStreamRules({ ...before, ...(more.length > 0 && { events }) }, rules)];
}

async function decide(before: Protocol, after: Protocol, direction: Direction): Promise<StreamAnswer> {
  const answer = await decideStreams(makeSides(before, after, direction), { remainingTries: STREAM_TRIES });
  if (answer.verdict === "broken") expectWitness(before, after, direction, answer.witness.events);
  return answer;
}

/** Asserts that the sender may send the witness, the receiver refuses it, and both accept each of its events alone. */
function expectWitness(
  before: Protocol,
  after: Protocol,
  direction: Direction,
  events: readonly object[],
): void {
  const [sender, receiver] = direction === "forward" ? [after, before] : [before, after];
  const profile = direction === "forward" ? "reader" : "writer";
  const stream = events as Parameters<typeof findFirstError>[2];
  expect(areEventsValid(sender, "writer", stream) && areEventsValid(receiver, profile, stream)).toBe(true);
  expect(findFirstError(sender, "writer", stream)).toBeUndefined();
  expect(findFirstError(receiver, profile, stream)).toBeDefined();
}

/** Returns the rule and the length of the witness; undefined if the inclusion holds; the reason if it is undecided. */
function summarize(answer: StreamAnswer): Expected {
  if (answer.verdict === "contained") return undefined;
  return answer.verdict === "broken" ? [answer.witness.rule, answer.witness.events.length] : answer.reason;
}

describe("a change of a stream rule breaks the inclusions that the table lists", () => {
  it.each(chooseCases(STREAM_TABLE, 8, 4))("$protocol $change", async (row) => {
    const [before, after] = applyChange(row);
    expect({
      forward: summarize(await decide(before, after, "forward")),
      backward: summarize(await decide(before, after, "backward")),
      swapped: {
        forward: summarize(await decide(after, before, "forward")),
        backward: summarize(await decide(after, before, "backward")),
      },
    }).toEqual({
      forward: row.forward,
      backward: row.backward,
      swapped: { forward: row.swapped?.forward, backward: row.swapped?.backward },
    });
  });
});
