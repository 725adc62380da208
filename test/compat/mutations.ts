import { isObject, type JsonObject } from "../../generator/json.js";

/** A change of a payload, or undefined where it does not apply. */
export type Mutation = (payload: JsonObject) => JsonObject | undefined;

const fieldsOf = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {});
const requiredOf = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? (required as string[]) : [];

function withField(payload: JsonObject, name: string, schema: JsonObject | undefined): JsonObject {
  const { [name]: _old, ...rest } = fieldsOf(payload);
  return { ...payload, properties: schema === undefined ? rest : { ...rest, [name]: schema } };
}

/** The first field that `wanted` accepts, changed. */
function onField(
  wanted: (schema: JsonObject, required: boolean) => boolean,
  change: (payload: JsonObject, name: string, schema: JsonObject) => JsonObject,
): Mutation {
  return (payload) => {
    const required = requiredOf(payload);
    const hit = Object.entries(fieldsOf(payload)).find(
      ([name, schema]) => isObject(schema) && wanted(schema, required.includes(name)),
    );
    return hit && isObject(hit[1]) ? change(payload, hit[0], hit[1]) : undefined;
  };
}

const any = () => true;
const drop = (payload: JsonObject, name: string): JsonObject => ({
  ...withField(payload, name, undefined),
  required: requiredOf(payload).filter((each) => each !== name),
});

/** Changes of every kind that a pull request makes to a payload, harmless ones among them. */
export const MUTATIONS: { readonly [name: string]: Mutation } = {
  "optional field removed": onField((_, required) => !required, drop),
  "required field removed": onField((_, required) => required, drop),
  "field renamed": onField(any, (payload, name, schema) =>
    withField(drop(payload, name), `${name}_now`, schema),
  ),
  "optional field added": (payload) => withField(payload, "brand_new", { type: "string" }),
  "required field added": (payload) => ({
    ...withField(payload, "brand_new", { type: "string" }),
    required: [...requiredOf(payload), "brand_new"],
  }),
  "became required": onField(
    (_, required) => !required,
    (payload, name) => ({ ...payload, required: [...requiredOf(payload), name] }),
  ),
  "became optional": onField(
    (_, required) => required,
    (payload, name) => ({ ...payload, required: requiredOf(payload).filter((each) => each !== name) }),
  ),
  retyped: onField(any, (payload, name) => withField(payload, name, { type: "boolean" })),
  nullable: onField(
    ({ type }) => typeof type === "string",
    (payload, name, schema) =>
      withField(payload, name, { ...schema, type: [schema.type ?? "string", "null"] }),
  ),
  shortened: onField(any, (payload, name, schema) =>
    withField(payload, name, { ...schema, maxLength: 3, maximum: 3, maxItems: 3 }),
  ),
  "value added": onField(
    ({ enum: values }) => Array.isArray(values),
    (payload, name, schema) =>
      withField(payload, name, { ...schema, enum: [...(schema.enum as string[]), "one_more"] }),
  ),
  "known value added": onField(
    (schema) => Array.isArray(schema["x-extensible-enum"]),
    (payload, name, schema) =>
      withField(payload, name, {
        ...schema,
        "x-extensible-enum": [...(schema["x-extensible-enum"] as string[]), "one_more"],
      }),
  ),
  "wrapped in allOf": onField(any, (payload, name, schema) => withField(payload, name, { allOf: [schema] })),
  "moved into an object": onField(any, (payload, name, schema) =>
    withField(drop(payload, name), "holder", { type: "object", properties: { [name]: schema } }),
  ),
};
