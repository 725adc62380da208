/** Adds the field with the event type to samples that hold it in another form. */
import { isObject, type Json, type JsonObject } from "../json.js";
import { TYPE_FIELDS } from "./name-events.js";
import { formatWrapper, WRAPPER } from "./protocol-files.js";

/** One recorded event. */
export interface Sample {
  readonly value: JsonObject;
  /** The JSON text of the event, with numbers as they were written. */
  readonly text: string;
}

/** Samples with a field that holds the event type, and sentences about what was added. */
interface TaggedSamples {
  readonly samples: readonly Sample[];
  readonly field: string;
  /** True if each sample has a field that is named after its event type and holds the payload. */
  readonly isKeyed: boolean;
  readonly notes: readonly string[];
}

/**
 * Adds the event type to samples that are externally tagged, or whose type is a number or a boolean. `chosenField` is the
 * field that holds the type, if a person named it. Returns undefined if nothing certain distinguishes the samples.
 */
export function tagSamples(
  samples: readonly Sample[],
  chosenField: string | undefined,
): TaggedSamples | undefined {
  const byScalar = wrapByScalar(samples, chosenField);
  return byScalar ?? (chosenField === undefined ? addTags(samples) : undefined);
}

/**
 * Wraps samples in which a field is a number or a boolean. Unless a person named the field, each value must occur twice on
 * average, since a number may count.
 */
function wrapByScalar(
  samples: readonly Sample[],
  chosenField: string | undefined,
): TaggedSamples | undefined {
  const candidates = chosenField === undefined ? TYPE_FIELDS : [chosenField];
  const field = candidates.find((name) => {
    if (!samples.every(({ value }) => isScalar(value[name]))) return false;
    const count = new Set(samples.map(({ value }) => value[name])).size;
    return chosenField !== undefined || (count > 1 && 2 * count <= samples.length);
  });
  if (field === undefined) return undefined;
  const { discriminator, property } = WRAPPER;
  return {
    field: discriminator,
    isKeyed: false,
    samples: samples.map(({ value, text }) => {
      const type = `${field}.${value[field]}`;
      return {
        value: { [discriminator]: type, [property]: value },
        text: formatWrapper(JSON.stringify(type), text),
      };
    }),
    notes: [
      `the field ${field} is a number or a boolean, which no envelope can have as the event type. WRAPPED: recordings are not valid in their current form. Put each message into ${formatWrapper(`"${field}.…"`)} before it is validated or served`,
    ],
  };
}

function isScalar(value: Json | undefined): boolean {
  return typeof value === "number" || typeof value === "boolean";
}

/** Adds the name of the only field that not all samples have, which is an object. */
function addTags(samples: readonly Sample[]): TaggedSamples | undefined {
  const counts = new Map<string, number>();
  for (const { value } of samples)
    for (const name of Object.keys(value)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const findTag = (value: JsonObject): string | undefined => {
    const [tag, ...others] = Object.keys(value).filter((name) => (counts.get(name) ?? 0) < samples.length);
    return tag !== undefined && others.length === 0 && isObject(value[tag]) ? tag : undefined;
  };
  const tags = samples.map(({ value }) => findTag(value));
  const field = TYPE_FIELDS.find((name) => !counts.has(name));
  if (field === undefined || tags.includes(undefined) || tags.length === 0) return undefined;
  return {
    field,
    isKeyed: true,
    samples: samples.map(({ value, text }, i) => ({
      value: { [field]: tags[i] ?? "", ...value },
      text: text.replace("{", () => `{${JSON.stringify(field)}: ${JSON.stringify(tags[i])}, `),
    })),
    notes: describeAddedTag(field, tags[0] ?? ""),
  };
}

/** Describes the field that messages need whose event type is the name of one of their fields. */
export function describeAddedTag(field: string, type: string): string[] {
  return [
    `external tagging: each message has one field that is named after the event; the field ${field} was added, which holds this name`,
    `ADDED: recordings are not valid in their current form. Add ${JSON.stringify(field)} with the name of the event to each message, such as {${JSON.stringify(field)}: ${JSON.stringify(type)}, …}`,
  ];
}
