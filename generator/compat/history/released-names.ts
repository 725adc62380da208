/** The names of a contract and of its releases. */
import type { Location } from "../../finding.js";
import { formatCanonicalJson, isObject, type Json, type JsonObject } from "../../json.js";
import { coversType } from "../../protocol/event-families.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { Protocol, Stability, Tombstone } from "../../protocol/protocol.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { createSpot, listHeldSchemas, type Spot } from "../../schema/describe.js";
import { listAlternatives, listStatedValues, mergeFields, readAnnotation } from "../../schema/merge.js";
import { mapSubschemas } from "../../schema/walk.js";
import type { NameKey, Place } from "../change.js";
import { createView, inlineReferences, type View } from "../diff/view.js";
import { deriveEnvelopeStability, parseStability } from "../side.js";
import { listResourceSubjects, parseResourceKey, RESOURCE_HOLDER_PREFIX, type Subject } from "../subjects.js";

/** An event type, a field at its place, or a value of a list at its place. */
export interface Name extends NameKey {
  readonly spot: Spot;
  readonly stability: Stability;
  readonly deprecated: boolean;
  /** Set for the only value that its place allows. Such a value cannot be given another meaning. */
  readonly isOnlyValue?: true;
  readonly deprecatedSince?: string;
  /** The replacement; null states that nothing replaces it. */
  readonly replacedBy?: string | null;
  readonly renamedFrom?: string;
  /** Returns what the name means: its schema without references and texts. */
  readonly meaning: () => string;
}

/**
 * The names of a contract. The places below a schema are listed once for each event, because definitions that refer to each
 * other have more places than can be listed. The names at all other places are found on demand.
 */
export interface NameIndex {
  /** Each name that is listed, by its key. */
  readonly listed: ReadonlyMap<string, Name>;
  /** Returns the name with this key at any place; undefined if there is none. */
  readonly find: (key: NameKey) => Name | undefined;
}

/** The names of one version. */
export interface VersionNames {
  readonly protocol: Protocol;
  /** True if the current contract was compared with this version. */
  readonly wasCompared: boolean;
  readonly names: NameIndex;
}

/** A version before the current one. */
export interface PastVersionNames extends VersionNames {
  /** The version as the user names it: `release 1.0`, `dir:../other`. */
  readonly label: string;
  /** True if the version is a release. A name that no release has is free. */
  readonly isRelease: boolean;
  /** True if the current contract must keep or withdraw the names of the version, and keep its tombstones. */
  readonly isBinding: boolean;
}

/** The names of all known versions. */
export interface ReleasedNames {
  /** The releases, oldest first, then other baselines, whose order is unknown. */
  readonly past: readonly PastVersionNames[];
  readonly current: VersionNames;
  /** True if all releases could be read. */
  readonly isComplete: boolean;
  /** The version that the current contract will be released as. */
  readonly next: string;
}

/** Returns the key of a name, which is the same in all versions. */
export function createNameKey({ kind, event, path, name }: NameKey): string {
  return JSON.stringify(kind === "event" ? [kind, name] : [kind, event, path, name]);
}

/** Returns the names of a protocol. They are collected once for each protocol object. */
export const collectProtocolNames = memoizeByObject((protocol: Protocol): NameIndex => {
  const listed = new Map<string, Name>();
  const add = (name: Name): void => void listed.set(createNameKey(name), name);
  const roots = new Map<string, NameHolder>();
  const addBelow = (schema: JsonObject, at: Location, place: NamePlace): void => {
    const holder = { view: createView([createSpot(schema, at)], protocol), place };
    roots.set(place.event, holder);
    addNames(protocol, holder, add);
  };
  const { envelope } = protocol;
  addBelow(envelope.schema, envelope.at, {
    event: "",
    path: "",
    stability: deriveEnvelopeStability(protocol),
  });
  for (const event of protocol.events) {
    const { type, payload, at, stability, deprecated, renamedFrom } = event;
    const place = { event: type, path: "", stability };
    const spot = createSpot(payload, at);
    add({
      kind: "event",
      name: type,
      ...place,
      spot,
      deprecated: deprecated !== undefined,
      ...(deprecated?.since !== undefined && { deprecatedSince: deprecated.since }),
      ...(deprecated?.replacedBy !== undefined && { replacedBy: deprecated.replacedBy }),
      ...(renamedFrom !== undefined && { renamedFrom }),
      meaning: () => formatCanonicalJson(stripLifecycle(inlineReferences(payload, protocol.definitions))),
    });
    const carrier = findPayloadCarrier(envelope, event);
    if (envelope.placement === "keyed" && carrier !== undefined)
      add({ kind: "field", name: carrier, ...place, spot, deprecated: false, meaning: () => "" });
    addBelow(payload, at, { ...place, path: carrier === undefined ? "" : `/${carrier}` });
  }
  for (const { type, payload, at, stability } of listResourceSubjects(protocol))
    addBelow(payload, at, { event: type, path: "", stability });
  const find = (key: NameKey): Name | undefined => {
    const root = roots.get(key.event);
    return listed.get(createNameKey(key)) ?? (root && findNameBelow(protocol, root, key));
  };
  return { listed, find };
});

/**
 * Returns the names without those names of resources whose spot is also the spot of a name of an event or of the envelope.
 * A finding about that name covers them.
 */
export function dropSharedNames(names: readonly Name[]): Name[] {
  const createSpotKey = ({ kind, name, spot }: Name): string =>
    JSON.stringify([kind, name, spot.file, spot.pointer]);
  const isResource = ({ event }: Name): boolean => parseResourceKey(event) !== undefined;
  const eventSpots = new Set(names.filter((name) => !isResource(name)).map(createSpotKey));
  return names.filter((name) => !isResource(name) || !eventSpots.has(createSpotKey(name)));
}

/** Keywords that do not change what a name means. */
const LIFECYCLE_KEYWORDS = [
  "x-stability",
  "x-since",
  "deprecated",
  "x-deprecated-since",
  "x-replaced-by",
  "x-renamed-from",
  "x-emitted-by",
  "x-source",
];

/** Returns everything that a protocol states about the messages of a subject, without texts and life cycle. */
export function createContractContent(
  { envelope, definitions }: Protocol,
  { payload, resource }: Subject,
): Json {
  return [resource === undefined ? envelope.schema : null, payload].map((schema) =>
    stripLifecycle(inlineReferences(schema, definitions)),
  );
}

/** Removes keywords that do not limit values: the dialect and the life cycle. */
function stripLifecycle(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const keywords = Object.entries(mapSubschemas(schema, stripLifecycle));
  return Object.fromEntries(
    keywords.filter(([keyword]) => keyword !== "$schema" && !LIFECYCLE_KEYWORDS.includes(keyword)),
  );
}

/** The place of the object that has a field, or of the value. */
type NamePlace = Omit<Place, "steps">;

/** A value that has names, and its place. */
interface NameHolder {
  readonly view: View;
  readonly place: NamePlace;
}

/** Adds the names at and below the place of `root`. Each schema is entered once, and not below itself. */
function addNames(protocol: Protocol, root: NameHolder, add: (name: Name) => void): void {
  const entered = new Set<Json>();
  const enter = (holder: NameHolder, ancestors: readonly Json[], enteredBranches: Set<Json>): void => {
    const { view, place } = holder;
    if (view.parts.some(({ schema }) => ancestors.includes(schema))) return;
    const visitedSchemas = [...ancestors, ...view.parts.map(({ schema }) => schema)];
    for (const { name, spots, place: placeBelow } of listMembers(protocol, holder)) {
      // The payload repeats fields of the envelope, whose names are collected from the envelope.
      if (name && view === root.view && isEnvelopeField(name, protocol)) continue;
      if (name) add(name);
      if (spots.every(({ schema }) => entered.has(schema))) continue;
      for (const { schema } of spots) entered.add(schema);
      enter({ view: createView(spots, protocol), place: placeBelow }, visitedSchemas, new Set());
    }
    for (const branch of listAlternatives(view)) {
      if (enteredBranches.has(branch.schema)) continue;
      enteredBranches.add(branch.schema);
      enter({ view: createView([branch], protocol), place }, visitedSchemas, enteredBranches);
    }
  };
  enter(root, [], new Set());
}

function isEnvelopeField({ kind, event, name }: Name, { envelope }: Protocol): boolean {
  const isPayload = event !== "" && parseResourceKey(event) === undefined;
  return kind === "field" && isPayload && envelope.payloadFields.includes(name);
}

/** Returns the last name with this key below `root`, in the order of `addNames`. */
function findNameBelow(protocol: Protocol, root: NameHolder, key: NameKey): Name | undefined {
  if (!`${key.path}/`.startsWith(`${root.place.path}/`)) return undefined;
  const candidates = listBranches(root, protocol).flatMap((branch) => listMembers(protocol, branch));
  if (key.path === root.place.path)
    return candidates.findLast(({ name }) => name?.kind === key.kind && name.name === key.name)?.name;
  const below = candidates.filter(
    ({ spots, place }) => spots.length > 0 && `${key.path}/`.startsWith(`${place.path}/`),
  );
  for (const { spots, place } of below.reverse()) {
    const found = findNameBelow(protocol, { view: createView(spots, protocol), place }, key);
    if (found) return found;
  }
  return undefined;
}

/** Returns the value and its alternatives at any depth. Each schema is entered once. */
function listBranches(holder: NameHolder, protocol: Protocol): NameHolder[] {
  const entered = new Set<Json>();
  const list = (view: View): View[] => [
    view,
    ...listAlternatives(view).flatMap((branch) => {
      if (entered.has(branch.schema)) return [];
      entered.add(branch.schema);
      return list(createView([branch], protocol));
    }),
  ];
  return list(holder.view).map((view) => ({ view, place: holder.place }));
}

/** A part of a value: a field, an item, or a listed value, which has no schemas. */
interface Member {
  /** Absent for items and for values of maps. */
  readonly name?: Name;
  readonly spots: readonly Spot[];
  readonly place: NamePlace;
}

function listMembers(protocol: Protocol, { view, place }: NameHolder): Member[] {
  const fields = [...mergeFields(view).values()].flatMap(({ name, spots }): Member[] => {
    const [spot] = spots;
    if (!spot) return [];
    const below = createView(spots, protocol);
    const stability = parseStability(readAnnotation(below, "x-stability")) ?? place.stability;
    const meaning = () =>
      formatCanonicalJson(
        spots.map(({ schema }) => stripLifecycle(inlineReferences(schema, protocol.definitions))),
      );
    return [
      {
        name: { kind: "field", name, ...place, spot, stability, meaning, ...readLifecycle(below) },
        spots,
        place: { ...place, path: `${place.path}/${name}`, stability },
      },
    ];
  });
  const values = listValueNames(view, place).map((name): Member => ({ name, spots: [], place }));
  const items = ITEM_KEYWORDS.flatMap((keyword) =>
    listHeldSchemas(view, keyword).map(
      (spot): Member => ({ spots: [spot], place: { ...place, path: `${place.path}/*` } }),
    ),
  );
  return [...fields, ...values, ...items];
}

/** Keywords of the items of a list and of the values of a map. */
const ITEM_KEYWORDS = ["items", "prefixItems", "additionalProperties"] as const;

function listValueNames(view: View, place: NamePlace): Name[] {
  return listStatedValues(view).flatMap(({ value, spot, isFixed }): Name[] => {
    if (value === null) return [];
    const meaning = () => typeof value;
    const name = { kind: "value", name: String(value), ...place, spot, deprecated: false, meaning } as const;
    return [isFixed ? { ...name, isOnlyValue: true } : name];
  });
}

function readLifecycle(
  view: View,
): Pick<Name, "deprecated" | "deprecatedSince" | "replacedBy" | "renamedFrom"> {
  const replacedBy = readAnnotation(view, "x-replaced-by");
  const since = readAnnotation(view, "x-deprecated-since");
  const renamedFrom = readAnnotation(view, "x-renamed-from");
  return {
    deprecated: readAnnotation(view, "deprecated") === true,
    ...(typeof since === "string" && { deprecatedSince: since }),
    ...((typeof replacedBy === "string" || replacedBy === null) && { replacedBy }),
    ...(typeof renamedFrom === "string" && { renamedFrom }),
  };
}

/**
 * Returns the tombstones of releases that the current contract must keep. If a release of a later major has the name of a
 * tombstone, the tombstone was added after that release, and it withdraws the name from its own major only.
 */
export function selectTombstonesToKeep({ past }: ReleasedNames): Tombstone[] {
  return past
    .filter(({ isBinding }) => isBinding)
    .flatMap(({ protocol }) => {
      const later = past.filter((each) => each.isRelease && each.protocol.major > protocol.major);
      return protocol.tombstones.filter(
        (tombstone) =>
          !later.some(({ names }) => [...names.listed.values()].some((name) => coversName(tombstone, name))),
      );
    });
}

/** Returns whether a tombstone is about a name. */
export function coversName(tombstone: Tombstone, { kind, name, event, path }: NameKey): boolean {
  if (tombstone.kind !== kind) return false;
  if (kind === "event") return coversType(tombstone.name, name);
  if (tombstone.name !== name) return false;
  if (tombstone.in === undefined) return true;
  const [holder, pointer] = tombstone.in.split("#");
  if (holder !== describeHolder(event)) return false;
  return pointer === undefined || path.endsWith(convertToInstancePath(pointer));
}

/** Returns the name by which tombstones refer to the event type, envelope or resource that had a field or value. */
export function describeHolder(event: string): string {
  const resource = parseResourceKey(event);
  if (resource !== undefined) return RESOURCE_HOLDER_PREFIX + resource;
  return event === "" ? "envelope" : event;
}

/** Returns the path of the values of the schema at a pointer: for `/properties/cups/items`, `/cups` followed by a star. */
function convertToInstancePath(pointer: string): string {
  return pointer.replace(/\/properties\/([^/]+)/g, "/$1").replace(/\/(items|additionalProperties)$/, "/*");
}
