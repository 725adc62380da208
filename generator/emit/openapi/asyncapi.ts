import type { JsonObject } from "../../json.js";
import { listPathFields, resolveEndpoints } from "../../protocol/endpoints.js";
import { eventName } from "../../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../../protocol/protocol.js";
import { bannerText, literal } from "../../text.js";
import {
  aboutField,
  componentName,
  componentSchemas,
  eventReference,
  markdown,
  streamPath,
} from "./components.js";

/** `asyncapi.json`: the live streams of the protocol and a message for each event type, as AsyncAPI 3. */
export function emitAsyncapi(protocol: Protocol): OutputFile {
  return { path: `${protocol.id}/asyncapi.json`, content: `${literal(asyncapi(protocol), 2)}\n` };
}

function asyncapi(protocol: Protocol): JsonObject {
  const { id, title, version, description, events } = protocol;
  const endpoints = resolveEndpoints(protocol);
  const parameters = Object.fromEntries(
    listPathFields(endpoints).map((name) => [componentName(name), { description: aboutField(name) }]),
  );
  return {
    asyncapi: "3.1.0",
    "x-generated": bannerText(),
    info: { title: markdown(title), version, description: markdown(description) },
    defaultContentType: "application/json",
    channels: {
      stream: {
        ...channel(events, `/${id}/${streamPath(endpoints)}/stream`, "The events of one stream, in order."),
        ...(Object.keys(parameters).length > 0 && { parameters }),
      },
      feed: channel(events, `/${id}/events/stream`, "The events of all streams."),
    },
    operations: {
      sendStream: { action: "send", channel: { $ref: "#/channels/stream" } },
      sendFeed: { action: "send", channel: { $ref: "#/channels/feed" } },
    },
    components: {
      messages: Object.fromEntries(events.map((event) => [messageName(event), message(event)])),
      schemas: componentSchemas(protocol),
    },
  };
}

function channel(events: readonly EventType[], address: string, description: string): JsonObject {
  const messages = events.map((event) => {
    const name = messageName(event);
    return [name, { $ref: `#/components/messages/${name}` }] as const;
  });
  return { address, description, messages: Object.fromEntries(messages) };
}

function messageName({ type }: EventType): string {
  return componentName(eventName(type));
}

function message(event: EventType): JsonObject {
  const { type, summary, description, stability, since, deprecated } = event;
  return {
    name: type,
    title: type,
    summary: markdown(summary),
    description: markdown(description),
    contentType: "application/json",
    payload: eventReference(event),
    "x-stability": stability,
    "x-since": since,
    ...(deprecated && { "x-deprecated": true }),
  };
}
