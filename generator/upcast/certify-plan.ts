/**
 * Proves that a plan carries every event over that writers of the earlier version may send, to an event that readers of
 * the later version accept. Each event type is a question of its own, and each kind of stream that the steps tell apart.
 */
import {
  type ContainmentCache,
  createContainmentCache,
  createMessageSchema,
  createUnknownMessageSchema,
  renameDefinitions,
} from "../compat/proof/readings.js";
import type { Json, JsonObject } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import type { Profile } from "../schema/readings.js";
import { checkSteps, type StepsAnswer } from "./check-steps.js";
import type { CallFunction } from "./steps/step-kind.js";
import { testSteps } from "./test-functions.js";
import { type EventContext, listNewTypes, selectSteps } from "./upcast-event.js";

/** Two versions, and the steps from the one to the other. */
export interface UpcastQuestion {
  readonly from: Protocol;
  readonly to: Protocol;
  readonly steps: readonly UpcastStep[];
  /** Calls functions of the user; absent if none are loaded. */
  readonly callFunction?: CallFunction | undefined;
}

/** The answer for the events of one type. */
export type TypeCertificate = { readonly type: string } & StepsAnswer;

/** The greatest number of conditions on streams, of which all combinations are tried. */
const MAX_STREAM_CONDITIONS = 5;

/**
 * Returns one answer for each event type of the earlier version. With the profile `writer`, the results must be events
 * that writers of the later version may send. After the time limit of `cache`, everything is undecided.
 */
export async function certifyPlan(
  question: UpcastQuestion,
  profile: Profile = "reader",
  cache: ContainmentCache = createContainmentCache(),
): Promise<TypeCertificate[]> {
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
  const { type } = event;
  const contexts = listContexts(type, from, steps);
  if (contexts === undefined)
    return { type, kind: "undecided", reason: "the steps depend on too many event types of the stream" };
  let result: StepsAnswer = { kind: "proven" };
  for (const context of contexts) {
    const answer = await certifyInContext(question, event, { profile, cache, context });
    if (answer.kind === "impossible") return { type, ...answer };
    if (answer.kind === "undecided" || (answer.kind === "tested" && result.kind !== "undecided"))
      result = answer;
  }
  return { type, ...result };
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
  // By the conditions that hold. A type meets those of all families to which it belongs.
  const choices = new Map<string, readonly string[]>([["", []]]);
  for (const { type } of events)
    for (const choice of [...choices.values()]) {
      const types = [...choice, type];
      const conditions = [...names].filter((name) => types.some((each) => matchesType([name], each)));
      if (!choices.has(conditions.join("\n"))) choices.set(conditions.join("\n"), types);
    }
  return [...choices.values()];
}

async function certifyInContext(
  { from, to, steps: allSteps, callFunction }: UpcastQuestion,
  event: EventType,
  { profile, cache, context }: { profile: Profile; cache: ContainmentCache; context: EventContext },
): Promise<StepsAnswer> {
  const steps = selectSteps(allSteps, context);
  const accepted = createAcceptedSchema(to, listNewTypes(event.type, steps), profile);
  const functionStep = steps.find(({ step }) => step === "function");
  if (functionStep !== undefined && callFunction === undefined)
    return {
      kind: "undecided",
      reason: "its functions are not loaded; name their file by --functions",
      step: functionStep,
    };
  if (functionStep !== undefined)
    return testSteps({ from, event, steps, accepted, context: { ...context, callFunction } });
  const sent = createMessageSchema("writer", from, event);
  const answer = await checkSteps({ sent, accepted, steps, context }, cache);
  if (answer.kind !== "undecided") return answer;
  // Where no proof is possible, one of the generated events may still show that the plan is wrong.
  const tested = testSteps({ from, event, steps, accepted, context });
  return tested.kind === "impossible" ? tested : answer;
}

/**
 * Returns the schema of accepted events of these types. An undeclared type stays one that no event type has. Readers accept
 * it, and writers do not send it.
 */
function createAcceptedSchema(to: Protocol, types: readonly string[], profile: Profile): JsonObject {
  const { discriminator } = to.envelope;
  const otherTypes = { not: { enum: to.events.map(({ type }) => type) } };
  const isUndeclared = { properties: { [discriminator]: profile === "reader" ? otherTypes : false } };
  const parts = types.map((type, index) => {
    const target = to.events.find((each) => each.type === type);
    const { $defs = {}, ...schema } = (
      target === undefined
        ? createUnknownMessageSchema(profile, to)
        : createMessageSchema(profile, to, target)
    ) as JsonObject;
    const document = { schema: target === undefined ? { allOf: [schema, isUndeclared] } : schema };
    return renameDefinitions({ ...document, $defs: $defs as JsonObject }, `${index}.`);
  });
  const [first, ...others] = parts.map(({ schema }) => schema);
  const $defs = Object.assign({}, ...parts.map((part) => part.$defs));
  return {
    allOf: [others.length === 0 ? (first as Json) : { anyOf: parts.map(({ schema }) => schema) }],
    $defs,
  };
}
