/**
 * Streams that samples show by counting: a field that goes up by one from the first event on, within each value of
 * another field. Law: every sample agrees; where two fields would do, the more usual one is named.
 */
import { type Json, type JsonObject, own } from "../json.js";
import { FORMATS } from "../schema/formats.js";

/** What a protocol.json would say under `stream`. */
export interface SampledStream {
  readonly key: readonly string[];
  readonly sequence: string;
  readonly first: number;
  readonly id?: string;
  readonly time?: string;
}

/** A stream, and in how many of them the samples lie. */
export interface FoundStream {
  readonly stream: SampledStream;
  readonly streams: number;
}

/** Steps of one that make a counter: two could be chance. */
const ENOUGH = 3;

/** The streams of `samples`, made of the fields that all of them have, but for `except`; undefined where none is sure. */
export function streamOf(
  samples: readonly JsonObject[],
  except: readonly (string | undefined)[],
): FoundStream | undefined {
  const names = Object.keys(samples[0] ?? {}).filter((name) => !except.includes(name));
  const all = (name: string, is: (value: Json) => boolean): boolean =>
    samples.every((sample) => {
      const value = own(sample, name);
      return value !== undefined && is(value);
    });
  const numbers = names.filter((name) => all(name, (value) => Number.isSafeInteger(value)));
  const texts = names.filter((name) => all(name, (value) => typeof value === "string" && value !== ""));
  const times = texts.filter((name) => all(name, isTime));
  const keys = ranked(
    texts.filter((name) => !times.includes(name)),
    STREAM,
  );
  const counts = keys.flatMap((key) =>
    ranked(numbers, COUNTER).flatMap((sequence) => counted(samples, key, sequence)),
  );
  const [found] = counts.sort((one, other) => other.streams - one.streams);
  if (found === undefined) return undefined;
  const ids = keys.filter((name) => !found.stream.key.includes(name) && IDENTITY.test(name));
  const id = ids.find((name) => new Set(samples.map((sample) => sample[name])).size === samples.length);
  const [time] = times.length === 1 ? times : [];
  return { ...found, stream: { ...found.stream, ...(id && { id }), ...(time && { time }) } };
}

/** The stream of these two fields, if each sample agrees with it. */
function counted(samples: readonly JsonObject[], key: string, sequence: string): FoundStream[] {
  const last = new Map<Json | undefined, number>();
  const firsts = new Set<number>();
  let steps = 0;
  for (const sample of samples) {
    const [stream, number] = [sample[key], Number(sample[sequence])];
    const before = last.get(stream);
    if (before === undefined) firsts.add(number);
    else if (number === before + 1) steps++;
    else return [];
    last.set(stream, number);
  }
  const [first = -1] = firsts;
  if (firsts.size > 1 || ![0, 1].includes(first) || steps < ENOUGH) return [];
  // One stream alone is no proof of a key: then its name has to be that of one.
  if (last.size === 1 && !IDENTITY.test(key) && !STREAM.test(key)) return [];
  return [{ stream: { key: [key], sequence, first }, streams: last.size }];
}

const IDENTITY = /id$/i;
const STREAM = /run|stream|session|conversation|thread|channel/i;
const COUNTER = /seq|index|number|order/i;

/** The more usual names first. */
function ranked(names: readonly string[], usual: RegExp): string[] {
  const place = (name: string): number => (usual.test(name) ? 0 : IDENTITY.test(name) ? 1 : 2);
  return [...names].sort((one, other) => place(one) - place(other));
}

function isTime(value: Json): boolean {
  return typeof value === "string" && FORMATS.get("date-time")?.test.test(value) === true;
}
