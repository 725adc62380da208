/**
 * Decides whether steps change every value that one schema accepts to a value that another one accepts. The second schema is
 * pulled back through the steps, last step first, and the containment engine compares the result with the first one.
 */
import type { ContainmentCache } from "../compat/proof/readings.js";
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

/** The answer to a question about steps. */
export type StepsAnswer =
  | { readonly kind: "proven" }
  | UpcastCounterexample
  | { readonly kind: "undecided"; readonly reason: string };

/** A question about steps that all apply to the events of a context, except for their conditions on values. */
interface StepsQuestion {
  readonly sent: JsonObject;
  readonly accepted: JsonObject;
  readonly steps: readonly UpcastStep[];
  readonly context: EventContext;
}

/** Decides whether the steps change every event that `sent` accepts to one that `accepted` accepts. */
export async function checkSteps(
  { sent, accepted, steps, context }: StepsQuestion,
  cache: ContainmentCache,
): Promise<StepsAnswer> {
  try {
    const condition = pullBackSteps(accepted, steps, sent, context.discriminator);
    const answer = await cache.checkSubset(sent, condition);
    if (answer.verdict === "contained") return { kind: "proven" };
    if (answer.verdict === "undecided") return { kind: "undecided", reason: answer.reason };
    return confirmCounterexample(answer.witness as JsonObject, steps, accepted, context);
  } catch (error) {
    if (error instanceof InexpressibleCondition) return { kind: "undecided", reason: error.message };
    throw error;
  }
}

/** Carries the event over that the engine found, and returns why this is not possible. */
function confirmCounterexample(
  event: JsonObject,
  steps: readonly UpcastStep[],
  accepted: JsonObject,
  context: EventContext,
): StepsAnswer {
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
