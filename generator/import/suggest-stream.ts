/** Suggests the member `stream` of protocol.json from the names and schemas of the fields that all events share. */
import { isObject, type Json } from "../json.js";
import { derivePossibleTypes } from "../schema/possible-types.js";
import type { Definitions } from "../schema/reference.js";
import type { SharedFields } from "./shared-fields.js";

/** The fields of a stream. */
type Role = "key" | "sequence" | "id" | "time";

/** The type of the values of each role, and the usual names of its field. The key is found by the end of its name. */
const ROLES: { readonly [R in Role]: { readonly type: string; readonly name: RegExp } } = {
  sequence: {
    type: "integer",
    name: /^(seq|seq_?(no|num|nr)|(event_?)?sequence(_?(no|num|number|id))?|(event_?)?(offset|revision)|event_?(number|index))$/i,
  },
  key: {
    type: "string",
    name: /^((run|stream|session|conversation|thread|channel|task|job|aggregate|workflow|trace)(_?(id|key))?)$/i,
  },
  id: { type: "string", name: /^((event|message)_?)?(id|uuid)$/i },
  time: {
    type: "string",
    name: /^(time(stamp)?|(event|occurred|created|sent|emitted)_?(at|on|time)?|at|ts|date)$/i,
  },
};

/** The reason for each role, after the name of its field. */
const REASONS: { readonly [R in Role]: string } = {
  sequence: "is an integer whose name says that it counts",
  key: "names what an event belongs to",
  id: "names the event",
  time: "is its time",
};

/**
 * Describes the streams that the names of required fields suggest, with the line that declares them. A schema proves neither
 * that numbers have no gaps nor where they begin, so nothing is written.
 */
export function suggestStream(
  id: string,
  fields: SharedFields | undefined,
  definitions: Definitions,
): string[] {
  const { properties, required } = fields ?? { properties: {}, required: [] };
  const findField = (role: Role): string | undefined =>
    required.find(
      (name) =>
        ROLES[role].name.test(name) && isOfType(properties[name] ?? true, ROLES[role].type, definitions),
    );
  const found = {
    key: findField("key"),
    sequence: findField("sequence"),
    id: findField("id"),
    time: findField("time"),
  };
  const { key, sequence } = found;
  if (key === undefined || sequence === undefined) return [];
  const reasons = Object.entries(found).flatMap(([role, name]) =>
    name === undefined ? [] : [`${name} ${REASONS[role as Role]}`],
  );
  const counter = properties[sequence];
  const first = isObject(counter) && counter.minimum === 1 ? 1 : 0;
  const stream = {
    key: [key],
    sequence,
    first,
    ...(found.id !== undefined && { id: found.id }),
    ...(found.time !== undefined && { time: found.time }),
  };
  return [
    `the events may form streams: ${reasons.join(", ")}; if ${sequence} counts ${first}, ${first + 1}, ${first + 2} … without gaps for each ${key}, add this line to ${id}/protocol.json to have it checked and served:`,
    `  "stream": ${JSON.stringify(stream)},`,
  ];
}

function isOfType(schema: Json, type: string, definitions: Definitions): boolean {
  const types = [...derivePossibleTypes(schema, definitions)];
  return (
    types.length > 0 && types.every((each) => each === type || (type === "integer" && each === "number"))
  );
}
