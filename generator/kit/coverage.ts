/**
 * Generates streams that contain everything a contract declares, because random streams may lack what is rare. They contain
 * every event type with all of its optional fields, with none of them, and with each one left out.
 */
import { isObject, type Json } from "../json.js";
import { combineSeeds } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import { buildStreams } from "./build-streams.js";
import { createErrorChecker } from "./find-stream-errors.js";
import type { KitProtocol } from "./kit-protocol.js";
import { getPayload, setPayloadFields } from "./payload.js";
import type { GeneratorContext } from "./scenarios.js";
import type { Operation, Script } from "./script.js";

/** The streams that a law needs. */
export interface StreamOptions {
  /** The number of interleaved streams. */
  readonly streams: number;
  /** True if each stream gets its terminal event. */
  readonly endsStreams: boolean;
  /** True if the streams may contain gaps. */
  readonly allowsGaps: boolean;
}

/** Generated streams, and the script from which they were built. */
export interface Sample {
  readonly events: readonly SampleEvent[];
  readonly script: Script;
  readonly streams: number;
}

/** The number of event types that one sample covers. Short streams are faster to check than one long stream. */
const TYPES_PER_SAMPLE = 12;

/** The number of further samples that try to contain the optional fields that are still missing. */
const FIELD_ROUNDS = 8;

/** The optional fields of an event: all of them, or none. */
type Fields = "all" | "none";

const getKnownSamples = memoizeByObject((_context: GeneratorContext) => new Map<string, readonly Sample[]>());

/** Returns samples that together contain every event type that may occur in streams with these options. */
export function coverTypes(
  context: GeneratorContext,
  options: StreamOptions,
  fields: Fields,
): readonly Sample[] {
  const { terminal } = context.maker.protocol.stream?.rules ?? {};
  const streams = Math.max(options.streams, options.endsStreams ? (terminal?.types.length ?? 0) : 0);
  const key = JSON.stringify([streams, options.endsStreams, options.allowsGaps, fields]);
  const knownSamples = getKnownSamples(context.reduction?.base ?? context);
  const samples = knownSamples.get(key) ?? createSamples(context, { ...options, streams }, fields);
  knownSamples.set(key, samples);
  return samples;
}

function createSamples(context: GeneratorContext, options: StreamOptions, fields: Fields): readonly Sample[] {
  const { maker, coverageOrder } = context;
  const { discriminator } = maker.protocol.envelope;
  const { streams } = options;
  const types = [...coverageOrder].flatMap(([type, scenario]) =>
    options.allowsGaps || scenario.member !== "gaps" ? [type] : [],
  );
  const samples: Sample[] = [];
  const coveredTypes = new Set<string>();
  const coveredFields = new Set<string>();
  const addSample = (picks: readonly string[], round = 0): void => {
    const operations = picks.map((pick, index): Operation => {
      const fieldChance = fields === "all" ? 1 : 0;
      const seed = combineSeeds(index, 11 + round);
      return { pick, stream: index % streams, seed, size: 1, isParallel: false, fieldChance };
    });
    const script = { operations, endsStreams: options.endsStreams };
    const { events } = buildStreams(context, script, streams);
    const previousSize = coveredTypes.size + coveredFields.size;
    for (const event of events) {
      coveredTypes.add(String(event[discriminator]));
      if (fields === "all") for (const name of listFieldNames(context, event)) coveredFields.add(name);
    }
    if (coveredTypes.size + coveredFields.size > previousSize) samples.push({ events, script, streams });
  };
  for (let from = 0; from < types.length; from += TYPES_PER_SAMPLE)
    addSample(types.slice(from, from + TYPES_PER_SAMPLE));
  // A type that depends on others is missing if these came in another sample.
  const isMissing = (type: string): boolean => !coveredTypes.has(type);
  for (const type of types.filter(isMissing)) addSample([type, type]);
  if (types.some(isMissing)) addSample([...types, ...types]);
  if (fields === "none") return samples;
  // Optional fields that exclude each other, or that other events of the same thing did not allow.
  const declaredFields = listPayloadFields(maker.protocol);
  for (let round = 1; round <= FIELD_ROUNDS; round++) {
    const missingFields = declaredFields.filter(({ type, field }) => !coveredFields.has(`${type}/${field}`));
    const incompleteTypes = new Set(missingFields.map(({ type }) => type));
    const picks = types.filter((type) => incompleteTypes.has(type));
    if (picks.length > 0) addSample(picks, round);
  }
  return samples;
}

/** Returns the names of the payload fields of an event, each after the event type. */
function listFieldNames({ maker }: GeneratorContext, event: SampleEvent): string[] {
  const type = String(event[maker.protocol.envelope.discriminator]);
  const carrier = maker.findCarrier(type);
  const payload = carrier === undefined ? event : event[carrier];
  return isObject(payload) ? Object.keys(payload).map((field) => `${type}/${field}`) : [];
}

/** The path of a field of an event; items of a list share one path. */
type FieldPath = readonly string[];

/** Returns samples in which each optional field of the events of `samples` is left out at least once. */
export function coverOmissions(
  { maker }: GeneratorContext,
  protocol: KitProtocol,
  samples: readonly Sample[],
): readonly Sample[] {
  const coveredNames = new Set<string>();
  const reducedSamples: Sample[] = [];
  const replace = (sample: Sample, replacements: readonly (Omission | undefined)[]): void => {
    const { events, omitted } = replaceEvents(maker.protocol, sample.events, replacements);
    for (const name of omitted) coveredNames.add(name);
    if (omitted.length > 0) reducedSamples.push({ ...sample, events });
  };
  const attempts: { readonly sample: Sample; readonly index: number; readonly omission: Omission }[] = [];
  for (const sample of samples) {
    const choices = sample.events.map((event) => listOmissions(protocol, event));
    while (choices.some((list) => list.length > 0)) {
      const omissions = choices.map((list) => {
        let next = list.shift();
        while (next !== undefined && coveredNames.has(next.name)) next = list.shift();
        return next;
      });
      replace(sample, omissions);
      for (const [index, omission] of omissions.entries())
        if (omission) attempts.push({ sample, index, omission });
    }
  }
  // Alone, a field may be left out where that was not possible together with others.
  for (const { sample, index, omission } of attempts)
    if (!coveredNames.has(omission.name))
      replace(
        sample,
        sample.events.map((_, eventIndex) => (eventIndex === index ? omission : undefined)),
      );
  return reducedSamples;
}

/** The values that stand for an extreme: of each list, the first one that the contract allows is taken. */
const EXTREMES: readonly (readonly Json[])[] = [[null], [0, 1], [2 ** 53 - 1, 2 ** 32 - 1, 2 ** 31 - 1]];

/** Returns samples in which every field of every event is null, zero or as large as possible, where the contract allows that. */
export function coverExtremes(
  { maker }: GeneratorContext,
  protocol: KitProtocol,
  samples: readonly Sample[],
): readonly Sample[] {
  return EXTREMES.flatMap((values) =>
    samples.flatMap((sample) => {
      const replacements = sample.events.map((event) => setExtremes(protocol, event, values));
      const { events, omitted } = replaceEvents(maker.protocol, sample.events, replacements);
      return omitted.length === 0 ? [] : [{ ...sample, events }];
    }),
  );
}

/** Replaces each value of a payload by the first of `values` that the contract allows; numbers by numbers, all others by null. */
function setExtremes(
  protocol: KitProtocol,
  event: SampleEvent,
  values: readonly Json[],
): Omission | undefined {
  const envelopeNames = Object.keys((protocol.schemas.envelope as { properties?: object }).properties ?? {});
  const payload = getPayload(protocol, event);
  let changed = event;
  for (const [field, value] of Object.entries(payload)) {
    if (payload === event && envelopeNames.includes(field)) continue;
    if (typeof value !== "number" && values[0] !== null) continue;
    const allowed = values
      .map((each) => setPayloadFields(protocol, changed, { [field]: each }))
      .find((each) => protocol.decodeEvent(each, { profile: "writer" }).kind === "known");
    changed = allowed ?? changed;
  }
  return changed === event
    ? undefined
    : { name: String(event[protocol.envelope.discriminator]), event: changed };
}

/** An event without one of its fields. */
interface Omission {
  /** The event type and the path of the field. */
  readonly name: string;
  readonly event: SampleEvent;
}

/** Returns the event without each of its fields that the contract allows to be absent. */
export function listOmissions(protocol: KitProtocol, event: SampleEvent): Omission[] {
  const type = String(event[protocol.envelope.discriminator]);
  const omissions = new Map<string, Omission>();
  for (const path of listPaths(event, [])) {
    const name = [type, ...path.map((token) => (/^\d+$/.test(token) ? "*" : token))].join("/");
    if (omissions.has(name)) continue;
    const reducedEvent = omitPath(event, path) as SampleEvent;
    if (protocol.decodeEvent(reducedEvent, { profile: "writer" }).kind === "known")
      omissions.set(name, { name, event: reducedEvent });
  }
  return [...omissions.values()];
}

function listPaths(value: Json, path: FieldPath): FieldPath[] {
  if (typeof value !== "object" || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, member]) => {
    const inner = [...path, key];
    return [...(isList ? [] : [inner]), ...listPaths(member, inner)];
  });
}

function omitPath(value: Json, [key = "", ...rest]: FieldPath): Json {
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? omitPath(item, rest) : item));
  if (!isObject(value)) return value;
  const { [key]: member, ...others } = value;
  return rest.length === 0 ? others : { ...value, [key]: omitPath(member ?? null, rest) };
}

/** Replaces events where the stream rules allow that. `omitted` has the names of the omissions that took place. */
function replaceEvents(
  model: GeneratorContext["maker"]["protocol"],
  events: readonly SampleEvent[],
  replacements: readonly (Omission | undefined)[],
): { readonly events: readonly SampleEvent[]; readonly omitted: readonly string[] } {
  const refusedIndexes = new Set<number>();
  for (;;) {
    const replacedEvents = events.map((event, index) =>
      refusedIndexes.has(index) ? event : (replacements[index]?.event ?? event),
    );
    const errorIndex = findFirstError(model, replacedEvents);
    if (errorIndex === undefined) {
      const omittedNames = replacements.flatMap((each, index) =>
        each === undefined || refusedIndexes.has(index) ? [] : [each.name],
      );
      return { events: replacedEvents, omitted: omittedNames };
    }
    // The last replaced event up to the error is taken as the cause or, if there is none, the first one after it.
    const candidates = [...replacements.keys()].filter(
      (index) => replacements[index] !== undefined && !refusedIndexes.has(index),
    );
    const cause = candidates.findLast((index) => index <= errorIndex) ?? candidates[0];
    if (cause === undefined) return { events, omitted: [] };
    refusedIndexes.add(cause);
  }
}

/** Returns the index of the first event that breaks a stream rule, or the number of events if their end breaks one. */
function findFirstError(
  model: GeneratorContext["maker"]["protocol"],
  events: readonly SampleEvent[],
): number | undefined {
  const checker = createErrorChecker(model);
  const index = events.findIndex((event) => checker.check(event).length > 0);
  if (index >= 0) return index;
  return checker.end().length > 0 ? events.length : undefined;
}
