/** The proof of one change: an event that shows it and that breaks. */
import type { Containment } from "../../contain/contain.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import type { Form } from "../../schema/readings.js";
import type { Change, Direction, Occurrence, Shows, Step } from "../change.js";
import { parseResourceKey } from "../subjects.js";
import { dropKeywords, freeFields, keepKeywords, type SchemaEdits } from "./edit-schemas.js";
import { createMessageSchemas, type EventPair, type InclusionChecks } from "./inclusion-checks.js";
import { createValueSchema, renameDefinitions } from "./readings.js";

/**
 * How events that show a change are selected. `exact`: without the change the value would be accepted, so the break has
 * no other cause. `rough`: the value shows the change, and may break for other reasons, too. `cause`: the change would
 * break by itself, and the value may break for other reasons, too.
 */
export type Focus = "exact" | "rough" | "cause";

/**
 * Looks for an event of the smaller side of an inclusion that shows `change` at `place` and that `refusing` refuses: the
 * larger side, or another schema.
 */
export function proveDirection(
  sides: InclusionChecks,
  change: Change,
  place: Occurrence,
  pair: EventPair,
  { direction, focus }: { readonly direction: Direction; readonly focus: Focus },
  refusing?: Json,
): Promise<Containment> {
  const [small, large] = createMessageSchemas(sides, pair, direction);
  const { schema, $defs } = describeShowingMessages(sides, change, place, direction, focus);
  const showing = schema === true ? small : addConditions(small, [schema], $defs);
  return sides.cache.checkSubset(showing, refusing ?? large);
}

/** A schema with the definitions that it needs. */
interface SchemaWithDefs {
  readonly schema: Json;
  readonly $defs: JsonObject;
}

const ANY: SchemaWithDefs = { schema: true, $defs: {} };

/** Returns a schema of the messages that show `change` at `place`; it may accept others where they cannot be separated. */
export function describeShowingMessages(
  sides: InclusionChecks,
  change: Change,
  place: Occurrence,
  direction: Direction,
  focus: Focus,
): SchemaWithDefs {
  const shows = change.claim[direction];
  if (!shows) return ANY;
  const { schema, $defs } = describeShowingValues(sides, change, place, { shows, direction, focus });
  return { schema: leadTo(place.steps, schema, focus), $defs };
}

/** Returns `message` limited to events that are in none of `excluded`. */
export function excludeMessages(message: JsonObject, excluded: readonly SchemaWithDefs[]): JsonObject {
  const $defs: JsonObject = Object.assign({}, ...excluded.map((each) => each.$defs));
  return addConditions(
    message,
    excluded.map(({ schema }) => ({ not: schema })),
    $defs,
  );
}

function addConditions(message: JsonObject, more: readonly Json[], $defs: JsonObject): JsonObject {
  const all = Array.isArray(message.allOf) ? message.allOf : [];
  const defs = isObject(message.$defs) ? message.$defs : {};
  return { ...message, allOf: [...all, ...more], $defs: { ...defs, ...$defs } };
}

interface Claimed {
  readonly shows: Shows;
  readonly direction: Direction;
  readonly focus: Focus;
}

/** Returns a schema of the values at the change's place that show it. */
function describeShowingValues(
  sides: InclusionChecks,
  { views }: Change,
  { event, steps }: Occurrence,
  { shows, direction, focus }: Claimed,
): SchemaWithDefs {
  // Alternatives and roots of payloads are not closed by themselves.
  const isPayload = steps.length === 0 && parseResourceKey(event) === undefined;
  const form = steps.at(-1)?.to === "same" || isPayload ? "branch" : "value";
  const [profile, view, protocol] =
    direction === "backward"
      ? (["writer", views?.after, sides.after] as const)
      : (["reader", views?.before, sides.before] as const);
  /** The larger side's schema of the value, after edits. */
  const accepted = (edits: SchemaEdits, as = profile, within: Form = form): SchemaWithDefs =>
    view ? createValueSchema(as, view, protocol, within, edits) : ANY;
  /** Returns the schema that accepts the value without the change; any value unless the focus is exact. */
  const otherwise = (edits: () => SchemaEdits): SchemaWithDefs =>
    focus === "exact" ? accepted(edits()) : ANY;
  const parts = view?.parts ?? [];
  switch (shows.is) {
    case "present":
    case "absent": {
      const has: Json = { required: [shows.field] };
      const shown: Json = { type: "object", ...(shows.is === "present" ? has : { not: has }) };
      return combineSchemas(
        shown,
        otherwise(() => freeFields([{ parts, name: shows.field }])),
      );
    }
    case "undeclared": {
      const shown: Json = { type: "object", not: { propertyNames: { enum: shows.fields } } };
      return combineSchemas(shown, focus === "exact" ? accepted(new Map(), "reader") : ANY);
    }
    case "anything":
      return ANY;
    case "outside": {
      if (!view) return ANY;
      const { keywords } = shows;
      if (focus === "cause" && keywords) {
        // The keywords by themselves close no object.
        const alone = accepted(keepKeywords(parts, keywords), profile, "branch");
        return { schema: { not: alone.schema }, $defs: alone.$defs };
      }
      const { schema, $defs } = accepted(new Map());
      const rest = keywords ? otherwise(() => dropKeywords(parts, keywords)) : ANY;
      return combineSchemas({ not: schema }, rest, $defs);
    }
  }
}

/** Combines two schemas. Their definitions may differ, so those of the second get names of their own. */
function combineSchemas(schema: Json, other: SchemaWithDefs, $defs: JsonObject = {}): SchemaWithDefs {
  if (other.schema === true) return { schema, $defs };
  const renamed = renameDefinitions(other, "edited.");
  return { schema: { allOf: [schema, renamed.schema] }, $defs: { ...$defs, ...renamed.$defs } };
}

/** Returns a schema of messages in which the value at the end of `steps` fits `schema`. */
function leadTo(steps: readonly Step[], schema: Json, focus: Focus): Json {
  const [step, ...rest] = steps;
  if (!step) return schema;
  if (step.to === "other")
    return focus === "exact" ? true : describeOtherPart(step, leadTo(rest, schema, focus));
  const inner = leadTo(rest, schema, focus);
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

/** Returns a schema of the objects that have an undeclared field, or of the arrays that have a later item, that fits `schema`. */
function describeOtherPart({ except, from }: Extract<Step, { to: "other" }>, schema: Json): Json {
  if (except) {
    const declared = Object.fromEntries(except.fields.map((name) => [name, true]));
    const patterns = Object.fromEntries(except.patterns.map((pattern) => [pattern, true]));
    const none: Json = {
      properties: declared,
      patternProperties: patterns,
      additionalProperties: { not: schema },
    };
    return { type: "object", not: none };
  }
  if (from === undefined) return false;
  const none: Json = { prefixItems: Array.from({ length: from }, () => true), items: { not: schema } };
  return { type: "array", not: none };
}
