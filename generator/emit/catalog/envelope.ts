/** Creates the sections of the catalogue about the envelope. */
import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { collectCommonFields, findPayloadCarrier } from "../../protocol/message-layout.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { CONJUNCTION, readFirstValue } from "../../schema/describe.js";
import { collectKnownValues } from "../../schema/merge.js";
import { formatLiteral } from "../../text.js";
import { isWholeEvent } from "./events.js";
import { formatCodeBlock, formatParagraphs } from "./markdown.js";
import { createRenderer, listNames, type Renderer, type Sections, UNLIMITED } from "./renderer.js";
import { createSection, ENVELOPE_ID, type Section } from "./section.js";
import { formatFieldBlocks, formatSources } from "./table.js";

/** Creates the sections with the envelope's fields, an example of its layout, and the fields that every payload may carry. */
export function createEnvelopeSections(protocol: Protocol): Section[] {
  const { schema, property, payloadFields } = protocol.envelope;
  const envelopeSection = createSection(ENVELOPE_ID, 2, "The envelope", (sections) => [
    ...(typeof schema.description === "string" ? formatParagraphs(schema.description) : []),
    describePlacement(protocol, createRenderer(sections, "text", UNLIMITED)),
    ...formatFieldBlocks(dropPayload(schema, property), sections, "The envelope has no fields of its own."),
    ...formatLayout(protocol, sections),
    ...formatSources(protocol.envelope.sources, createRenderer(sections, "text", UNLIMITED)),
  ]);
  if (payloadFields.length === 0) return [envelopeSection];
  const commonFields: JsonObject = { type: "object", properties: collectCommonFields(protocol.envelope) };
  return [
    envelopeSection,
    createSection("common fields", 3, "Fields that every payload may carry", (sections) => [
      "They are not repeated in the sections of the events.",
      ...formatFieldBlocks(commonFields, sections, ""),
    ]),
  ];
}

/** Returns the envelope's schema without the declarations of payloads. */
function dropPayload(schema: JsonObject, property: string | undefined): JsonObject {
  const { additionalProperties: _otherFields, ...rest } = schema;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const carrier = property === undefined ? undefined : getOwn(properties, property);
  if (property === undefined || !isObject(carrier)) return rest;
  const { properties: _payloadFields, additionalProperties: _otherPayloadFields, ...emptyCarrier } = carrier;
  return { ...rest, properties: { ...properties, [property]: emptyCarrier } };
}

function describePlacement({ envelope }: Protocol, renderer: Renderer): string {
  const { message } = envelope;
  const messageSentence =
    message === undefined
      ? ""
      : `Each event is sent in a document that the resource ${renderer.code(message.resource)} describes, at ${renderer.code(message.event)}. `;
  const typeSentence = `${messageSentence}${renderer.code(envelope.discriminator)} names the event type.`;
  switch (envelope.placement) {
    case "nested":
      return `${typeSentence} The payload is the object in ${renderer.code(envelope.property ?? "")}.`;
    case "inline":
      return `${typeSentence} The fields of the payload stand beside the envelope's own, in the same object.`;
    case "keyed":
      return `${typeSentence} Each event type has its payload in a field of its own, which its section names; some have none.`;
  }
}

function formatLayout(protocol: Protocol, sections: Sections): string[] {
  const { discriminator } = protocol.envelope;
  const event = protocol.events.find(({ examples }) => examples.length > 0) ?? protocol.events[0];
  if (!event) return [];
  const [example = {}] = event.examples;
  const isWhole = isWholeEvent(example, event.type, discriminator);
  const message = isWhole
    ? example
    : composeMessage(protocol, event, example, createRenderer(sections, "text", UNLIMITED));
  const note = isWhole ? "" : ", with placeholders for the values of other envelope fields";
  return [`The layout of an event${note}:`, formatCodeBlock(formatLiteral(message, 2), "json")];
}

/** Composes a message around `payload`: the required envelope fields in their order, then the payload in its place. */
function composeMessage({ envelope }: Protocol, event: EventType, payload: Json, renderer: Renderer): Json {
  const { schema, discriminator, placement } = envelope;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const requiredNames = listNames(schema.required).filter((name) => Object.hasOwn(properties, name));
  const property = findPayloadCarrier(envelope, event);
  const fields = Object.keys(properties)
    .filter((name) => name !== property && (requiredNames.includes(name) || name === discriminator))
    .map((name): [string, Json] => [
      name,
      name === discriminator ? event.type : createPlaceholder(getOwn(properties, name) ?? true, renderer),
    ]);
  const body = isObject(payload) ? Object.entries(payload) : [];
  const carrier: [string, Json][] = property === undefined ? [] : [[property, payload]];
  return Object.fromEntries([...fields, ...(placement === "inline" ? body : carrier)]);
}

const PLACEHOLDERS: { readonly [type: string]: Json } = {
  integer: 0,
  number: 0,
  boolean: false,
  object: {},
  array: [],
};

/** Creates a value of the first type that `schema` allows. It is a known value or the minimum, if there is one. */
function createPlaceholder(schema: Json, renderer: Renderer): Json {
  const description = renderer.describe(schema, CONJUNCTION);
  const [knownValue] = collectKnownValues(description) ?? [];
  if (knownValue !== undefined) return knownValue;
  const [type] = [readFirstValue(description, "type") ?? "string"].flat();
  if (type === "null") return null;
  const minimum =
    type === "integer" || type === "number" ? readFirstValue(description, "minimum") : undefined;
  return minimum ?? PLACEHOLDERS[String(type)] ?? "…";
}
