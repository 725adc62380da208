/** The parts from which the operations of an OpenAPI document are made. */
import type { JsonObject } from "../../json.js";
import { describePathField, formatComponentName, formatMarkdown, SCHEMAS_POINTER } from "./components.js";

/** The names of the schemas around events. They have a dot, which no other component's name has. */
export const STREAM_SCHEMAS = {
  event: "stream.Event",
  page: "stream.Page",
  message: "stream.Message",
  state: "stream.State",
  problem: "stream.Problem",
  run: "stream.Run",
} as const;

/** Creates a reference to a schema around events. */
export function createStreamReference(name: keyof typeof STREAM_SCHEMAS): JsonObject {
  return { $ref: `${SCHEMAS_POINTER}${STREAM_SCHEMAS[name]}` };
}

/** Describes one operation. */
interface OperationDraft {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly JsonObject[];
  /** The schema of the body; absent if the operation reads none. */
  readonly body?: JsonObject;
  /** The responses besides problems. */
  readonly responses: JsonObject;
}

/** Creates an operation, which may also answer with problems. */
export function createOperation({
  operationId,
  summary,
  parameters = [],
  body,
  responses,
}: OperationDraft): JsonObject {
  return {
    operationId,
    summary,
    parameters,
    ...(body && { requestBody: { required: true, content: createJsonContent(body) } }),
    responses: {
      ...responses,
      "4XX": { $ref: "#/components/responses/Problem" },
      "5XX": { $ref: "#/components/responses/Problem" },
    },
  };
}

/** Creates a response in JSON. */
export function createJsonResponse(description: string, schema: JsonObject): JsonObject {
  return { description, content: createJsonContent(schema) };
}

/** Creates the content of a body in JSON. */
export function createJsonContent(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}

/** Creates the schema of an object with these properties, all of which are required. */
export function createObjectSchema(properties: JsonObject): JsonObject {
  return { type: "object", properties, required: Object.keys(properties) };
}

/** Creates the schema of `{"object":name,"data":…}`. */
export function createWrapperSchema(name: string, data: JsonObject): JsonObject {
  return createObjectSchema({ object: { type: "string", const: name }, data });
}

/** Creates a parameter of the query. */
export function createQueryParameter(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: "query", description: formatMarkdown(description), schema };
}

/** Creates a parameter of the path. Its name has the characters of a component's name. */
export function createPathParameter(name: string, description = describePathField(name)): JsonObject {
  return {
    name: formatComponentName(name),
    in: "path",
    required: true,
    description,
    schema: { type: "string" },
  };
}
