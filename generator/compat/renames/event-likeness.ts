/** Measures how much two event types look like each other: their fields and their names. */
import { formatCanonicalJson, isObject, type Json } from "../../json.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { createSpot, type Spot } from "../../schema/describe.js";
import { mergeFields } from "../../schema/merge.js";
import { mapSubschemas } from "../../schema/walk.js";
import { createView, inlineReferences, mergeFieldsOfBranches } from "../diff/view.js";
import {
  normalizeName,
  prepareSpelling,
  removePlural,
  type Spelling,
  scoreSpellingLikeness,
  splitWords,
  stripAnnotations,
} from "./likeness.js";
import { scoreShapeLikeness } from "./shape-likeness.js";

/** A version of a protocol, and the new names of its renamed fields. */
export interface ProtocolWithRenames {
  readonly protocol: Protocol;
  readonly renamed: ReadonlyMap<string, string>;
  /** Returns a name with the words that replaced its own in many names. */
  readonly translateName: (name: string) => string;
}

/** A field of a payload: its schema without references and annotations, and the schema as a text. */
export interface FieldShape {
  readonly schema: Json;
  readonly text: string;
}

/** The fields and names of the event types of one version. */
interface EventShapes {
  /** Returns the payload fields of an event type, by their normalized names. */
  readonly getFields: (event: EventType) => ReadonlyMap<string, FieldShape>;
  /** Returns the weight of a field, from 0 to 1: a field that many event types have says little about one of them. */
  readonly weighField: (name: string) => number;
  /** Returns how much a field says about the event type that has it: 1 if no other has it, less the more have it. */
  readonly getRarity: (name: string) => number;
  /** Returns the name of an event type and, if words of it were replaced in many names, the name with the new words. */
  readonly getSpellings: (event: EventType) => readonly Spelling[];
  /** Returns the words of the name of an event type and of its fields at every depth. */
  readonly getWords: (event: EventType) => ReadonlySet<string>;
  /** Returns how much a word says about the event type that has it: 1 if no other has it, less the more have it. */
  readonly getWordRarity: (word: string) => number;
  /** The numbers of event types whose names have a word. */
  readonly wordCounts: ReadonlyMap<string, number>;
}

/** How much two event types look like each other. */
export interface EventLikeness {
  /** The likeness of the fields, from 0 to 1; undefined if neither type has fields of its own. */
  readonly shape: number | undefined;
  /** The number of equal fields that not many event types have. */
  readonly equalFields: number;
  /** The number of such fields of the type that has fewer of them. */
  readonly ownFields: number;
  /** The sum of the rarities of the common fields: 1 for each field that only these two types have. */
  readonly rareFields: number;
  /** The sum of the rarities of the fields of the old type. */
  readonly rareOldFields: number;
  /** The likeness of the names, from 0 to 1. */
  readonly name: number;
}

/** In a protocol with fewer event types, every field and every word has full weight. */
const MIN_EVENTS = 8;
/** The factor for fields with the same name that are similar but not equal. */
const SIMILAR_FIELD = 0.8;
/** The greatest depth of the fields whose words are compared. */
const MAX_DEPTH = 4;
/** The least weight of a word. */
const MIN_WORD_WEIGHT = 0.2;
/** A field with less weight belongs to no event type in particular. */
const OWN_FIELD_WEIGHT = 0.25;

/** Prepares the event types of both versions for comparisons. */
export function createEventShapes(
  before: ProtocolWithRenames,
  after: Protocol,
): { readonly old: EventShapes; readonly now: EventShapes } {
  const old = createFieldReader(before);
  const now = createFieldReader({ protocol: after, renamed: new Map(), translateName: (name) => name });
  const sizes = [before.protocol.events.length, after.events.length];
  const isWeighed = Math.min(...sizes) >= MIN_EVENTS;
  const shared = new Set(isWeighed ? [...listSharedNames(old), ...listSharedNames(now)] : []);
  return {
    old: createVersionShapes(old, shared, isWeighed),
    now: createVersionShapes(now, shared, isWeighed),
  };
}

/** Reads the fields of one version by their normalized names. */
interface FieldReader extends Pick<ProtocolWithRenames, "protocol" | "translateName"> {
  readonly normalizeField: (name: string) => string;
  readonly listFields: (at: Spot) => readonly (readonly [name: string, spot: Spot])[];
}

function createFieldReader({ protocol, renamed, translateName }: ProtocolWithRenames): FieldReader {
  const common = new Set(protocol.envelope.payloadFields);
  const normalizeField = (name: string): string => normalizeName(renamed.get(name) ?? translateName(name));
  return {
    protocol,
    translateName,
    normalizeField,
    listFields: (at) =>
      [...mergeFields(createView([at], protocol)).values()].flatMap(({ name, spots: [first] }) =>
        first === undefined || common.has(name) ? [] : [[normalizeField(name), first] as const],
      ),
  };
}

/** Returns the names of the fields that at least half of the event types have. */
function listSharedNames({ protocol, listFields }: FieldReader): string[] {
  const counts = countNames(
    protocol.events.map(({ payload, at }) => listFields(createSpot(payload, at)).map(([name]) => name)),
  );
  return [...counts].flatMap(([name, count]) => (count * 2 >= protocol.events.length ? [name] : []));
}

/** Prepares one version. Instead of an object that most event types have, the fields inside of it are compared. */
function createVersionShapes(
  { protocol, translateName, normalizeField, listFields }: FieldReader,
  shared: ReadonlySet<string>,
  isWeighed: boolean,
): EventShapes {
  const { events, definitions } = protocol;
  const weigh = (count = 0): number => (isWeighed ? Math.max(0, 1 - (2 * count) / events.length) : 1);
  const listOwnFields = ({ payload, at }: EventType) =>
    listFields(createSpot(payload, at)).flatMap(([name, spot]) => {
      const parts = shared.has(name) ? listFields(spot) : [];
      return parts.length === 0 ? [[name, spot] as const] : parts;
    });
  const fieldCounts = countNames(events.map((event) => listOwnFields(event).map(([name]) => name)));
  const wordCounts = countNames(events.map(({ type }) => splitWords(type)));
  const describe = ({ schema }: Spot): FieldShape => {
    const plain = normalizeFieldsIn(inlineReferences(schema, definitions), normalizeField);
    return { schema: plain, text: formatCanonicalJson(plain) };
  };
  const getWords = memoizeByObject((event: EventType) => collectWords(event, protocol, translateName));
  // The words of all event types are counted only if two types are compared by their words.
  const getWordCounts = memoizeByObject((all: readonly EventType[]) =>
    countNames(all.map((event) => [...getWords(event)])),
  );
  return {
    getWords,
    getWordRarity: (word) => 1 / (getWordCounts(events).get(word) ?? 1),
    getFields: memoizeByObject(
      (event: EventType) =>
        new Map(listOwnFields(event).map(([name, spot]) => [name, describe(spot)] as const)),
    ),
    weighField: (name) => weigh(fieldCounts.get(name)),
    getRarity: (name) => 1 / (fieldCounts.get(name) ?? 1),
    getSpellings: memoizeByObject(({ type }: EventType) =>
      [...new Set([type, translateName(type)])].map((name) =>
        prepareSpelling(name, (word) => Math.max(MIN_WORD_WEIGHT, weigh(wordCounts.get(word)))),
      ),
    ),
    wordCounts,
  };
}

/** Compares an old and a new event type. */
export function compareEvents(
  from: EventType,
  to: EventType,
  before: EventShapes,
  after: EventShapes,
): EventLikeness {
  const old = before.getFields(from);
  const now = after.getFields(to);
  const own = { old: 0, now: 0 };
  let equalFields = 0;
  let common = 0;
  let total = 0;
  let rareFields = 0;
  let rareOldFields = 0;
  for (const [name, field] of old) {
    const weight = before.weighField(name);
    rareOldFields += before.getRarity(name);
    total += weight;
    if (weight >= OWN_FIELD_WEIGHT) own.old++;
    const other = now.get(name);
    if (other === undefined) continue;
    const likeness =
      field.text === other.text ? 1 : scoreShapeLikeness(field.schema, other.schema) * SIMILAR_FIELD;
    rareFields += likeness * Math.min(before.getRarity(name), after.getRarity(name));
    common += likeness * (weight + after.weighField(name));
    if (likeness === 1 && weight >= OWN_FIELD_WEIGHT) equalFields++;
  }
  for (const name of now.keys()) {
    const weight = after.weighField(name);
    total += weight;
    if (weight >= OWN_FIELD_WEIGHT) own.now++;
  }
  const hasOwnFields = own.old + own.now > 0;
  return {
    shape: hasOwnFields ? common / total : undefined,
    equalFields,
    ownFields: Math.min(own.old, own.now),
    rareFields,
    rareOldFields,
    name: Math.max(
      ...before
        .getSpellings(from)
        .flatMap((old) => after.getSpellings(to).map((now) => scoreSpellingLikeness(old, now))),
    ),
  };
}

/** Returns the words of the name of an event type and of its fields, without plurals. */
function collectWords(
  { type, payload, at }: EventType,
  protocol: Protocol,
  translateName: FieldReader["translateName"],
): Set<string> {
  const words = new Set<string>();
  const addName = (name: string): void => {
    for (const word of splitWords(translateName(name))) words.add(removePlural(word));
  };
  const addFields = (at: Spot, depth: number): void => {
    for (const { name, spots } of mergeFieldsOfBranches([at], protocol).values()) {
      addName(name);
      const [first] = spots;
      if (first && depth < MAX_DEPTH) addFields(first, depth + 1);
    }
  };
  addName(type);
  addFields(createSpot(payload, at), 1);
  return words;
}

/**
 * Returns the sum of the rarities of the words that two event types have in common, and its greatest share of those that
 * one of the types has.
 */
export function compareWords(
  from: EventType,
  to: EventType,
  before: EventShapes,
  after: EventShapes,
): { readonly common: number; readonly share: number } {
  const old = before.getWords(from);
  const now = after.getWords(to);
  const add = (words: Iterable<string>, weigh: (word: string) => number): number =>
    [...words].reduce((total, word) => total + weigh(word), 0);
  const common = add(
    [...old].filter((word) => now.has(word)),
    (word) => Math.min(before.getWordRarity(word), after.getWordRarity(word)),
  );
  const least = Math.min(add(old, before.getWordRarity), add(now, after.getWordRarity));
  return { common, share: least === 0 ? 0 : common / least };
}

/** Returns how many of the lists have each name. */
function countNames(lists: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const names of lists) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Returns a schema without annotations, in which the names of fields are normalized at every depth. */
function normalizeFieldsIn(schema: Json, normalizeField: (name: string) => string): Json {
  if (!isObject(schema)) return schema;
  const plain = stripAnnotations(mapSubschemas(schema, (sub) => normalizeFieldsIn(sub, normalizeField)));
  if (!isObject(plain)) return plain;
  const { properties, required, ...rest } = plain;
  const fields = Object.entries(isObject(properties) ? properties : {});
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(fields.map(([name, sub]) => [normalizeField(name), sub])),
    }),
    ...(Array.isArray(required) && { required: required.map((name) => normalizeField(String(name))).sort() }),
  };
}
