import type { JsonObject } from "../../json.js";
import { listPathFields, resolveEndpoints } from "../../protocol/endpoints.js";
import { deriveResourceName } from "../../protocol/names.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner, formatLiteral } from "../../text.js";
import { createActionPaths, createPostOperation } from "./action-paths.js";
import {
  createComponentSchemas,
  createEventReference,
  formatComponentName,
  formatMarkdown,
  formatStreamPath,
  SCHEMAS_POINTER,
} from "./components.js";
import {
  createJsonContent,
  createJsonResponse,
  createObjectSchema,
  createOperation,
  createPathParameter,
  createQueryParameter,
  createStreamReference,
  createWrapperSchema,
  STREAM_SCHEMAS,
} from "./operations.js";

/** `openapi.json`: the endpoints at which `accrete serve` offers the protocol's events, as OpenAPI 3.2. */
export function emitOpenapi(protocol: Protocol): OutputFile {
  return { path: `${protocol.id}/openapi.json`, content: `${formatLiteral(createOpenapi(protocol), 2)}\n` };
}

function createOpenapi(protocol: Protocol): JsonObject {
  const { title, version, description } = protocol;
  return {
    openapi: "3.2.0",
    "x-generated": createBanner(),
    info: { title: formatMarkdown(title), version, description: formatMarkdown(description) },
    servers: [{ url: "http://127.0.0.1:4780", description: "`accrete serve`" }],
    security: [],
    paths: createPaths(protocol),
    components: {
      parameters: PARAMETERS,
      responses: {
        Problem: {
          description: "The request cannot be answered as asked.",
          content: { "application/problem+json": { schema: createStreamReference("problem") } },
        },
      },
      schemas: { ...createComponentSchemas(protocol), ...createStreamSchemas(protocol) },
    },
  };
}

/** Creates the paths with their operations. */
export function createPaths(protocol: Protocol): JsonObject {
  const { id } = protocol;
  const endpoints = resolveEndpoints(protocol);
  const pathParameters = listPathFields(endpoints).map((name) => createPathParameter(name));
  const streamPath = formatStreamPath(endpoints);
  const filterParameters = endpoints.filters.map((name) =>
    createQueryParameter(name, `Only events of streams with this \`${name}\`.`, { type: "string" }),
  );
  return {
    [`/${id}/${streamPath}/events`]: {
      get: createListOperation("listStreamEvents", "The events of one stream", pathParameters),
      ...createPostOperation(protocol, pathParameters),
    },
    [`/${id}/${streamPath}/stream`]: {
      get: createLiveOperation(
        "followStream",
        "One stream, live",
        pathParameters,
        describeLiveItems(protocol),
      ),
    },
    [`/${id}/events`]: {
      get: createListOperation("listEvents", "The events of all streams", filterParameters),
    },
    [`/${id}/events/stream`]: {
      get: createLiveOperation("followEvents", "All streams, live", filterParameters),
    },
    ...createActionPaths(protocol, `/${id}/${streamPath}`, pathParameters),
    "/runs": { get: createRunsOperation() },
  };
}

/** Creates an operation that answers with a page, or with a stream if the client accepts one. */
function createListOperation(
  operationId: string,
  summary: string,
  ownParameters: readonly JsonObject[],
): JsonObject {
  const content = { ...createJsonContent(createStreamReference("page")), ...STREAM_CONTENT };
  const parameters = [...ownParameters, ...COMMON_PARAMETERS, createParameterReference("limit")];
  const description = "A page of events; a live stream for clients that accept one.";
  const responses = { "200": { description, content }, ...END_RESPONSE };
  return createOperation({ operationId, summary, parameters, responses });
}

function createLiveOperation(
  operationId: string,
  summary: string,
  ownParameters: readonly JsonObject[],
  content = STREAM_CONTENT,
): JsonObject {
  const parameters = [...ownParameters, ...COMMON_PARAMETERS];
  const responses = { "200": { description: "Events as they come.", content }, ...END_RESPONSE };
  return createOperation({ operationId, summary, parameters, responses });
}

/** Creates the operation that lists the runs of all protocols. */
function createRunsOperation(): JsonObject {
  const data = { type: "array", items: createStreamReference("run") };
  const response = createJsonResponse("All runs of the server.", createWrapperSchema("list", data));
  return createOperation({ operationId: "listRuns", summary: "All runs", responses: { "200": response } });
}

const END_RESPONSE: JsonObject = {
  "204": { description: "The stream is over and holds nothing more: a client should not come back." },
};

const STREAM_CONTENT: JsonObject = {
  "text/event-stream": {
    // Clients that do not know `itemSchema` get a text.
    schema: { type: "string" },
    itemSchema: createStreamReference("message"),
  },
};

/** Describes the live stream of one run, which sends states instead of events if the server was started so. */
function describeLiveItems({ stateFeed }: Protocol): JsonObject {
  if (stateFeed === undefined) return STREAM_CONTENT;
  const itemSchema = { anyOf: [createStreamReference("message"), createStreamReference("state")] };
  return { "text/event-stream": { schema: { type: "string" }, itemSchema } };
}

/** Creates the schema of a server-sent event that holds a state; none if the protocol has no state feed. */
function createStateMessage({ stateFeed }: Protocol): JsonObject {
  if (stateFeed === undefined) return {};
  const { resource, object, eventName } = stateFeed;
  const state = { $ref: `${SCHEMAS_POINTER}${formatComponentName(deriveResourceName(resource))}` };
  const contentSchema = object === undefined ? state : createWrapperSchema(object, state);
  const properties = {
    id: { type: "string", description: "The cursor of the event that led to the state." },
    ...(eventName !== undefined && { event: { type: "string", const: eventName } }),
    data: { type: "string", contentMediaType: "application/json", contentSchema },
  };
  const description = "One state, with the wire format `state`.";
  return { [STREAM_SCHEMAS.state]: { description, type: "object", properties, required: ["data"] } };
}

/** The parameters that operations share, by name. */
export const PARAMETERS: JsonObject = {
  after_sequence: createQueryParameter("after_sequence", "Only events behind this cursor.", {
    type: "integer",
    minimum: -1,
  }),
  limit: createQueryParameter("limit", "At most so many events.", {
    type: "integer",
    minimum: 1,
    maximum: 5000,
    default: 500,
  }),
  event_type: createQueryParameter("event_type", "Only these event types, with commas between them.", {
    type: "string",
  }),
  last_event_id: {
    name: "Last-Event-ID",
    in: "header",
    description: "Where a live stream goes on: only events behind this cursor.",
    schema: { type: "integer", minimum: -1 },
  },
};

function createParameterReference(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

const COMMON_PARAMETERS = ["after_sequence", "event_type", "last_event_id"].map(createParameterReference);

/** Creates the schema of any event. */
function createAnyEventSchema({ events, envelope }: Protocol): JsonObject {
  const envelopePointer = `${SCHEMAS_POINTER}Envelope`;
  const references = events.map((event) => [event.type, createEventReference(event)] as const);
  return {
    description: "An event; one of an unknown type has a valid envelope.",
    anyOf: [...references.map(([, reference]) => reference), { $ref: envelopePointer }],
    discriminator: {
      propertyName: envelope.discriminator,
      mapping: Object.fromEntries(references.map(([type, { $ref }]) => [type, $ref])),
      defaultMapping: envelopePointer,
    },
  };
}

/** Creates the schemas around events: pages, messages of a live stream, errors. */
function createStreamSchemas(protocol: Protocol): JsonObject {
  return {
    [STREAM_SCHEMAS.event]: createAnyEventSchema(protocol),
    [STREAM_SCHEMAS.page]: {
      type: "object",
      properties: {
        object: { type: "string", description: "What kind of list this is." },
        data: { type: "array", items: createStreamReference("event") },
        next_after_sequence: {
          type: "integer",
          description: "The cursor of the last event; -1 if nothing was read yet.",
        },
      },
      required: ["object", "data"],
    },
    [STREAM_SCHEMAS.message]: {
      description: "One server-sent event.",
      type: "object",
      properties: {
        id: { type: "string", description: "The event's cursor; absent where it comes again, late." },
        data: {
          type: "string",
          contentMediaType: "application/json",
          contentSchema: createStreamReference("event"),
        },
        retry: { type: "integer", description: "Milliseconds to wait before a new attempt." },
      },
      required: ["data"],
    },
    ...createStateMessage(protocol),
    ...SHARED_SCHEMAS,
  };
}

const TEXT: JsonObject = { type: "string" };

/** The schemas of problems and runs, which are the same for all protocols. */
const SHARED_SCHEMAS: JsonObject = {
  [STREAM_SCHEMAS.problem]: {
    description: "A problem as RFC 9457 describes it.",
    type: "object",
    properties: {
      type: TEXT,
      title: TEXT,
      status: { type: "integer" },
      code: { type: "string", description: "A code that never changes its meaning." },
      detail: { type: "string", description: "A sentence that says what to fix." },
      errors: {
        description: "The mistakes of a body, with JSON pointers into it.",
        type: "array",
        items: createObjectSchema({ pointer: TEXT, message: TEXT }),
      },
    },
    required: ["type", "title", "status", "code", "detail"],
  },
  [STREAM_SCHEMAS.run]: {
    description: "One run, and how many of its events have happened.",
    ...createObjectSchema({
      protocol: TEXT,
      run: { type: "string", description: "The key of the run." },
      fields: { type: "object", additionalProperties: TEXT },
      events: { type: "integer" },
      released: { type: "integer", description: "The number of events that have happened." },
      finished: { type: "boolean" },
      paths: createObjectSchema({ events: TEXT, stream: TEXT }),
    }),
  },
};
