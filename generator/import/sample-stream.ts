/**
 * Finds streams in samples: a field that increases by one from event to event, for each value of another field. All samples
 * must agree. If several fields fit, the field with the more usual name is chosen.
 */
import { getOwn, type Json, type JsonObject } from "../json.js";
import { FORMATS } from "../schema/formats.js";

/** The member `stream` of a protocol.json. */
export interface SampledStream {
  readonly key: readonly string[];
  readonly sequence: string;
  readonly first: number;
  readonly id?: string;
  readonly time?: string;
}

/** The declaration of streams, and the number of streams in the samples. */
export interface FoundStream {
  readonly stream: SampledStream;
  readonly count: number;
}

/** The minimum number of steps of a counter. Two could be a coincidence. */
const MIN_STEPS = 3;

/** Finds the streams of samples by fields that all samples have, but not by `excludedNames`. Returns undefined if none are certain. */
export function findStream(
  samples: readonly JsonObject[],
  excludedNames: readonly (string | undefined)[],
): FoundStream | undefined {
  const names = Object.keys(samples[0] ?? {}).filter((name) => !excludedNames.includes(name));
  const listFieldsWith = (test: (value: Json) => boolean): string[] =>
    names.filter((name) => samples.every((sample) => test(getOwn(sample, name) ?? null)));
  const numbers = listFieldsWith((value) => Number.isSafeInteger(value));
  const texts = listFieldsWith((value) => typeof value === "string" && value !== "");
  const times = listFieldsWith(isTime);
  const keys = sortByUse(
    texts.filter((name) => !times.includes(name)),
    STREAM_NAME,
  );
  const candidates = keys.flatMap((key) =>
    sortByUse(numbers, COUNTER_NAME).flatMap((sequence) => checkStreamFields(samples, key, sequence)),
  );
  // The fields that distinguish the most streams are the best guess.
  const [best] = candidates.sort((a, b) => b.count - a.count);
  if (best === undefined) return undefined;
  const ids = keys.filter((name) => !best.stream.key.includes(name) && ID_NAME.test(name));
  const id = ids.find((name) => new Set(samples.map((sample) => sample[name])).size === samples.length);
  const time = times.length === 1 ? times[0] : undefined;
  return { ...best, stream: { ...best.stream, ...(id && { id }), ...(time && { time }) } };
}

/** Returns the streams with this key and sequence field if all samples agree, else none. */
function checkStreamFields(samples: readonly JsonObject[], key: string, sequence: string): FoundStream[] {
  const lastPositions = new Map<Json | undefined, number>();
  const firsts = new Set<number>();
  let steps = 0;
  for (const sample of samples) {
    const stream = sample[key];
    const position = Number(sample[sequence]);
    const previous = lastPositions.get(stream);
    if (previous === undefined) firsts.add(position);
    else if (position === previous + 1) steps++;
    else return [];
    lastPositions.set(stream, position);
  }
  const [first] = firsts;
  if (firsts.size !== 1 || (first !== 0 && first !== 1) || steps < MIN_STEPS) return [];
  // A single stream does not prove that a field is its key, so the name of the field has to show it.
  if (lastPositions.size === 1 && !ID_NAME.test(key) && !STREAM_NAME.test(key)) return [];
  return [{ stream: { key: [key], sequence, first }, count: lastPositions.size }];
}

const ID_NAME = /id$/i;
const STREAM_NAME = /run|stream|session|conversation|thread|channel/i;
const COUNTER_NAME = /seq|index|number|order/i;

/** Sorts names that match `usual` first, then names of ids. */
function sortByUse(names: readonly string[], usual: RegExp): string[] {
  const rank = (name: string): number => {
    if (usual.test(name)) return 0;
    return ID_NAME.test(name) ? 1 : 2;
  };
  return [...names].sort((a, b) => rank(a) - rank(b));
}

function isTime(value: Json): boolean {
  return typeof value === "string" && FORMATS.get("date-time")?.pattern.test(value) === true;
}
