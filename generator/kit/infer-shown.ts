/** Infers what a consumer shows, from plain streams: which event types, which fields, and which unknown types. */
import { areEqual, type Json, type JsonObject } from "../json.js";
import { combineSeeds } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import type { Adapter } from "./adapter.js";
import { coverTypes } from "./coverage.js";
import { listKnownValues, listValueVariants, tryVariants, type Variants, type Viewer } from "./facts.js";
import type { KitProtocol } from "./kit-protocol.js";
import { ignoreBrokenLaw, showEvents } from "./observe.js";
import { getPayload, setPayloadFields, TOKEN } from "./payload.js";
import type { GeneratorContext } from "./scenarios.js";
import { listBefore, makeScene } from "./scene.js";
import type { Steps } from "./steps.js";
import { collectTexts } from "./view.js";

/** What a consumer shows in plain streams. */
export interface Shown {
  /** The event types whose events change the snapshot. */
  readonly types: ReadonlySet<string>;
  /** The payload fields whose values change the snapshot, by event type. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
  /** The families of which unknown event types are shown; the new family is "". */
  readonly unknownFamilies: ReadonlySet<string>;
  /** True if the consumer shows what is in the events of most types, so that it has to show all of them. */
  readonly isWhole: boolean;
}

/** The part of the event types with fields of which a consumer must show a field to count as one that shows all of them. */
const MOST = 0.75;

const getKnown = memoizeByObject((_adapter: Adapter) => new Map<string, Shown>());

/** Returns what the consumers of `adapter` show. */
export function* inferShown(
  adapter: Adapter,
  protocol: KitProtocol,
  context: GeneratorContext,
): Steps<Shown> {
  const known = getKnown(adapter);
  const shown = known.get(protocol.id) ?? (yield* tryMore(adapter, protocol, context));
  known.set(protocol.id, shown);
  return shown;
}

/** Tries other streams and values if plain streams show nothing, because a consumer may show large costs alone, for example. */
function* tryMore(adapter: Adapter, protocol: KitProtocol, context: GeneratorContext): Steps<Shown> {
  const shown = yield* tryEvents(adapter, protocol, context, 1);
  if (shown.types.size > 0) return shown;
  const inStreams = yield* tryEvents(adapter, protocol, context, 8);
  if (inStreams.types.size > 0) return inStreams;
  const tryView = (events: readonly object[]) => ignoreBrokenLaw(showEvents(adapter, protocol, events));
  const types = new Set<string>();
  const fields = new Map(shown.fields);
  for (const { type, field } of listPayloadFields(context.maker.protocol)) {
    const viewer = { protocol, context, tryView };
    const { outcome } = yield* tryVariants(viewer, [
      ...listValueVariants(viewer, type, field),
      ...listSceneVariants(viewer, type, field),
    ]);
    if (outcome !== "shown" && outcome !== "confused") continue;
    types.add(type);
    fields.set(type, new Set([...(fields.get(type) ?? []), field]));
  }
  return { ...shown, types, fields };
}

/** Returns the family of an event type: its name up to the first separator. */
export function getFamily(type: string): string {
  return type.split(/[._:/-]/)[0] ?? type;
}

function* tryEvents(
  adapter: Adapter,
  protocol: KitProtocol,
  context: GeneratorContext,
  streams: number,
): Steps<Shown> {
  const { discriminator } = protocol.envelope;
  const tryView = (events: readonly object[]) => ignoreBrokenLaw(showEvents(adapter, protocol, events));
  const types = new Set<string>();
  const fields = new Map<string, Set<string>>();
  const options = { streams, endsStreams: true, allowsGaps: true } as const;
  const unknownFamilies = new Set<string>();
  for (const { events } of coverTypes(context, options, "all")) {
    let before = yield* tryView([]);
    for (const [index, event] of events.entries()) {
      const type = String(event[discriminator]);
      const prefix = events.slice(0, index);
      const after = yield* tryView([...prefix, event]);
      if (before !== undefined && after !== undefined && !areEqual(before, after)) types.add(type);
      if (after !== undefined && !fields.has(type)) {
        const found = new Set<string>();
        for (const [field, changed] of listChanges(protocol, context, event)) {
          if (found.has(field)) continue;
          const view = yield* tryView([...prefix, changed]);
          if (view !== undefined && !areEqual(view, after)) found.add(field);
        }
        fields.set(type, found);
        for (const [family, unknown] of listUnknown(protocol, event))
          if (
            !unknownFamilies.has(family) &&
            showsType(protocol, yield* tryView([...prefix, unknown]), unknown)
          )
            unknownFamilies.add(family);
      }
      before = after;
    }
  }
  const withFields = context.maker.protocol.events.filter(({ type }) => countFields(context, type) > 0);
  const covered = withFields.filter(({ type }) => (fields.get(type)?.size ?? 0) > 0);
  return { types, fields, unknownFamilies, isWhole: covered.length >= MOST * withFields.length };
}

/** Yields streams with and without an event that has each listed value of a field. */
function* listSceneVariants({ context }: Viewer, type: string, field: string): Generator<Variants> {
  for (const value of listKnownValues(context.maker.protocol, type, [field])) {
    const scene = makeScene(context, [{ type, fixedFields: { [field]: value } }], 1);
    if (scene) yield { streams: [listBefore(scene, scene.sent[0]), scene.events], values: [] };
  }
}

/** Returns whether a snapshot contains the type of an event. */
function showsType({ envelope }: KitProtocol, view: Json | undefined, event: SampleEvent): boolean {
  const type = String(event[envelope.discriminator]);
  return view !== undefined && collectTexts(view).some((text) => text.includes(type));
}

function countFields({ maker }: GeneratorContext, type: string): number {
  const payload = maker.protocol.events.find((each) => each.type === type)?.payload;
  return Object.keys((payload?.properties ?? {}) as JsonObject).length;
}

/** The number of other events from which fields get their other values. */
const OTHERS = 2;

/** Returns copies of an event, each with another value of one payload field. */
function* listChanges(
  protocol: KitProtocol,
  { maker }: GeneratorContext,
  event: SampleEvent,
): Generator<readonly [field: string, changed: SampleEvent]> {
  const type = String(event[protocol.envelope.discriminator]);
  const payload = getPayload(protocol, event);
  const isInline = payload === event;
  const envelopeNames = Object.keys((protocol.schemas.envelope as { properties?: object }).properties ?? {});
  for (let other = 0; other < OTHERS; other++) {
    const made = maker.make({
      type,
      envelope: event,
      fixedFields: {},
      fieldChance: 1,
      seed: combineSeeds(other, 17),
    });
    if (made === undefined) continue;
    for (const [field, value] of Object.entries(getPayload(protocol, made))) {
      if ((isInline && envelopeNames.includes(field)) || areEqual(value, payload[field] ?? null)) continue;
      const changed = setPayloadFields(protocol, event, { [field]: value });
      if (protocol.decodeEvent(changed).kind === "known") yield [field, changed];
    }
  }
}

/** Returns copies of an event with an unknown type: one of its family, and one of a new family. */
function listUnknown(
  { envelope, decodeEvent }: KitProtocol,
  event: SampleEvent,
): readonly (readonly [family: string, unknown: SampleEvent])[] {
  const type = String(event[envelope.discriminator]);
  const copies = [
    [getFamily(type), { ...event, [envelope.discriminator]: `${type}_${TOKEN}` }],
    ["", { ...event, [envelope.discriminator]: `${TOKEN}_event` }],
  ] as const;
  return copies.filter(([, copy]) => decodeEvent(copy).kind === "unknown");
}
