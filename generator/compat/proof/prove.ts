/** Proves one change: searches for an event that shows the change and that the larger side of an inclusion refuses. */
import type { Containment } from "../../contain/contain.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import type { Form } from "../../schema/readings.js";
import type { Change, Direction, Place, Step, WitnessCondition } from "../change.js";
import { parseResourceKey } from "../subjects.js";
import { allowAnyFields, dropKeywords, keepKeywords, type SchemaEdits } from "./edit-schemas.js";
import { createMessageSchemas, type InclusionChecks, type SubjectPair } from "./inclusion-checks.js";
import { createValueSchema, renameDefinitions } from "./readings.js";

/**
 * The way in which events that show a change are selected:
 * - `exact`: the value is accepted if the change is undone, so the break has no other cause.
 * - `rough`: the value shows the change. The schema as a whole refuses it, perhaps for another reason.
 * - `cause`: the changed keywords alone refuse the value. Other keywords may refuse it, too.
 */
export type Focus = "exact" | "rough" | "cause";

/**
 * Searches for an event of the smaller side of an inclusion that shows `change` at `place` and that `refusingSchema`
 * refuses. By default, this is the schema of the larger side.
 */
export function proveDirection(
  checks: InclusionChecks,
  change: Change,
  place: Place,
  pair: SubjectPair,
  { direction, focus }: { readonly direction: Direction; readonly focus: Focus },
  refusingSchema?: Json,
): Promise<Containment> {
  const [small, large] = createMessageSchemas(checks, pair, direction);
  const { schema, $defs } = describeShowingMessages(checks, change, place, direction, focus);
  const showingSchema = schema === true ? small : addConditions(small, [schema], $defs);
  return checks.cache.checkSubset(showingSchema, refusingSchema ?? large);
}

/** A schema with the definitions that it needs. */
interface SchemaWithDefs {
  readonly schema: Json;
  readonly $defs: JsonObject;
}

const ANY: SchemaWithDefs = { schema: true, $defs: {} };
const NO_EDITS: SchemaEdits = new Map();

/**
 * Returns a schema of the messages that show `change` at `place`. It also accepts messages without the change where no
 * schema can tell them apart.
 */
export function describeShowingMessages(
  checks: InclusionChecks,
  change: Change,
  place: Place,
  direction: Direction,
  focus: Focus,
): SchemaWithDefs {
  const condition = change.claim[direction];
  if (!condition) return ANY;
  const { schema, $defs } = describeShowingValues(checks, change, place, { condition, direction, focus });
  return { schema: createSchemaAtSteps(place.steps, schema, focus), $defs };
}

/** Returns `message` limited to events that no schema of `excluded` accepts. */
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

/** The condition of a witness, and the way to search for one. */
interface ShowingOptions {
  readonly condition: WitnessCondition;
  readonly direction: Direction;
  readonly focus: Focus;
}

/** Returns a schema of the values that show a change at a place. */
function describeShowingValues(
  checks: InclusionChecks,
  { views }: Change,
  { event, steps }: Place,
  { condition, direction, focus }: ShowingOptions,
): SchemaWithDefs {
  // An alternative and the root of a payload are only parts of an object, so they are read without closing the object.
  const isPayloadRoot = steps.length === 0 && parseResourceKey(event) === undefined;
  const form = steps.at(-1)?.kind === "alternative" || isPayloadRoot ? "branch" : "value";
  const [profile, view, protocol] =
    direction === "backward"
      ? (["writer", views?.after, checks.after] as const)
      : (["reader", views?.before, checks.before] as const);
  /** Returns the schema of the value on the larger side, after edits. */
  const createAcceptingSchema = (edits: SchemaEdits, as = profile, within: Form = form): SchemaWithDefs =>
    view ? createValueSchema(as, view, protocol, within, edits) : ANY;
  /** Returns the schema that accepts the value without the change. It accepts any value unless the focus is exact. */
  const createSchemaWithoutChange = (edits: () => SchemaEdits): SchemaWithDefs =>
    focus === "exact" ? createAcceptingSchema(edits()) : ANY;
  const parts = view?.parts ?? [];
  switch (condition.kind) {
    case "present":
    case "absent": {
      const hasField: Json = { required: [condition.field] };
      const shown: Json = {
        type: "object",
        ...(condition.kind === "present" ? hasField : { not: hasField }),
      };
      return combineSchemas(
        shown,
        createSchemaWithoutChange(() => allowAnyFields([{ parts, name: condition.field }])),
      );
    }
    case "undeclared": {
      const declaredNames = condition.fields.length > 0 ? { enum: condition.fields } : false;
      const shown: Json = { type: "object", not: { propertyNames: declaredNames } };
      // Readers ignore undeclared fields, so a value that they accept breaks only because of such a field.
      const readByReaders = focus === "exact" ? createAcceptingSchema(NO_EDITS, "reader") : ANY;
      return combineSchemas(shown, readByReaders);
    }
    case "anything":
      return ANY;
    case "outside": {
      if (!view) return ANY;
      const { keywords } = condition;
      if (focus === "cause" && keywords) {
        // Keywords alone do not close an object, so they are read as a branch.
        const alone = createAcceptingSchema(keepKeywords(parts, keywords), profile, "branch");
        return { schema: { not: alone.schema }, $defs: alone.$defs };
      }
      const { schema, $defs } = createAcceptingSchema(NO_EDITS);
      const rest = keywords ? createSchemaWithoutChange(() => dropKeywords(parts, keywords)) : ANY;
      return combineSchemas({ not: schema }, rest, $defs);
    }
  }
}

/** Returns a schema of values that both schemas accept. The definitions of `other` get a prefix, so that names differ. */
function combineSchemas(schema: Json, other: SchemaWithDefs, $defs: JsonObject = {}): SchemaWithDefs {
  if (other.schema === true) return { schema, $defs };
  const renamedBundle = renameDefinitions(other, "edited.");
  return { schema: { allOf: [schema, renamedBundle.schema] }, $defs: { ...$defs, ...renamedBundle.$defs } };
}

/** Returns a schema of messages in which the value at the end of `steps` fits `schema`. */
function createSchemaAtSteps(steps: readonly Step[], schema: Json, focus: Focus): Json {
  const [step, ...rest] = steps;
  if (!step) return schema;
  const partSchema = createSchemaAtSteps(rest, schema, focus);
  switch (step.kind) {
    case "field":
      return { type: "object", required: [step.name], properties: { [step.name]: partSchema } };
    case "item":
      return { type: "array", minItems: 1, contains: partSchema };
    case "tuple item": {
      const earlierItems = Array.from({ length: step.index }, () => true);
      return { type: "array", minItems: step.index + 1, prefixItems: [...earlierItems, partSchema] };
    }
    case "alternative":
      return partSchema;
    // It is not certain which field or item the value is, so an exact search accepts any message here.
    case "undeclared field":
      return focus === "exact" ? true : createUndeclaredFieldSchema(step, partSchema);
    case "later item":
      return focus === "exact" ? true : createLaterItemSchema(step.count, partSchema);
  }
}

/** Returns a schema of objects in which at least one undeclared field fits `schema`. */
function createUndeclaredFieldSchema(
  { fields, patterns }: Extract<Step, { kind: "undeclared field" }>,
  schema: Json,
): Json {
  const hasNoSuchField: Json = {
    properties: Object.fromEntries(fields.map((name) => [name, true])),
    patternProperties: Object.fromEntries(patterns.map((pattern) => [pattern, true])),
    additionalProperties: { not: schema },
  };
  return { type: "object", not: hasNoSuchField };
}

/** Returns a schema of arrays in which at least one item after the first `count` items fits `schema`. */
function createLaterItemSchema(count: number, schema: Json): Json {
  const hasNoSuchItem: Json = {
    prefixItems: Array.from({ length: count }, () => true),
    items: { not: schema },
  };
  return { type: "array", not: hasNoSuchItem };
}
