import {
  getValueAtPointer,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  splitPointer,
} from "../../json.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Redactions } from "../../protocol/stream-rules.js";
import { label } from "../declaration.js";
import { nameEvent, quoteValue } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";

const redactionUnknown = defineFinding({
  id: "redaction-unknown",
  summary: "a list of redacted places names something that the payload does not have",
  explanation:
    "Readers mark the listed places as hidden. A place that is not there misleads a person who looks for what was hidden. Paths are JSON pointers or names joined by dots.",
  hint: "List the fields whose values were masked, and do not list fields that were left out.",
  severity: { reader: "off", writer: "error" },
});

/** Lists of redacted places, in which every place exists. */
export const redactions = defineStreamRule({
  member: "redactions",
  declaration: {
    description: "The payload fields that list what was removed or masked before the event was written.",
    required: ["keys", "paths"],
    properties: {
      keys: label("The field with a list of names of payload fields, or of members deeper in the payload."),
      paths: label("The field with a list of paths of deeper places."),
    },
  },
  single: true,
  example: { keys: "redacted_keys", paths: "redacted_paths" },
  findings: [redactionUnknown],
  describe: ({ keys, paths }, { code }) =>
    `${code(keys)} and ${code(paths)} name places that the payload has.`,
  comparison: { identify: () => "redactions" },
  createCheckers: createRedactionChecker,
  generation: {
    createAdjuster: ({ keys, paths }) => ({
      adjust(_type, payload) {
        const names = Object.keys(payload).filter((name) => name !== keys && name !== paths);
        if (payload[keys] !== undefined) payload[keys] = names.slice(0, 1);
        if (payload[paths] !== undefined)
          payload[paths] = names.slice(0, 1).map((name) => joinPointer("", name));
      },
    }),
  },
});

function createRedactionChecker({ keys, paths }: Redactions, protocol: Protocol): RuleChecker {
  const events = new Map(protocol.events.map((event) => [event.type, event]));
  // The payload may be a view whose members cannot be listed, so the declared fields are read by their names.
  const listValues = ({ type, payload }: Step): (Json | undefined)[] => {
    const event = events.get(type);
    const declared = event === undefined ? [] : collectEventFields(protocol, event);
    const names = new Set([...declared, ...Object.keys(payload)]);
    return [...names].filter((name) => name !== keys && name !== paths).map((name) => payload[name]);
  };
  const check = (step: Step): void => {
    if (step.payload[keys] === undefined && step.payload[paths] === undefined) return;
    const hasName = (name: string): boolean =>
      step.payload[name] !== undefined || listValues(step).some((value) => hasMember(value, name));
    reportMissing(step, keys, hasName);
    reportMissing(step, paths, (path) => findPath(step.payload, path) !== undefined);
  };
  return createEventChecker([...events.keys()], check, [], { dependsOn: ["redactions", keys, paths] });
}

/** Returns whether an object in a value, at any depth, has a member. */
function hasMember(value: Json | undefined, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasMember(item, name));
  if (!isObject(value)) return false;
  return Object.hasOwn(value, name) || Object.values(value).some((each) => hasMember(each, name));
}

function reportMissing(step: Step, field: string, has: (name: string) => boolean): void {
  const names = step.payload[field];
  if (!Array.isArray(names)) return;
  for (const [index, name] of (names as readonly Json[]).entries())
    if (typeof name === "string" && !has(name))
      step.report(
        redactionUnknown,
        `${nameEvent(step)} lists ${quoteValue(name)} in ${field}, but its payload has no such place.`,
        joinPointer(step.locate(field), index),
      );
}

/** Returns the value at a JSON pointer or at a path such as `input.headers[0].value`. */
function findPath(payload: JsonObject, path: string): Json | undefined {
  if (payload[path] !== undefined) return payload[path];
  const [first = "", ...rest] = path.startsWith("/") ? splitPointer(path) : splitPath(path);
  const value = payload[first];
  return value === undefined ? undefined : getValueAtPointer(value, joinPointer("", ...rest));
}

/** Returns the names and indexes of a path such as `$.input.headers[0].value`. */
function splitPath(path: string): string[] {
  const dotted = path.replace(/^\$\.?/, "").replace(/\[(\d+)\]/g, ".$1");
  return dotted.split(".").filter((name) => name !== "");
}
