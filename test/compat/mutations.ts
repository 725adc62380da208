import { isObject, type JsonObject } from "../../generator/json.js";

/** Returns a changed payload, or undefined if the change does not apply. */
export type Mutation = (payload: JsonObject) => JsonObject | undefined;

const getFields = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {});
const getRequired = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? (required as string[]) : [];

function setField(payload: JsonObject, name: string, schema: JsonObject | undefined): JsonObject {
  const { [name]: _old, ...rest } = getFields(payload);
  return { ...payload, properties: schema === undefined ? rest : { ...rest, [name]: schema } };
}

/** Creates a mutation of the first field for which `isWanted` holds. */
function changeFirstField(
  isWanted: (schema: JsonObject, required: boolean) => boolean,
  change: (payload: JsonObject, name: string, schema: JsonObject) => JsonObject,
): Mutation {
  return (payload) => {
    const required = getRequired(payload);
    const found = Object.entries(getFields(payload)).find(
      ([name, schema]) => isObject(schema) && isWanted(schema, required.includes(name)),
    );
    if (found === undefined) return undefined;
    const [name, schema] = found;
    return isObject(schema) ? change(payload, name, schema) : undefined;
  };
}

const acceptAnyField = () => true;
const removeField = (payload: JsonObject, name: string): JsonObject => ({
  ...setField(payload, name, undefined),
  required: getRequired(payload).filter((each) => each !== name),
});

/** Typical changes of payloads, breaking and harmless ones. */
export const MUTATIONS: { readonly [name: string]: Mutation } = {
  "optional field removed": changeFirstField((_, required) => !required, removeField),
  "required field removed": changeFirstField((_, required) => required, removeField),
  "field renamed": changeFirstField(acceptAnyField, (payload, name, schema) =>
    setField(removeField(payload, name), `${name}_now`, schema),
  ),
  "optional field added": (payload) => setField(payload, "brand_new", { type: "string" }),
  "required field added": (payload) => ({
    ...setField(payload, "brand_new", { type: "string" }),
    required: [...getRequired(payload), "brand_new"],
  }),
  "became required": changeFirstField(
    (_, required) => !required,
    (payload, name) => ({ ...payload, required: [...getRequired(payload), name] }),
  ),
  "became optional": changeFirstField(
    (_, required) => required,
    (payload, name) => ({ ...payload, required: getRequired(payload).filter((each) => each !== name) }),
  ),
  retyped: changeFirstField(acceptAnyField, (payload, name) => setField(payload, name, { type: "boolean" })),
  nullable: changeFirstField(
    ({ type }) => typeof type === "string",
    (payload, name, schema) =>
      setField(payload, name, { ...schema, type: [schema.type ?? "string", "null"] }),
  ),
  shortened: changeFirstField(acceptAnyField, (payload, name, schema) =>
    setField(payload, name, { ...schema, maxLength: 3, maximum: 3, maxItems: 3 }),
  ),
  "value added": changeFirstField(
    ({ enum: values }) => Array.isArray(values),
    (payload, name, schema) =>
      setField(payload, name, { ...schema, enum: [...(schema.enum as string[]), "one_more"] }),
  ),
  "known value added": changeFirstField(
    (schema) => Array.isArray(schema["x-extensible-enum"]),
    (payload, name, schema) =>
      setField(payload, name, {
        ...schema,
        "x-extensible-enum": [...(schema["x-extensible-enum"] as string[]), "one_more"],
      }),
  ),
  "wrapped in allOf": changeFirstField(acceptAnyField, (payload, name, schema) =>
    setField(payload, name, { allOf: [schema] }),
  ),
  "moved into an object": changeFirstField(acceptAnyField, (payload, name, schema) =>
    setField(removeField(payload, name), "holder", { type: "object", properties: { [name]: schema } }),
  ),
};
