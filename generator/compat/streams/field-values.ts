/**
 * Chooses the values of the fields in a class: the constants that the machines compare with, and as many other values as
 * the places of the class can hold at once. Values come from the schemas; if guesses are not enough, the proof engine finds
 * further ones or proves that there are none.
 */

import type { Value } from "../../conform/machine/language.js";
import { selectNodes } from "../../conform/machine/walk.js";
import { getJsonType, isObject, type Json, type JsonObject } from "../../json.js";
import { combineSeeds } from "../../random.js";
import { mergeWithFixedChoices } from "../../sample/merged-schema.js";
import { type EventFactory, SAMPLE_SEQUENCE, type WantedFields } from "./event-factory.js";
import type { StreamSides } from "./stream-sides.js";
import { createFieldKey, MIN_SIZE, type ReadField, type ValueClass } from "./value-classes.js";

/** A value of a field: either `json`, or a number that depends on that of the event. */
export interface FieldValue {
  readonly json?: Json;
  readonly relative?: RelativeValue;
}

/** The number of the event plus an offset. */
interface RelativeValue {
  readonly offset: number;
  /** A number that the field may have. */
  readonly sample: number;
  /** Returns whether the field may have a number. */
  accepts(value: number): boolean;
}

/** The values of a field in events of one type; undefined stands for its absence. */
export interface FieldValues {
  readonly values: readonly (FieldValue | undefined)[];
  /** The least number of values that a search must try. */
  readonly minimum: number;
  /** The texts of values that the machines treat alike, in one order for all fields of the class. */
  readonly alike: readonly string[];
  /**
   * True if no other value could change what the machines do: they only compare values for equality, and each value that
   * matters is there or proven not to exist.
   */
  readonly isComplete: boolean;
}

/** A field in events of one type. An envelope field is read in events of several types. */
interface HostedField extends ReadField {
  readonly host: string;
}

/**
 * Returns the values of each field of a class, by the host type and the key of the field. `known` are the values of the
 * classes before.
 */
export async function chooseFieldValues(
  sides: StreamSides,
  factory: EventFactory,
  valueClass: ValueClass,
  hosts: readonly string[],
  known: ReadonlyMap<string, FieldValues>,
): Promise<ReadonlyMap<string, FieldValues>> {
  const fields = valueClass.fields.flatMap(({ type, field }): HostedField[] =>
    type === undefined
      ? hosts.map((host) => ({ host, type, field }))
      : hosts.includes(type)
        ? [{ host: type, type, field }]
        : [],
  );
  const pool = new ValuePool(factory, fields);
  for (const value of listCandidates(sides, factory, valueClass, fields)) pool.add(value);
  for (const value of valueClass.constants) pool.require(value);
  const isOther = (text: string): boolean => !pool.required.has(text);
  if (isEqualityOnly(valueClass)) {
    await completePool(pool, (accepted) => [...accepted.keys()].filter(isOther).length >= valueClass.size);
    await addSharedValues(pool, valueClass.size);
  } else await extendPool(pool, valueClass, known);
  const operandFields = new Set(valueClass.computed.flatMap(listFieldNames));
  const count = chooseCount(valueClass);
  const others = pool.choose(pool.rank().filter(isOther), count);
  const alike = isEqualityOnly(valueClass)
    ? others.filter((text) => fields.every((field) => pool.listAccepted(field).has(text))).slice(0, count)
    : [];
  const results = new Map<string, FieldValues>();
  for (const field of fields) {
    const absence = await findAbsence(factory, field);
    const accepted = pool.listAccepted(field);
    const own = others.filter((text) => accepted.has(text));
    const required = [...accepted.keys()].filter((text) => pool.required.has(text));
    // A field that is compared with results needs them more than their operands.
    const isLater = (text: string): boolean => pool.results.has(text) === operandFields.has(field.field);
    if (operandFields.size > 0) required.sort((a, b) => Number(isLater(a)) - Number(isLater(b)));
    // Where sizes matter, required values count among the values; where equality matters, each of them is a case of its own.
    const ownCount = isEqualityOnly(valueClass) ? own.length : Math.max(0, own.length - required.length);
    const texts = new Set([
      ...required,
      ...own.slice(0, ownCount),
      ...listOtherTypes([...required, ...own], valueClass),
    ]);
    const values = [...texts].map((text) => accepted.get(text) as Json);
    const offsets = valueClass.uses.has("sequence") ? listRelativeValues(factory, field, values) : [];
    const all = [
      ...absence.values,
      ...offsets,
      ...values.map((json) => ({ json })),
      ...listPairs(own.slice(0, count).map((text) => accepted.get(text) as Json)).map((json) => ({ json })),
    ];
    const hasAll = pool.exhausted.has(createHostKey(field)) && texts.size === accepted.size;
    const hasEnough =
      isEqualityOnly(valueClass) && !valueClass.isCut && own.length >= count && !pool.lacksShared;
    results.set(createHostKey(field), {
      values: all,
      minimum: isEqualityOnly(valueClass)
        ? Math.min(all.length, absence.values.length + required.length + MIN_SIZE + 1)
        : Math.min(all.length, absence.values.length + MIN_ORDERED),
      alike,
      isComplete: absence.isComplete && (hasAll || hasEnough),
    });
  }
  return results;
}

export function createHostKey({ host, ...field }: HostedField): string {
  return `${host}\n${createFieldKey(field)}`;
}

/** Returns whether the machines only compare values of the class for equality, or only test their presence. */
export function isEqualityOnly({ uses, patterns, computed }: ValueClass): boolean {
  return (
    patterns.length === 0 &&
    computed.length === 0 &&
    !(["order", "text", "names", "sequence"] as const).some((use) => uses.has(use))
  );
}

/** The number of values where machines compare sizes or texts. */
const MIN_ORDERED = 3;

function chooseCount(valueClass: ValueClass): number {
  return isEqualityOnly(valueClass) ? valueClass.size : MIN_ORDERED;
}

/** Returns one value of each JSON type, where machines test the type of a value. */
function listOtherTypes(texts: readonly string[], { uses }: ValueClass): string[] {
  if (!uses.has("id") && !uses.has("order") && !uses.has("text")) return [];
  const byType = new Map<string, string>();
  for (const text of texts) {
    const type = getJsonType(JSON.parse(text)).replace("integer", "number");
    if (!byType.has(type)) byType.set(type, text);
  }
  return [...byType.values()];
}

/** Returns the numbers near that of the event. `values` are other values of the field. */
function listRelativeValues(
  factory: EventFactory,
  field: HostedField,
  values: readonly Json[],
): { readonly relative: RelativeValue }[] {
  const known = new Map<number, boolean>();
  const isAccepted = (value: number): boolean => {
    const found = known.get(value) ?? accepts(factory, field, value);
    known.set(value, found);
    return found;
  };
  return [-1, 0, 1].flatMap((offset) => {
    const numbers = [SAMPLE_SEQUENCE + offset, ...values];
    const sample = numbers.find((each) => typeof each === "number" && isAccepted(each));
    return typeof sample === "number" ? [{ relative: { offset, sample, accepts: isAccepted } }] : [];
  });
}

/** Returns lists with two elements and no element, where the values are lists of one. */
function listPairs(values: readonly Json[]): Json[] {
  const elements = values.flatMap((value) => (Array.isArray(value) && value.length === 1 ? value : []));
  const [first, second] = elements;
  return first === undefined || second === undefined ? [] : [[first, second]];
}

/** Values of the fields of a class, and which field accepts which value. */
class ValuePool {
  /** The values of each field by their texts, in the form that the field accepts. */
  private readonly accepted = new Map<string, Map<string, Json>>();
  private readonly known = new Set<string>();
  /** The fields that have no other values. */
  readonly exhausted = new Set<string>();
  /** True if two fields may have values in common that are unknown. */
  lacksShared = false;
  /** The texts of values that every field which accepts them will have, and of those that are computed. */
  readonly required = new Set<string>();
  readonly results = new Set<string>();

  constructor(
    readonly factory: EventFactory,
    readonly fields: readonly HostedField[],
  ) {
    for (const field of fields) this.accepted.set(createHostKey(field), new Map());
  }

  /** Tries a value in each field. */
  add(value: Json): void {
    const text = JSON.stringify(value);
    if (this.known.has(text)) return;
    this.known.add(text);
    for (const field of this.fields) {
      const form = findForm(this.factory, field, value);
      if (form !== undefined) this.accepted.get(createHostKey(field))?.set(text, form);
    }
  }

  /** Tries a value, which every field that accepts it will have. */
  require(value: Json): void {
    this.add(value);
    this.required.add(JSON.stringify(value));
  }

  /** Returns a few values of the fields with this name, or of all fields. */
  listOperands(name?: string): Json[] {
    const fields = this.fields.filter(({ field }) => name === undefined || field === name);
    return this.rank()
      .filter((text) => fields.some((field) => this.listAccepted(field).has(text)))
      .slice(0, MIN_ORDERED)
      .map((text): Json => JSON.parse(text));
  }

  /** Adds a value that a field has, possibly within a list. */
  addFound(field: HostedField, value: Json): void {
    const isWrapped = Array.isArray(value) && value.length === 1;
    const inner = isWrapped ? (value[0] as Json) : value;
    this.add(inner);
    this.accepted.get(createHostKey(field))?.set(JSON.stringify(inner), value);
  }

  listAccepted(field: HostedField): ReadonlyMap<string, Json> {
    return this.accepted.get(createHostKey(field)) ?? new Map();
  }

  /**
   * Chooses so many of the values that each further one could stand only where one of them may stand, too. `ranked` are the
   * values, those that most fields accept first. The result begins with one value for each choice of fields.
   */
  choose(ranked: readonly string[], count: number): string[] {
    const listHolders = (text: string): string[] =>
      [...this.accepted].flatMap(([field, values]) => (values.has(text) ? field : []));
    const chosen: { readonly text: string; readonly holders: ReadonlySet<string>; readonly index: number }[] =
      [];
    for (const text of ranked) {
      const holders = listHolders(text);
      const index = chosen.filter((other) => holders.every((field) => other.holders.has(field))).length;
      if (index < count) chosen.push({ text, holders: new Set(holders), index });
    }
    return chosen.sort((a, b) => a.index - b.index).map(({ text }) => text);
  }

  /** Returns the values as texts, those that most fields accept first. */
  rank(): string[] {
    const lists = [...this.accepted.values()];
    const scores = [...this.known].map((text) => ({
      text,
      score: lists.filter((list) => list.has(text)).length,
    }));
    return scores
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ text }) => text);
  }
}

/**
 * Returns the form in which a field accepts a value: the value itself, a list of it or, in an object of numbers, the object
 * of the plain event with the value in place of each number.
 */
function findForm(factory: EventFactory, field: HostedField, value: Json): Json | undefined {
  const plainValue = readField(factory, field, factory.makePlainEvent(field.host));
  const forms = [value, [value]];
  if (typeof value === "number") {
    const members = isObject(plainValue) ? Object.entries(plainValue) : [];
    const numbers = members.filter(([, each]) => typeof each === "number").map(([name]) => [name, value]);
    forms.push({ ...(isObject(plainValue) && plainValue), ...Object.fromEntries(numbers) });
    if (numbers.length === 0) forms.push({ a: value });
  }
  return forms.find((form, index) => (index < 2 || isObject(form)) && accepts(factory, field, form));
}

/** Returns the fields of an event in which only this field has to have a value, or to be absent. */
function wantField({ type, field }: HostedField, value: Json | undefined): WantedFields {
  const fields = { [field]: value };
  return type === undefined ? { payload: {}, envelope: fields } : { payload: fields, envelope: {} };
}

function accepts(factory: EventFactory, field: HostedField, value: Json): boolean {
  return factory.makeQuickly(field.host, wantField(field, value)) !== undefined;
}

/** Returns the value of a field in an event. */
function readField(
  factory: EventFactory,
  { host, type, field }: HostedField,
  event: JsonObject | undefined,
): Json | undefined {
  return (type === undefined ? event : factory.getPayload(host, event))?.[field];
}

/** Asks for further values of each field until it has enough, or is proven to have no others. */
async function completePool(
  pool: ValuePool,
  hasEnough: (accepted: ReadonlyMap<string, Json>) => boolean,
): Promise<void> {
  for (const field of pool.fields)
    for (let accepted = pool.listAccepted(field); !hasEnough(accepted); ) {
      const excluded = [...accepted.values()];
      const schema = excluded.length === 0 ? true : { not: { enum: excluded } };
      const { value, isNone } = await pool.factory.findValue(field.host, field, schema);
      if (isNone) pool.exhausted.add(createHostKey(field));
      if (value === undefined) break;
      pool.addFound(field, value);
    }
}

/** Asks for values that fields with different schemas have in common, until two of them share `size` values or have no others. */
async function addSharedValues(pool: ValuePool, size: number): Promise<void> {
  const { factory } = pool;
  const bySchema = new Map(
    pool.fields.map((field) => [JSON.stringify(factory.describeField(field.host, field)), field] as const),
  );
  const open = [...bySchema.values()].filter((field) => !pool.exhausted.has(createHostKey(field)));
  for (const [index, field] of open.entries())
    for (const other of open.slice(index + 1))
      for (let shared = listShared(pool, field, other); shared.length < size; ) {
        if (await hasNoSharedValue(pool, field, other, shared)) break;
        const found = listShared(pool, field, other);
        pool.lacksShared ||= found.length === shared.length;
        if (found.length === shared.length) break;
        shared = found;
      }
}

/**
 * Returns whether two fields are proven to have no other values in common, by themselves or as the only element of a list. Adds
 * one that they may have in common, if it is found.
 */
async function hasNoSharedValue(
  pool: ValuePool,
  one: HostedField,
  other: HostedField,
  known: readonly Json[],
): Promise<boolean> {
  const { factory } = pool;
  const isNew: Json =
    known.length === 0 ? true : { not: { enum: known.flatMap((value): Json[] => [value, [value]]) } };
  let isProven = true;
  for (const [field, peer] of [[one, other] as const, [other, one] as const]) {
    const schema: Json = { allOf: [factory.describeField(peer.host, peer), isNew] };
    const list: Json = { type: "array", items: schema, minItems: 1, maxItems: 1 };
    const { value, isNone } = await factory.findValue(field.host, field, { anyOf: [schema, list] });
    if (value !== undefined) pool.addFound(field, value);
    isProven &&= isNone;
    if (value !== undefined) break;
  }
  return isProven;
}

/** Returns the values that two fields accept, without the lists that hold them. */
function listShared(pool: ValuePool, field: HostedField, other: HostedField): Json[] {
  const others = pool.listAccepted(other);
  return [...pool.listAccepted(field).keys()].flatMap((text) => (others.has(text) ? [JSON.parse(text)] : []));
}

/** Adds the values that conditions on sizes and texts need. */
async function extendPool(
  pool: ValuePool,
  { uses, patterns, computed, pieces }: ValueClass,
  known: ReadonlyMap<string, FieldValues>,
): Promise<void> {
  for (const pattern of patterns)
    for (const isMatching of [true, false])
      for (const field of pool.fields) await requirePattern(pool, field, pattern, isMatching);
  await completePool(pool, ({ size }) => size >= MIN_ORDERED);
  const listOperands: ListOperands = (value) => {
    if (value.op !== "payload" && value.op !== "envelope") return pool.listOperands();
    const { field } = value;
    if (pool.fields.some((each) => each.field === field)) return pool.listOperands(field);
    const others = [...known].filter(([key]) => key.endsWith(`\n${field}`));
    return others.flatMap(([, { values }]) => values.flatMap((each) => each?.json ?? []));
  };
  // Numbers near the number of the event are there anyway.
  const names = uses.has("sequence") ? [] : computed.flatMap(listFieldNames);
  for (const operand of names.flatMap((name) => pool.listOperands(name))) pool.require(operand);
  // The first result of each computed value comes before the second ones.
  const results = computed.map((value) => evaluate(value, listOperands));
  for (let index = 0; index < MAX_RESULTS; index++)
    for (const result of results.flatMap((list) => list.slice(index, index + 1))) {
      pool.require(result);
      pool.results.add(JSON.stringify(result));
    }
  const texts = pieces.flatMap(listOperands);
  for (const value of listJoinedTexts(texts)) pool.require(value);
}

/** Returns the names of the fields that a value is computed of. */
function listFieldNames(value: Value): string[] {
  return selectNodes(value, "payload", "envelope").map(({ field }) => field);
}

/** Returns values of an operand. */
type ListOperands = (value: Value) => readonly Json[];

/** Returns texts that can be pieces, a text of two equal pieces and one of two different ones. */
function listJoinedTexts(values: readonly Json[]): Json[] {
  const [first, second] = values.filter((value) => typeof value === "string" && value !== "") as string[];
  if (first === undefined) return [];
  const joined = second === undefined ? [first + first] : [second, first + first, first + second];
  return [first, ...joined, ...(values.includes("") ? [""] : [])];
}

/** Requires a text of a field that a pattern matches, or does not match, if there is one. */
async function requirePattern(
  pool: ValuePool,
  field: HostedField,
  pattern: string,
  isMatching: boolean,
): Promise<void> {
  const expression = new RegExp(pattern, "u");
  const known = [...pool.listAccepted(field).keys()]
    .map((text): Json => JSON.parse(text))
    .find((value) => typeof value === "string" && expression.test(value) === isMatching);
  if (known !== undefined) {
    pool.require(known);
    return;
  }
  const schema: Json = isMatching ? { type: "string", pattern } : { type: "string", not: { pattern } };
  const list: Json = { type: "array", items: schema, minItems: 1, maxItems: 1 };
  const { value } = await pool.factory.findValue(field.host, field, { anyOf: [schema, list] });
  if (value === undefined) return;
  pool.addFound(field, value);
  pool.require(Array.isArray(value) ? (value[0] as Json) : value);
}

/** The greatest number of results of one computed value. */
const MAX_RESULTS = 4;

/** Returns results of a computed value. */
function evaluate(value: Value, listOperands: ListOperands): Json[] {
  const combine = (values: readonly Value[], join: (a: Json, b: Json) => Json | undefined): Json[] =>
    values
      .map((each) => evaluate(each, listOperands))
      .reduce((results, next) =>
        results.flatMap((one) => next.flatMap((other) => join(one, other) ?? [])).slice(0, MAX_RESULTS),
      );
  switch (value.op) {
    case "constant":
      return [value.value];
    case "add":
    case "subtract":
    case "multiply": {
      const operate = ARITHMETIC[value.op];
      return combine(value.of, (a, b) =>
        typeof a === "number" && typeof b === "number" ? operate(a, b) : undefined,
      );
    }
    case "divide":
    case "minimum":
      return [];
    case "bytes":
    case "units":
      return listSizes(evaluate(value.of, listOperands), value.op);
    case "join":
      return combine(value.of, (a, b) =>
        typeof a === "string" && typeof b === "string" ? a + b : undefined,
      );
    default:
      return [...listOperands(value)];
  }
}

const ARITHMETIC = {
  add: (a: number, b: number) => a + b,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
};

/** Returns the sizes of the shortest texts. Greater numbers would lead to more states. */
function listSizes(values: readonly Json[], unit: "bytes" | "units"): number[] {
  const texts = values.filter((value) => typeof value === "string");
  const sizes = texts.map((text) => (unit === "units" ? text.length : Buffer.byteLength(text)));
  return sizes.sort((a, b) => a - b).slice(0, 2);
}

const UUID = "8c2f0c5e-5d3b-4b3e-9d53-3b8f9f0a1b01";
const UUIDS = [1, 2, 3].map((index) => `${UUID.slice(0, -1)}${index}`);

/** Returns values that a class may need, whether its fields accept them or not. */
function listCandidates(
  sides: StreamSides,
  factory: EventFactory,
  { uses, constants, patterns }: ValueClass,
  fields: readonly HostedField[],
): readonly Json[] {
  const neighbours = constants.flatMap((value) =>
    typeof value === "number" && uses.has("order") ? [value + 1, value - 1] : [],
  );
  const texts = uses.has("text") || patterns.length > 0 ? ["x", "y", "xy", "", "/x", "\ufffd"] : [];
  const numbers = uses.has("order") ? [0, 1, 2, 3] : [];
  const names = uses.has("names") ? fields.flatMap((field) => listNames(factory, field)) : [];
  const listed = fields.flatMap((field) => listSchemaValues(sides, field));
  const generated = fields.slice(0, 8).flatMap((field) => generateValues(factory, field));
  const copied = fields.flatMap(({ type, field }) =>
    type === undefined ? (factory.sharedFields[field] ?? []) : [],
  );
  return [
    ...copied,
    ...constants,
    ...neighbours,
    ...numbers,
    ...names,
    ...texts,
    ...listed,
    ...["a", "b", "c", "d"],
    ...[1, 2, 0, 3],
    ...[true, false, null],
    ...UUIDS,
    ...generated,
    ...[[], {}],
  ];
}

/** Returns the name of a field that the payload has, and one that it does not have. */
function listNames(factory: EventFactory, { host, field }: HostedField): Json[] {
  const payload = factory.getPayload(host, factory.makePlainEvent(host));
  const name = Object.keys(payload).find((each) => each !== field);
  return [...(name === undefined ? [] : [name]), "absent name"];
}

/** Returns the values that the schema of a field lists. */
function listSchemaValues({ small }: StreamSides, { host, type, field }: HostedField): readonly Json[] {
  const { definitions } = small;
  const event = small.events.findLast((each) => each.type === host);
  const holder = type === undefined ? small.envelope.schema : event?.payload;
  const schemas = holder && mergeWithFixedChoices([holder], definitions).properties.get(field);
  return (schemas && mergeWithFixedChoices(schemas, definitions).values) ?? [];
}

/** Returns values of generated events, because some ids have a form that only these have. */
function generateValues(factory: EventFactory, field: HostedField): Json[] {
  return [1, 2, 3, 4].flatMap((seed) => {
    const value = readField(factory, field, factory.generate(field.host, combineSeeds(seed, 0)));
    if (value === undefined || isObject(value)) return [];
    return Array.isArray(value) ? (value[0] ?? []) : [value];
  });
}

/** Finds out whether events can lack a field. */
async function findAbsence(
  factory: EventFactory,
  field: HostedField,
): Promise<Pick<FieldValues, "values" | "isComplete">> {
  const { found } = await factory.make(field.host, wantField(field, undefined));
  return { values: found === "event" ? [undefined] : [], isComplete: found !== "unknown" };
}
