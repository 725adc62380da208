/** Judges answers about stream contracts by brute force: random short streams run through the checkers of both sides. */
import type { Direction } from "../../generator/compat/change.js";
import { decideStreams, STREAM_TRIES } from "../../generator/compat/streams/decide-streams.js";
import { makeSides } from "../../generator/compat/streams/stream-sides.js";
import { createStreamChecker } from "../../generator/conform/stream-checker.js";
import type { Json, JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createRandom, type Random } from "../../generator/random.js";
import type { Profile } from "../../generator/schema/readings.js";
import { createTracker } from "../../generator/stream/tracker.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { type FieldKind, listFieldKinds, TYPES } from "./contracts.js";

/** The judgement of one answer. */
export type Judgement =
  | { readonly kind: "right"; readonly verdict: "contained" | "broken" }
  | { readonly kind: "undecided"; readonly reason: string }
  | {
      readonly kind: "wrong";
      readonly verdict: string;
      readonly events: readonly JsonObject[];
      readonly why: string;
    };

/** A question: whether a change of stream rules affects somebody in one direction. */
export interface Question {
  readonly before: Protocol;
  readonly after: Protocol;
  readonly direction: Direction;
  readonly kinds: readonly [FieldKind, FieldKind];
  readonly seed: number;
}

/** The number of streams that are tried for each length. */
const STREAMS_BY_LENGTH: readonly (readonly [length: number, count: number])[] = [
  [1, 150],
  [2, 700],
  [3, 1000],
  [4, 700],
  [5, 300],
];

/** Decides a question with the product and judges the answer. */
export async function judgeQuestion(question: Question): Promise<Judgement> {
  const { before, after, direction } = question;
  const answer = await decideStreams(makeSides(before, after, direction), { remainingTries: STREAM_TRIES });
  const [sender, receiver] = direction === "forward" ? [after, before] : [before, after];
  const profile = direction === "forward" ? "reader" : "writer";
  const isRefuted = (events: readonly JsonObject[]): boolean =>
    findFirstError(sender, "writer", events) === undefined &&
    findFirstError(receiver, profile, events) !== undefined;
  if (answer.verdict === "broken") {
    const { events } = answer.witness;
    const isReal = areValid(sender, events) && areValid(receiver, events) && isRefuted(events);
    return isReal
      ? { kind: "right", verdict: "broken" }
      : { kind: "wrong", verdict: "broken", events, why: "the stream does not show it" };
  }
  if (answer.verdict === "undecided") return { kind: "undecided", reason: answer.reason };
  const refuted = findStream(question, sender, isRefuted);
  return refuted === undefined
    ? { kind: "right", verdict: "contained" }
    : { kind: "wrong", verdict: "contained", events: refuted, why: "a stream breaks" };
}

/** Returns a stream for which `isWanted` is true. */
function findStream(
  { before, after, kinds, seed }: Question,
  sender: Protocol,
  isWanted: (events: readonly JsonObject[]) => boolean,
): readonly JsonObject[] | undefined {
  const random = createRandom(seed);
  const text = JSON.stringify([before.stream?.rules ?? {}, after.stream?.rules ?? {}]);
  const { payload, envelope } = listFieldKinds(...kinds);
  const isNamed = ([name]: readonly [string, FieldKind]): boolean =>
    text.includes(`"${name}"`) || text.includes(`{${name}}`);
  const fields = Object.entries(payload).filter(isNamed);
  const envelopeFields = Object.entries(envelope).filter(isNamed);
  const isNumbered = sender.stream?.sequence !== undefined;
  const makeEvent = (sequence: number, bias: Random): JsonObject => {
    const pick = (chosen: readonly (readonly [string, FieldKind])[], absence: number): JsonObject =>
      Object.fromEntries(
        chosen.flatMap(([name, { values }]): [string, Json][] =>
          random.chance(absence)
            ? []
            : [[name, bias.chance(0.5) ? (values[0] ?? null) : random.pick(values)]],
        ),
      );
    return {
      type: random.pick(TYPES),
      id: random.chance(0.9) ? "x" : "s",
      ...(isNumbered && { seq: sequence }),
      ...pick(envelopeFields, 0.3),
      data: pick(fields, 0.2),
    };
  };
  for (const [length, count] of STREAMS_BY_LENGTH)
    for (let index = 0; index < count; index++) {
      const next = new Map<string, number>();
      const events = Array.from({ length }, () => {
        const event = makeEvent(0, random);
        const id = String(event.id);
        // A few numbers are left out.
        const sequence = (next.get(id) ?? 0) + (random.chance(0.1) ? 1 : 0);
        next.set(id, sequence + 1);
        return isNumbered ? { ...event, seq: sequence } : event;
      });
      if (isWanted(events)) return events;
    }
  return undefined;
}

const validators = new WeakMap<readonly object[], ReturnType<typeof createValidators>>();

function areValid(protocol: Protocol, events: readonly JsonObject[]): boolean {
  const known = validators.get(protocol.events) ?? createValidators(protocol);
  validators.set(protocol.events, known);
  return events.every((event) => known.decodeEvent(event, { profile: "writer" }).kind === "known");
}

/** Returns the rule of the first error in a complete stream. */
function findFirstError(
  protocol: Protocol,
  profile: Profile,
  events: readonly JsonObject[],
): string | undefined {
  const checker = createStreamChecker(protocol, { profile });
  const tracker = createTracker(protocol.stream);
  for (const [index, event] of events.entries()) {
    const error = checker
      .check(event, tracker.place(event), index)
      .find(({ severity }) => severity === "error");
    if (error) return error.rule;
  }
  return checker.end().find(({ severity }) => severity === "error")?.rule;
}
