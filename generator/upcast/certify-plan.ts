/**
 * Proves that a plan carries every event over that writers of the earlier version may send, to an event that readers of
 * the later version accept. The condition of these readers is pulled back through the steps, last step first, and the
 * containment engine compares the result with what the writers may send.
 */
import {
  type ContainmentCache,
  createContainmentCache,
  createMessageSchema,
  createUnknownMessageSchema,
} from "../compat/proof/readings.js";
import type { Json, JsonObject } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import type { Schema } from "../schema/json-schema.js";
import type { Profile } from "../schema/readings.js";
import { makeAjv } from "../validators/ajv.js";
import { applyStepToShape, type Definitions, describeShape, type Shape } from "./event-shape.js";
import { pullBackStep } from "./pull-back.js";
import { InexpressibleCondition } from "./pull-back-values.js";
import { type EventContext, findNewType, selectSteps, upcastEvent } from "./upcast-event.js";

/** Two versions, and the steps from the one to the other. */
export interface UpcastQuestion {
  readonly from: Protocol;
  readonly to: Protocol;
  readonly steps: readonly UpcastStep[];
}

/** An event that a plan cannot carry over. */
export interface UpcastCounterexample {
  readonly kind: "impossible";
  readonly event: JsonObject;
  /** The result that the later version refuses; absent if a step fails. */
  readonly image?: JsonObject;
  readonly reason: string;
  /** The other event types of the stream on which the result depends. */
  readonly streamTypes: readonly string[];
}

/** The answer for the events of one type. */
export type TypeCertificate = { readonly type: string; readonly newType: string } & (
  | { readonly kind: "proven" }
  | UpcastCounterexample
  | { readonly kind: "undecided"; readonly reason: string }
);

/** The greatest number of conditions on streams, of which all combinations are tried. */
const MAX_STREAM_CONDITIONS = 5;

/**
 * Returns one answer for each event type of the earlier version. With the profile `writer`, the results must be events
 * that writers of the later version may send.
 */
export async function certifyPlan(
  question: UpcastQuestion,
  profile: Profile = "reader",
): Promise<TypeCertificate[]> {
  const cache = createContainmentCache();
  const certificates: TypeCertificate[] = [];
  for (const event of question.from.events)
    certificates.push(await certifyType(question, event, profile, cache));
  return certificates;
}

type Answer =
  | { readonly kind: "proven" }
  | UpcastCounterexample
  | { readonly kind: "undecided"; readonly reason: string };

async function certifyType(
  question: UpcastQuestion,
  event: EventType,
  profile: Profile,
  cache: ContainmentCache,
): Promise<TypeCertificate> {
  const { steps, from } = question;
  const names = { type: event.type, newType: findNewType(event.type, steps) };
  const contexts = listContexts(event.type, from, steps);
  if (contexts === undefined)
    return { ...names, kind: "undecided", reason: "the steps depend on too many event types of the stream" };
  let result: Answer = { kind: "proven" };
  for (const context of contexts) {
    const answer = await certifyInContext(question, event, { profile, cache, context });
    if (answer.kind === "impossible") return { ...names, ...answer };
    if (answer.kind === "undecided") result = answer;
  }
  return { ...names, ...result };
}

/** Returns the contexts that the conditions of the steps on streams can tell apart; undefined if there are too many. */
function listContexts(
  type: string,
  { events, envelope: { discriminator } }: Protocol,
  steps: readonly UpcastStep[],
): EventContext[] | undefined {
  const applicableSteps = steps.filter(({ types }) => types === undefined || matchesType(types, type));
  return listStreamChoices(applicableSteps, events)?.map((choice) => ({
    type,
    discriminator,
    streamTypes: new Set([type, ...choice]),
  }));
}

/**
 * Returns sets of event types of streams. Every combination of the conditions of the steps on streams holds for one of them.
 * Undefined if there are too many.
 */
export function listStreamChoices(
  steps: readonly UpcastStep[],
  events: readonly EventType[],
): readonly (readonly string[])[] | undefined {
  const names = new Set(
    steps.flatMap((step) => [...(step.streamsWith ?? []), ...(step.streamsWithout ?? [])]),
  );
  if (names.size > MAX_STREAM_CONDITIONS) return undefined;
  const examples = [...names].flatMap(
    (name) => events.find(({ type }) => matchesType([name], type))?.type ?? [],
  );
  return examples.reduce<readonly (readonly string[])[]>(
    (choices, example) => choices.flatMap((choice) => [choice, [...choice, example]]),
    [[]],
  );
}

async function certifyInContext(
  { from, to, steps: allSteps }: UpcastQuestion,
  event: EventType,
  { profile, cache, context }: { profile: Profile; cache: ContainmentCache; context: EventContext },
): Promise<Answer> {
  const steps = selectSteps(allSteps, context);
  const newType = findNewType(event.type, steps);
  const target = to.events.find(({ type }) => type === newType);
  const accepted = (
    target === undefined ? createUnknownMessageSchema(profile, to) : createMessageSchema(profile, to, target)
  ) as JsonObject;
  const sent = createMessageSchema("writer", from, event);
  try {
    const answer = await cache.checkSubset(
      sent,
      pullBackSteps(accepted, steps, sent as JsonObject, context.discriminator),
    );
    if (answer.verdict === "contained") return { kind: "proven" };
    if (answer.verdict === "undecided") return { kind: "undecided", reason: answer.reason };
    return confirmCounterexample(answer.witness as JsonObject, steps, accepted, context);
  } catch (error) {
    if (error instanceof InexpressibleCondition) return { kind: "undecided", reason: error.message };
    throw error;
  }
}

/** Returns the schema of those of the sent events that the steps change to accepted events. */
function pullBackSteps(
  accepted: JsonObject,
  steps: readonly UpcastStep[],
  sent: JsonObject,
  discriminator: string,
): JsonObject {
  const { $defs = {}, ...condition } = accepted;
  const definitions = $defs as Definitions;
  const shapes = [describeShape(sent, (sent.$defs ?? {}) as Definitions)];
  for (const step of steps) shapes.push(applyStepToShape(shapes.at(-1) as Shape, step));
  const pulled = steps.reduceRight<Schema>((later, step, index) => {
    const shape = shapes[index] as Shape;
    return pullBackStep(later, step, { definitions, discriminator, shape });
  }, condition as Schema);
  return { allOf: [pulled as Json], $defs };
}

/** Carries the event over that the engine found, and returns why this is not possible. */
function confirmCounterexample(
  event: JsonObject,
  steps: readonly UpcastStep[],
  accepted: JsonObject,
  context: EventContext,
): Answer {
  const streamTypes = [...context.streamTypes].filter((type) => type !== context.type);
  const result = upcastEvent(event, steps, context);
  if (result.kind === "failed")
    return { kind: "impossible", event, reason: `${result.pointer}: ${result.message}`, streamTypes };
  const validate = makeAjv({ ownProperties: true }).compile(accepted);
  if (validate(result.event))
    return { kind: "undecided", reason: "the condition could not be stated exactly" };
  const [error] = validate.errors ?? [];
  const reason = `${error?.instancePath ?? ""} ${error?.message ?? "is refused"}`.trim();
  return { kind: "impossible", event, image: result.event, reason, streamTypes };
}
