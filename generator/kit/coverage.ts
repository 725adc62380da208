/**
 * Streams that contain everything a contract declares, because chance alone leaves out rare things: every event type, with
 * all optional fields and with none, and without each single one.
 */
import { isObject, type Json } from "../json.js";
import { combineSeeds } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import { buildStreams } from "./build-streams.js";
import { createErrorChecker } from "./find-stream-errors.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { GeneratorContext } from "./scenarios.js";
import type { Operation, Script } from "./script.js";

/** The streams that a law needs. */
export interface StreamShape {
  readonly streams: number;
  readonly endsStreams: boolean;
  readonly gaps: boolean;
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
const FIELD_ROUNDS = 2;

/** The optional fields of an event: all of them, or none. */
type Fields = "all" | "none";

const samples = memoizeByObject((_context: GeneratorContext) => new Map<string, readonly Sample[]>());

/** Returns samples that together contain every event type that may occur in streams of this shape. */
export function coverTypes(context: GeneratorContext, shape: StreamShape, fields: Fields): readonly Sample[] {
  const key = JSON.stringify([shape, fields]);
  const known = samples(context).get(key);
  if (known) return known;
  const made = createSamples(context, shape, fields);
  samples(context).set(key, made);
  return made;
}

function createSamples(context: GeneratorContext, shape: StreamShape, fields: Fields): readonly Sample[] {
  const { maker, coverageOrder } = context;
  const { discriminator } = maker.protocol.envelope;
  const { terminal } = maker.protocol.stream?.rules ?? {};
  const streams = Math.max(shape.streams, shape.endsStreams ? (terminal?.types.length ?? 0) : 0);
  const wanted = [...coverageOrder].flatMap(([type, scenario]) =>
    shape.gaps || scenario.member !== "gaps" ? [type] : [],
  );
  const created: Sample[] = [];
  const covered = new Set<string>();
  const coveredFields = new Set<string>();
  const add = (types: readonly string[], round = 0): void => {
    const operations = types.map((pick, index): Operation => {
      const fieldChance = fields === "all" ? 1 : 0;
      const seed = combineSeeds(index, 11 + round);
      return { pick, stream: index % streams, seed, size: 1, together: false, fieldChance };
    });
    const script = { operations, endsStreams: shape.endsStreams };
    const { events } = buildStreams(context, script, streams);
    const before = covered.size + coveredFields.size;
    for (const event of events) {
      const type = String(event[discriminator]);
      covered.add(type);
      if (fields === "all") for (const name of listFieldNames(context, event)) coveredFields.add(name);
    }
    if (covered.size + coveredFields.size > before) created.push({ events, script, streams });
  };
  for (let from = 0; from < wanted.length; from += TYPES_PER_SAMPLE)
    add(wanted.slice(from, from + TYPES_PER_SAMPLE));
  // Types that depend on others, which came in other samples.
  const isMissing = (type: string): boolean => !covered.has(type);
  for (const type of wanted.filter(isMissing)) add([type, type]);
  if (wanted.some(isMissing)) add([...wanted, ...wanted]);
  if (fields === "none") return created;
  // Optional fields that exclude each other, or that other events of the same thing did not allow.
  const declared = listPayloadFields(maker.protocol);
  for (let round = 1; round <= FIELD_ROUNDS; round++) {
    const missing = declared.filter(({ type, field }) => !coveredFields.has(`${type}/${field}`));
    const incomplete = new Set(missing.map(({ type }) => type));
    if (incomplete.size > 0)
      add(
        wanted.filter((type) => incomplete.has(type)),
        round,
      );
  }
  return created;
}

/** Returns the names of the payload fields of an event, with its type. */
function listFieldNames({ maker }: GeneratorContext, event: SampleEvent): string[] {
  const type = String(event[maker.protocol.envelope.discriminator]);
  const carrier = maker.findCarrier(type);
  const payload = carrier === undefined ? event : event[carrier];
  return isObject(payload) ? Object.keys(payload).map((field) => `${type}/${field}`) : [];
}

/** The path of a field of an event; items of a list share one path. */
type FieldPath = readonly string[];

/** Returns samples in which each optional field of the events of `given` is left out at least once. */
export function coverOmissions(
  { maker }: GeneratorContext,
  protocol: KitProtocol,
  given: readonly Sample[],
): readonly Sample[] {
  const covered = new Set<string>();
  const created: Sample[] = [];
  const replace = (sample: Sample, replacements: readonly (Omission | undefined)[]): void => {
    const { events, omitted } = replaceAllowed(maker.protocol, sample.events, replacements);
    for (const name of omitted) covered.add(name);
    if (omitted.length > 0) created.push({ ...sample, events });
  };
  const retries: (() => void)[] = [];
  for (const sample of given) {
    const choices = sample.events.map((event) => listOmissions(protocol, event));
    while (choices.some((list) => list.length > 0)) {
      const taken = choices.map((list) => {
        let next = list.shift();
        while (next !== undefined && covered.has(next.name)) next = list.shift();
        return next;
      });
      replace(sample, taken);
      for (const [index, omission] of taken.entries())
        retries.push(() => {
          if (omission === undefined || covered.has(omission.name)) return;
          replace(
            sample,
            choices.map((_, at) => (at === index ? omission : undefined)),
          );
        });
    }
  }
  // Alone, a field may be left out where that was not possible together with others.
  for (const retry of retries) retry();
  return created;
}

interface Omission {
  readonly name: string;
  readonly event: SampleEvent;
}

/** Returns the event without each of its fields that the contract allows to be absent. */
export function listOmissions(protocol: KitProtocol, event: SampleEvent): Omission[] {
  const type = String(event[protocol.envelope.discriminator]);
  const found = new Map<string, Omission>();
  for (const path of listPaths(event, [])) {
    const name = [type, ...path.map((token) => (/^\d+$/.test(token) ? "*" : token))].join("/");
    if (found.has(name)) continue;
    const without = omitPath(event, path) as SampleEvent;
    if (protocol.decodeEvent(without, { profile: "writer" }).kind === "known")
      found.set(name, { name, event: without });
  }
  return [...found.values()];
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

/** Replaces events where the stream rules allow that. */
function replaceAllowed(
  model: GeneratorContext["maker"]["protocol"],
  events: readonly SampleEvent[],
  replacements: readonly (Omission | undefined)[],
): { readonly events: readonly SampleEvent[]; readonly omitted: readonly string[] } {
  const refused = new Set<number>();
  for (;;) {
    const replaced = events.map((event, index) =>
      refused.has(index) ? event : (replacements[index]?.event ?? event),
    );
    const bad = findFirstError(model, replaced);
    if (bad === undefined) {
      const omitted = replacements.flatMap((each, index) =>
        each === undefined || refused.has(index) ? [] : [each.name],
      );
      return { events: replaced, omitted };
    }
    // The error is the fault of the last replaced event up to there; of the first one that is left if there is none.
    const candidates = [...replacements.keys()].filter(
      (at) => replacements[at] !== undefined && !refused.has(at),
    );
    const last = candidates.findLast((at) => at <= bad) ?? candidates[0];
    if (last === undefined) return { events, omitted: [] };
    refused.add(last);
  }
}

/** Returns the index of the first event that breaks a stream rule. */
function findFirstError(
  model: GeneratorContext["maker"]["protocol"],
  events: readonly SampleEvent[],
): number | undefined {
  const checker = createErrorChecker(model);
  const index = events.findIndex((event) => checker.check(event).length > 0);
  if (index >= 0) return index;
  return checker.end().length > 0 ? events.length : undefined;
}
