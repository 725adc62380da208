/** Creates a first protocol from samples of its events. The protocol accepts each sample. */
import {
  createObject,
  getMembers,
  getOwn,
  getValueAtPointer,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  listItems,
} from "../json.js";
import type { OutputFile } from "../protocol/protocol.js";
import { findSpan } from "../source/json-text.js";
import { formatCount } from "../text.js";
import { assignFileNames, describeFileNames } from "./file-names.js";
import { ImportError } from "./import-error.js";
import type { Imported, ImportSettings } from "./import-union.js";
import { TYPE_FIELDS } from "./name-events.js";
import { describeMessage, type MessageLayout, type ProtocolParts } from "./protocol-files.js";
import { addValue, createSchema, createShape, describeGaps } from "./sample-shape.js";
import { type FoundStream, findStream, type SampledStream } from "./sample-stream.js";
import { EVENT_PLACE } from "./split-message.js";
import { type Sample, tagSamples } from "./tag-samples.js";

/** Usual names of the field that holds the payload. The field must be an object in all samples. */
const PAYLOAD_FIELDS = ["payload", "data", "body", "params"];

/** The maximum number of fixtures of one event type. */
const MAX_FIXTURES = 20;

/** Imports the samples of `source`. Throws an ImportError if no field names the event type. */
export function importSamples(
  source: string,
  recordedSamples: readonly Sample[],
  { name, version, discriminator }: ImportSettings,
): Imported {
  const tagged = hasTypeField(recordedSamples, discriminator)
    ? undefined
    : tagSamples(recordedSamples, discriminator);
  const { samples, chosenField, message } = tagged
    ? { ...tagged, chosenField: tagged.field, message: undefined }
    : extractEvents(source, recordedSamples, discriminator);
  const field = findTypeField(source, samples, chosenField);
  const samplesByType = new Map<string, Sample[]>();
  for (const sample of samples) {
    const type = String(sample.value[field]);
    const samplesOfType = samplesByType.get(type) ?? [];
    samplesByType.set(type, samplesOfType);
    samplesOfType.push(sample);
  }
  const types = [...samplesByType.keys()].sort();
  const names = assignFileNames(types);
  const messages = recognizeLayout(field, samples, tagged?.isKeyed === true);
  const events = types.map((type, i) =>
    createEvent({ type, name: names[i] ?? type }, samplesByType.get(type) ?? [], messages),
  );
  const id = `${name}/v${version.split(".")[0]}`;
  const fixtures = events.flatMap((event) =>
    event.fixtures.map((fixture) => ({ ...fixture, path: `${id}/${fixture.path}` })),
  );
  const { layout, foundStream } = messages;
  return {
    parts: {
      name,
      version,
      source,
      layout,
      ...(message && { message }),
      definitions: {},
      stability: "experimental",
      events: events.map(({ type, name, payload }) => ({
        type,
        name,
        payload,
        ...(layout.isKeyed && { payloadProperty: type }),
      })),
    },
    notes: [
      `${source}: ${formatCount(samples.length, "sample")} of ${formatCount(types.length, "event type")}, distinguished by the field ${field}`,
      ...(tagged?.notes ?? []),
      ...(message ? [describeMessage(message.event)] : []),
      describeLayout(layout),
      ...describeFileNames(types, names),
      "types and fields are those of the samples, all experimental; a field that some samples lack is optional; enums, bounds and formats were not guessed",
      ...events.flatMap(({ notes }) => notes),
      `${fixtures.length} of the samples became fixtures: those that show something new`,
      ...(foundStream ? describeStream(id, foundStream) : []),
    ],
    readings: [],
    fixtures,
  };
}

/** The events of samples, and the documents around them if the chosen field is a path. */
interface ExtractedEvents extends Pick<ProtocolParts, "message"> {
  readonly samples: readonly Sample[];
  /** The chosen field of the events. */
  readonly chosenField: string | undefined;
}

/** Extracts the events from documents if the chosen field is a path such as `event.type`. */
function extractEvents(
  source: string,
  samples: readonly Sample[],
  discriminator: string | undefined,
): ExtractedEvents {
  const path = discriminator?.split(".") ?? [];
  const chosenField = path.pop();
  if (path.length === 0 || samples.some(({ value }) => Object.hasOwn(value, discriminator ?? "")))
    return { samples, chosenField: discriminator };
  const pointer = joinPointer("", ...path);
  const shape = createShape();
  const events = samples.map(({ value, text }): Sample => {
    const event = getValueAtPointer(value, pointer);
    if (!isObject(event))
      throw new ImportError(`${source}: ${path.join(".")} is not an object in each sample.`);
    addValue(shape, omitAt(value, path));
    const { start, stop } = findSpan(text, pointer);
    return { value: event, text: text.slice(start, stop) };
  });
  return {
    samples: events,
    chosenField,
    message: { event: pointer, schema: declareAt(createSchema(shape), path) },
  };
}

/** Returns a document with an empty object in place of the event. */
function omitAt(value: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const part = value[name];
  return { ...value, [name]: rest.length > 0 && isObject(part) ? omitAt(part, rest) : {} };
}

/** Returns the schema of a document with the place of the event open. */
function declareAt(schema: JsonObject, [name, ...rest]: readonly string[]): JsonObject {
  if (name === undefined) return EVENT_PLACE;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const part = properties[name];
  return { ...schema, properties: { ...properties, [name]: declareAt(isObject(part) ? part : {}, rest) } };
}

/** Returns whether the chosen field, which may be a path, or a usual one is a string in every sample. */
function hasTypeField(samples: readonly Sample[], chosenField: string | undefined): boolean {
  const candidates = chosenField === undefined ? TYPE_FIELDS : [chosenField];
  const isPath = chosenField?.includes(".") === true;
  const isText = (name: string): boolean =>
    samples.every(({ value }) => typeof getOwn(value, name) === "string");
  return isPath || candidates.some(isText);
}

/** Finds the chosen field, or a usual one, that is a string in every sample. A field with different values is preferred. */
function findTypeField(source: string, samples: readonly Sample[], chosenField: string | undefined): string {
  if (samples.length === 0) throw new ImportError(`${source} holds no samples.`);
  const candidates = chosenField === undefined ? TYPE_FIELDS : [chosenField];
  const fields = candidates.filter((name) =>
    samples.every(({ value }) => typeof getOwn(value, name) === "string"),
  );
  const field = fields.find((name) => new Set(samples.map(({ value }) => value[name])).size > 1) ?? fields[0];
  if (field === undefined)
    throw chosenField === undefined
      ? new ImportError(
          `${source}: no field names the event type; one of ${TYPE_FIELDS.join(", ")} must be a string in each sample.`,
          "--discriminator names another field.",
        )
      : new ImportError(`${source}: the field ${chosenField} is not a string in each sample.`);
  return field;
}

/** The layout of messages, with functions that return the payload and the message of a sample. */
interface Messages {
  readonly layout: MessageLayout;
  /** The streams that the samples show. The envelope holds all fields that name or order them. */
  readonly foundStream?: FoundStream;
  readonly extractPayload: (value: JsonObject) => Json;
}

/** Recognises the payload's property, the streams, and the other fields of the envelope. */
function recognizeLayout(discriminator: string, samples: readonly Sample[], isKeyed: boolean): Messages {
  const values = samples.map(({ value }) => value);
  if (isKeyed) {
    const shape = createShape();
    for (const value of values)
      addValue(shape, omitFields(value, [discriminator, String(value[discriminator])]));
    const { properties = {}, required } = createSchema(shape);
    const fields = { properties: getMembers(properties), required: listItems(required).map(String) };
    return {
      layout: { discriminator, fields, isKeyed },
      extractPayload: (value) => value[String(value[discriminator])] ?? {},
    };
  }
  const property = PAYLOAD_FIELDS.find(
    (name) => name !== discriminator && values.every((value) => isObject(getOwn(value, name))),
  );
  const foundStream = findStream(values, [discriminator, property]);
  const streamFields = foundStream === undefined ? [] : listStreamFields(foundStream.stream);
  const fieldsShape = createShape();
  for (const value of values)
    addValue(
      fieldsShape,
      property === undefined ? pickFields(value, streamFields) : omitFields(value, [discriminator, property]),
    );
  const { properties, required, additionalProperties } =
    fieldsShape.objects === 0 ? {} : createSchema(fieldsShape);
  // The schema of an envelope cannot declare a map, or a field with a name that schemas cannot declare.
  if (!isObject(properties) || additionalProperties !== undefined)
    return {
      layout: { discriminator },
      extractPayload: (value) => omitFields(value, [discriminator]),
    };
  const fields = { properties, required: listItems(required).map(String) };
  return {
    layout: { discriminator, fields, ...(property !== undefined && { property }) },
    ...(foundStream && { foundStream }),
    extractPayload: (value) =>
      property === undefined ? omitFields(value, [discriminator, ...streamFields]) : (value[property] ?? {}),
  };
}

function listStreamFields({ key, sequence, id, time }: SampledStream): string[] {
  return [...key, sequence, id, time].filter((name) => name !== undefined);
}

function pickFields(value: JsonObject, names: readonly string[]): JsonObject {
  return createObject(Object.entries(value).filter(([name]) => names.includes(name)));
}

function omitFields(value: JsonObject, names: readonly string[]): JsonObject {
  return createObject(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function describeLayout({ property, fields, isKeyed = false }: MessageLayout): string {
  const names = Object.keys(fields?.properties ?? {}).join(", ");
  if (isKeyed)
    return `the payload is in the field that is named after the event${names === "" ? "" : `; the envelope has the other fields: ${names}`}`;
  if (property !== undefined) {
    const otherFields = names === "" ? "no other fields" : `the other fields: ${names}`;
    return `the payload is the field ${property}, an object in every sample; the envelope has ${otherFields}`;
  }
  const siblings = names === "" ? "" : ` and the other fields of the envelope: ${names}`;
  return `the fields of the payload are beside the event type${siblings}`;
}

/** Describes the streams, with the line that declares them. A person has to confirm that the streams are not a coincidence. */
function describeStream(id: string, { stream, count }: FoundStream): string[] {
  const { key, sequence, first } = stream;
  const streams =
    count === 1 ? `one stream, named by ${key}` : `each of ${count} streams, distinguished by ${key}`;
  return [
    `${sequence} counts ${first}, ${first + 1}, ${first + 2} … in ${streams}; if this is part of the contract, add this line to ${id}/protocol.json to have it checked and served:`,
    `  "stream": ${JSON.stringify(stream)},`,
  ];
}

/** An event type that was created from its samples. */
interface SampledEvent {
  readonly type: string;
  readonly name: string;
  readonly payload: JsonObject;
  readonly fixtures: readonly OutputFile[];
  readonly notes: readonly string[];
}

function createEvent(
  { type, name }: Pick<SampledEvent, "type" | "name">,
  samples: readonly Sample[],
  { extractPayload }: Messages,
): SampledEvent {
  const shape = createShape();
  const informativeSamples = samples.filter(({ value }) => addValue(shape, extractPayload(value)));
  return {
    type,
    name,
    payload: createSchema(shape),
    fixtures: informativeSamples.slice(0, MAX_FIXTURES).map((sample, i) => ({
      path: `valid/${name}/sample-${i + 1}.json`,
      content: `${sample.text}\n`,
    })),
    notes: describeGaps(shape).map((sentence) => `${type}: ${sentence}`),
  };
}
