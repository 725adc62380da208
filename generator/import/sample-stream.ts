/**
 * Finds streams in samples: a field that counts up by one from the first event on, for each value of another field. All
 * samples must agree. If two fields fit, the one with the more usual name is taken.
 */
import { type Json, type JsonObject, own } from "../json.js";
import { FORMATS } from "../schema/formats.js";

/** The member `stream` of a protocol.json. */
export interface SampledStream {
  readonly key: readonly string[];
  readonly sequence: string;
  readonly first: number;
  readonly id?: string;
  readonly time?: string;
}

/** Declared streams, and how many of them the samples hold. */
export interface FoundStream {
  readonly stream: SampledStream;
  readonly streams: number;
}

/** The least number of steps of a counter. Two could be a coincidence. */
const MIN_STEPS = 3;

/** Finds the streams of samples by fields that all of them have, except some. Undefined if none is certain. */
export function findStream(
  samples: readonly JsonObject[],
  except: readonly (string | undefined)[],
): FoundStream | undefined {
  const names = Object.keys(samples[0] ?? {}).filter((name) => !except.includes(name));
  const fieldsWith = (test: (value: Json) => boolean): string[] =>
    names.filter((name) => samples.every((sample) => test(own(sample, name) ?? null)));
  const numbers = fieldsWith((value) => Number.isSafeInteger(value));
  const texts = fieldsWith((value) => typeof value === "string" && value !== "");
  const times = fieldsWith(isTime);
  const keys = sortByUse(
    texts.filter((name) => !times.includes(name)),
    STREAM,
  );
  const counts = keys.flatMap((key) =>
    sortByUse(numbers, COUNTER).flatMap((sequence) => streamsOf(samples, key, sequence)),
  );
  const [found] = counts.sort((one, other) => other.streams - one.streams);
  if (found === undefined) return undefined;
  const ids = keys.filter((name) => !found.stream.key.includes(name) && IDENTITY.test(name));
  const id = ids.find((name) => new Set(samples.map((sample) => sample[name])).size === samples.length);
  const [time] = times.length === 1 ? times : [];
  return { ...found, stream: { ...found.stream, ...(id && { id }), ...(time && { time }) } };
}

/** Returns the stream of these two fields if all samples agree. */
function streamsOf(samples: readonly JsonObject[], key: string, sequence: string): FoundStream[] {
  const last = new Map<Json | undefined, number>();
  const firsts = new Set<number>();
  let steps = 0;
  for (const sample of samples) {
    const [stream, position] = [sample[key], Number(sample[sequence])];
    const before = last.get(stream);
    if (before === undefined) firsts.add(position);
    else if (position === before + 1) steps++;
    else return [];
    last.set(stream, position);
  }
  const [first = -1] = firsts;
  if (firsts.size > 1 || ![0, 1].includes(first) || steps < MIN_STEPS) return [];
  // A single stream does not prove that a field is its key. Then the name of the field has to show it.
  if (last.size === 1 && !IDENTITY.test(key) && !STREAM.test(key)) return [];
  return [{ stream: { key: [key], sequence, first }, streams: last.size }];
}

const IDENTITY = /id$/i;
const STREAM = /run|stream|session|conversation|thread|channel/i;
const COUNTER = /seq|index|number|order/i;

/** Sorts the more usual names first. */
function sortByUse(names: readonly string[], usual: RegExp): string[] {
  const rank = (name: string): number => (usual.test(name) ? 0 : IDENTITY.test(name) ? 1 : 2);
  return [...names].sort((one, other) => rank(one) - rank(other));
}

function isTime(value: Json): boolean {
  return typeof value === "string" && FORMATS.get("date-time")?.test.test(value) === true;
}
