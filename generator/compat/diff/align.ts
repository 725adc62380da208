/** Aligns two protocols, event type by event type, and notes their differences. */
import { canonical, isObject, type Json, type JsonObject } from "../../json.js";
import {
  collectInheritedFields,
  findPayloadCarrier,
  findPayloadPlaceSchema,
  getEnvelopeFields,
} from "../../protocol/message-layout.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import type { Change, Occurrence } from "../change.js";
import type { EventPair } from "../proof/inclusion-checks.js";
import { ANNOTATION_RULES } from "../rules/annotations.js";
import { compareDecodings } from "../rules/decodings.js";
import { EVENT_RULES } from "../rules/events.js";
import { FIELD_RULES } from "../rules/fields.js";
import { RULES } from "../rules/rules.js";
import {
  createProtocolSpot,
  createSpot,
  createSpotBelow,
  deriveEnvelopeStability,
  rankStability,
  type Side,
  type Spot,
} from "../side.js";
import { createWholePlace, resourceSubjects, type Subject } from "../subjects.js";
import { createEnvelopeKey, createEventKey, getLiteralKeys } from "./literal-key.js";
import {
  type Aspect,
  createPair,
  type LabelledField,
  locateField,
  type Pair,
  recordChange,
  type Walk,
} from "./walk.js";

/** The event types, resources and differences of two protocols. */
export interface Aligned {
  /** The event types and resources that both have, except those that were compared before. */
  readonly pairs: readonly EventPair[];
  /** Those of `pairs` whose schemas are not literally the same. */
  readonly differing: readonly EventPair[];
  readonly removed: readonly EventType[];
  readonly added: readonly EventType[];
  /** The resources that only one side has. */
  readonly resources: { readonly removed: readonly Subject[]; readonly added: readonly Subject[] };
  /** Differences inside of the envelope and of `pairs`, in the order of the schemas. */
  readonly changes: readonly Change[];
  /** Fields of the baseline with a lower stability than the object that contains them, in the pairs that differ. */
  readonly labelled: readonly LabelledField[];
}

/**
 * Aligns two protocols by the names of event types and resources. Leaves out versions that were `compared` already under
 * the same envelope, and adds the others to `compared`.
 */
export function alignProtocols(before: Side, after: Side, compared = new Set<string>()): Aligned {
  const [olds, news] = [indexByType(before.protocol.events), indexByType(after.protocol.events)];
  const [oldResources, newResources] = [
    indexByType(resourceSubjects(before.protocol)),
    indexByType(resourceSubjects(after.protocol)),
  ];
  const current = new Map<string, Subject>([...news, ...newResources]);
  const envelopeKey = createEnvelopeKey(before.protocol);
  const pairs = [...olds.values(), ...oldResources.values()].flatMap((old: Subject) => {
    const now = current.get(old.type);
    const comparisonKey = `${old.type} ${createEventKey(before.protocol, old)} ${envelopeKey}`;
    if (!now || compared.has(comparisonKey)) return [];
    compared.add(comparisonKey);
    return [{ before: old, after: now }];
  });
  const literalKeys = [getLiteralKeys(before.protocol), getLiteralKeys(after.protocol)] as const;
  const protocols = { before: before.protocol, after: after.protocol };
  const walk: Walk = {
    before,
    after,
    protocols,
    literalKeys,
    changes: [],
    labelledFields: [],
    activePairs: new Set(),
  };
  compareEnvelopes(walk);
  const differing = pairs.filter(
    (pair) => createEventKey(before.protocol, pair.before) !== createEventKey(after.protocol, pair.after),
  );
  // If the messages have different layouts, places in them cannot be compared.
  const comparable = haveSameLayout(walk);
  for (const pair of differing)
    if (pair.before.resource !== undefined) compareResources(walk, pair);
    else if (comparable) compareEvents(walk, pair);
  return {
    pairs,
    differing,
    removed: listAbsentFrom(news, olds),
    added: listAbsentFrom(olds, news),
    resources: {
      removed: listAbsentFrom(newResources, oldResources),
      added: listAbsentFrom(oldResources, newResources),
    },
    changes: walk.changes,
    labelled: walk.labelledFields,
  };
}

function indexByType<T extends Subject>(subjects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(subjects.map((subject) => [subject.type, subject]));
}

/** Returns the subjects of `all` that are not among the known ones. */
function listAbsentFrom<T extends Subject>(known: ReadonlyMap<string, T>, all: ReadonlyMap<string, T>): T[] {
  return [...all.values()].filter(({ type }) => !known.has(type));
}

function compareEnvelopes(walk: Walk): void {
  const [old, now] = [walk.before.protocol, walk.after.protocol];
  const at: Occurrence = { event: "", path: "", steps: [], stability: deriveEnvelopeStability(old) };
  const oldSpot = createSpot(old.envelope.schema, old.envelope.at);
  const newSpot = createSpot(now.envelope.schema, now.envelope.at);
  const pair = createPair(walk, [oldSpot], [newSpot], at);
  if (!haveSameLayout(walk)) {
    const anyEventClaim = { backward: { is: "anything" }, forward: { is: "anything" } } as const;
    recordChange(walk, pair, EVENT_RULES["layout-changed"], anyEventClaim, {
      name: "envelope",
      from: getLayout(old),
      to: getLayout(now),
      before: createProtocolSpot(old, "envelope"),
      after: createProtocolSpot(now, "envelope"),
    });
    return;
  }
  compareValues(walk, pair);
}

/** Compares what a value may be, and how it is decoded. */
function compareValues(walk: Walk, pair: Pair): void {
  compareSchemas(walk, pair);
  compareDecodings(walk, pair);
}

function haveSameLayout({ before, after }: Walk): boolean {
  return canonical(getLayout(before.protocol)) === canonical(getLayout(after.protocol));
}

function getLayout({ envelope: { discriminator, placement, property } }: Protocol): Json {
  return { discriminator, placement, ...(property !== undefined && { property }) };
}

function compareEvents(walk: Walk, { before, after }: EventPair): void {
  const [old, now] = [walk.before.protocol, walk.after.protocol];
  const root: Occurrence = { event: before.type, path: "", steps: [], stability: before.stability };
  const [from, to] = [findPayloadCarrier(old.envelope, before), findPayloadCarrier(now.envelope, after)];
  const spots = [[createOwnPayloadSpot(old, before, now)], [createOwnPayloadSpot(now, after, old)]] as const;
  const pair = createPair(walk, ...spots, root);
  compareStatedStability(walk, before, after, pair);
  if (from !== to) recordMovedPayload(walk, pair, from, to);
  else {
    const at = from === undefined ? root : locateField(root, from);
    compareSchemas(walk, createPair(walk, ...spots, at));
    // A field that moves between payload and envelope may keep its path, so its decodings are compared, too.
    const decodedSpots = [
      [...spots[0], ...listFieldsNewInEnvelope(old, now)],
      [...spots[1], ...listFieldsNewInEnvelope(now, old)],
    ] as const;
    compareDecodings(walk, createPair(walk, ...decodedSpots, at));
  }
}

/** Returns the fields that this envelope declares and the other does not. The payloads of the other version may have declared them. */
function listFieldsNewInEnvelope({ envelope }: Protocol, { envelope: other }: Protocol): Spot[] {
  const { placement, property = "" } = envelope;
  if (placement === "keyed") return [];
  const isNested = placement === "nested";
  const listDeclaredFields = ({ schema }: Protocol["envelope"]): JsonObject =>
    getEnvelopeFields({ schema: isNested ? (findPayloadPlaceSchema({ schema, property }) ?? {}) : schema });
  const fresh = Object.entries(listDeclaredFields(envelope)).filter(
    ([name]) => !Object.hasOwn(listDeclaredFields(other), name),
  );
  if (fresh.length === 0) return [];
  const tokens = isNested ? ["properties", property] : [];
  return [
    createSpotBelow(
      createSpot(envelope.schema, envelope.at),
      { properties: Object.fromEntries(fresh) },
      ...tokens,
    ),
  ];
}

/**
 * Compares two versions of a resource. Compares the stability only if one version states it; otherwise it derives from the
 * events.
 */
function compareResources(walk: Walk, { before, after }: EventPair): void {
  const [old, now] = [before, after].map(({ payload: { "x-stability": _stability, ...rest }, at }) => [
    createSpot(rest, at),
  ]);
  const pair = createPair(walk, old ?? [], now ?? [], createWholePlace(before));
  const isStated = [before, after].some(({ payload }) => payload["x-stability"] !== undefined);
  if (isStated) compareStatedStability(walk, before, after, pair);
  compareValues(walk, pair);
}

/** Notes that the payload was moved within the message, removed from it or added to it. */
function recordMovedPayload(walk: Walk, pair: Pair, from: string | undefined, to: string | undefined): void {
  if (from !== undefined && to !== undefined)
    recordChange(walk, pair, FIELD_RULES["field-renamed"], createRemovalClaim(from), {
      name: from,
      from,
      to,
    });
  else if (from !== undefined)
    recordChange(walk, pair, FIELD_RULES["field-removed-required"], createRemovalClaim(from), { name: from });
  else if (to !== undefined)
    recordChange(
      walk,
      pair,
      FIELD_RULES["field-added-required"],
      { backward: { is: "absent", field: to } },
      { name: to },
    );
}

/** Returns the claim that a message with the field, or one without it, shows the change. */
function createRemovalClaim(name: string): Change["claim"] {
  return { backward: { is: "present", field: name }, forward: { is: "absent", field: name } };
}

/** Compares the stability that an event type or resource states. */
function compareStatedStability(walk: Walk, before: Subject, after: Subject, pair: Pair): void {
  const [old, now] = [rankStability(before.stability), rankStability(after.stability)];
  if (old === now) return;
  const details = { name: before.resource ?? before.type, from: before.stability, to: after.stability };
  recordChange(
    walk,
    pair,
    now < old ? ANNOTATION_RULES["stability-decreased"] : ANNOTATION_RULES["stability-increased"],
    {},
    details,
  );
}

/**
 * Returns the payload without its stability. Fields that the envelope declares for all events are compared there. If both
 * envelopes declare the field, it has the schema `true` here, so that an event that begins to require it is noticed;
 * otherwise it is left out.
 */
function createOwnPayloadSpot({ envelope }: Protocol, { payload, at }: Subject, other: Protocol) {
  const { "x-stability": _stability, ...rest } = payload;
  if (!isObject(payload.properties) || envelope.payloadFields.length === 0) return createSpot(rest, at);
  const inherited = collectInheritedFields(envelope, payload);
  const properties = Object.entries(payload.properties).flatMap(([name, schema]): [string, Json][] => {
    if (!inherited.has(name)) return [[name, schema]];
    return other.envelope.payloadFields.includes(name) ? [[name, true]] : [];
  });
  return createSpot({ ...rest, properties: Object.fromEntries(properties) }, at);
}

/** The comparisons of the rules, each once, in the order of the rules. */
const ASPECTS: ReadonlySet<Aspect> = new Set(RULES.flatMap((rule) => rule.compareValues ?? []));

/** Compares two views of one value in every respect; leaves out a pair of places that is being compared already. */
function compareSchemas(walk: Walk, pair: Pair): void {
  if (isLiterallySame(walk, pair)) return;
  const sides = [pair.before, pair.after];
  const keys = [
    createPlacesKey(sides.map(({ nodes }) => nodes)),
    createPlacesKey(sides.map(({ parts }) => parts)),
  ];
  // A recursive schema may return to the same nodes with other parts, or the reverse. Either ends the recursion.
  if (keys.some((key) => walk.activePairs.has(key))) return;
  for (const key of keys) walk.activePairs.add(key);
  for (const compareAspect of ASPECTS) {
    const hasNothingInCommon = compareAspect(walk, pair, compareSchemas) === true;
    if (hasNothingInCommon) break;
  }
  for (const key of keys) walk.activePairs.delete(key);
}

function createPlacesKey(
  sides: readonly (readonly { readonly file: string; readonly pointer: string }[])[],
): string {
  return sides.map((places) => places.map(({ file, pointer }) => `${file}#${pointer}`).join(" ")).join(" | ");
}

function isLiterallySame({ literalKeys }: Walk, { before, after }: Pair): boolean {
  if (before.nodes.length !== after.nodes.length) return false;
  return before.nodes.every(
    ({ schema }, index) => literalKeys[0](schema) === literalKeys[1](after.nodes[index]?.schema ?? true),
  );
}
