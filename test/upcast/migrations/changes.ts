/** Changes of events that migrations are to make, and schemas that several of them have. */
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { fixed, type Migration, object, text } from "./migration.js";

/** Changes the payload of an event. */
export const data =
  (change: (payload: JsonObject) => JsonObject) =>
  (event: JsonObject): JsonObject => ({ ...event, data: change(event.data as JsonObject) });
/** Renames members of an object at once. */
export const rename =
  (names: { readonly [old: string]: string }) =>
  (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([name, each]) => [names[name] ?? name, each] as const));
/** Changes a member that is an object. */
export const at =
  (name: string, change: (value: JsonObject) => Json) =>
  (value: JsonObject): JsonObject =>
    isObject(value[name]) ? { ...value, [name]: change(value[name] as JsonObject) } : value;
/** Replaces values of a member. */
export const replace =
  (name: string, values: { readonly [value: string]: Json }) =>
  (value: JsonObject): JsonObject =>
    value[name] === undefined || values[String(value[name])] === undefined
      ? value
      : { ...value, [name]: values[String(value[name])] as Json };
/** Leaves an event as it is. */
export const keep = (event: JsonObject): JsonObject => event;
/** A text with listed values. */
export const oneOfTexts = (...values: readonly string[]): JsonObject => ({ ...text, enum: values });
/** A branch that the field `kind` tells apart from the others. */
export const tagged = (kind: Json, properties: JsonObject, ...required: readonly string[]): JsonObject =>
  object({ kind: fixed(kind), ...properties }, ["kind", ...required]);

/** Changes a node after those below it, which are at `names`. */
export const node = (change: (value: JsonObject) => JsonObject, ...names: readonly string[]) => {
  const visit = (value: JsonObject): JsonObject =>
    change(
      Object.fromEntries(
        Object.entries(value).map(([name, child]): [string, Json] => {
          if (!names.includes(name)) return [name, child];
          const visitChild = (each: Json): Json => (isObject(each) ? visit(each) : each);
          return [name, Array.isArray(child) ? child.map(visitChild) : visitChild(child)];
        }),
      ),
    );
  return visit;
};

/** Fields with declared steps, and what becomes of the payload. */
export type StepRow = readonly [
  name: string,
  before: JsonObject,
  after: JsonObject,
  steps: Migration["steps"],
  change: (payload: JsonObject) => JsonObject,
  verdict?: Migration["verdict"],
];

/** Returns the migrations of rows. */
export function createStepMigrations(rows: readonly StepRow[]): Migration[] {
  return rows.map(
    ([name, before, after, steps = [], change, verdict = "proven"]): Migration => ({
      name,
      before: { properties: before },
      after: { properties: after },
      steps,
      verdict,
      carry: data(change),
    }),
  );
}

/** Changes a member, if it is there. */
export const convert =
  (name: string, change: (value: Json) => Json) =>
  (payload: JsonObject): JsonObject =>
    payload[name] === undefined ? payload : { ...payload, [name]: change(payload[name]) };
