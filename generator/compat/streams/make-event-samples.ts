/**
 * Makes event samples: for each event type, one event for every combination of field values that the stream rules can
 * distinguish. Each is valid by itself on both sides.
 */
import { type PlannedChecker, restrictPlan } from "../../conform/check-plan.js";
import type { Comparable, FieldUse } from "../../conform/comparable.js";
import { GAP_CHECKERS } from "../../conform/rules/gaps.js";
import { createStreamChecker } from "../../conform/stream-checker.js";
import { isObject, type JsonObject } from "../../json.js";
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
  readonly gapSize: number;
  /** Makes the event with a number. Returns undefined if the event cannot have that number. */
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
export const MAX_COMBINATIONS = 120;
/** The greatest number of combinations that are tried to complete one event. */
const MAX_COMPLETIONS = 64;

/** The checkers whose fields get values. */
interface SampledCheckers {
  /** The checkers of the rule that the question is about, one for each version of it. */
  readonly ruleVersions: readonly Comparable[];
  readonly allCheckers: readonly Comparable[];
  /** The greatest number of combinations that differ in fields that the question is not about. */
  readonly maxOthers: number;
}

/** Makes the event samples of the classes, with the values that the checkers read. */
export function makeEventSamples(
  sides: StreamSides,
  classes: readonly TypeClass[],
  { ruleVersions, allCheckers, maxOthers }: SampledCheckers,
): EventSamples {
  const maker = createEventMaker(sides.small, sides.accepts);
  const samples = createFieldSamples(sides, maker, allCheckers, ruleVersions);
  const isRuleVersion = (checker: Comparable): boolean => ruleVersions.includes(checker);
  const freeCheckers = sides.smallPlan.checkers.filter((checker) => isFreeChecker(checker, isRuleVersion));
  const context: SampleContext = {
    sides,
    maker,
    samples,
    allCheckers,
    isRuleVersion,
    gapSizes: listGapSizes(sides, ruleVersions),
    maxOthers,
    freeCheckers: new Set(freeCheckers.flatMap(({ comparable }) => comparable ?? [])),
    acceptsEvent: createEventCheck(sides, freeCheckers),
  };
  const samplesOfTypes = classes.flatMap((types) => {
    // The types of a class may have different values. Each combination is made of the first type that can have it.
    const combinations = new Set<string>();
    return types.map((type) => createEventSamples(context, type, combinations));
  });
  return {
    eventSamples: samplesOfTypes.flatMap(({ eventSamples }) => eventSamples),
    omitted: samplesOfTypes.flatMap(({ omitted }) => omitted),
  };
}

interface SampleContext {
  readonly sides: StreamSides;
  readonly maker: EventMaker;
  readonly samples: FieldSamples;
  readonly allCheckers: readonly Comparable[];
  readonly gapSizes: readonly number[];
  readonly maxOthers: number;
  /**
   * Checkers of single events that the question is not about. For the fields that only they read, one accepted combination
   * of values is enough.
   */
  readonly freeCheckers: ReadonlySet<Comparable>;
  /** Returns whether the question is about a checker. */
  isRuleVersion(checker: Comparable): boolean;
  /** Returns whether the free checkers accept an event. */
  acceptsEvent(event: JsonObject): boolean;
}

/**
 * Returns whether the question is not about a checker, and the checker reads each event by itself, without its number.
 */
function isFreeChecker(checker: PlannedChecker, isRuleVersion: (checker: Comparable) => boolean): boolean {
  const { comparable } = checker;
  if (comparable === undefined || isRuleVersion(comparable) || checker.start() !== null) return false;
  return checker.end === undefined && comparable.reads.every(({ samples }) => samples.kind !== "number");
}

function createEventCheck(
  { small, smallPlan }: StreamSides,
  checkers: readonly PlannedChecker[],
): SampleContext["acceptsEvent"] {
  if (checkers.length === 0) return () => true;
  const plan = restrictPlan(smallPlan, (checker) => checkers.includes(checker));
  return (event) => {
    const delivery = {
      kind: "new",
      stream: streamKey(small.stream, event),
      sequence: 0,
      gap: undefined,
    } as const;
    const findings = createStreamChecker(small, { profile: "writer", plan }).check(event, delivery, 0);
    return findings.every(({ severity }) => severity !== "error");
  };
}

/** Returns how many numbers may be missing before an event. A gap is possible only if a gap event can name its numbers. */
function listGapSizes({ small, large }: StreamSides, ruleVersions: readonly Comparable[]): readonly number[] {
  const smallRules = small.stream?.rules?.gaps ?? [];
  const rules = [...smallRules, ...(large.stream?.rules?.gaps ?? [])];
  const hasRange = rules.some(({ first, last }) => first !== undefined && last !== undefined);
  const comparesGaps = ruleVersions.some((checker) =>
    GAP_CHECKERS.includes(String(classifyChecker(checker))),
  );
  if (!hasRange || smallRules.every(({ first }) => first === undefined)) return [0];
  return comparesGaps || rules.every(({ first }) => first !== undefined) ? [0, 1] : [0];
}

/**
 * Makes the samples of one type, except for those whose combination of values is in `combinations`, and adds their
 * combinations.
 */
function createEventSamples(context: SampleContext, type: string, combinations: Set<string>): EventSamples {
  const { sides, maker, samples, gapSizes, maxOthers } = context;
  if (samples.makePlainEvent(type) === undefined)
    return { eventSamples: [], omitted: [{ type, values: {} }] };
  const omitted: OmittedEvent[] = [];
  const fields = listUses(context, type).map(({ use, ...choice }): SampledField => {
    const { values, refused } = samples.listValues(type, use);
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
    if (combinations.has(key)) return [];
    const completedEvent = completeEvent(context, type, row, completions);
    if (completedEvent === undefined) {
      // If the rules alone refuse all these events, no stream has them.
      const canExist = completions.some((completion) =>
        samples.makeEvent(type, [...row, ...completion], () => true),
      );
      if (!canExist) omitted.push({ type, values: collectPayloadValues(row), absent: listAbsentFields(row) });
      return [];
    }
    combinations.add(key);
    return gapSizes.map((gapSize) => createEventSample(sides, maker, { type, ...completedEvent, gapSize }));
  });
  return { eventSamples, omitted };
}

/** Returns the first event with the values of `row` and of one completion that the rules about single events accept. */
function completeEvent(
  { samples, acceptsEvent }: SampleContext,
  type: string,
  row: readonly ChosenValue[],
  completions: readonly (readonly ChosenValue[])[],
): { readonly event: JsonObject; readonly chosenValues: readonly ChosenValue[] } | undefined {
  for (const completion of completions) {
    const chosenValues = [...row, ...completion];
    const event = samples.makeEvent(type, chosenValues, acceptsEvent);
    if (event !== undefined) return { event, chosenValues };
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
function listUses({ sides, allCheckers, isRuleVersion, freeCheckers }: SampleContext, type: string) {
  const plans = [createPlan(sides.smallPlan, type), createPlan(sides.largePlan, type)];
  const handledCheckers = new Set(
    plans.flatMap(({ checks }) => checks.map(({ checker }) => checker.comparable)),
  );
  // Handlers that check events after the end of a stream are in no plan of a type.
  const isHandled = (checker: Comparable): boolean =>
    handledCheckers.has(checker) || checker.refuses === "every";
  const fields = new Map<
    string,
    { use: [FieldUse, ...FieldUse[]]; isReadByRule: boolean; isFree: boolean }
  >();
  for (const checker of allCheckers)
    for (const use of checker.reads) {
      const isEnvelope = use.type === undefined;
      const isOfType = isEnvelope ? isHandled(checker) : use.type === type;
      // The envelope of an event sample keeps the values that all events may have, unless the question is about them.
      if (!isOfType || (isEnvelope && !isRuleVersion(checker))) continue;
      const key = `${isEnvelope} ${use.field}`;
      const entry = fields.get(key) ?? { use: [use], isReadByRule: false, isFree: true };
      if (fields.has(key)) entry.use.push(use);
      else fields.set(key, entry);
      entry.isReadByRule ||= isRuleVersion(checker);
      entry.isFree &&= freeCheckers.has(checker);
    }
  return [...fields.values()].sort((a, b) => Number(b.isReadByRule) - Number(a.isReadByRule));
}

/** A field that gets values. */
interface SampledField {
  readonly field: string;
  readonly isEnvelope: boolean;
  /** True if a version of the rule reads the field. */
  readonly isReadByRule: boolean;
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
  let otherCombinations = 1;
  for (const { field, isEnvelope, isReadByRule, values } of fields) {
    const maxRows = isReadByRule ? MAX_COMBINATIONS : Math.min(MAX_COMBINATIONS, rows.length * maxOthers);
    let takenValues = values.length === 0 ? [undefined] : values;
    if (!isReadByRule && otherCombinations * takenValues.length > maxOthers)
      takenValues = takenValues.slice(0, 1);
    while (takenValues.length > 2 && rows.length * takenValues.length > maxRows)
      takenValues = takenValues.slice(0, -1);
    if (rows.length * takenValues.length > maxRows) takenValues = takenValues.slice(0, 1);
    if (!isReadByRule) otherCombinations *= takenValues.length;
    isTruncated ||= takenValues.length < values.length;
    rows = rows.flatMap((row) => takenValues.map((value) => [...row, { field, isEnvelope, value }]));
  }
  return { rows, isTruncated };
}

/** The event and the values of a sample. */
interface SampleParts {
  readonly type: string;
  readonly event: JsonObject;
  readonly chosenValues: readonly ChosenValue[];
  readonly gapSize: number;
}

function createEventSample(
  { small, types }: StreamSides,
  maker: EventMaker,
  { type, event, chosenValues, gapSize }: SampleParts,
): EventSample {
  const { stream } = small;
  const carrier = maker.findCarrier(type);
  const offsets = chosenValues.flatMap(({ field, value }) =>
    value?.offset === undefined ? [] : [{ field, offset: value.offset }],
  );
  const make = (sequence: number): JsonObject | undefined => {
    if (offsets.some(({ offset }) => sequence + offset < 0)) return undefined;
    const numberedEvent = stream?.sequence === undefined ? event : { ...event, [stream.sequence]: sequence };
    if (offsets.length === 0) return numberedEvent;
    const numberFields = Object.fromEntries(offsets.map(({ field, offset }) => [field, sequence + offset]));
    if (carrier === undefined) return { ...numberedEvent, ...numberFields };
    const payload = event[carrier];
    return { ...numberedEvent, [carrier]: { ...(isObject(payload) ? payload : {}), ...numberFields } };
  };
  return { type, rank: types.get(type) ?? 0, stream: streamKey(stream, event), gapSize, make };
}
