/** The proof of one change: an event that shows it and that breaks. */
import type { Containment } from "../contain/contain.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import type { Change, Occurrence, Shows, Step } from "./change.js";
import { messageSchema, valueSchema } from "./readings.js";
import type { EventPair, Half, Sandwiches } from "./sandwich.js";
import { resourceNamed } from "./subjects.js";

/** Looks for an event that shows `change` at `place` and breaks one inclusion. */
export function proveHalf(
  sides: Sandwiches,
  change: Change,
  place: Occurrence,
  { before, after }: EventPair,
  half: Half,
): Promise<Containment> {
  const [small, large] =
    half === "left"
      ? [messageSchema("writer", sides.before, before), messageSchema("writer", sides.after, after)]
      : [messageSchema("writer", sides.after, after), messageSchema("reader", sides.before, before)];
  return sides.oracle.inside(focused(small, sides, change, place, half), large);
}

/** Whether readers of the current contract still take what the change withdrew from writers. */
export function stillRead(
  sides: Sandwiches,
  change: Change,
  place: Occurrence,
  { before, after }: EventPair,
): Promise<Containment> {
  const small = focused(messageSchema("writer", sides.before, before), sides, change, place, "left");
  return sides.oracle.inside(small, messageSchema("reader", sides.after, after));
}

/** `message` limited to events that show the change. */
function focused(
  message: JsonObject,
  sides: Sandwiches,
  change: Change,
  place: Occurrence,
  half: Half,
): JsonObject {
  const { schema, $defs } = focusOf(sides, change, place, half);
  return schema === true ? message : conjoined(message, [schema], $defs);
}

/** A schema with the definitions that it needs. */
export interface Focus {
  readonly schema: Json;
  readonly $defs: JsonObject;
}

/** The messages that show `change` at `place`, as far as they can be told. */
export function focusOf(sides: Sandwiches, change: Change, place: Occurrence, half: Half): Focus {
  const shows = change.claim[half];
  if (!shows) return { schema: true, $defs: {} };
  const { schema, $defs } = shown(sides, change, place, shows, half);
  return { schema: leadTo(place.steps, schema), $defs };
}

/** `message` limited to events that are in none of `focuses`. */
export function without(message: Json, focuses: readonly Focus[]): JsonObject {
  const $defs: JsonObject = Object.assign({}, ...focuses.map((focus) => focus.$defs));
  return conjoined(
    isObject(message) ? message : { allOf: [message] },
    focuses.map(({ schema }) => ({ not: schema })),
    $defs,
  );
}

function conjoined(message: JsonObject, more: readonly Json[], $defs: JsonObject): JsonObject {
  const all = Array.isArray(message.allOf) ? message.allOf : [];
  const defs = isObject(message.$defs) ? message.$defs : {};
  return { ...message, allOf: [...all, ...more], $defs: { ...defs, ...$defs } };
}

function shown(
  sides: Sandwiches,
  { views }: Change,
  { event, steps }: Occurrence,
  shows: Shows,
  half: Half,
): { schema: Json; $defs: JsonObject } {
  switch (shows.is) {
    case "present":
      return { schema: { type: "object", required: [shows.field] }, $defs: {} };
    case "absent":
      return { schema: { type: "object", not: { required: [shows.field] } }, $defs: {} };
    case "anything":
      return { schema: true, $defs: {} };
    case "outside": {
      if (!views) return { schema: true, $defs: {} };
      // An alternative is not closed for itself, and neither is the root of a payload beside other fields.
      const isPayload = steps.length === 0 && resourceNamed(event) === undefined;
      const form = steps.at(-1)?.to === "same" || isPayload ? "branch" : "value";
      const right =
        half === "left"
          ? valueSchema("writer", views.after, sides.after, form)
          : valueSchema("reader", views.before, sides.before, form);
      return { schema: { not: right.schema }, $defs: right.$defs };
    }
  }
}

/** A schema of a message in which the value at the end of `steps` fits `schema`. */
function leadTo(steps: readonly Step[], schema: Json): Json {
  const [step, ...rest] = steps;
  if (!step) return schema;
  if (step.to === "other") return true;
  const inner = leadTo(rest, schema);
  switch (step.to) {
    case "field":
      return { type: "object", required: [step.name], properties: { [step.name]: inner } };
    case "item":
      return { type: "array", minItems: 1, contains: inner };
    case "tuple": {
      const before = Array.from({ length: step.index }, () => true);
      return { type: "array", minItems: step.index + 1, prefixItems: [...before, inner] };
    }
    case "same":
      return inner;
  }
}
