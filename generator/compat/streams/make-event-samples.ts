/**
 * Makes event samples: for each event type, one event for every combination of field values that the stream rules can
 * distinguish. Each is valid by itself on both sides.
 */
import type { Comparable, FieldUse } from "../../conform/comparable.js";
import { GAP_CHECKERS } from "../../conform/rules/gaps.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import { createEventMaker, type EventMaker } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import { type Chosen, createFieldSamples, type FieldSamples, type FieldValue } from "./field-samples.js";
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
}

/** The event samples of one question, and the events that could not be made. */
export interface EventSamples {
  readonly eventSamples: readonly EventSample[];
  readonly omitted: readonly OmittedEvent[];
}

/** The greatest number of combinations of values for one event type. */
const MAX_COMBINATIONS = 120;
/** The greatest number of these combinations that differ in fields that the question is not about. */
const MAX_OTHERS = 16;

/** Makes the event samples of the classes, with the values that `all` checkers read. The question is about those in `asked`. */
export function makeEventSamples(
  sides: StreamSides,
  classes: readonly TypeClass[],
  asked: readonly Comparable[],
  all: readonly Comparable[],
): EventSamples {
  const maker = createEventMaker(sides.small, sides.accepts);
  const samples = createFieldSamples(sides, maker, all, asked);
  const skips = listSkips(sides, asked);
  const wanted = new Set(asked);
  const omitted: OmittedEvent[] = [];
  const eventSamples = classes.flatMap((types) => {
    for (const [index, type] of types.entries()) {
      const made = createEventSamples({ sides, maker, samples, all, asked: wanted, skips }, type);
      if (made.eventSamples.length > 0 || index === types.length - 1) {
        omitted.push(...made.omitted);
        return made.eventSamples;
      }
    }
    return [];
  });
  return { eventSamples, omitted };
}

interface SampleContext {
  readonly sides: StreamSides;
  readonly maker: EventMaker;
  readonly samples: FieldSamples;
  readonly all: readonly Comparable[];
  /** The checkers that the question is about. */
  readonly asked: ReadonlySet<Comparable>;
  readonly skips: readonly number[];
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

function createEventSamples(making: SampleContext, type: string): EventSamples {
  const { sides, maker, samples, skips } = making;
  const uses = listUses(making, type);
  const plain = samples.plainEvent(type);
  if (plain === undefined) return { eventSamples: [], omitted: [{ type, values: {} }] };
  const omitted: OmittedEvent[] = [];
  const fields = uses.map(({ use, isAsked }) => {
    const taken = samples.valuesOf(type, use);
    for (const value of taken.refused) omitted.push({ type, values: { [use[0]?.field ?? ""]: value } });
    return {
      field: use[0]?.field ?? "",
      isEnvelope: use[0]?.type === undefined,
      isAsked,
      values: taken.values,
    };
  });
  const eventSamples: EventSample[] = [];
  for (const chosen of combineValues(fields)) {
    const event = samples.eventWith(type, chosen);
    if (event === undefined) {
      const values = chosen.flatMap(({ field, isEnvelope, value }) =>
        isEnvelope || value?.json === undefined ? [] : [[field, value.json] as const],
      );
      omitted.push({ type, values: Object.fromEntries(values) });
      continue;
    }
    for (const skip of skips)
      eventSamples.push(createEventSample(sides, maker, { type, event, chosen, skip }));
  }
  return { eventSamples, omitted };
}

/** Returns the fields that rules read in events of `type`, those of the question first. */
function listUses({ sides, all, asked }: SampleContext, type: string) {
  const plans = [createPlan(sides.smallPlan, type), createPlan(sides.largePlan, type)];
  const handled = new Set(plans.flatMap(({ checks }) => checks.map(({ checker }) => checker.comparable)));
  // Handlers that check events after the end of a stream are in no plan of a type.
  const isHandled = (known: Comparable): boolean => handled.has(known) || known.refuses === "every";
  const byField = new Map<string, { use: FieldUse[]; isAsked: boolean }>();
  for (const known of all)
    for (const use of known.reads) {
      if (use.type === undefined ? !isHandled(known) : use.type !== type) continue;
      const key = `${use.type === undefined} ${use.field}`;
      // The envelope of an event sample keeps the values that all events may have, unless the question is about them.
      if (use.type === undefined && !asked.has(known)) continue;
      const entry = byField.get(key) ?? { use: [], isAsked: false };
      byField.set(key, entry);
      entry.use.push(use);
      entry.isAsked ||= asked.has(known);
    }
  return [...byField.values()].sort((a, b) => Number(b.isAsked) - Number(a.isAsked));
}

interface Choice {
  readonly field: string;
  readonly isEnvelope: boolean;
  readonly isAsked: boolean;
  readonly values: readonly (FieldValue | undefined)[];
}

/** Returns combinations of values. If there are too many, fields that the question is not about keep their first value. */
function combineValues(fields: readonly Choice[]): Chosen[][] {
  let rows: Chosen[][] = [[]];
  let others = 1;
  for (const { field, isEnvelope, isAsked, values } of fields) {
    const most = isAsked ? MAX_COMBINATIONS : Math.min(MAX_COMBINATIONS, rows.length * MAX_OTHERS);
    let taken = values.length === 0 ? [undefined] : values;
    if (!isAsked && others * taken.length > MAX_OTHERS) taken = taken.slice(0, 1);
    while (taken.length > 2 && rows.length * taken.length > most) taken = taken.slice(0, -1);
    if (rows.length * taken.length > most) taken = taken.slice(0, 1);
    if (!isAsked) others *= taken.length;
    rows = rows.flatMap((row) => taken.map((value) => [...row, { field, isEnvelope, value }]));
  }
  return rows;
}

interface Draft {
  readonly type: string;
  readonly event: JsonObject;
  readonly chosen: readonly Chosen[];
  readonly skip: number;
}

function createEventSample(
  { small, types }: StreamSides,
  maker: EventMaker,
  { type, event, chosen, skip }: Draft,
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
