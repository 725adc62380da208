/** Infers what a consumer shows, from plain streams: which event types, which fields, and which unknown types. */
import { areEqual, type Json, type JsonObject } from "../json.js";
import { combineSeeds } from "../random.js";
import type { FixedFields, SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import type { Adapter } from "./adapter.js";
import { coverTypes } from "./coverage.js";
import { listCourses, listOpenThings } from "./declared-ends.js";
import type { PreferredValues } from "./event-order.js";
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
  /** The values that events need to be shown, because a consumer may show the calls of one kind alone, for example. */
  readonly conditions: readonly PreferredValues[];
  /** What streams show whose events have these values; absent if there are none. */
  readonly fitted?: Shown;
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
  const key = JSON.stringify([protocol.id, context.only ?? []]);
  const shown = known.get(key) ?? (yield* tryAll(adapter, protocol, context));
  known.set(key, shown);
  return shown;
}

/** Returns a context whose events have the values that they need to be shown by the consumers of `adapter`. */
export function* fitContext(
  adapter: Adapter,
  protocol: KitProtocol,
  context: GeneratorContext,
): Steps<GeneratorContext> {
  const base = context.reduction?.base ?? context;
  const { conditions } = yield* inferShown(adapter, protocol, base);
  if (conditions.length === 0) return context;
  const fitted = getFittedContexts(adapter).get(base) ?? addConditions(base, conditions);
  getFittedContexts(adapter).set(base, fitted);
  return context.reduction === undefined
    ? fitted
    : { ...fitted, reduction: { ...context.reduction, base: fitted } };
}

const getFittedContexts = memoizeByObject(
  (_adapter: Adapter) => new Map<GeneratorContext, GeneratorContext>(),
);

/** Returns a copy of a context, without what was generated. */
function addConditions(context: GeneratorContext, conditions: readonly PreferredValues[]): GeneratorContext {
  const isOther = ({ type, field }: PreferredValues): boolean =>
    !conditions.some((each) => each.type === type && each.field === field);
  return {
    ...context,
    preferredValues: [...context.preferredValues.filter(isOther), ...conditions],
    resumed: new WeakMap(),
    openings: new Map(),
    generated: new Map(),
  };
}

/** Infers what plain streams show, and then what streams show whose events have the values that they need to be shown. */
function* tryAll(adapter: Adapter, protocol: KitProtocol, context: GeneratorContext): Steps<Shown> {
  let shown = yield* tryEvents(adapter, protocol, context, 1);
  if (shown.types.size === 0) shown = yield* tryEvents(adapter, protocol, context, 8);
  const conditions = yield* findConditions(adapter, protocol, context);
  if (conditions.length === 0)
    return shown.types.size === 0 ? yield* tryValues(adapter, protocol, context, shown) : shown;
  const more = yield* tryEvents(adapter, protocol, addConditions(context, conditions), 1);
  const fields = new Map(shown.fields);
  for (const [type, names] of more.fields) fields.set(type, new Set([...(fields.get(type) ?? []), ...names]));
  const fitted = { ...shown, types: new Set([...shown.types, ...more.types]), fields, conditions };
  return { ...shown, conditions, fitted };
}

/** Returns the values that are given, and one of each other event type with which something starts, if it is shown with it alone. */
function* findConditions(
  adapter: Adapter,
  protocol: KitProtocol,
  context: GeneratorContext,
): Steps<readonly PreferredValues[]> {
  const isShown = function* (type: string, fixedFields: FixedFields): Steps<boolean> {
    const scene = makeScene(context, [{ type, fixedFields }]);
    if (scene === undefined) return false;
    const before = yield* ignoreBrokenLaw(showEvents(adapter, protocol, listBefore(scene, scene.sent[0])));
    const after = yield* ignoreBrokenLaw(showEvents(adapter, protocol, scene.events));
    return before !== undefined && after !== undefined && !areEqual(before, after);
  };
  const things = [...listCourses(protocol), ...listOpenThings(protocol)];
  const starts = things.flatMap(({ key, starts: [start] }) =>
    key === undefined || start === undefined ? [] : [start],
  );
  const conditions: PreferredValues[] = [...(context.only ?? [])];
  for (const type of new Set(starts)) {
    if (conditions.some((each) => each.type === type)) continue;
    if (yield* isShown(type, {})) continue;
    const values = listPayloadFields(context.maker.protocol).flatMap((each) =>
      each.type !== type
        ? []
        : listKnownValues(context.maker.protocol, type, [each.field]).map(
            (value) => [each.field, value] as const,
          ),
    );
    for (const [field, value] of values)
      if (yield* isShown(type, { [field]: value })) {
        conditions.push({ type, field, values: [value], isNeeded: true });
        break;
      }
  }
  return conditions;
}

/** Tries many values for a consumer of which plain streams show nothing, because it may show large costs alone, for example. */
function* tryValues(
  adapter: Adapter,
  protocol: KitProtocol,
  context: GeneratorContext,
  shown: Shown,
): Steps<Shown> {
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
  return {
    types,
    fields,
    unknownFamilies,
    conditions: [],
    isWhole: covered.length >= MOST * withFields.length,
  };
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
