/** Finds the events and streams of writers of one contract that a version of a reader refuses. */
import { createReaderCheck, type ReaderCheck } from "../compat/proof/reader-check.js";
import type { ContainmentCache } from "../compat/proof/readings.js";
import { decideStreams, STREAM_TRIES } from "../compat/streams/decide-streams.js";
import { FRAME_MEMBERS, findFrameWitness } from "../compat/streams/stream-frame.js";
import { isValidEvent, makeSides } from "../compat/streams/stream-sides.js";
import { areEqual, type Json, type JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { certifyPlan } from "../upcast/certify-plan.js";
import { findStreamFaults } from "../upcast/check-stream-plan.js";
import { planUpcast } from "../upcast/plan-upcast.js";
import { upcastEvent } from "../upcast/upcast-event.js";
import { completeStream, type RefusalTest } from "./complete-stream.js";

/** Events that a reader refuses, or of which it is not proven that the reader accepts them. */
export type RefusedEvents =
  | {
      readonly kind: "event";
      /** The event type. */
      readonly name: string;
      readonly event: JsonObject;
      /** Returns a stream with such an event, which writers may send; undefined if none was found. */
      readonly findStream: () => readonly JsonObject[] | undefined;
    }
  | {
      readonly kind: "stream";
      /** The stream rule of the reader that refuses the stream. */
      readonly name: string;
      readonly events: readonly JsonObject[];
    }
  | {
      readonly kind: "unproven";
      /** The event type; "streams" for all of them. */
      readonly name: string;
      readonly reason: string;
    };

/** The contracts of a writer and a reader, and how the reader reads. */
interface ReadingQuestion {
  readonly writer: Protocol;
  readonly reader: Protocol;
  readonly isStrict: boolean;
  /** True if the reader carries the events over to its contract before it reads them. */
  readonly isCarriedOver: boolean;
}

/** Returns the events that the reader refuses; none if it accepts all events and all streams. */
type FindRefusedEvents = (question: ReadingQuestion) => Promise<RefusedEvents[]>;

/** Creates a function that asks each question about schemas once. After the time limit of `cache`, nothing is proven. */
export function createRefusalSearch(cache: ContainmentCache): FindRefusedEvents {
  const findRefusedTypes = createReaderCheck(cache);
  return (question) =>
    question.isCarriedOver
      ? findRefusedResults(question, cache)
      : findRefusedOriginals(question, findRefusedTypes);
}

async function findRefusedOriginals(
  question: ReadingQuestion,
  findRefusedTypes: ReaderCheck,
): Promise<RefusedEvents[]> {
  const { writer, reader, isStrict } = question;
  const profile = isStrict ? "writer" : "reader";
  const refusedTypes = await findRefusedTypes(writer, reader, profile);
  // A stream with a refused event is refused, whatever the rules say.
  if (refusedTypes.length === 0) return findRefusedStreams(question);
  const isRefused: RefusalTest = (event) => !isValidEvent(reader, profile, event);
  return refusedTypes.map(({ type, answer }) =>
    answer.verdict === "not-contained"
      ? createRefusedEvent(writer, type, answer.witness as JsonObject, isRefused)
      : { kind: "unproven", name: type, reason: answer.reason },
  );
}

/** Returns the events whose results the reader refuses, after it carried them over. Stream rules are not compared. */
async function findRefusedResults(
  { writer, reader, isStrict }: ReadingQuestion,
  cache: ContainmentCache,
): Promise<RefusedEvents[]> {
  const profile = isStrict ? "writer" : "reader";
  const plan = planUpcast(writer, reader);
  const steps = plan.steps.map(({ step }) => step);
  const question = { from: writer, to: reader, steps };
  const { discriminator } = writer.envelope;
  const isRefused: RefusalTest = (event, streamTypes) => {
    const result = upcastEvent(event, steps, {
      type: String(event[discriminator]),
      streamTypes,
      discriminator,
    });
    return result.kind === "failed" || !isValidEvent(reader, profile, result.event);
  };
  const certificates = await certifyPlan(question, profile, cache);
  return [
    ...certificates.flatMap((certificate): RefusedEvents[] => {
      const { type: name, kind } = certificate;
      if (kind === "proven" || kind === "tested") return [];
      if (kind === "impossible") return [createRefusedEvent(writer, name, certificate.event, isRefused)];
      return [{ kind: "unproven", name, reason: certificate.reason }];
    }),
    ...plan.gaps.map(({ type, place, statement, reason }) => ({
      kind: "unproven" as const,
      name: type,
      reason: `${statement} at ${place} is not carried out: ${reason}`,
    })),
    ...findStreamFaults(question).map((reason) => ({ kind: "unproven" as const, name: "streams", reason })),
  ];
}

function createRefusedEvent(
  writer: Protocol,
  name: string,
  event: JsonObject,
  isRefused: RefusalTest,
): RefusedEvents {
  return { kind: "event", name, event, findStream: () => completeStream(writer, event, isRefused) };
}

/** Returns a stream of the writer that the rules of the reader refuse. */
async function findRefusedStreams({ writer, reader }: ReadingQuestion): Promise<RefusedEvents[]> {
  if (writer === reader || reader.stream === undefined) return [];
  if (
    listFrame(reader).some(
      (value, index) => value !== null && !areEqual(value, listFrame(writer)[index] ?? null),
    )
  ) {
    const witness = findFrameWitness(reader, writer);
    if (witness?.direction === "forward")
      return [{ kind: "stream", name: witness.rule, events: witness.events }];
    return [{ kind: "unproven", name: "streams", reason: "they have other keys, numbers, ids or times" }];
  }
  const budget = { remainingTries: STREAM_TRIES };
  const answer = await decideStreams(makeSides(reader, writer, "forward"), budget);
  if (answer.verdict === "contained") return [];
  if (answer.verdict === "undecided") return [{ kind: "unproven", name: "streams", reason: answer.reason }];
  return [{ kind: "stream", name: answer.witness.rule, events: answer.witness.events }];
}

/** Returns how a contract orders and identifies events; null for what it does not state, and for the default of `idScope`. */
function listFrame({ stream }: Protocol): Json[] {
  return FRAME_MEMBERS.map((member): Json => {
    const value = stream?.[member] ?? null;
    return member === "idScope" && value === "stream" ? null : value;
  });
}
