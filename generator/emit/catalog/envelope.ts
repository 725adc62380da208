/** What surrounds the payloads, in the catalogue: the envelope, the order of streams, guarantees and policy. */
import { isObject, type Json, type JsonObject, own } from "../../json.js";
import { commonFields, payloadCarrier } from "../../protocol/message-layout.js";
import type { EventType, Protocol, Stream } from "../../protocol/protocol.js";
import { listedValues } from "../../schema/listed-values.js";
import { literal } from "../../text.js";
import { isWhole } from "./events.js";
import { fence, paragraphs, prose } from "./markdown.js";
import { makePen, names, type Pen, type Sections, WHOLE } from "./renderer.js";
import { ENVELOPE_ID, type Section, section } from "./section.js";
import { streamRuleLines } from "./stream-rules.js";
import { fieldBlocks } from "./table.js";

/** The envelope's fields, an example of its layout, and the fields that every payload may carry. */
export function envelopeSections(protocol: Protocol): Section[] {
  const { schema, property, payloadFields: common } = protocol.envelope;
  const sections = [
    section(ENVELOPE_ID, 2, "The envelope", (sections) => [
      ...(typeof schema.description === "string" ? paragraphs(schema.description) : []),
      placement(protocol, makePen(sections, "text", WHOLE)),
      ...fieldBlocks(bare(schema, property), sections, "The envelope has no fields of its own."),
      ...layout(protocol, sections),
    ]),
  ];
  if (common.length === 0) return sections;
  const shared: JsonObject = { type: "object", properties: commonFields(protocol.envelope) };
  return [
    ...sections,
    section("common fields", 3, "Fields that every payload may carry", (sections) => [
      "They are not repeated in the sections of the events.",
      ...fieldBlocks(shared, sections, ""),
    ]),
  ];
}

/** The envelope's schema without the place that it leaves for payloads. */
function bare(schema: JsonObject, property: string | undefined): JsonObject {
  const { additionalProperties: _room, ...rest } = schema;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const place = property === undefined ? undefined : own(properties, property);
  if (property === undefined || !isObject(place)) return rest;
  const { properties: _fields, additionalProperties: _open, ...closed } = place;
  return { ...rest, properties: { ...properties, [property]: closed } };
}

function placement({ envelope }: Protocol, pen: Pen): string {
  const names = `${pen.code(envelope.discriminator)} names the event type.`;
  switch (envelope.placement) {
    case "nested":
      return `${names} The payload is the object in ${pen.code(envelope.property ?? "")}.`;
    case "inline":
      return `${names} The fields of the payload stand beside the envelope's own, in the same object.`;
    case "keyed":
      return `${names} Each event type has its payload in a field of its own, which its section names; some have none.`;
  }
}

function layout(protocol: Protocol, sections: Sections): string[] {
  const { discriminator } = protocol.envelope;
  const shown = protocol.events.find(({ examples }) => examples.length > 0) ?? protocol.events[0];
  if (!shown) return [];
  const [example = {}] = shown.examples;
  const whole = isWhole(example, shown.type, discriminator);
  const message = whole ? example : composed(protocol, shown, example, makePen(sections, "text", WHOLE));
  const note = whole ? "" : ", with stand-ins for the values of other envelope fields";
  return [`The layout of an event${note}:`, fence(literal(message, 2), "json")];
}

/** A message around `payload`: the required envelope fields in their order, then the payload in its place. */
function composed({ envelope }: Protocol, event: EventType, payload: Json, pen: Pen): Json {
  const { schema, discriminator, placement } = envelope;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = names(schema.required).filter((name) => Object.hasOwn(properties, name));
  const property = payloadCarrier(envelope, event);
  const fields = Object.keys(properties)
    .filter((name) => name !== property && (required.includes(name) || name === discriminator))
    .map((name): [string, Json] => [
      name,
      name === discriminator ? event.type : standIn(own(properties, name), pen),
    ]);
  const body = isObject(payload) ? Object.entries(payload) : [];
  const rest: [string, Json][] =
    placement === "inline" ? body : property === undefined ? [] : [[property, payload]];
  return Object.fromEntries([...fields, ...rest]);
}

/** A value of the type that `schema` asks for; an ellipsis where a text stands. */
function standIn(schema: Json | undefined, pen: Pen, depth = 0): Json {
  if (!isObject(schema) || depth > 8) return "…";
  const [first] = listedValues(schema).flatMap(({ values }) => values);
  if (first !== undefined) return first;
  const [type] = [schema.type].flat();
  switch (type) {
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return false;
    case "object":
      return {};
    case "array":
      return [];
    case "null":
      return null;
    case undefined:
      return standIn(pen.definition(schema)?.schema, pen, depth + 1);
    default:
      return "…";
  }
}

/** Order, guarantees and policy, as far as the protocol speaks of them. */
export function promiseSections(protocol: Protocol): {
  readonly order: Section[];
  readonly evolution: Section[];
} {
  const { stream, guarantees, evolution } = protocol;
  const bullets = (items: readonly string[]): string => items.map((item) => `- ${prose(item)}`).join("\n");
  const order = stream
    ? [
        section("order", 2, "Order of events", (sections) => [
          ordering(protocol, stream, makePen(sections, "text", WHOLE)),
        ]),
        ...(stream.rules === undefined
          ? []
          : [
              section("stream rules", 2, "Rules of streams", (sections) => [
                "`accrete validate` checks them.",
                streamRuleLines(stream.rules, makePen(sections, "text", WHOLE)),
              ]),
            ]),
      ]
    : [];
  return {
    order: [
      ...order,
      ...(guarantees.length > 0
        ? [section("guarantees", 2, "What writers promise", () => [bullets(guarantees)])]
        : []),
    ],
    evolution:
      evolution.length > 0
        ? [section("evolution", 2, "How this protocol may change", () => [bullets(evolution)])]
        : [],
  };
}

function ordering(
  { id: protocolId, endpoints }: Protocol,
  { key, sequence, first, id, time }: Stream,
  pen: Pen,
): string {
  const names = pen.list(key.map(pen.code), "and");
  const lines = [
    key.length === 0 ? "All events form one stream." : `Events with the same ${names} form one stream.`,
    sequence === undefined
      ? "Events are not numbered: their order is the order in which they arrive."
      : `Within a stream ${pen.code(sequence)} gives the order${first === undefined ? "" : `; the first event has ${literal(first)}`}.`,
    ...(id === undefined
      ? []
      : [`${pen.code(id)} identifies an event: one that arrives again with the same value is a repetition.`]),
    ...(time === undefined ? [] : [`${pen.code(time)} tells when an event happened and gives no order.`]),
    ...(endpoints?.stream === undefined
      ? []
      : [
          `A stream is served at ${pen.code(`/${protocolId}/${endpoints.stream}/events`)}, and live at ${pen.code(`/${protocolId}/${endpoints.stream}/stream`)}.`,
        ]),
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}
