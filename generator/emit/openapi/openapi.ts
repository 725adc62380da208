import type { JsonObject } from "../../json.js";
import { listPathFields, resolveEndpoints } from "../../protocol/endpoints.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner, formatLiteral } from "../../text.js";
import {
  createComponentSchemas,
  createEventReference,
  describePathField,
  formatComponentName,
  formatMarkdown,
  formatStreamPath,
  SCHEMAS_POINTER,
} from "./components.js";

/** `openapi.json`: the endpoints at which `accrete serve` offers the protocol's events, as OpenAPI 3.2. */
export function emitOpenapi(protocol: Protocol): OutputFile {
  return { path: `${protocol.id}/openapi.json`, content: `${formatLiteral(createOpenapi(protocol), 2)}\n` };
}

/** The names of the schemas around events. They have a dot, which no other component's name has. */
const STREAM_SCHEMAS = {
  event: "stream.Event",
  page: "stream.Page",
  message: "stream.Message",
  problem: "stream.Problem",
} as const;

function createStreamReference(name: keyof typeof STREAM_SCHEMAS): JsonObject {
  return { $ref: `${SCHEMAS_POINTER}${STREAM_SCHEMAS[name]}` };
}

function createOpenapi(protocol: Protocol): JsonObject {
  const { id, title, version, description } = protocol;
  const endpoints = resolveEndpoints(protocol);
  const inPath = listPathFields(endpoints).map(createPathParameter);
  const one = formatStreamPath(endpoints);
  const across = endpoints.filters.map((name) =>
    createQueryParameter(name, `Only events of streams with this \`${name}\`.`, { type: "string" }),
  );
  return {
    openapi: "3.2.0",
    "x-generated": createBanner(),
    info: { title: formatMarkdown(title), version, description: formatMarkdown(description) },
    servers: [{ url: "http://127.0.0.1:4780", description: "`accrete serve`" }],
    security: [],
    paths: {
      [`/${id}/${one}/events`]: createListPath("listStreamEvents", "The events of one stream", inPath),
      [`/${id}/${one}/stream`]: createLivePath("followStream", "One stream, live", inPath),
      [`/${id}/events`]: createListPath("listEvents", "The events of all streams", across),
      [`/${id}/events/stream`]: createLivePath("followEvents", "All streams, live", across),
    },
    components: {
      parameters: PARAMETERS,
      responses: {
        Problem: {
          description: "The request cannot be answered as asked.",
          content: createJsonContent(createStreamReference("problem")),
        },
      },
      schemas: { ...createComponentSchemas(protocol), ...createStreamSchemas(protocol) },
    },
  };
}

/** Creates an endpoint that answers with a page, or with a stream if the client accepts one. */
function createListPath(operationId: string, summary: string, parameters: readonly JsonObject[]): JsonObject {
  const content = { ...createJsonContent(createStreamReference("page")), ...STREAM };
  const all = [...parameters, ...COMMON, createParameterReference("limit")];
  return createOperation(
    operationId,
    summary,
    all,
    "A page of events; a live stream for clients that accept one.",
    content,
  );
}

function createLivePath(operationId: string, summary: string, parameters: readonly JsonObject[]): JsonObject {
  return createOperation(operationId, summary, [...parameters, ...COMMON], "Events as they come.", STREAM);
}

function createOperation(
  operationId: string,
  summary: string,
  parameters: readonly JsonObject[],
  description: string,
  content: JsonObject,
): JsonObject {
  const responses = {
    "200": { description, content },
    "204": { description: "The stream is over and holds nothing more: a client should not come back." },
    "4XX": { $ref: "#/components/responses/Problem" },
    "5XX": { $ref: "#/components/responses/Problem" },
  };
  return { get: { operationId, summary, parameters, responses } };
}

function createJsonContent(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}

const STREAM: JsonObject = { "text/event-stream": { itemSchema: createStreamReference("message") } };

function createQueryParameter(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: "query", description: formatMarkdown(description), schema };
}

function createPathParameter(name: string): JsonObject {
  const description = describePathField(name);
  return {
    name: formatComponentName(name),
    in: "path",
    required: true,
    description,
    schema: { type: "string" },
  };
}

const PARAMETERS: JsonObject = {
  after_sequence: createQueryParameter("after_sequence", "Only events behind this cursor.", {
    type: "integer",
    minimum: 0,
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
    schema: { type: "integer", minimum: 0 },
  },
};

function createParameterReference(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

const COMMON = ["after_sequence", "event_type", "last_event_id"].map(createParameterReference);

/** Creates the schema of any event. */
function createAnyEventSchema({ events, envelope }: Protocol): JsonObject {
  const unknown = `${SCHEMAS_POINTER}Envelope`;
  const known = events.map((event) => [event.type, createEventReference(event)] as const);
  return {
    description: "An event; one of an unknown type has a valid envelope.",
    anyOf: [...known.map(([, reference]) => reference), { $ref: unknown }],
    discriminator: {
      propertyName: envelope.discriminator,
      mapping: Object.fromEntries(known.map(([type, { $ref }]) => [type, $ref])),
      defaultMapping: unknown,
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
    [STREAM_SCHEMAS.problem]: {
      type: "object",
      properties: {
        object: { const: "error" },
        status: { type: "integer" },
        message: { type: "string", description: "A sentence that says what to fix." },
      },
      required: ["object", "status", "message"],
    },
  };
}
