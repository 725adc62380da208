/** Aligns two protocols subject by subject, and records the changes between them. */
import { formatCanonicalJson, isObject, type Json, type JsonObject } from "../../json.js";
import {
  collectInheritedFields,
  findPayloadCarrier,
  findPayloadPlaceSchema,
  getEnvelopeFields,
} from "../../protocol/message-layout.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { createSpot, createSpotBelow, type Spot } from "../../schema/describe.js";
import type { Change } from "../change.js";
import type { SubjectPair } from "../proof/inclusion-checks.js";
import { ANNOTATION_RULES } from "../rules/annotations.js";
import { compareDecodings } from "../rules/decodings.js";
import { EVENT_RULES } from "../rules/events.js";
import { FIELD_RULES } from "../rules/fields.js";
import { RULES } from "../rules/rules.js";
import { createProtocolSpot, deriveEnvelopeStability, rankStability, type Side } from "../side.js";
import { createRootPlace, listResourceSubjects, type Subject } from "../subjects.js";
import { createEnvelopeKey, createSubjectKey, getSchemaKeyFunction } from "./literal-key.js";
import {
  type AspectComparer,
  type ComparisonContext,
  createPair,
  type LessStableField,
  locateField,
  recordChange,
  type ViewPair,
} from "./record-changes.js";

/** The event types and resources of two protocols, and the changes between them. */
export interface AlignedProtocols {
  /** The event types and resources that both have, except those that were compared before. */
  readonly pairs: readonly SubjectPair[];
  /** Those of `pairs` whose schemas are not literally the same. */
  readonly differing: readonly SubjectPair[];
  readonly removed: readonly EventType[];
  readonly added: readonly EventType[];
  /** The resources that only one side has. */
  readonly resources: { readonly removed: readonly Subject[]; readonly added: readonly Subject[] };
  /** The changes in the envelope and in `pairs`, in the order of the schemas. */
  readonly changes: readonly Change[];
  /** Fields of the baseline with a lower stability than the object that contains them, in the pairs that differ. */
  readonly lessStableFields: readonly LessStableField[];
}

/**
 * Aligns two protocols by the names of event types and resources. Leaves out subjects whose version is in `compared`,
 * because it was compared already under the same envelope. Adds the others to `compared`.
 */
export function alignProtocols(before: Side, after: Side, compared = new Set<string>()): AlignedProtocols {
  const oldEvents = indexByType(before.protocol.events);
  const newEvents = indexByType(after.protocol.events);
  const oldResources = indexByType(listResourceSubjects(before.protocol));
  const newResources = indexByType(listResourceSubjects(after.protocol));
  const current = new Map<string, Subject>([...newEvents, ...newResources]);
  const envelopeKey = createEnvelopeKey(before.protocol);
  const pairs = [...oldEvents.values(), ...oldResources.values()].flatMap((old: Subject) => {
    const now = current.get(old.type);
    const comparisonKey = `${old.type} ${createSubjectKey(before.protocol, old)} ${envelopeKey}`;
    if (!now || compared.has(comparisonKey)) return [];
    compared.add(comparisonKey);
    return [{ before: old, after: now }];
  });
  const context = createComparisonContext(before, after);
  compareEnvelopes(context);
  const differingPairs = pairs.filter(
    (pair) => createSubjectKey(before.protocol, pair.before) !== createSubjectKey(after.protocol, pair.after),
  );
  // If the messages have different layouts, places in them cannot be compared.
  const haveComparableEvents = haveSameLayout(context);
  for (const pair of differingPairs)
    if (pair.before.resource !== undefined) compareResources(context, pair);
    else if (haveComparableEvents) compareEvents(context, pair);
  return {
    pairs,
    differing: differingPairs,
    removed: listAbsentFrom(newEvents, oldEvents),
    added: listAbsentFrom(oldEvents, newEvents),
    resources: {
      removed: listAbsentFrom(newResources, oldResources),
      added: listAbsentFrom(oldResources, newResources),
    },
    changes: context.changes,
    lessStableFields: context.lessStableFields,
  };
}

/** Returns the changes within pairs of event types. There are none if the layouts of the messages differ. */
export function compareEventPairs(
  before: Side,
  after: Side,
  pairs: readonly SubjectPair[],
): readonly Change[] {
  const context = createComparisonContext(before, after);
  if (haveSameLayout(context)) for (const pair of pairs) compareEvents(context, pair);
  return context.changes;
}

function createComparisonContext(before: Side, after: Side): ComparisonContext {
  return {
    before,
    after,
    protocols: { before: before.protocol, after: after.protocol },
    getSchemaKey: {
      before: getSchemaKeyFunction(before.protocol),
      after: getSchemaKeyFunction(after.protocol),
    },
    changes: [],
    lessStableFields: [],
  };
}

function indexByType<T extends Subject>(subjects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(subjects.map((subject) => [subject.type, subject]));
}

/** Returns the subjects of `all` that are not among the known ones. */
function listAbsentFrom<T extends Subject>(known: ReadonlyMap<string, T>, all: ReadonlyMap<string, T>): T[] {
  return [...all.values()].filter(({ type }) => !known.has(type));
}

function compareEnvelopes(context: ComparisonContext): void {
  const { before: old, after: now } = context.protocols;
  const place = createRootPlace({ type: "", stability: deriveEnvelopeStability(old) });
  const oldSpot = createSpot(old.envelope.schema, old.envelope.at);
  const newSpot = createSpot(now.envelope.schema, now.envelope.at);
  const pair = createPair(context, [oldSpot], [newSpot], place);
  if (!haveSameLayout(context)) {
    const anyEventClaim = { backward: { kind: "anything" }, forward: { kind: "anything" } } as const;
    recordChange(context, pair, EVENT_RULES["layout-changed"], anyEventClaim, {
      name: "envelope",
      from: getLayout(old),
      to: getLayout(now),
      before: createProtocolSpot(old, "envelope"),
      after: createProtocolSpot(now, "envelope"),
    });
    return;
  }
  compareValues(context, pair);
}

/** Compares what a value may be, and how it is decoded. */
function compareValues(context: ComparisonContext, pair: ViewPair): void {
  compareSchemas(context, pair);
  compareDecodings(context, pair);
}

function haveSameLayout({ before, after }: ComparisonContext): boolean {
  return formatCanonicalJson(getLayout(before.protocol)) === formatCanonicalJson(getLayout(after.protocol));
}

function getLayout({ envelope: { discriminator, placement, property, message } }: Protocol): Json {
  return {
    discriminator,
    placement,
    ...(property !== undefined && { property }),
    ...(message && { event: message.event }),
  };
}

function compareEvents(context: ComparisonContext, { before, after }: SubjectPair): void {
  const { before: old, after: now } = context.protocols;
  const oldSpot = createOwnPayloadSpot(old, before, now);
  const newSpot = createOwnPayloadSpot(now, after, old);
  const messagePlace = createRootPlace(before);
  const messagePair = createPair(context, [oldSpot], [newSpot], messagePlace);
  compareStatedStability(context, before, after, messagePair);
  const oldCarrier = findPayloadCarrier(old.envelope, before);
  const newCarrier = findPayloadCarrier(now.envelope, after);
  if (oldCarrier !== newCarrier) {
    recordMovedPayload(context, messagePair, oldCarrier, newCarrier);
    return;
  }
  const place = oldCarrier === undefined ? messagePlace : locateField(messagePlace, oldCarrier);
  compareSchemas(context, createPair(context, [oldSpot], [newSpot], place));
  // A field that moves between payload and envelope may keep its path, so its decodings are compared, too.
  const oldDecodedSpots = [oldSpot, ...listFieldsOfOneEnvelope(old, now)];
  const newDecodedSpots = [newSpot, ...listFieldsOfOneEnvelope(now, old)];
  compareDecodings(context, createPair(context, oldDecodedSpots, newDecodedSpots, place));
}

/**
 * Returns a spot with the fields that this envelope declares and the other does not. The payloads of the other version may
 * have declared them. Returns an empty list if there are none.
 */
function listFieldsOfOneEnvelope({ envelope }: Protocol, { envelope: other }: Protocol): Spot[] {
  const { placement, property = "" } = envelope;
  if (placement === "keyed") return [];
  const isNested = placement === "nested";
  const listDeclaredFields = ({ schema }: Protocol["envelope"]): JsonObject =>
    getEnvelopeFields({ schema: isNested ? (findPayloadPlaceSchema({ schema, property }) ?? {}) : schema });
  const otherFields = listDeclaredFields(other);
  const fields = Object.entries(listDeclaredFields(envelope)).filter(
    ([name]) => !Object.hasOwn(otherFields, name),
  );
  if (fields.length === 0) return [];
  const tokens = isNested ? ["properties", property] : [];
  const envelopeSpot = createSpot(envelope.schema, envelope.at);
  return [createSpotBelow(envelopeSpot, { properties: Object.fromEntries(fields) }, ...tokens)];
}

/**
 * Compares two versions of a resource. Compares the stability only if one version states it; otherwise it derives from the
 * events.
 */
function compareResources(context: ComparisonContext, { before, after }: SubjectPair): void {
  const createResourceSpot = ({ payload: { "x-stability": _stability, ...rest }, at }: Subject): Spot =>
    createSpot(rest, at);
  const place = createRootPlace(before);
  const pair = createPair(context, [createResourceSpot(before)], [createResourceSpot(after)], place);
  const isStated = [before, after].some(({ payload }) => payload["x-stability"] !== undefined);
  if (isStated) compareStatedStability(context, before, after, pair);
  compareValues(context, pair);
}

/** Records that the payload was moved within the message, removed from it or added to it. */
function recordMovedPayload(
  context: ComparisonContext,
  pair: ViewPair,
  from: string | undefined,
  to: string | undefined,
): void {
  if (from !== undefined && to !== undefined)
    recordChange(context, pair, FIELD_RULES["field-renamed"], createRemovalClaim(from), {
      name: from,
      from,
      to,
    });
  else if (from !== undefined)
    recordChange(context, pair, FIELD_RULES["field-removed-required"], createRemovalClaim(from), {
      name: from,
    });
  else if (to !== undefined)
    recordChange(
      context,
      pair,
      FIELD_RULES["field-added-required"],
      { backward: { kind: "absent", field: to } },
      { name: to },
    );
}

/** Returns the claim of a removed field: an old message with the field, or a current message without it, shows the change. */
function createRemovalClaim(name: string): Change["claim"] {
  return { backward: { kind: "present", field: name }, forward: { kind: "absent", field: name } };
}

/** Compares the stability that an event type or resource states. */
function compareStatedStability(
  context: ComparisonContext,
  before: Subject,
  after: Subject,
  pair: ViewPair,
): void {
  const oldRank = rankStability(before.stability);
  const newRank = rankStability(after.stability);
  if (oldRank === newRank) return;
  const details = { name: before.resource ?? before.type, from: before.stability, to: after.stability };
  recordChange(
    context,
    pair,
    newRank < oldRank ? ANNOTATION_RULES["stability-decreased"] : ANNOTATION_RULES["stability-increased"],
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
  const inheritedFields = collectInheritedFields(envelope, payload);
  const properties = Object.entries(payload.properties).flatMap(([name, schema]): [string, Json][] => {
    if (!inheritedFields.has(name)) return [[name, schema]];
    return other.envelope.payloadFields.includes(name) ? [[name, true]] : [];
  });
  return createSpot({ ...rest, properties: Object.fromEntries(properties) }, at);
}

/** The comparers of the rules, each once, in the order of the rules. */
const ASPECT_COMPARERS: ReadonlySet<AspectComparer> = new Set(
  RULES.flatMap((rule) => rule.compareValues ?? []),
);

/**
 * The places of one event at which two schemas are compared, for each stability. Definitions that refer to each other have
 * more places than can be compared; the shortest ones come first.
 */
const MAX_PLACES = 8;

/** A pair that is compared because it is a part of another one. */
interface PartPair {
  readonly pair: ViewPair;
  readonly keys: readonly string[];
  readonly holder: PartPair | undefined;
}

/** Compares two views of one value, and all parts of the value, in every respect. */
function compareSchemas(context: ComparisonContext, root: ViewPair): void {
  const counts = new Map<string, number>();
  const queue: PartPair[] = [];
  const add = (pair: ViewPair, holder: PartPair | undefined): void => {
    if (isLiterallySame(context, pair)) return;
    const keys = [
      createSpotsKey(pair.before.spots, pair.after.spots),
      createSpotsKey(pair.before.parts, pair.after.parts),
    ];
    // A recursive schema may return to the same spots with other parts, or the reverse. Either ends the recursion.
    if (isPartOf(keys, holder)) return;
    const countKey = `${pair.place.stability} ${keys[0]}`;
    const count = counts.get(countKey) ?? 0;
    counts.set(countKey, count + 1);
    if (count < MAX_PLACES) queue.push({ pair, keys, holder });
  };
  add(root, undefined);
  for (const part of queue)
    for (const compareAspect of ASPECT_COMPARERS)
      if (compareAspect(context, part.pair, (_context, below) => add(below, part)) === "incomparable") break;
}

/** Returns whether a pair or one of its holders has one of the keys. */
function isPartOf(keys: readonly string[], holder: PartPair | undefined): boolean {
  for (let each = holder; each !== undefined; each = each.holder)
    if (each.keys.some((key) => keys.includes(key))) return true;
  return false;
}

type Address = Pick<Spot, "file" | "pointer">;

function createSpotsKey(before: readonly Address[], after: readonly Address[]): string {
  const formatSpots = (spots: readonly Address[]) => spots.map(({ file, pointer }) => `${file}#${pointer}`);
  return `${formatSpots(before).join(" ")} | ${formatSpots(after).join(" ")}`;
}

function isLiterallySame({ getSchemaKey }: ComparisonContext, { before, after }: ViewPair): boolean {
  if (before.spots.length !== after.spots.length) return false;
  return before.spots.every(
    ({ schema }, index) =>
      getSchemaKey.before(schema) === getSchemaKey.after(after.spots[index]?.schema ?? true),
  );
}
