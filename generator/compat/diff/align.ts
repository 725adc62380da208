/** Lines two protocols up, event type by event type, and notes how they differ. */
import { canonical, isObject, type Json, own } from "../../json.js";
import { inheritedFields, payloadCarrier } from "../../protocol/message-layout.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import type { Change, Occurrence } from "../change.js";
import type { EventPair } from "../proof/inclusion-checks.js";
import { compareDecodings } from "../rules/decodings.js";
import { EVENT_RULES } from "../rules/events.js";
import { FIELD_RULES } from "../rules/fields.js";
import { STABILITY_RULES } from "../rules/stability.js";
import { below, envelopeStability, protocolSpot, rankOf, type Side, type Spot, spotAt } from "../side.js";
import { resourceSubjects, type Subject, wholePlace } from "../subjects.js";
import { compareSchemas } from "./compare-schemas.js";
import { envelopeKey, eventKey, literalKeys } from "./literal-key.js";
import { fieldPlace, type LabelledField, note, type Pair, pairOf, type Walk } from "./walk.js";

/** What two protocols have in common and what only one of them has. */
export interface Aligned {
  /** The event types and resources that both have, but for what was compared before. */
  readonly pairs: readonly EventPair[];
  /** Those of `pairs` whose schemas are not literally the same. */
  readonly differing: readonly EventPair[];
  readonly removed: readonly EventType[];
  readonly added: readonly EventType[];
  /** The resources that only one side has. */
  readonly resources: { readonly removed: readonly Subject[]; readonly added: readonly Subject[] };
  /** Differences inside of the envelope and of the events of `pairs`, as they were met. */
  readonly changes: readonly Change[];
  /** Fields of the baseline that are labelled less stable than what contains them, where the contract differs. */
  readonly labelled: readonly LabelledField[];
}

/**
 * Aligns by event type: a name on the wire is the same thing on both sides or nothing is. Leaves out versions of event
 * types that were `compared` already, each under its envelope, and adds the others to them.
 */
export function align(before: Side, after: Side, compared = new Set<string>()): Aligned {
  const [olds, news] = [byType(before.protocol.events), byType(after.protocol.events)];
  const [oldResources, newResources] = [
    byType(resourceSubjects(before.protocol)),
    byType(resourceSubjects(after.protocol)),
  ];
  const current = new Map<string, Subject>([...news, ...newResources]);
  const frame = envelopeKey(before.protocol);
  const pairs = [...olds.values(), ...oldResources.values()].flatMap((old: Subject) => {
    const [now, version] = [current.get(old.type), `${old.type} ${eventKey(before.protocol, old)} ${frame}`];
    if (!now || compared.has(version)) return [];
    compared.add(version);
    return [{ before: old, after: now }];
  });
  const literal = [literalKeys(before.protocol), literalKeys(after.protocol)] as const;
  const protocols = { before: before.protocol, after: after.protocol };
  const walk: Walk = { before, after, protocols, literal, found: [], labelled: [], open: new Set() };
  compareEnvelopes(walk);
  const differing = pairs.filter(
    (pair) => eventKey(before.protocol, pair.before) !== eventKey(after.protocol, pair.after),
  );
  // Where messages are laid out differently, places cannot be compared.
  const comparable = sameLayout(walk);
  for (const pair of differing)
    if (pair.before.resource !== undefined) compareResources(walk, pair);
    else if (comparable) compareEvents(walk, pair);
  return {
    pairs,
    differing,
    removed: missingIn(news, olds),
    added: missingIn(olds, news),
    resources: {
      removed: missingIn(newResources, oldResources),
      added: missingIn(oldResources, newResources),
    },
    changes: walk.found,
    labelled: walk.labelled,
  };
}

function byType<T extends Subject>(subjects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(subjects.map((subject) => [subject.type, subject]));
}

function missingIn<T extends Subject>(known: ReadonlyMap<string, T>, all: ReadonlyMap<string, T>): T[] {
  return [...all.values()].filter(({ type }) => !known.has(type));
}

function compareEnvelopes(walk: Walk): void {
  const [old, now] = [walk.before.protocol, walk.after.protocol];
  const at: Occurrence = { event: "", path: "", steps: [], stability: envelopeStability(old) };
  const spots = [spotAt(old.envelope.schema, old.envelope.at), spotAt(now.envelope.schema, now.envelope.at)];
  const pair = pairOf(walk, spots.slice(0, 1), spots.slice(1), at);
  const [from, to] = [layoutOf(old), layoutOf(now)];
  const either = { backward: { is: "anything" }, forward: { is: "anything" } } as const;
  if (!sameLayout(walk)) {
    note(walk, pair, EVENT_RULES["layout-changed"], either, {
      ...{ name: "envelope", from, to },
      before: protocolSpot(old, "envelope"),
      after: protocolSpot(now, "envelope"),
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

function sameLayout({ before, after }: Walk): boolean {
  return canonical(layoutOf(before.protocol)) === canonical(layoutOf(after.protocol));
}

function layoutOf({ envelope: { discriminator, placement, property } }: Protocol): Json {
  return { discriminator, placement, ...(property !== undefined && { property }) };
}

function compareEvents(walk: Walk, { before, after }: EventPair): void {
  const [old, now] = [walk.before.protocol, walk.after.protocol];
  const root: Occurrence = { event: before.type, path: "", steps: [], stability: before.stability };
  const [from, to] = [payloadCarrier(old.envelope, before), payloadCarrier(now.envelope, after)];
  const spots = [[ownPayload(old, before, now)], [ownPayload(now, after, old)]] as const;
  const pair = pairOf(walk, ...spots, root);
  compareOwn(walk, before, after, pair);
  if (from !== to) noteCarrier(walk, pair, from, to);
  else {
    const at = from === undefined ? root : fieldPlace(root, from);
    compareSchemas(walk, pairOf(walk, ...spots, at));
    const decoded = [
      [...spots[0], ...fieldsNewInEnvelope(old, now)],
      [...spots[1], ...fieldsNewInEnvelope(now, old)],
    ] as const;
    compareDecodings(walk, pairOf(walk, ...decoded, at));
  }
}

/** The fields beside or in the payload that the envelope declares and the other envelope does not: payloads may have held them. */
function fieldsNewInEnvelope({ envelope }: Protocol, { envelope: other }: Protocol): Spot[] {
  if (envelope.placement === "keyed") return [];
  const nested = envelope.placement === "nested" ? [envelope.property ?? ""] : [];
  const holderOf = ({ schema }: Protocol["envelope"]): Json =>
    nested.reduce<Json>((holder, name) => {
      const fields = isObject(holder) && isObject(holder.properties) ? holder.properties : {};
      return own(fields, name) ?? true;
    }, schema);
  const [mine, others] = [envelope, other].map((each) => {
    const holder = holderOf(each);
    return isObject(holder) && isObject(holder.properties) ? holder.properties : {};
  });
  const fresh = Object.entries(mine ?? {}).filter(([name]) => !Object.hasOwn(others ?? {}, name));
  if (fresh.length === 0) return [];
  const place = spotAt(envelope.schema, envelope.at);
  return [
    below(
      place,
      { properties: Object.fromEntries(fresh) },
      ...nested.flatMap((name) => ["properties", name]),
    ),
  ];
}

/** A resource is a whole message: it has no envelope, and its stability may be that of the events. */
function compareResources(walk: Walk, { before, after }: EventPair): void {
  const [old, now] = [before, after].map(({ payload: { "x-stability": _said, ...rest }, at }) => [
    spotAt(rest, at),
  ]);
  const pair = pairOf(walk, old ?? [], now ?? [], wholePlace(before));
  const isStated = [before, after].some(({ payload }) => payload["x-stability"] !== undefined);
  if (isStated) compareOwn(walk, before, after, pair);
  compareValues(walk, pair);
}

/** The payload has another place in the message, or none any more, or did not have one. */
function noteCarrier(walk: Walk, pair: Pair, from: string | undefined, to: string | undefined): void {
  if (from !== undefined && to !== undefined)
    note(walk, pair, FIELD_RULES["field-renamed"], fieldClaim(from), { name: from, from, to });
  else if (from !== undefined)
    note(walk, pair, FIELD_RULES["field-removed-required"], fieldClaim(from), { name: from });
  else if (to !== undefined)
    note(
      walk,
      pair,
      FIELD_RULES["field-added-required"],
      { backward: { is: "absent", field: to } },
      { name: to },
    );
}

function fieldClaim(name: string): Change["claim"] {
  return { backward: { is: "present", field: name }, forward: { is: "absent", field: name } };
}

/** What an event type or resource says about itself besides its schema. */
function compareOwn(walk: Walk, before: Subject, after: Subject, pair: Pair): void {
  const [old, now] = [rankOf(before.stability), rankOf(after.stability)];
  if (old === now) return;
  const details = { name: before.resource ?? before.type, from: before.stability, to: after.stability };
  note(
    walk,
    pair,
    now < old ? STABILITY_RULES["stability-decreased"] : STABILITY_RULES["stability-increased"],
    {},
    details,
  );
}

/**
 * The payload without what the event says of itself. Fields that the envelope declares for all events are compared
 * there: here is only left that they are there, so that it shows where an event comes to require one.
 */
function ownPayload({ envelope }: Protocol, { payload, at }: Subject, other: Protocol) {
  const { "x-stability": _said, ...rest } = payload;
  if (!isObject(payload.properties) || envelope.payloadFields.length === 0) return spotAt(rest, at);
  const inherited = inheritedFields(envelope, payload);
  const properties = Object.entries(payload.properties).flatMap(([name, schema]): [string, Json][] => {
    if (!inherited.has(name)) return [[name, schema]];
    return other.envelope.payloadFields.includes(name) ? [[name, true]] : [];
  });
  return spotAt({ ...rest, properties: Object.fromEntries(properties) }, at);
}
