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
  /** Fields of the baseline that are labelled less stable than what contains them, where the contract differs. */
  readonly labelled: readonly LabelledField[];
}

/**
 * Aligns two protocols by the names of event types and resources. Leaves out versions that were `compared` already under
 * the same envelope, and adds the others to `compared`.
 */
export function align(before: Side, after: Side, compared = new Set<string>()): Aligned {
  const [olds, news] = [indexByType(before.protocol.events), indexByType(after.protocol.events)];
  const [oldResources, newResources] = [
    indexByType(resourceSubjects(before.protocol)),
    indexByType(resourceSubjects(after.protocol)),
  ];
  const current = new Map<string, Subject>([...news, ...newResources]);
  const frame = createEnvelopeKey(before.protocol);
  const pairs = [...olds.values(), ...oldResources.values()].flatMap((old: Subject) => {
    const [now, version] = [
      current.get(old.type),
      `${old.type} ${createEventKey(before.protocol, old)} ${frame}`,
    ];
    if (!now || compared.has(version)) return [];
    compared.add(version);
    return [{ before: old, after: now }];
  });
  const literal = [getLiteralKeys(before.protocol), getLiteralKeys(after.protocol)] as const;
  const protocols = { before: before.protocol, after: after.protocol };
  const walk: Walk = { before, after, protocols, literal, found: [], labelled: [], open: new Set() };
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
    removed: findMissing(news, olds),
    added: findMissing(olds, news),
    resources: {
      removed: findMissing(newResources, oldResources),
      added: findMissing(oldResources, newResources),
    },
    changes: walk.found,
    labelled: walk.labelled,
  };
}

function indexByType<T extends Subject>(subjects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(subjects.map((subject) => [subject.type, subject]));
}

function findMissing<T extends Subject>(known: ReadonlyMap<string, T>, all: ReadonlyMap<string, T>): T[] {
  return [...all.values()].filter(({ type }) => !known.has(type));
}

function compareEnvelopes(walk: Walk): void {
  const [old, now] = [walk.before.protocol, walk.after.protocol];
  const at: Occurrence = { event: "", path: "", steps: [], stability: deriveEnvelopeStability(old) };
  const spots = [
    createSpot(old.envelope.schema, old.envelope.at),
    createSpot(now.envelope.schema, now.envelope.at),
  ];
  const pair = createPair(walk, spots.slice(0, 1), spots.slice(1), at);
  const [from, to] = [getLayout(old), getLayout(now)];
  const either = { backward: { is: "anything" }, forward: { is: "anything" } } as const;
  if (!haveSameLayout(walk)) {
    recordChange(walk, pair, EVENT_RULES["layout-changed"], either, {
      name: "envelope",
      from,
      to,
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
  const spots = [[selectOwnPayload(old, before, now)], [selectOwnPayload(now, after, old)]] as const;
  const pair = createPair(walk, ...spots, root);
  compareStatedStability(walk, before, after, pair);
  if (from !== to) recordMovedPayload(walk, pair, from, to);
  else {
    const at = from === undefined ? root : locateField(root, from);
    compareSchemas(walk, createPair(walk, ...spots, at));
    const decoded = [
      [...spots[0], ...listFieldsNewInEnvelope(old, now)],
      [...spots[1], ...listFieldsNewInEnvelope(now, old)],
    ] as const;
    compareDecodings(walk, createPair(walk, ...decoded, at));
  }
}

/** Returns the fields that only this envelope declares beside or inside of payloads, which may have held them before. */
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

/** A resource is a whole message: it has no envelope, and its stability may be that of the events. */
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
    recordChange(walk, pair, FIELD_RULES["field-renamed"], claimField(from), { name: from, from, to });
  else if (from !== undefined)
    recordChange(walk, pair, FIELD_RULES["field-removed-required"], claimField(from), { name: from });
  else if (to !== undefined)
    recordChange(
      walk,
      pair,
      FIELD_RULES["field-added-required"],
      { backward: { is: "absent", field: to } },
      { name: to },
    );
}

function claimField(name: string): Change["claim"] {
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
 * Returns the payload without its stability. Fields that the envelope declares for all events are compared there; here
 * they have the schema `true`, so that an event that begins to require one is noticed.
 */
function selectOwnPayload({ envelope }: Protocol, { payload, at }: Subject, other: Protocol) {
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
const ASPECTS: ReadonlySet<Aspect> = new Set(RULES.flatMap(({ compareValues }) => compareValues ?? []));

/** Compares two views of one value in every respect; leaves out a pair of places that is being compared already. */
function compareSchemas(walk: Walk, pair: Pair): void {
  if (isLiterallySame(walk, pair)) return;
  const sides = [pair.before, pair.after];
  const keys = [
    createPlacesKey(sides.map(({ nodes }) => nodes)),
    createPlacesKey(sides.map(({ parts }) => parts)),
  ];
  if (keys.some((key) => walk.open.has(key))) return;
  for (const key of keys) walk.open.add(key);
  for (const compareAspect of ASPECTS) if (compareAspect(walk, pair, compareSchemas) === true) break;
  for (const key of keys) walk.open.delete(key);
}

function createPlacesKey(
  sides: readonly (readonly { readonly file: string; readonly pointer: string }[])[],
): string {
  return sides.map((places) => places.map(({ file, pointer }) => `${file}#${pointer}`).join(" ")).join(" | ");
}

function isLiterallySame({ literal }: Walk, { before, after }: Pair): boolean {
  if (before.nodes.length !== after.nodes.length) return false;
  return before.nodes.every(
    ({ schema }, index) => literal[0](schema) === literal[1](after.nodes[index]?.schema ?? true),
  );
}
