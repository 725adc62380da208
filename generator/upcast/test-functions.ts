/** Tests steps with functions of the user on generated events, because nothing is known about what functions give. */
import { createMessageSchema, explainRefusal } from "../compat/proof/readings.js";
import type { JsonObject } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { createEventMaker } from "../sample/event-maker.js";
import { makeAjv } from "../validators/ajv.js";
import type { StepsAnswer } from "./check-steps.js";
import { type EventContext, upcastEvent } from "./upcast-event.js";

/** The number of events that are generated for each event type and kind of stream. */
const EVENT_COUNT = 1000;

/** Steps for the events of one type. */
interface FunctionQuestion {
  readonly from: Protocol;
  readonly event: EventType;
  readonly steps: readonly UpcastStep[];
  readonly accepted: JsonObject;
  readonly context: EventContext;
}

/** Carries generated events over. Every one must become an event that `accepted` accepts. */
export function testSteps({ from, event, steps, accepted, context }: FunctionQuestion): StepsAnswer {
  const streamTypes = [...context.streamTypes].filter((type) => type !== context.type);
  const validate = makeAjv({ ownProperties: true }).compile(accepted);
  let count = 0;
  for (const original of listEvents(from, event)) {
    const result = upcastEvent(original, steps, context);
    if (result.kind === "failed") {
      const reason = `${result.pointer}: ${result.message}`;
      return { kind: "impossible", event: original, reason, streamTypes };
    }
    if (!validate(result.event)) {
      const reason = explainRefusal(accepted, result.event);
      return { kind: "impossible", event: original, image: result.event, reason, streamTypes };
    }
    count++;
  }
  return count === 0
    ? { kind: "undecided", reason: "no event for its functions could be generated" }
    : { kind: "tested", events: count };
}

/** Returns different events of a type that writers may send. */
function listEvents(protocol: Protocol, { type, ...rest }: EventType): JsonObject[] {
  const isSent = makeAjv({ ownProperties: true }).compile(
    createMessageSchema("writer", protocol, { type, ...rest }),
  );
  const maker = createEventMaker(protocol, (event) => isSent(event));
  const { sequence, first = 0 } = protocol.stream ?? {};
  const events = new Map<string, JsonObject>();
  for (let seed = 0; seed < EVENT_COUNT; seed++) {
    const envelope = maker.makeEnvelope(seed, sequence === undefined ? {} : { [sequence]: first });
    const made = maker.make({ type, envelope, fixedFields: {}, seed, fieldChance: 0.6 });
    if (made !== undefined) events.set(JSON.stringify(made), made);
  }
  return [...events.values()];
}
