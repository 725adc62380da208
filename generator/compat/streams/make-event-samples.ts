/**
 * Makes event samples: for each event type, one event for every combination of field values that the stream rules can
 * distinguish. Each is valid by itself on both sides.
 */
import { type PlannedChecker, restrictPlan } from "../../conform/check-plan.js";
import type { Comparable, FieldUse } from "../../conform/comparable.js";
import { GAP_CHECKERS } from "../../conform/rules/gaps.js";
import { createStreamChecker } from "../../conform/stream-checker.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import { createEventMaker, type EventMaker } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import { type ChosenValue, createFieldSamples, type FieldSamples, type FieldValue } from "./field-samples.js";
import { classifyChecker, type TypeClass } from "./relevant-types.js";
import { createPlan, type StreamSides } from "./stream-sides.js";

/** An event without its number. */
export interface EventSample {
  readonly type: string;
  /** The stability rank of its type. */
  readonly rank: number;
  /** The key of its stream. */
  readonly stream: string;
  /** The count of numbers that are missing before it. */
  readonly skip: number;
  /** The event with a number; undefined if it cannot have that one. */
  make(sequence: number): JsonObject | undefined;
}

/** An event that could not be made: no event with these values was found that both sides accept. */
export interface OmittedEvent {
  readonly type: string;
  readonly values: JsonObject;
  /** Payload fields that it does not have. */
  readonly absent?: readonly string[];
  /** Set if there were too many combinations of values; `values` is empty then. */
  readonly isTruncated?: true;
}

/** The event samples of one question, and the events that could not be made. */
export interface EventSamples {
  readonly eventSamples: readonly EventSample[];
  readonly omitted: readonly OmittedEvent[];
}

/** The greatest number of combinations of values for one event type. */
const MAX_COMBINATIONS = 120;
/** The greatest number of combinations that are tried to complete one event. */
const MAX_COMPLETIONS = 64;

/** The checkers whose fields get values. */
interface SampledCheckers {
  /** The checkers that the question is about. */
  readonly askedCheckers: readonly Comparable[];
  readonly allCheckers: readonly Comparable[];
  /** The greatest number of combinations that differ in fields that the question is not about. */
  readonly maxOthers: number;
}

/** Makes the event samples of the classes, with the values that the checkers read. */
export function makeEventSamples(
  sides: StreamSides,
  classes: readonly TypeClass[],
  { askedCheckers, allCheckers, maxOthers }: SampledCheckers,
): EventSamples {
  const maker = createEventMaker(sides.small, sides.accepts);
  const samples = createFieldSamples(sides, maker, allCheckers, askedCheckers);
  const skips = listSkips(sides, askedCheckers);
  const asked = new Set(askedCheckers);
  const free = sides.smallPlan.checkers.filter((checker) => isFreeChecker(checker, asked));
  const context: SampleContext = {
    sides,
    maker,
    samples,
    allCheckers,
    asked,
    skips,
    maxOthers,
    free: new Set(free.flatMap(({ comparable }) => comparable ?? [])),
    acceptsAlone: createEventCheck(sides, free),
  };
  const made = classes.flatMap((types) => {
    // The types of a class may have different values. Each combination is made of the first type that can have it.
    const combinations = new Set<string>();
    return types.map((type) => createEventSamples(context, type, combinations));
  });
  return {
    eventSamples: made.flatMap((each) => each.eventSamples),
    omitted: made.flatMap((each) => each.omitted),
  };
}

interface SampleContext {
  readonly sides: StreamSides;
  readonly maker: EventMaker;
  readonly samples: FieldSamples;
  readonly allCheckers: readonly Comparable[];
  /** The checkers that the question is about. */
  readonly asked: ReadonlySet<Comparable>;
  readonly skips: readonly number[];
  readonly maxOthers: number;
  /**
   * Checkers of single events that the question is not about. For the fields that only they read, one accepted combination
   * of values is enough.
   */
  readonly free: ReadonlySet<Comparable>;
  /** Returns whether these checkers accept an event. */
  acceptsAlone(event: JsonObject): boolean;
}

/**
 * Returns whether the question is not about a checker, and the checker reads each event by itself, without its number.
 */
function isFreeChecker(checker: PlannedChecker, asked: ReadonlySet<Comparable>): boolean {
  const { comparable } = checker;
  if (comparable === undefined || asked.has(comparable) || checker.start() !== null) return false;
  return checker.end === undefined && comparable.reads.every(({ samples }) => samples.kind !== "number");
}

function createEventCheck(
  { small, smallPlan }: StreamSides,
  checkers: readonly PlannedChecker[],
): SampleContext["acceptsAlone"] {
  if (checkers.length === 0) return () => true;
  const checked = new Set(checkers);
  const plan = restrictPlan(smallPlan, (checker) => checked.has(checker));
  return (event) => {
    const placed = {
      kind: "new",
      stream: streamKey(small.stream, event),
      sequence: 0,
      gap: undefined,
    } as const;
    const findings = createStreamChecker(small, { profile: "writer", plan }).check(event, placed, 0);
    return findings.every(({ severity }) => severity !== "error");
  };
}

/** Returns how many numbers may be missing before an event. A gap is possible only if a gap event can name it. */
function listSkips({ small, large }: StreamSides, asked: readonly Comparable[]): readonly number[] {
  const marked = [...(small.stream?.rules?.gaps ?? []), ...(large.stream?.rules?.gaps ?? [])];
  const isRange = marked.some(({ first, last }) => first !== undefined && last !== undefined);
  const isAsked = asked.some((each) => GAP_CHECKERS.includes(String(classifyChecker(each))));
  const canHide = (small.stream?.rules?.gaps ?? []).some(({ first }) => first !== undefined);
  if (!isRange || !canHide) return [0];
  return isAsked || marked.every(({ first }) => first !== undefined) ? [0, 1] : [0];
}

/** Makes the samples of one type, except for combinations of values in `made`, and adds its combinations to `made`. */
function createEventSamples(context: SampleContext, type: string, made: Set<string>): EventSamples {
  const { sides, maker, samples, skips, maxOthers } = context;
  if (samples.plainEvent(type) === undefined) return { eventSamples: [], omitted: [{ type, values: {} }] };
  const omitted: OmittedEvent[] = [];
  const fields = listUses(context, type).map(({ use, ...choice }): SampledField => {
    const { values, refused } = samples.valuesOf(type, use);
    const [{ field, type: payloadType }] = use;
    for (const value of refused)
      omitted.push(
        value === undefined ? { type, values: {}, absent: [field] } : { type, values: { [field]: value } },
      );
    return { ...choice, field, isEnvelope: payloadType === undefined, values };
  });
  const { rows, isTruncated } = combineValues(
    fields.filter(({ isFree }) => !isFree),
    maxOthers,
  );
  if (isTruncated) omitted.push({ type, isTruncated, values: {} });
  const completions = combineValues(
    fields.filter(({ isFree }) => isFree),
    MAX_COMPLETIONS,
  ).rows;
  const eventSamples = rows.flatMap((row): EventSample[] => {
    const key = JSON.stringify(row);
    if (made.has(key)) return [];
    const found = completeEvent(context, type, row, completions);
    if (found === undefined) {
      // If the rules alone refuse all these events, no stream has them.
      const exists = completions.some((more) => samples.eventWith(type, [...row, ...more], () => true));
      if (!exists) omitted.push({ type, values: collectPayloadValues(row), absent: listAbsentFields(row) });
      return [];
    }
    made.add(key);
    return skips.map((skip) => createEventSample(sides, maker, { type, ...found, skip }));
  });
  return { eventSamples, omitted };
}

/** Returns the first event with the values of `row` and of one completion that the rules about single events accept. */
function completeEvent(
  { samples, acceptsAlone }: SampleContext,
  type: string,
  row: readonly ChosenValue[],
  completions: readonly (readonly ChosenValue[])[],
): { readonly event: JsonObject; readonly chosen: readonly ChosenValue[] } | undefined {
  for (const completion of completions) {
    const chosen = [...row, ...completion];
    const event = samples.eventWith(type, chosen, acceptsAlone);
    if (event !== undefined) return { event, chosen };
  }
  return undefined;
}

function listAbsentFields(row: readonly ChosenValue[]): string[] {
  return row.flatMap(({ field, isEnvelope, value }) => (isEnvelope || value !== undefined ? [] : [field]));
}

function collectPayloadValues(row: readonly ChosenValue[]): JsonObject {
  return Object.fromEntries(
    row.flatMap(({ field, isEnvelope, value }) =>
      isEnvelope || value?.json === undefined ? [] : [[field, value.json] as const],
    ),
  );
}

/** Returns the fields that rules read in events of `type`, those of the question first. */
function listUses({ sides, allCheckers, asked, free }: SampleContext, type: string) {
  const plans = [createPlan(sides.smallPlan, type), createPlan(sides.largePlan, type)];
  const handled = new Set(plans.flatMap(({ checks }) => checks.map(({ checker }) => checker.comparable)));
  // Handlers that check events after the end of a stream are in no plan of a type.
  const isHandled = (known: Comparable): boolean => handled.has(known) || known.refuses === "every";
  const byField = new Map<string, { use: [FieldUse, ...FieldUse[]]; isAsked: boolean; isFree: boolean }>();
  for (const known of allCheckers)
    for (const use of known.reads) {
      const isOfType = use.type === undefined ? isHandled(known) : use.type === type;
      if (!isOfType) continue;
      const key = `${use.type === undefined} ${use.field}`;
      // The envelope of an event sample keeps the values that all events may have, unless the question is about them.
      if (use.type === undefined && !asked.has(known)) continue;
      const entry = byField.get(key) ?? { use: [use], isAsked: false, isFree: true };
      if (byField.has(key)) entry.use.push(use);
      else byField.set(key, entry);
      entry.isAsked ||= asked.has(known);
      entry.isFree &&= free.has(known);
    }
  return [...byField.values()].sort((a, b) => Number(b.isAsked) - Number(a.isAsked));
}

/** A field that gets values. */
interface SampledField {
  readonly field: string;
  readonly isEnvelope: boolean;
  readonly isAsked: boolean;
  /** True if only free checkers read the field. */
  readonly isFree: boolean;
  readonly values: readonly (FieldValue | undefined)[];
}

/** Combinations of the values of several fields. */
interface Combinations {
  readonly rows: ChosenValue[][];
  /** True if there are more combinations. */
  readonly isTruncated: boolean;
}

/** Returns combinations of values. If there are too many, fields that the question is not about keep their first value. */
function combineValues(fields: readonly SampledField[], maxOthers: number): Combinations {
  let rows: ChosenValue[][] = [[]];
  let isTruncated = false;
  let others = 1;
  for (const { field, isEnvelope, isAsked, values } of fields) {
    const most = isAsked ? MAX_COMBINATIONS : Math.min(MAX_COMBINATIONS, rows.length * maxOthers);
    let taken = values.length === 0 ? [undefined] : values;
    if (!isAsked && others * taken.length > maxOthers) taken = taken.slice(0, 1);
    while (taken.length > 2 && rows.length * taken.length > most) taken = taken.slice(0, -1);
    if (rows.length * taken.length > most) taken = taken.slice(0, 1);
    if (!isAsked) others *= taken.length;
    isTruncated ||= taken.length < values.length;
    rows = rows.flatMap((row) => taken.map((value) => [...row, { field, isEnvelope, value }]));
  }
  return { rows, isTruncated };
}

/** The event and the values of a sample. */
interface SampleParts {
  readonly type: string;
  readonly event: JsonObject;
  readonly chosen: readonly ChosenValue[];
  readonly skip: number;
}

function createEventSample(
  { small, types }: StreamSides,
  maker: EventMaker,
  { type, event, chosen, skip }: SampleParts,
): EventSample {
  const { stream } = small;
  const carrier = maker.findCarrier(type);
  const near = chosen.flatMap(({ field, value }) =>
    value?.near === undefined ? [] : [[field, value.near] as const],
  );
  const make = (sequence: number): JsonObject | undefined => {
    const numbered = stream?.sequence === undefined ? {} : { [stream.sequence]: sequence };
    const fields = near.map(([field, offset]): [string, Json] => [field, sequence + offset]);
    if (fields.some(([, value]) => (value as number) < 0)) return undefined;
    const patch = Object.fromEntries(fields);
    if (near.length === 0) return { ...event, ...numbered };
    if (carrier === undefined) return { ...event, ...numbered, ...patch };
    const payload = event[carrier];
    return { ...event, ...numbered, [carrier]: { ...(isObject(payload) ? payload : {}), ...patch } };
  };
  return { type, rank: types.get(type) ?? 0, stream: streamKey(stream, event), skip, make };
}
