/**
 * Proves that a plan carries every event over that writers of the earlier version may send, to an event that readers of
 * the later version accept. Each event type is a question of its own, and each kind of stream that the steps tell apart.
 */
import {
  type ContainmentCache,
  createContainmentCache,
  createMessageSchema,
  createUnknownMessageSchema,
} from "../compat/proof/readings.js";
import type { JsonObject } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import type { Profile } from "../schema/readings.js";
import { checkSteps, type StepsAnswer } from "./check-steps.js";
import { type EventContext, findNewType, selectSteps } from "./upcast-event.js";

/** Two versions, and the steps from the one to the other. */
export interface UpcastQuestion {
  readonly from: Protocol;
  readonly to: Protocol;
  readonly steps: readonly UpcastStep[];
}

/** The answer for the events of one type. */
export type TypeCertificate = { readonly type: string; readonly newType: string } & StepsAnswer;

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
  let result: StepsAnswer = { kind: "proven" };
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
): Promise<StepsAnswer> {
  const steps = selectSteps(allSteps, context);
  const newType = findNewType(event.type, steps);
  const target = to.events.find(({ type }) => type === newType);
  const accepted = (
    target === undefined ? createUnknownMessageSchema(profile, to) : createMessageSchema(profile, to, target)
  ) as JsonObject;
  const sent = createMessageSchema("writer", from, event);
  return checkSteps({ sent, accepted, steps, context }, cache);
}
