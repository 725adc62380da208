/** Proves that events which could not be made do not exist. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import { createMessageSchema, createUnknownMessageSchema, renameDefinitions } from "../proof/readings.js";
import type { OmittedEvent } from "./make-event-samples.js";
import type { StreamSides } from "./stream-sides.js";

/** The greatest number of omitted events that the proof engine is asked about. */
const MAX_QUESTIONS = 40;

/** Describes the first omitted event that may exist. Returns undefined if it is proven that none of them exists. */
export async function findPossibleOmission(
  sides: StreamSides,
  omitted: readonly OmittedEvent[],
): Promise<string | undefined> {
  if (omitted.length === 0) return undefined;
  const truncatedEvent = omitted.find(({ isTruncated }) => isTruncated);
  if (truncatedEvent) return `the rules read too many combinations of values of ${truncatedEvent.type}`;
  const { checkContainment } = await import("../../contain/contain.js");
  const differentEvents = new Map(omitted.map((event) => [JSON.stringify(event), event]));
  for (const [index, event] of [...differentEvents.values()].entries()) {
    const reason = `no event ${event.type} with ${JSON.stringify(event.values)} was found`;
    if (index >= MAX_QUESTIONS) return reason;
    const { verdict } = await checkContainment(createSchema(sides, event), false);
    if (verdict !== "contained") return reason;
  }
  return undefined;
}

/** Returns the schema of events of the type that both sides accept and that have the values. */
function createSchema(
  { small, large, profile }: StreamSides,
  { type, values, absent = [] }: OmittedEvent,
): Json {
  const smallEvent = small.events.find((event) => event.type === type);
  const largeEvent = large.events.find((event) => event.type === type);
  const carrier = findPayloadCarrier(small.envelope, smallEvent);
  const names = Object.keys(values);
  const fields = {
    type: "object",
    required: names,
    properties: Object.fromEntries([
      ...absent.map((name) => [name, false] as const),
      ...Object.entries(values).map(([name, value]) => [name, { const: value }] as const),
    ]),
  };
  const wanted: Json =
    carrier === undefined
      ? fields
      : { type: "object", required: [carrier], properties: { [carrier]: fields } };
  const writtenSchema = smallEvent
    ? createMessageSchema("writer", small, smallEvent)
    : createUnknownMessageSchema("writer", small);
  const readSchema = largeEvent
    ? createMessageSchema(profile, large, largeEvent)
    : createUnknownMessageSchema(profile, large);
  return intersectSchemas(writtenSchema, readSchema, wanted);
}

/** Returns the schema of values that all three schemas accept. Both messages may have definitions of the same name. */
function intersectSchemas(written: Json, read: Json, wanted: Json): Json {
  const small = splitDefinitions(written);
  const large = renameDefinitions(splitDefinitions(read), "large.");
  return { allOf: [small.schema, large.schema, wanted], $defs: { ...small.$defs, ...large.$defs } };
}

function splitDefinitions(message: Json): { readonly schema: Json; readonly $defs: JsonObject } {
  if (!isObject(message)) return { schema: message, $defs: {} };
  const { $defs, ...schema } = message;
  return { schema, $defs: isObject($defs) ? $defs : {} };
}
