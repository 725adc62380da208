/**
 * Makes event samples: for each event type, one event for every combination of field values that the machines can
 * distinguish. Each is valid by itself on both sides.
 */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { Machine } from "../../conform/machine/language.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import { streamKey } from "../../stream/stream-key.js";
import { createEffectDescriber, type DescribeEffect, type EventFields } from "./event-effects.js";
import { createEventFactory, type EventFactory } from "./event-factory.js";
import { createTypeDescriber, findContextTypes, groupEventTypes, type TypeGroup } from "./event-types.js";
import {
  chooseFieldValues,
  createHostKey,
  type FieldValue,
  type FieldValues,
  isEqualityOnly,
} from "./field-values.js";
import { mentions, usesEnd, usesEpochs } from "./normal-machines.js";
import type { StreamSides } from "./stream-sides.js";
import { createFieldKey, findValueClasses, type ReadField, type ValueClass } from "./value-classes.js";

/** An event without its number. */
export interface EventSample {
  readonly type: string;
  /** The stability rank of its type. */
  readonly rank: number;
  /** The key of its stream. */
  readonly stream: string;
  /** The count of numbers that are missing before it. */
  readonly gapSize: number;
  /** Its values that the machines treat alike, as the class and the index among its values of this kind. */
  readonly alike: readonly AlikeValue[];
  /** Makes the event with a number. Returns undefined if the event cannot have that number. */
  make(sequence: number): JsonObject | undefined;
}

/** A value that the machines treat like others of its class. */
export type AlikeValue = readonly [valueClass: number, index: number];

/** The machines of a question. Each field that they read gets values. */
interface SampledMachines {
  /** The machine that the question is about, and its other versions. */
  readonly versions: readonly PlannedMachine[];
  /** Further machines of the smaller side. */
  readonly others: readonly PlannedMachine[];
}

/** The event samples of one question. */
export interface EventSamples {
  readonly eventSamples: readonly EventSample[];
  readonly factory: EventFactory;
  /** The classes of the values that the machines compare. The indexes of machines are those of `versions`, then of `others`. */
  readonly classes: readonly ValueClass[];
  /** The values of the samples, by class. */
  readonly valuesByClass: ReadonlyMap<ValueClass, readonly Json[]>;
  /** The classes of sizes and texts of which another value could change the answer. */
  readonly incompleteClasses: ReadonlySet<ValueClass>;
  /** Why there may be events that no sample stands for; undefined if there are none. */
  readonly gap: string | undefined;
  /** True if no other value of a field could change the answer. */
  readonly isComplete: boolean;
}

/**
 * The greatest number of combinations of values for one event type. A field keeps at least the values that its class needs.
 */
const MAX_COMBINATIONS = 4_000;
/** The number of combinations up to which each field has all of its values, also if there are further ones. */
const FEW_COMBINATIONS = 60;

/** Makes the event samples of a question. */
export async function makeEventSamples(
  sides: StreamSides,
  { versions, others }: SampledMachines,
): Promise<EventSamples> {
  const machines = [...versions, ...others].map(({ machine }) => machine);
  const groups = groupEventTypes(sides, machines);
  const types = groups.flatMap((group) => group.types.slice(0, group.count + SPARE_TYPES));
  const factory = createEventFactory(sides);
  const classes = findValueClasses(machines, types, findContextTypes(sides, machines));
  const values = new Map<string, FieldValues>();
  const valuesByClass = new Map<ValueClass, readonly Json[]>();
  const incompleteClasses = new Set<ValueClass>();
  const alike: (readonly string[])[] = [];
  const classByField = new Map<string, number>();
  // Sizes are computed of texts, whose values come first.
  const order = [...classes.entries()].sort(([, a], [, b]) => a.computed.length - b.computed.length);
  for (const [index, valueClass] of order) {
    const chosen = await chooseFieldValues(sides, factory, valueClass, types, values);
    for (const [key, fieldValues] of chosen) values.set(key, fieldValues);
    for (const field of valueClass.fields) classByField.set(createFieldKey(field), index);
    alike[index] = [...chosen.values()][0]?.alike ?? [];
    const all = [...chosen.values()].flatMap(({ values }) => values.flatMap((value) => value?.json ?? []));
    valuesByClass.set(valueClass, all);
    const isComplete = [...chosen.values()].every((each) => each.isComplete);
    if (!isComplete && !isEqualityOnly(valueClass)) incompleteClasses.add(valueClass);
  }
  const streamFields = (sides.small.stream?.key ?? [])
    .map((field): ReadField => ({ type: undefined, field }))
    .filter((field) => classByField.has(createFieldKey(field)));
  const context: SampleContext = {
    sides,
    factory,
    values,
    machines,
    streamFields,
    describeEffect: createSampleDescriber(sides, machines),
    gapSizes: listGapSizes(sides, versions),
    alike,
    classByField,
  };
  const results: TypeSamples[] = [];
  const effects = new Set([NO_EFFECT]);
  // Of several events with the same effect, the most stable one is kept.
  for (const group of groups.sort((a, b) => b.rank - a.rank))
    results.push(...(await makeGroupSamples(context, group, effects)));
  const gap = results.flatMap((result) => result.gap ?? [])[0];
  const isSymmetric = results.every((result) => result.isSymmetric);
  const eventSamples = results.flatMap((result) => result.eventSamples);
  return {
    eventSamples: isSymmetric ? eventSamples : eventSamples.map((sample) => ({ ...sample, alike: [] })),
    factory,
    classes,
    valuesByClass,
    incompleteClasses,
    gap,
    isComplete: gap === undefined && results.every(({ isComplete }) => isComplete),
  };
}

/** The number of further types of a group that may stand in where the first ones cannot have a combination of values. */
const SPARE_TYPES = 2;

interface SampleContext {
  readonly sides: StreamSides;
  readonly factory: EventFactory;
  readonly values: ReadonlyMap<string, FieldValues>;
  readonly machines: readonly Machine[];
  /** The fields that name the stream, if machines read them in some events: then all events need these values. */
  readonly streamFields: readonly ReadField[];
  /** Returns a text that is equal for events with the same effect on the machines and on their streams. */
  readonly describeEffect: DescribeEffect;
  readonly gapSizes: readonly number[];
  readonly alike: readonly (readonly string[])[];
  /** The index of the class of each field. */
  readonly classByField: ReadonlyMap<string, number>;
}

/** Returns how many numbers may be missing before an event. A gap is possible only if a gap event can name its numbers. */
function listGapSizes({ small, large }: StreamSides, versions: readonly PlannedMachine[]): readonly number[] {
  const smallRules = small.stream?.rules?.gaps ?? [];
  const rules = [...smallRules, ...(large.stream?.rules?.gaps ?? [])];
  const hasRange = rules.some(({ first, last }) => first !== undefined && last !== undefined);
  if (!hasRange || smallRules.every(({ first }) => first === undefined)) return [0];
  const isAboutGaps = versions.some(({ member }) => member === "gaps");
  return isAboutGaps || rules.every(({ first }) => first !== undefined) ? [0, 1] : [0];
}

interface TypeSamples {
  readonly eventSamples: readonly EventSample[];
  /** True if values that are treated alike can replace each other in all samples. */
  readonly isSymmetric: boolean;
  readonly gap: string | undefined;
  readonly isComplete: boolean;
}

/**
 * Makes the samples of the types of a group. Each combination is made of the first types that can have it. `effects` are
 * those of the samples so far.
 */
async function makeGroupSamples(
  context: SampleContext,
  { types, count }: TypeGroup,
  effects: Set<string>,
): Promise<TypeSamples[]> {
  const made = new Map<string, number>();
  const results: TypeSamples[] = [];
  for (const type of types.slice(0, count + SPARE_TYPES))
    results.push(
      await makeTypeSamples(context, type, {
        isNeeded: (key, effect) => !effects.has(effect) && (made.get(key) ?? 0) < count,
        markMade(key, effect) {
          effects.add(effect);
          made.set(key, (made.get(key) ?? 0) + 1);
        },
      }),
    );
  // The spare types only stand in, so a gap of theirs matters only if no type has samples.
  const hasSamples = results.some(({ eventSamples }) => eventSamples.length > 0);
  return hasSamples
    ? results.filter(({ eventSamples }, index) => index < count || eventSamples.length > 0)
    : results.slice(0, 1);
}

/** A field of a sample with its value; undefined if the field is absent. */
interface ChosenValue extends ReadField {
  readonly value: FieldValue | undefined;
}

/** The combinations of values that have samples. */
interface MadeCombinations {
  isNeeded(combination: string, effect: string): boolean;
  markMade(combination: string, effect: string): void;
}

async function makeTypeSamples(
  context: SampleContext,
  type: string,
  combinations: MadeCombinations,
): Promise<TypeSamples> {
  const { factory, machines, streamFields, gapSizes } = context;
  const none = { eventSamples: [], isSymmetric: true, isComplete: true, gap: undefined };
  const plain = await factory.make(type, { payload: {}, envelope: {} });
  if (plain.found === "nothing") return none;
  const fields = dropRepeated([...listFields(machines, type), ...streamFields]);
  const bound = combineValues(context, type, fields);
  let gap = bound.isTruncated ? `the rules read too many combinations of values of ${type}` : undefined;
  const eventSamples: EventSample[] = [];
  let failures = 0;
  /** Why no event has an effect, by the effect. */
  const unknown = new Map<string, string>();
  for (const row of bound.rows) {
    const key = JSON.stringify(row.map(({ type: _, ...rest }) => rest));
    const effect = context.describeEffect({ type, ...splitFields(row) });
    if (!combinations.isNeeded(key, effect)) continue;
    const result = await factory.make(type, collectFields(row));
    if (result.found === "unknown")
      unknown.set(effect, `no event ${type} with ${describeRow(row)} was found (${result.reason})`);
    if (result.found !== "event") {
      failures++;
      continue;
    }
    unknown.delete(effect);
    combinations.markMade(key, effect);
    const alike = listAlikeValues(context, row).filter(([valueClass, index]) =>
      effect.includes(context.alike[valueClass]?.[index] ?? ""),
    );
    for (const gapSize of gapSizes)
      eventSamples.push(createEventSample(context, { type, event: result.event, row, gapSize, alike }));
  }
  gap ??= [...unknown.values()][0];
  return { eventSamples, isSymmetric: failures === 0, gap, isComplete: bound.isComplete };
}

/** Returns the fields of a row by their place; those that depend on the number of the event by their offset. */
function splitFields(row: readonly ChosenValue[]): Omit<EventFields, "type"> {
  const payload: { [field: string]: Json } = {};
  const envelope: { [field: string]: Json } = {};
  const offsets = new Map<string, number>();
  for (const { type, field, value } of row) {
    const place = type === undefined ? "envelope" : "payload";
    if (value?.json !== undefined) (place === "envelope" ? envelope : payload)[field] = value.json;
    if (value?.relative !== undefined) offsets.set(`${place} ${field}`, value.relative.offset);
  }
  return { payload, envelope, offsets };
}

/** The effect of events without which the others mean the same. */
const NO_EFFECT = "";

/** Returns a function that describes the effect of an event on machines and on what they read of its stream. */
function createSampleDescriber(sides: StreamSides, machines: readonly Machine[]): DescribeEffect {
  const describeMachines = createEffectDescriber(machines);
  const describeType = createTypeDescriber(sides);
  const readsStream = machines.some((machine) => usesEpochs(machine) || usesEnd(machine));
  const countsEvents = readsStream || machines.some((machine) => mentions(machine, ["sequence", "gap"]));
  const nothing = machines.map(() => "[]").join("\n");
  const key = sides.small.stream?.key ?? [];
  return (fields) => {
    const streamKey = key.map((field) => fields.envelope[field] ?? null);
    const effect = describeMachines(fields);
    if (!countsEvents && effect === nothing) return NO_EFFECT;
    return [effect, JSON.stringify([readsStream ? describeType(fields.type) : null, streamKey])].join("\n");
  };
}

/** Returns the fields that machines read in events of a type, those of the first machines first. */
function listFields(machines: readonly Machine[], type: string): readonly ReadField[] {
  const fields = machines.flatMap((machine) =>
    findValueClasses([machine], [type]).flatMap((valueClass) => valueClass.fields),
  );
  return dropRepeated(fields);
}

function dropRepeated(fields: readonly ReadField[]): readonly ReadField[] {
  return [...new Map(fields.map((field) => [createFieldKey(field), field])).values()];
}

/** Returns the values of a row that are treated alike, in the order of the fields. */
function listAlikeValues({ alike, classByField }: SampleContext, row: readonly ChosenValue[]): AlikeValue[] {
  return row.flatMap((choice) => {
    const index = classByField.get(createFieldKey(choice)) ?? -1;
    const values: readonly Json[] = [choice.value?.json ?? []].flat();
    return values.flatMap((value): AlikeValue[] => {
      const position = alike[index]?.indexOf(JSON.stringify(value)) ?? -1;
      return position < 0 ? [] : [[index, position]];
    });
  });
}

function describeRow(row: readonly ChosenValue[]): string {
  return row
    .map(({ field, value }) =>
      value === undefined ? `no ${field}` : `${field} ${JSON.stringify(value.json ?? "its number")}`,
    )
    .join(" and ");
}

function collectFields(row: readonly ChosenValue[]) {
  const payload: { [field: string]: Json | undefined } = {};
  const envelope: { [field: string]: Json | undefined } = {};
  for (const { type, field, value } of row)
    (type === undefined ? envelope : payload)[field] = value?.relative?.sample ?? value?.json;
  return { payload, envelope };
}

interface Combinations {
  readonly rows: readonly (readonly ChosenValue[])[];
  /** True if there are more combinations. */
  readonly isTruncated: boolean;
  readonly isComplete: boolean;
}

/** Returns combinations of the values of fields. If there are too many, the fields with the most values get fewer. */
function combineValues({ values }: SampleContext, type: string, fields: readonly ReadField[]): Combinations {
  const lists = fields.map((field) => {
    const known = values.get(createHostKey({ host: type, ...field }));
    const taken = known === undefined || known.values.length === 0 ? [undefined] : [...known.values];
    return { field, taken, minimum: known?.minimum ?? 1, isComplete: known?.isComplete === true };
  });
  const isComplete = lists.every((list) => list.isComplete);
  let isTruncated = false;
  let isShortened = false;
  for (;;) {
    const count = lists.reduce((product, { taken }) => product * taken.length, 1);
    const spare = lists.filter(({ taken, minimum }) => taken.length > minimum);
    // A field whose values are incomplete anyway loses nothing.
    const incomplete = spare.filter((list) => !list.isComplete);
    if (count <= (incomplete.length > 0 ? FEW_COMBINATIONS : MAX_COMBINATIONS)) break;
    isTruncated ||= spare.length === 0;
    isShortened = true;
    const longest = ([incomplete, spare].find(({ length }) => length > 0) ?? lists).reduce((a, b) =>
      b.taken.length > a.taken.length ? b : a,
    );
    longest.taken.pop();
  }
  const rows = lists.reduce<ChosenValue[][]>(
    (partial, { field, taken }) =>
      partial.flatMap((row) => taken.map((value) => [...row, { ...field, value }])),
    [[]],
  );
  return { rows, isTruncated, isComplete: isComplete && !isShortened };
}

interface SampleParts {
  readonly type: string;
  readonly event: JsonObject;
  readonly row: readonly ChosenValue[];
  readonly gapSize: number;
  readonly alike: readonly AlikeValue[];
}

function createEventSample(
  { sides, factory }: SampleContext,
  { type, event, row, gapSize, alike }: SampleParts,
): EventSample {
  const { stream } = sides.small;
  const carrier = factory.findCarrier(type);
  const offsets = row.flatMap(({ field, value }) => (value?.relative ? [{ field, ...value.relative }] : []));
  const make = (sequence: number): JsonObject | undefined => {
    if (!offsets.every(({ offset, accepts }) => accepts(sequence + offset))) return undefined;
    const numberedEvent = stream?.sequence === undefined ? event : { ...event, [stream.sequence]: sequence };
    if (offsets.length === 0) return numberedEvent;
    const numberFields = Object.fromEntries(offsets.map(({ field, offset }) => [field, sequence + offset]));
    if (carrier === undefined) return { ...numberedEvent, ...numberFields };
    const payload = event[carrier];
    return { ...numberedEvent, [carrier]: { ...(isObject(payload) ? payload : {}), ...numberFields } };
  };
  return { type, rank: sides.types.get(type) ?? 0, stream: streamKey(stream, event), gapSize, alike, make };
}
