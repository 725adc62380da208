import type { JsonObject } from "../../json.js";
import { listPathFields, resolveEndpoints } from "../../protocol/endpoints.js";
import { deriveEventName } from "../../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner, formatLiteral } from "../../text.js";
import {
  createComponentSchemas,
  createEventReference,
  describePathField,
  formatComponentName,
  formatMarkdown,
  formatStreamPath,
} from "./components.js";

/** `asyncapi.json`: the live streams of the protocol and a message for each event type, as AsyncAPI 3. */
export function emitAsyncapi(protocol: Protocol): OutputFile {
  return { path: `${protocol.id}/asyncapi.json`, content: `${formatLiteral(createAsyncapi(protocol), 2)}\n` };
}

function createAsyncapi(protocol: Protocol): JsonObject {
  const { id, title, version, description, events } = protocol;
  const endpoints = resolveEndpoints(protocol);
  const parameters = Object.fromEntries(
    listPathFields(endpoints).map((name) => [
      formatComponentName(name),
      { description: describePathField(name) },
    ]),
  );
  return {
    asyncapi: "3.1.0",
    "x-generated": createBanner(),
    info: { title: formatMarkdown(title), version, description: formatMarkdown(description) },
    defaultContentType: "application/json",
    channels: {
      stream: {
        ...createChannel(
          events,
          `/${id}/${formatStreamPath(endpoints)}/stream`,
          "The events of one stream, in order.",
        ),
        ...(Object.keys(parameters).length > 0 && { parameters }),
      },
      feed: createChannel(events, `/${id}/events/stream`, "The events of all streams."),
    },
    operations: {
      sendStream: { action: "send", channel: { $ref: "#/channels/stream" } },
      sendFeed: { action: "send", channel: { $ref: "#/channels/feed" } },
    },
    components: {
      messages: Object.fromEntries(events.map((event) => [formatMessageName(event), createMessage(event)])),
      schemas: createComponentSchemas(protocol),
    },
  };
}

function createChannel(events: readonly EventType[], address: string, description: string): JsonObject {
  const messages = events.map((event) => {
    const name = formatMessageName(event);
    return [name, { $ref: `#/components/messages/${name}` }] as const;
  });
  return { address, description, messages: Object.fromEntries(messages) };
}

function formatMessageName(event: EventType): string {
  return formatComponentName(deriveEventName(event));
}

function createMessage(event: EventType): JsonObject {
  const { type, summary, description, stability, since, deprecated } = event;
  return {
    name: type,
    title: type,
    summary: formatMarkdown(summary),
    description: formatMarkdown(description),
    contentType: "application/json",
    payload: createEventReference(event),
    "x-stability": stability,
    "x-since": since,
    ...(deprecated && { "x-deprecated": true }),
  };
}
