/** Finds values outside of open lists (`x-known-values`, `x-extensible-enum`) in events. They may be new, or misspelt. */
import path from "node:path";
import { formatCanonicalJson, getOwn, isObject, type Json, splitPointer } from "../json.js";
import { visitDescribedValues } from "../protocol/described-values.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import { memoizeByObject } from "../sample/memoize.js";
import { KNOWN_VALUES } from "../schema/listed-values.js";
import { findSuggestedValues, findValueList, listStatedValues } from "../schema/merge.js";
import { type Definitions, getDefinitionName } from "../schema/reference.js";
import { collectDefinitionsBelow, hasSchemaWith, listReferences } from "../schema/walk.js";

/** A value outside of an open list. */
export interface UnlistedValue {
  readonly pointer: string;
  readonly value: Json;
  /** The place of the list: the name of its file, and its pointer there. */
  readonly list: string;
  readonly known: readonly Json[];
}

/** The event types that have lists which are open for writers, too; undefined if the envelope has one. */
const typesByProtocol = new WeakMap<Protocol, ReadonlySet<string> | undefined>();

/** Returns whether events of a type may have values outside of lists when they are valid for writers. */
export function hasListsOpenForWriters(protocol: Protocol, type: string): boolean {
  if (!typesByProtocol.has(protocol)) typesByProtocol.set(protocol, collectTypes(protocol));
  return typesByProtocol.get(protocol)?.has(type) ?? true;
}

function collectTypes({ envelope, events, definitions }: Protocol): ReadonlySet<string> | undefined {
  if (leadsToKnownValues(envelope.schema, definitions)) return undefined;
  const withLists = events.filter(({ payload }) => leadsToKnownValues(payload, definitions));
  return new Set(withLists.map(({ type }) => type));
}

function leadsToKnownValues(schema: Json, definitions: Definitions): boolean {
  const isList = (each: Json): boolean => hasSchemaWith(each, (part) => Object.hasOwn(part, KNOWN_VALUES));
  const names = listReferences(schema).map(getDefinitionName);
  const reached = new Set(names.flatMap((name) => [name, ...collectDefinitionsBelow(name, definitions)]));
  return isList(schema) || [...reached].some((name) => isList(getOwn(definitions, name)?.schema ?? true));
}

/** An open list that certainly applies to the values of a place, and the canonical texts of all values that its schemas list. */
interface PlaceList {
  readonly list: string;
  readonly known: readonly Json[];
  readonly listed: ReadonlySet<string>;
}

type About = Parameters<Parameters<typeof visitDescribedValues>[2]>[2];

/** Returns the open list of a place; undefined if it has none. Events share their places, so each is read once. */
const findPlaceList = memoizeByObject((about: About): PlaceList | undefined => {
  const certain = { ...about, parts: about.parts.filter(({ isCertain }) => isCertain) };
  const open = findSuggestedValues(certain) ?? findValueList(certain, "open");
  if (open === undefined) return undefined;
  const listed = [
    ...(findSuggestedValues(about)?.values ?? []),
    ...listStatedValues(about).map((each) => each.value),
  ];
  const list = `${path.basename(open.spot.file)}#${open.spot.pointer}`;
  return { list, known: open.values, listed: new Set(listed.map(formatCanonicalJson)) };
});

/**
 * Returns the values of an event that are in no list of their schema, though one that certainly applies is open. Values that
 * the event lists as masked are left out.
 */
export function findUnlistedValues(protocol: Protocol, event: Json): UnlistedValue[] {
  const found = new Map<string, UnlistedValue>();
  visitDescribedValues(protocol, event, (value, pointer, about) => {
    const place = findPlaceList(about);
    if (place !== undefined && value !== null && !place.listed.has(formatCanonicalJson(value)))
      found.set(pointer, { pointer, value, list: place.list, known: place.known });
    return true;
  });
  if (found.size === 0) return [];
  const masked = readMaskedNames(protocol, event);
  return [...found.values()].filter(({ pointer }) => !splitPointer(pointer).some((name) => masked.has(name)));
}

/** Returns the names of fields in the lists in which the payload names its masked fields. */
function readMaskedNames({ stream, envelope, events }: Protocol, event: Json): ReadonlySet<string> {
  const declared = stream?.rules?.redactions;
  if (declared === undefined || !isObject(event)) return new Set();
  const type = events.find((each) => each.type === getOwn(event, envelope.discriminator));
  const carrier = findPayloadCarrier(envelope, type);
  const payload = carrier === undefined ? event : getOwn(event, carrier);
  if (!isObject(payload)) return new Set();
  const names = [declared.keys, declared.paths].flatMap((field) => getOwn(payload, field) ?? []);
  return new Set(names.flatMap((name) => String(name).split(/[/.]/)));
}
