import type { JsonObject } from "../json.js";
import { endpointsOf } from "../model/endpoints.js";
import { eventName } from "../model/names.js";
import type { EventType, OutputFile, Protocol } from "../model/protocol.js";
import { literal } from "../text.js";
import { componentName, componentSchemas, eventReference, markdown } from "./components.js";
import { bannerText } from "./text.js";

/** `asyncapi.json`: the live streams of the protocol and a message for each event type, as AsyncAPI 3. */
export function emitAsyncapi(protocol: Protocol): OutputFile {
  return { path: `${protocol.id}/asyncapi.json`, content: `${literal(asyncapi(protocol), 2)}\n` };
}

function asyncapi(protocol: Protocol): JsonObject {
  const { id, title, version, description, events } = protocol;
  const { run } = endpointsOf(protocol);
  const names = [...run.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
  const one = run.replace(/\{([^}]+)\}/g, (_all, name: string) => `{${componentName(name)}}`);
  const parameters = Object.fromEntries(names.map((name) => [componentName(name), parameter(name)]));
  return {
    asyncapi: "3.1.0",
    "x-generated": bannerText(),
    info: { title: markdown(title), version, description: markdown(description) },
    defaultContentType: "application/json",
    channels: {
      stream: {
        ...channel(events, `/${id}/${one}/stream`, "The events of one stream, in order."),
        ...(names.length > 0 && { parameters }),
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

function parameter(name: string): JsonObject {
  return { description: markdown(`The stream's \`${name}\`; a single hyphen stands for none.`) };
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
