/** Measures how much two event types look like each other: their fields and their names. */
import { canonical, isObject, type Json } from "../../json.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { mergeFields } from "../../schema/merge.js";
import { mapSubschemas } from "../../schema/walk.js";
import { createView, inlineReferences } from "../diff/view.js";
import { createSpot, type Spot } from "../side.js";
import {
  normalizeName,
  prepareSpelling,
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
}

/** A field of a payload: its schema without references and annotations, and the schema as a text. */
export interface FieldShape {
  readonly schema: Json;
  readonly text: string;
}

/** What the comparison knows about one version. */
export interface EventShapes {
  /** Returns the payload fields of an event type, by their normalized names. */
  readonly getFields: (event: EventType) => ReadonlyMap<string, FieldShape>;
  /** Returns the weight of a field, from 0 to 1: a field that many event types have says little about one of them. */
  readonly weighField: (name: string) => number;
  readonly getSpelling: (event: EventType) => Spelling;
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
  /** The likeness of the names, from 0 to 1. */
  readonly name: number;
}

/** In a protocol with fewer event types, every field and every word has full weight. */
const MIN_EVENTS = 8;
/** The least weight of a word. */
const MIN_WORD_WEIGHT = 0.2;
/** A field with less weight belongs to no event type in particular. */
const OWN_FIELD_WEIGHT = 0.25;

/** Prepares the event types of one version for comparisons. */
export function createEventShapes({ protocol, renamed }: ProtocolWithRenames): EventShapes {
  const { events } = protocol;
  const normalizeField = (name: string): string => normalizeName(renamed.get(name) ?? name);
  const common = new Set(protocol.envelope.payloadFields);
  const listSpots = (at: Spot): [string, Spot][] =>
    [...mergeFields(createView([at], protocol)).values()].flatMap(({ name, spots: [first] }) =>
      first && !common.has(name) ? [[name, first] as [string, Spot]] : [],
    );
  const counts = countNames(
    events.map(({ payload, at }) => listSpots(createSpot(payload, at)).map(([name]) => normalizeField(name))),
  );
  const listOwnSpots = ({ payload, at }: EventType): [string, Spot][] =>
    listSpots(createSpot(payload, at)).flatMap(([name, spot]) => {
      const isShared = weigh(counts.get(normalizeField(name)), events.length) === 0;
      const parts = isShared ? listSpots(spot) : [];
      return parts.length === 0 ? [[name, spot] as [string, Spot]] : parts;
    });
  const ownCounts = countNames(
    events.map((event) => listOwnSpots(event).map(([name]) => normalizeField(name))),
  );
  const wordCounts = countNames(events.map(({ type }) => splitWords(type)));
  return {
    getFields: memoize((event) => {
      const describe = (spot: Spot): FieldShape => {
        const inlined = inlineReferences(spot.schema, protocol.definitions);
        const schema = normalizeFieldsIn(inlined, normalizeField);
        return { schema, text: canonical(schema) };
      };
      return new Map(listOwnSpots(event).map(([name, spot]) => [normalizeField(name), describe(spot)]));
    }),
    weighField: (name) => weigh(ownCounts.get(name), events.length),
    getSpelling: memoize(({ type }) =>
      prepareSpelling(type, (word) => Math.max(MIN_WORD_WEIGHT, weigh(wordCounts.get(word), events.length))),
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
  for (const [name, field] of old) {
    const weight = before.weighField(name);
    total += weight;
    if (weight >= OWN_FIELD_WEIGHT) own.old++;
    const other = now.get(name);
    if (other === undefined) continue;
    const likeness = field.text === other.text ? 1 : scoreShapeLikeness(field.schema, other.schema) / 2;
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
    name: scoreSpellingLikeness(before.getSpelling(from), after.getSpelling(to)),
  };
}

/** Returns the weight of something that `count` of `total` event types have: 0 if half of them have it. */
function weigh(count = 0, total: number): number {
  return total < MIN_EVENTS ? 1 : Math.max(0, 1 - (2 * count) / total);
}

/** Returns how many of the lists have each name. */
function countNames(lists: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const names of lists) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function memoize<T>(compute: (event: EventType) => T): (event: EventType) => T {
  const known = new Map<EventType, T>();
  return (event) => {
    const result = known.get(event) ?? compute(event);
    known.set(event, result);
    return result;
  };
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
