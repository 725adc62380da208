/** A first protocol out of samples of its events: it accepts each of them. */
import { isObject, type Json, type JsonObject, objectFrom, own } from "../json.js";
import type { OutputFile } from "../protocol/protocol.js";
import { eventTypes, sayRenamed, sayWrapped } from "./event-types.js";
import { Refused } from "./import-refusal.js";
import type { Identity, Imported } from "./import-union.js";
import { AROUND, type Layout } from "./protocol-files.js";
import { emptyShape, schemaOf, see, undescribed } from "./sample-shape.js";
import { type FoundStream, type SampledStream, streamOf } from "./sample-stream.js";
import { USUAL } from "./tell-apart.js";

/** One event as it was found. */
export interface Sample {
  readonly value: JsonObject;
  /** Its JSON text; numbers stand in it as they were written. */
  readonly text: string;
}

/** Names of fields that hold the payload where all events have one that is an object. */
const PAYLOADS = ["payload", "data", "body", "params"];

/** How many samples of one event type become fixtures at most: those that show something new. */
const MOST_FIXTURES = 20;

/** Imports `samples`, which came from `source`. Throws `Refused` where no field names the event type. */
export function importSamples(
  source: string,
  samples: readonly Sample[],
  { name, version }: Identity,
): Imported {
  const field = discriminatorOf(source, samples);
  const byName = new Map<string, Sample[]>();
  for (const sample of samples) {
    const called = String(sample.value[field]);
    const same = byName.get(called);
    if (same) same.push(sample);
    else byName.set(called, [sample]);
  }
  const names = [...byName.keys()].sort();
  const named = eventTypes(names);
  const found = layoutOf(field, samples, named.renamed.size > 0);
  const events = names.map((called, i) => eventOf(named.types[i] ?? "", byName.get(called) ?? [], found));
  const id = `${name}/v${version.split(".")[0]}`;
  const fixtures = events.flatMap((event) =>
    event.fixtures.map((each) => ({ ...each, path: `${id}/${each.path}` })),
  );
  return {
    parts: {
      ...{ name, version, source },
      layout: found.layout,
      stability: "experimental",
      events: events.map(({ type, payload }) => ({ type, payload })),
      $defs: {},
    },
    notes: [
      `${source}: ${counted(samples.length, "sample")} of ${counted(names.length, "event type")}, distinguished by the field ${field}`,
      ...sayLayout(found.layout, named.renamed.size > 0),
      ...sayRenamed(named),
      "types and fields are those of the samples, all experimental; a field that some samples lack is optional; enums, bounds and formats were not guessed",
      ...events.flatMap(({ notes }) => notes),
      `${fixtures.length} of the samples became fixtures: those that show something new`,
      ...sayStream(id, found.found),
      ...(named.renamed.size > 0 ? [sayWrapped(named)] : []),
    ],
    fixtures,
  };
}

/** The usual field that is a string in every sample; one that varies is preferred. */
function discriminatorOf(source: string, samples: readonly Sample[]): string {
  const everywhere = USUAL.filter((name) =>
    samples.every(({ value }) => Object.hasOwn(value, name) && typeof value[name] === "string"),
  );
  const varies = (name: string): boolean =>
    samples.some(({ value }) => value[name] !== samples[0]?.value[name]);
  const field = everywhere.find(varies) ?? everywhere[0];
  if (samples.length === 0) throw new Refused(`${source} holds no samples.`);
  if (field === undefined)
    throw new Refused(
      `${source}: no field names the event type; one of ${USUAL.join(", ")} must be a string in each sample.`,
    );
  return field;
}

/** How messages are laid out, and what of one is its payload. */
interface Found {
  readonly layout: Layout;
  /** The streams that the samples show; all fields of one are in the envelope. */
  readonly found?: FoundStream;
  readonly payloadOf: (value: JsonObject) => Json;
  readonly textOf: (type: string, sample: Sample) => string;
}

function layoutOf(field: string, samples: readonly Sample[], around: boolean): Found {
  const asItIs = (_type: string, { text }: Sample): string => text;
  if (around)
    return {
      layout: AROUND,
      payloadOf: (value) => value,
      textOf: (type, { text }) =>
        `{${JSON.stringify(AROUND.discriminator)}: ${JSON.stringify(type)}, ${JSON.stringify(AROUND.property)}: ${text}}`,
    };
  const property = PAYLOADS.find(
    (name) => name !== field && samples.every(({ value }) => isObject(own(value, name))),
  );
  const values = samples.map(({ value }) => value);
  const found = streamOf(values, [field, property]);
  const streamFields = found === undefined ? [] : fieldsOf(found.stream);
  const beside = (value: JsonObject): JsonObject =>
    property === undefined ? only(value, streamFields) : without(value, [field, property]);
  const rest = emptyShape();
  for (const value of values) see(rest, beside(value));
  const { properties, required, additionalProperties } = rest.objects === 0 ? {} : schemaOf(rest);
  // An envelope can hold no map and no field without a name in the schema.
  if (!isObject(properties) || additionalProperties !== undefined)
    return {
      layout: { discriminator: field },
      payloadOf: (value) => without(value, [field]),
      textOf: asItIs,
    };
  const fields = { properties, required: (required ?? []) as readonly string[] };
  return {
    layout: { discriminator: field, fields, ...(property !== undefined && { property }) },
    ...(found && { found }),
    payloadOf: (value) =>
      property === undefined ? without(value, [field, ...streamFields]) : (value[property] ?? {}),
    textOf: asItIs,
  };
}

function fieldsOf({ key, sequence, id, time }: SampledStream): string[] {
  return [...key, sequence, id, time].filter((name) => name !== undefined);
}

function only(value: JsonObject, names: readonly string[]): JsonObject {
  return objectFrom(Object.entries(value).filter(([name]) => names.includes(name)));
}

function without(value: JsonObject, names: readonly string[]): JsonObject {
  return objectFrom(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function sayLayout({ discriminator, property, fields }: Layout, around: boolean): string[] {
  if (around)
    return [
      `each message is wrapped in an envelope {${JSON.stringify(discriminator)}: the event type, "${property}": the message}`,
    ];
  const others = Object.keys(fields?.properties ?? {});
  if (property === undefined)
    return [
      `the fields of the payload are beside the event type${others.length === 0 ? "" : ` and the other fields of the envelope: ${others.join(", ")}`}`,
    ];
  return [
    `the payload is the field ${property}, an object in every sample; the envelope has ${others.length === 0 ? "no other fields" : `the other fields: ${others.join(", ")}`}`,
  ];
}

/** The streams that the samples show, with the line that declares them: it is for people to say that this is no chance. */
function sayStream(id: string, found: FoundStream | undefined): string[] {
  if (found === undefined) return [];
  const { stream, streams } = found;
  const { key, sequence, first } = stream;
  const where =
    streams === 1 ? `one stream, named by ${key}` : `each of ${streams} streams, distinguished by ${key}`;
  return [
    `${sequence} counts ${first}, ${first + 1}, ${first + 2} … in ${where}; if this is part of the contract, add this line to ${id}/protocol.json has it checked and served so:`,
    `  "stream": ${JSON.stringify(stream)},`,
  ];
}

interface SampledEvent {
  readonly type: string;
  readonly payload: JsonObject;
  readonly fixtures: readonly OutputFile[];
  readonly notes: readonly string[];
}

function eventOf(type: string, samples: readonly Sample[], { payloadOf, textOf }: Found): SampledEvent {
  const shape = emptyShape();
  const shown = samples.filter(({ value }) => see(shape, payloadOf(value)));
  return {
    type,
    payload: schemaOf(shape),
    fixtures: shown.slice(0, MOST_FIXTURES).map((sample, i) => ({
      path: `valid/${type}/sample-${i + 1}.json`,
      content: `${textOf(type, sample)}\n`,
    })),
    notes: undescribed(shape).map((sentence) => `${type}: ${sentence}`),
  };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
