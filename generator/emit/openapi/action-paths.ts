/** Creates the operations with which callers change runs, as protocol.json declares them. */
import { getItem } from "../../get-item.js";
import { createObject, type JsonObject } from "../../json.js";
import type { ArtifactActions, DecisionAction } from "../../protocol/actions.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import { derivePayloadName, deriveResourceName, toPascalCase } from "../../protocol/names.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { formatComponentName, formatMarkdown, SCHEMAS_POINTER } from "./components.js";
import {
  createJsonResponse,
  createOperation,
  createPathParameter,
  createQueryParameter,
  createStreamReference,
  createWrapperSchema,
} from "./operations.js";

/** Creates the operation that posts an event to a stream; none if callers may not post. */
export function createPostOperation(protocol: Protocol, pathParameters: readonly JsonObject[]): JsonObject {
  const types = protocol.actions?.post ?? [];
  const events = types.flatMap((type) => protocol.events.filter((event) => event.type === type));
  if (events.length === 0) return {};
  const bodies = events.map((event, index) => createPostedSchema(protocol, event, index === 0));
  const post = createOperation({
    operationId: "postStreamEvent",
    summary: "Adds an event to one stream",
    parameters: pathParameters,
    body: bodies.length === 1 ? getItem(bodies, 0) : { anyOf: bodies },
    responses: { "201": CREATED },
  });
  return { post };
}

/** Creates the paths of decisions, which are below `stream`, and of artifacts. */
export function createActionPaths(
  protocol: Protocol,
  stream: string,
  pathParameters: readonly JsonObject[],
): JsonObject {
  const { decisions = [], artifacts } = protocol.actions ?? {};
  return {
    ...createObject(decisions.flatMap((action) => createDecisionPaths(action, stream, pathParameters))),
    ...(artifacts && createObject(createArtifactPaths(protocol, artifacts))),
  };
}

const CREATED = createJsonResponse(
  "The event that was added. It also comes on the streams.",
  createWrapperSchema("event", createStreamReference("event")),
);

/** Creates the schema of the body that posts an event. Fields of the payload may also stand beside the payload. */
function createPostedSchema({ envelope }: Protocol, event: EventType, isDefault: boolean): JsonObject {
  const { discriminator } = envelope;
  const carrier = findPayloadCarrier(envelope, event);
  const payload = { $ref: `${SCHEMAS_POINTER}${formatComponentName(derivePayloadName(event))}` };
  const ownSchema = {
    type: "object",
    properties: {
      [discriminator]: { type: "string", const: event.type },
      ...(carrier !== undefined && { [carrier]: payload }),
    },
    required: isDefault ? [] : [discriminator],
    additionalProperties: true,
  };
  return envelope.placement === "inline" ? { allOf: [payload, ownSchema] } : ownSchema;
}

const TEXT: JsonObject = { type: "string" };

const QUESTION: JsonObject = {
  description: "A question of a run that callers decide.",
  type: "object",
  properties: {
    id: TEXT,
    open: { type: "boolean", description: "Whether it can be decided." },
    closed_by: { type: "string", description: "Its outcome, or the event type that ended the run." },
    outcomes: { type: "array", items: TEXT },
    event: createStreamReference("event"),
  },
  required: ["id", "open", "outcomes", "event"],
};

function createDecisionPaths(
  { path, key, choice, outcomes }: DecisionAction,
  stream: string,
  pathParameters: readonly JsonObject[],
): [string, JsonObject][] {
  const data = { type: "array", items: QUESTION };
  const list = createOperation({
    operationId: `list${toPascalCase(path)}`,
    summary: formatMarkdown(`The ${path} of one stream`),
    parameters: pathParameters,
    responses: {
      "200": createJsonResponse("The questions of the run so far.", createWrapperSchema("list", data)),
    },
  });
  const description = formatMarkdown(`The \`${key}\` of the question.`);
  const decide = createOperation({
    operationId: `decide${toPascalCase(path)}`,
    summary: "Decides a question, and lets the run go on",
    parameters: [...pathParameters, createPathParameter(key, description)],
    body: {
      description: "The outcome, and optional fields of the event that reports it.",
      type: "object",
      properties: { [choice]: { type: "string", enum: Object.keys(outcomes) } },
      required: [choice],
      additionalProperties: true,
    },
    responses: { "201": CREATED },
  });
  return [
    [`${stream}/${path}`, { get: list }],
    [`${stream}/${path}/{${formatComponentName(key)}}`, { post: decide }],
  ];
}

function createArtifactPaths(protocol: Protocol, action: ArtifactActions): [string, JsonObject][] {
  const { path, resource, id, operations = {} } = action;
  const base = `/${protocol.id}/${path}`;
  const artifact = { $ref: `${SCHEMAS_POINTER}${formatComponentName(deriveResourceName(resource))}` };
  const parameters = [createPathParameter(id, formatMarkdown(`The \`${id}\` of the ${resource}.`))];
  const response = createJsonResponse("The artifact.", artifact);
  const get = createOperation({
    operationId: `get${toPascalCase(resource)}`,
    summary: "One artifact",
    parameters,
    responses: { "200": response },
  });
  const item = `${base}/{${formatComponentName(id)}}`;
  const changes = Object.entries(operations).map(([name, { to, type }]): [string, JsonObject] => {
    const summary = formatMarkdown(`Changes the status to \`${to}\` with the event \`${type}\``);
    const operationId = `${formatComponentName(name)}${toPascalCase(resource)}`;
    return [
      `${item}/${name}`,
      { post: createOperation({ operationId, summary, parameters, responses: { "200": response } }) },
    ];
  });
  return [[base, { get: createArtifactList(protocol, action) }], [item, { get }], ...changes];
}

function createArtifactList(
  protocol: Protocol,
  { path, resource, filters, status, transitions }: ArtifactActions,
): JsonObject {
  const moves = protocol.stream?.rules?.transitions?.find(({ name }) => name === transitions)?.moves ?? {};
  const parameters = Object.entries(filters).map(([name, member]) =>
    createQueryParameter(
      name,
      `Only artifacts with this \`${member}\`.`,
      member === status ? { type: "string", enum: Object.keys(moves) } : { type: "string" },
    ),
  );
  const schema = `${SCHEMAS_POINTER}${formatComponentName(deriveResourceName(resource))}`;
  const data = { type: "array", items: { $ref: `${schema}/properties/data` } };
  return createOperation({
    operationId: `list${toPascalCase(path)}`,
    summary: "The artifacts of all runs",
    parameters,
    responses: { "200": createJsonResponse("The artifacts so far.", createWrapperSchema("list", data)) },
  });
}
