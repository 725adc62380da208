import type { JsonObject } from "../../json.js";
import { listPathFields, resolveEndpoints } from "../../protocol/endpoints.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { bannerText, literal } from "../../text.js";
import {
  aboutField,
  componentName,
  componentSchemas,
  eventReference,
  markdown,
  SCHEMAS,
  streamPath,
} from "./components.js";

/** `openapi.json`: the endpoints at which `accrete serve` offers the protocol's events, as OpenAPI 3.2. */
export function emitOpenapi(protocol: Protocol): OutputFile {
  return { path: `${protocol.id}/openapi.json`, content: `${literal(openapi(protocol), 2)}\n` };
}

/** The names of the schemas of its own have a dot, which no other component's name has. */
const OWN = {
  event: "stream.Event",
  page: "stream.Page",
  message: "stream.Message",
  problem: "stream.Problem",
} as const;

function own(name: keyof typeof OWN): JsonObject {
  return { $ref: `${SCHEMAS}${OWN[name]}` };
}

function openapi(protocol: Protocol): JsonObject {
  const { id, title, version, description } = protocol;
  const endpoints = resolveEndpoints(protocol);
  const inPath = listPathFields(endpoints).map(pathParameter);
  const one = streamPath(endpoints);
  const across = endpoints.filters.map((name) =>
    query(name, `Only events of streams with this \`${name}\`.`, { type: "string" }),
  );
  return {
    openapi: "3.2.0",
    "x-generated": bannerText(),
    info: { title: markdown(title), version, description: markdown(description) },
    servers: [{ url: "http://127.0.0.1:4780", description: "`accrete serve`" }],
    security: [],
    paths: {
      [`/${id}/${one}/events`]: list("listStreamEvents", "The events of one stream", inPath),
      [`/${id}/${one}/stream`]: live("followStream", "One stream, live", inPath),
      [`/${id}/events`]: list("listEvents", "The events of all streams", across),
      [`/${id}/events/stream`]: live("followEvents", "All streams, live", across),
    },
    components: {
      parameters: PARAMETERS,
      responses: {
        Problem: { description: "The request cannot be answered as asked.", content: json(own("problem")) },
      },
      schemas: { ...componentSchemas(protocol), ...ownSchemas(protocol) },
    },
  };
}

/** An endpoint that answers with a page, or with a stream to who accepts one. */
function list(operationId: string, summary: string, parameters: readonly JsonObject[]): JsonObject {
  const content = { ...json(own("page")), ...STREAM };
  const all = [...parameters, ...COMMON, parameterReference("limit")];
  return operation(
    operationId,
    summary,
    all,
    "A page of events; a live stream for clients that accept one.",
    content,
  );
}

function live(operationId: string, summary: string, parameters: readonly JsonObject[]): JsonObject {
  return operation(operationId, summary, [...parameters, ...COMMON], "Events as they come.", STREAM);
}

function operation(
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

function json(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}

const STREAM: JsonObject = { "text/event-stream": { itemSchema: own("message") } };

function query(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: "query", description: markdown(description), schema };
}

function pathParameter(name: string): JsonObject {
  const description = aboutField(name);
  return { name: componentName(name), in: "path", required: true, description, schema: { type: "string" } };
}

const PARAMETERS: JsonObject = {
  after_sequence: query("after_sequence", "Only events behind this cursor.", { type: "integer", minimum: 0 }),
  limit: query("limit", "At most so many events.", {
    type: "integer",
    minimum: 1,
    maximum: 5000,
    default: 500,
  }),
  event_type: query("event_type", "Only these event types, with commas between them.", { type: "string" }),
  last_event_id: {
    name: "Last-Event-ID",
    in: "header",
    description: "Where a live stream goes on: only events behind this cursor.",
    schema: { type: "integer", minimum: 0 },
  },
};

function parameterReference(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

const COMMON = ["after_sequence", "event_type", "last_event_id"].map(parameterReference);

/** Any event. */
function anyEvent({ events, envelope }: Protocol): JsonObject {
  const unknown = `${SCHEMAS}Envelope`;
  const known = events.map((event) => [event.type, eventReference(event)] as const);
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

/** The schemas around events: pages, messages of a live stream, errors. */
function ownSchemas(protocol: Protocol): JsonObject {
  return {
    [OWN.event]: anyEvent(protocol),
    [OWN.page]: {
      type: "object",
      properties: {
        object: { type: "string", description: "What kind of list this is." },
        data: { type: "array", items: own("event") },
        next_after_sequence: { type: "integer", description: "The cursor of the last event." },
      },
      required: ["object", "data"],
    },
    [OWN.message]: {
      description: "One server-sent event.",
      type: "object",
      properties: {
        id: { type: "string", description: "The event's cursor; absent where it comes again, late." },
        data: { type: "string", contentMediaType: "application/json", contentSchema: own("event") },
        retry: { type: "integer", description: "Milliseconds to wait before a new attempt." },
      },
      required: ["data"],
    },
    [OWN.problem]: {
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
