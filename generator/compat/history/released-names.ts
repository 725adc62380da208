/** The names of a contract and of its releases. */
import type { Location } from "../../finding.js";
import { canonical, isObject, type Json, type JsonObject } from "../../json.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { Protocol, Stability, Tombstone } from "../../protocol/protocol.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { listStatements } from "../../schema/describe.js";
import { listStatedValues, mergeFields, readAnnotation } from "../../schema/merge.js";
import { mapSubschemas } from "../../schema/walk.js";
import type { NameKey } from "../change.js";
import { createView, inlineReferences, type View } from "../diff/view.js";
import { createSpot, deriveEnvelopeStability, parseStability, type Spot } from "../side.js";
import { describeResource, parseResourceKey, resourceSubjects, type Subject } from "../subjects.js";

/** An event type, a field at its place, or a value of a list at its place. */
export interface Name extends NameKey {
  readonly spot: Spot;
  readonly stability: Stability;
  readonly deprecated: boolean;
  /** The name is the only value that its place allows, so it cannot be given another meaning. */
  readonly fixed?: true;
  readonly deprecatedSince?: string;
  /** The replacement; null states that nothing replaces it. */
  readonly replacedBy?: string | null;
  readonly renamedFrom?: string;
  /** The schema without references and texts: what the name means. */
  readonly meaning: () => string;
}

/** The names of one version. */
export interface Names {
  readonly protocol: Protocol;
  /** Whether the current contract was compared with this version. */
  readonly compared: boolean;
  readonly names: ReadonlyMap<string, Name>;
}

/** A version before the current one. */
export interface PastNames extends Names {
  /** As the user names it: `release 1.0`, `dir:../other`. */
  readonly label: string;
  /** Whether it is a release: names that none of them held are free. */
  readonly released: boolean;
  /** Whether the current contract must keep or withdraw its names, and keep its tombstones. */
  readonly binding: boolean;
}

/** The versions known and the current one. */
export interface ReleasedNames {
  /** The releases, oldest first, then other baselines, whose order is unknown. */
  readonly past: readonly PastNames[];
  readonly current: Names;
  /** Whether all releases could be read. */
  readonly complete: boolean;
  /** The version that the current contract will be released as. */
  readonly next: string;
}

/** Returns the key of a name, which is the same in all versions. */
export function createNameKey({ kind, event, path, name }: NameKey): string {
  return JSON.stringify(kind === "event" ? [kind, name] : [kind, event, path, name]);
}

/** All names of a protocol by their keys; collected once for each protocol object. */
export const collectNamesOf = memoizeByObject(collectProtocolNames);

function collectProtocolNames(protocol: Protocol): ReadonlyMap<string, Name> {
  const names = new Map<string, Name>();
  const add = (name: Name): void => void names.set(createNameKey(name), name);
  const collectBelow = (schema: JsonObject, at: Location, where: Where): void =>
    collectNames(protocol, createView([createSpot(schema, at)], protocol), where, add, []);
  const { envelope } = protocol;
  collectBelow(envelope.schema, envelope.at, {
    event: "",
    path: "",
    stability: deriveEnvelopeStability(protocol),
  });
  for (const event of protocol.events) {
    const { type, payload, at, stability, deprecated, renamedFrom } = event;
    const where = { event: type, path: "", stability };
    const spot = createSpot(payload, at);
    add({
      kind: "event",
      name: type,
      ...where,
      spot,
      deprecated: deprecated !== undefined,
      ...(deprecated?.since !== undefined && { deprecatedSince: deprecated.since }),
      ...(deprecated?.replacedBy !== undefined && { replacedBy: deprecated.replacedBy }),
      ...(renamedFrom !== undefined && { renamedFrom }),
      meaning: () => canonical(stripLifecycle(inlineReferences(payload, protocol.definitions))),
    });
    const carrier = findPayloadCarrier(envelope, event);
    if (envelope.placement === "keyed" && carrier !== undefined)
      add({ kind: "field", name: carrier, ...where, spot, deprecated: false, meaning: () => "" });
    collectBelow(payload, at, { ...where, path: carrier === undefined ? "" : `/${carrier}` });
  }
  for (const { type, payload, at, stability } of resourceSubjects(protocol))
    collectBelow(payload, at, { event: type, path: "", stability });
  return names;
}

/**
 * Returns the names without those of resources that stand where a name of an event or of the envelope stands. A finding
 * about that name covers them.
 */
export function dropSharedNames(names: readonly Name[]): Name[] {
  const createPlaceKey = ({ kind, name, spot }: Name): string =>
    JSON.stringify([kind, name, spot.file, spot.pointer]);
  const isResource = ({ event }: Name): boolean => parseResourceKey(event) !== undefined;
  const shared = new Set(names.filter((name) => !isResource(name)).map(createPlaceKey));
  return names.filter((name) => !isResource(name) || !shared.has(createPlaceKey(name)));
}

const NO_MEANING = [
  "x-stability",
  "x-since",
  "deprecated",
  "x-deprecated-since",
  "x-replaced-by",
  "x-renamed-from",
  "x-emitted-by",
];

/** Returns all that a protocol states about the messages of an event type or resource, without prose and life cycle. */
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
  const { $schema: _s, ...rest } = mapSubschemas(schema, stripLifecycle);
  return Object.fromEntries(Object.entries(rest).filter(([keyword]) => !NO_MEANING.includes(keyword)));
}

interface Where {
  readonly event: string;
  readonly path: string;
  readonly stability: Stability;
}

function collectNames(
  protocol: Protocol,
  view: View,
  at: Where,
  add: (name: Name) => void,
  open: readonly Json[],
): void {
  if (view.parts.some(({ schema }) => open.includes(schema))) return;
  const inside = [...open, ...view.parts.map(({ schema }) => schema)];
  const isPayload = at.event !== "" && parseResourceKey(at.event) === undefined;
  const common = new Set(isPayload ? protocol.envelope.payloadFields : []);
  for (const { name, spots } of mergeFields(view).values()) {
    const [spot] = spots;
    if (!spot || (common.has(name) && open.length === 0)) continue;
    const below = createView(spots, protocol);
    const stability = parseStability(readAnnotation(below, "x-stability")) ?? at.stability;
    const meaning = () =>
      canonical(spots.map(({ schema }) => stripLifecycle(inlineReferences(schema, protocol.definitions))));
    add({ kind: "field", name, ...at, spot, stability, meaning, ...readAnnouncements(below) });
    collectNames(protocol, below, { ...at, path: `${at.path}/${name}`, stability }, add, inside);
  }
  collectValues(view, at, add);
  for (const keyword of ["items", "prefixItems", "anyOf", "oneOf", "additionalProperties"] as const)
    for (const { value, spot } of listStatements(view, keyword)) {
      const path = keyword === "anyOf" || keyword === "oneOf" ? at.path : `${at.path}/*`;
      for (const schema of [value].flat())
        if (isObject(schema))
          collectNames(protocol, createView([{ ...spot, schema }], protocol), { ...at, path }, add, inside);
    }
}

function collectValues(view: View, at: Where, add: (name: Name) => void): void {
  for (const { value, spot, isFixed } of listStatedValues(view)) {
    if (value === null) continue;
    const meaning = () => typeof value;
    const fixed = isFixed && ({ fixed: true } as const);
    add({ kind: "value", name: String(value), ...at, spot, deprecated: false, meaning, ...fixed });
  }
}

function readAnnouncements(
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
 * Returns the tombstones that bind the current contract. One whose name a release of a later major holds is younger
 * than that release and withdraws the name from its own major only.
 */
export function selectTombstonesToKeep({ past }: ReleasedNames): Tombstone[] {
  return past
    .filter(({ binding }) => binding)
    .flatMap(({ protocol }) => {
      const later = past.filter((each) => each.released && each.protocol.major > protocol.major);
      return protocol.tombstones.filter(
        (tombstone) =>
          !later.some(({ names }) => [...names.values()].some((name) => coversName(tombstone, name))),
      );
    });
}

/** Returns whether a tombstone is about a name. */
export function coversName(
  tombstone: Tombstone,
  { kind, name, event, path }: Pick<Name, "kind" | "name" | "event" | "path">,
): boolean {
  if (tombstone.kind !== kind) return false;
  if (kind === "event")
    return tombstone.name.endsWith(".*")
      ? name.startsWith(tombstone.name.slice(0, -1))
      : tombstone.name === name;
  if (tombstone.name !== name) return false;
  if (tombstone.in === undefined) return true;
  const [holder, place] = tombstone.in.split("#");
  if (holder !== describeHolder(event)) return false;
  return place === undefined || path.endsWith(convertToInstancePath(place));
}

/** Returns how a tombstone names the event type, envelope or resource that held a field or value. */
export function describeHolder(event: string): string {
  const resource = parseResourceKey(event);
  if (resource !== undefined) return describeResource(resource);
  return event === "" ? "envelope" : event;
}

/** Returns the path of the values of a schema at this pointer: `/cups` and a star for `/properties/cups/items`. */
function convertToInstancePath(pointer: string): string {
  return pointer.replace(/\/properties\/([^/]+)/g, "/$1").replace(/\/(items|additionalProperties)$/g, "/*");
}
