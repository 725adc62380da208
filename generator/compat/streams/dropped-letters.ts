/** Proves that events which could not be made do not exist. */
import type { Json } from "../../json.js";
import { messageSchema, unknownMessageSchema } from "../readings.js";
import type { Dropped } from "./make-letters.js";
import type { StreamSides } from "./stream-sides.js";

/** How many of them are asked about. */
const MOST_QUESTIONS = 40;

/** Says which event could not be made although nothing proves that there is none; undefined if all are proven. */
export async function findUnprovenDrop(
  sides: StreamSides,
  dropped: readonly Dropped[],
): Promise<string | undefined> {
  if (dropped.length === 0) return undefined;
  const { checkContainment } = await import("../../contain/contain.js");
  const asked = new Map(dropped.map((each) => [JSON.stringify(each), each]));
  for (const [index, each] of [...asked.values()].entries()) {
    const says = `no event ${each.type} with ${JSON.stringify(each.values)} was found`;
    if (index >= MOST_QUESTIONS) return says;
    const { verdict } = await checkContainment(schemaOf(sides, each), false);
    if (verdict !== "contained") return says;
  }
  return undefined;
}

/** Events of the type that both sides take and that have the values. */
function schemaOf({ small, large, profile }: StreamSides, { type, values }: Dropped): Json {
  const { placement, property } = small.envelope;
  const own = small.events.find((event) => event.type === type);
  const other = large.events.find((event) => event.type === type);
  const carrier = placement === "keyed" ? own?.payloadProperty : property;
  const names = Object.keys(values);
  const fields = {
    type: "object",
    required: names,
    properties: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { const: value }])),
  };
  const wanted: Json =
    carrier === undefined
      ? fields
      : { type: "object", required: [carrier], properties: { [carrier]: fields } };
  const written = own ? messageSchema("writer", small, own) : unknownMessageSchema("writer", small);
  const read = other ? messageSchema(profile, large, other) : unknownMessageSchema(profile, large);
  return conjoin([written, renameDefs(read), wanted]);
}

function conjoin(schemas: readonly Json[]): Json {
  const $defs = Object.assign({}, ...schemas.map((each) => (each as { $defs?: Json }).$defs ?? {}));
  return { allOf: schemas.map((each) => withoutDefs(each)), $defs };
}

function withoutDefs(schema: Json): Json {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const { $defs: _defs, ...rest } = schema as { [name: string]: Json };
  return rest;
}

/** The same schema with definitions whose names meet no others. */
function renameDefs(schema: Json): Json {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => {
      if (key === "$ref" && typeof value === "string") return value.replace("#/$defs/", "#/$defs/large.");
      if (key === "$defs" && typeof value === "object" && value !== null)
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [`large.${name}`, each]));
      return value;
    }),
  );
}
