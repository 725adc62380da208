/**
 * Decides whether steps change every value that one schema accepts to a value that another one accepts. The second schema is
 * pulled back through the steps, last step first, and the containment engine compares the result with the first one.
 */
import { type ContainmentCache, explainRefusal } from "../compat/proof/readings.js";
import { InexpressibleCondition } from "../contain/preimage/pull-back-keywords.js";
import type { JsonObject } from "../json.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { makeAjv } from "../validators/ajv.js";
import { pullBackSteps } from "./pull-back-steps.js";
import { type EventContext, upcastEvent } from "./upcast-event.js";

/** An event that a plan cannot carry over. */
interface UpcastCounterexample {
  readonly kind: "impossible";
  readonly event: JsonObject;
  /** The result that the later version refuses; absent if a step fails. */
  readonly image?: JsonObject;
  readonly reason: string;
  /** The other event types of the stream on which the result depends. */
  readonly streamTypes: readonly string[];
}

/** A question that has no certain answer. */
interface UndecidedQuestion {
  readonly kind: "undecided";
  readonly reason: string;
  /** The step for which the condition on events cannot be stated; absent if the comparison of the schemas ends early without steps. */
  readonly step?: UpcastStep | undefined;
}

/** Steps with functions of the user carried generated events over. */
interface TestedSteps {
  readonly kind: "tested";
  readonly events: number;
}

/** The answer to a question about steps. */
export type StepsAnswer =
  | { readonly kind: "proven" }
  | TestedSteps
  | UpcastCounterexample
  | UndecidedQuestion;

/** A question about steps that all apply to the events of a context, except for their conditions on values. */
interface StepsQuestion {
  readonly sent: JsonObject;
  readonly accepted: JsonObject;
  readonly steps: readonly UpcastStep[];
  readonly context: EventContext;
}

/** Decides whether the steps change every event that `sent` accepts to one that `accepted` accepts. */
export async function checkSteps(question: StepsQuestion, cache: ContainmentCache): Promise<StepsAnswer> {
  const { sent, accepted, steps, context } = question;
  try {
    const condition = pullBackSteps(accepted, steps, sent, context.discriminator);
    const answer = await cache.checkSubset(sent, condition);
    if (answer.verdict === "contained") return { kind: "proven" };
    if (answer.verdict === "undecided")
      return { kind: "undecided", reason: answer.reason, step: findLargestStep(question) };
    return confirmCounterexample(answer.witness as JsonObject, question);
  } catch (error) {
    if (error instanceof InexpressibleCondition)
      return { kind: "undecided", reason: error.message, step: findInexpressibleStep(question) };
    throw error;
  }
}

/** Returns the step for which no condition can be stated: the last one without which those behind it have one. */
function findInexpressibleStep({ sent, accepted, steps, context }: StepsQuestion): UpcastStep | undefined {
  return steps.findLast((_step, index) => {
    try {
      // Without knowing the fields before, because other steps come first.
      pullBackSteps(accepted, steps.slice(index), index === 0 ? sent : {}, context.discriminator);
      return false;
    } catch (error) {
      if (error instanceof InexpressibleCondition) return true;
      throw error;
    }
  });
}

/** Returns the step that adds most to the condition on events. */
function findLargestStep({ accepted, sent, steps, context }: StepsQuestion): UpcastStep | undefined {
  const sizes = steps.map((_step, index) => {
    const remaining = steps.toSpliced(index, 1);
    try {
      return JSON.stringify(pullBackSteps(accepted, remaining, sent, context.discriminator)).length;
    } catch (error) {
      if (error instanceof InexpressibleCondition) return Number.POSITIVE_INFINITY;
      throw error;
    }
  });
  return steps[sizes.indexOf(Math.min(...sizes))];
}

/** Carries the event over that the engine found, and returns why this is not possible. */
function confirmCounterexample(event: JsonObject, question: StepsQuestion): StepsAnswer {
  const { steps, accepted, context } = question;
  const streamTypes = [...context.streamTypes].filter((type) => type !== context.type);
  const result = upcastEvent(event, steps, context);
  if (result.kind === "failed")
    return { kind: "impossible", event, reason: `${result.pointer}: ${result.message}`, streamTypes };
  const validate = compileSchema(accepted);
  if (validate(result.event)) {
    const reason = `the condition could not be stated exactly; ${JSON.stringify(event)} is carried over, although the condition refuses it`;
    return { kind: "undecided", reason, step: findStrictStep(event, question) };
  }
  const reason = explainRefusal(accepted, result.event);
  return { kind: "impossible", event, image: result.event, reason, streamTypes };
}

/** Returns the last step whose condition refuses an event although its result is accepted. */
function findStrictStep(
  event: JsonObject,
  { accepted, steps, context }: StepsQuestion,
): UpcastStep | undefined {
  return steps.findLast((_step, index) => {
    const before = upcastEvent(event, steps.slice(0, index), context);
    if (before.kind === "failed") return false;
    const condition = pullBackSteps(accepted, steps.slice(index), {}, context.discriminator);
    return !compileSchema(condition)(before.event);
  });
}

function compileSchema(schema: JsonObject) {
  return makeAjv({ ownProperties: true }).compile(schema);
}
