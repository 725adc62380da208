/** Proves that the events for which no sample could be made do not exist. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { payloadCarrier } from "../../protocol/message-layout.js";
import { messageSchema, renameDefinitions, unknownMessageSchema } from "../proof/readings.js";
import type { OmittedEvent } from "./make-event-samples.js";
import type { StreamSides } from "./stream-sides.js";

/** The greatest number of omitted events for which a proof is tried. */
const MAX_PROOFS = 40;

/** Describes the first omitted event that may exist. Returns undefined if it is proven that none of them exists. */
export async function findPossibleOmission(
  sides: StreamSides,
  omitted: readonly OmittedEvent[],
): Promise<string | undefined> {
  if (omitted.length === 0) return undefined;
  const { checkContainment } = await import("../../contain/contain.js");
  const distinct = new Map(omitted.map((each) => [JSON.stringify(each), each]));
  for (const [index, each] of [...distinct.values()].entries()) {
    const reason = `no event ${each.type} with ${JSON.stringify(each.values)} was found`;
    if (index >= MAX_PROOFS) return reason;
    const { verdict } = await checkContainment(createOmittedSchema(sides, each), false);
    if (verdict !== "contained") return reason;
  }
  return undefined;
}

/** Returns the schema of the omitted event: it accepts the events of this type with these values that both sides accept. */
function createOmittedSchema({ small, large, profile }: StreamSides, { type, values }: OmittedEvent): Json {
  const smallEvent = small.events.find((event) => event.type === type);
  const largeEvent = large.events.find((event) => event.type === type);
  const carrier = payloadCarrier(small.envelope, smallEvent);
  const names = Object.keys(values);
  const fields = {
    type: "object",
    required: names,
    properties: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { const: value }])),
  };
  const withValues: Json =
    carrier === undefined
      ? fields
      : { type: "object", required: [carrier], properties: { [carrier]: fields } };
  const smallSchema = smallEvent
    ? messageSchema("writer", small, smallEvent)
    : unknownMessageSchema("writer", small);
  const largeSchema = largeEvent
    ? messageSchema(profile, large, largeEvent)
    : unknownMessageSchema(profile, large);
  return intersectSchemas(smallSchema, largeSchema, withValues);
}

/**
 * Returns the schema of values that all three schemas accept. The definitions of the larger side are renamed, because both
 * sides may have definitions of the same name.
 */
function intersectSchemas(smallSchema: Json, largeSchema: Json, withValues: Json): Json {
  const small = splitDefinitions(smallSchema);
  const large = renameDefinitions(splitDefinitions(largeSchema), "large.");
  return { allOf: [small.schema, large.schema, withValues], $defs: { ...small.$defs, ...large.$defs } };
}

/** Separates the definitions of a message schema from the rest of it. */
function splitDefinitions(message: Json): { readonly schema: Json; readonly $defs: JsonObject } {
  if (!isObject(message)) return { schema: message, $defs: {} };
  const { $defs, ...schema } = message;
  return { schema, $defs: isObject($defs) ? $defs : {} };
}
