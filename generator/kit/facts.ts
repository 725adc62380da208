/** Changes one fact of a stream at a time, and finds out whether a consumer shows the difference. */
import { areEqual, type Json, mapValues } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import { combineSeeds } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import { coverTypes } from "./coverage.js";
import { findStreamErrors } from "./find-stream-errors.js";
import { type FactResult, OUTCOMES } from "./format-score.js";
import type { KitProtocol } from "./kit-protocol.js";
import { listDeclaredPlaces } from "./lens/declared-places.js";
import { listValuesAt, mapValuesAt } from "./lens/edit-places.js";
import { getPayload, mapPayload, setPayloadFields } from "./payload.js";
import type { GeneratorContext } from "./scenarios.js";
import { makeScene } from "./scene.js";
import type { Steps } from "./steps.js";
import { listTextFields, TEXTS } from "./text-fields.js";

/** What is needed to show streams to a consumer. `tryView` returns undefined for streams that the consumer cannot show. */
export interface Viewer {
  readonly protocol: KitProtocol;
  readonly context: GeneratorContext;
  tryView(events: readonly object[]): Steps<Json | undefined>;
}

/** Streams that differ in one fact, each with the fact in words. */
export interface Variants {
  readonly streams: readonly (readonly SampleEvent[])[];
  readonly values: readonly string[];
}

/** Returns whether a consumer shows the differences of streams, in the setting in which it shows most. */
export function* tryVariants(viewer: Viewer, settings: Iterable<Variants>): Steps<FactResult> {
  let best: FactResult = { outcome: "untried" };
  for (const variants of settings) {
    const result = yield* compareVariants(viewer, variants);
    if (OUTCOMES.indexOf(result.outcome) < OUTCOMES.indexOf(best.outcome)) best = result;
    if (best.outcome === "shown") break;
  }
  return best;
}

function* compareVariants({ tryView }: Viewer, { streams, values }: Variants): Steps<FactResult> {
  const views: { readonly view: Json; readonly index: number }[] = [];
  let alike: readonly [number, number] | undefined;
  let tried = 0;
  for (const [index, stream] of streams.entries()) {
    const view = yield* tryView(stream);
    if (view === undefined) continue;
    tried++;
    const same = views.find((each) => areEqual(each.view, view));
    if (same === undefined) views.push({ view, index });
    else alike ??= [same.index, index];
  }
  if (tried < 2) return { outcome: "untried" };
  if (alike === undefined) return { outcome: "shown" };
  const [first, second] = alike;
  return {
    outcome: views.length < 2 ? "blind" : "confused",
    alike: [values[first] ?? "", values[second] ?? ""],
    events: streams[second] ?? [],
  };
}

/** An event, and the events before it. */
interface Setting {
  readonly before: readonly SampleEvent[];
  readonly event: SampleEvent;
}

/** Yields streams that end with an event of a type: alone as far as the rules allow it, then after many other events. */
function* listSettings({ protocol, context }: Viewer, type: string): Generator<Setting> {
  const { discriminator } = protocol.envelope;
  const scene = makeScene(context, [{ type, fixedFields: {} }], 1);
  const streams = [
    ...(scene ? [scene.events] : []),
    ...coverTypes(context, { streams: 1, endsStreams: true, allowsGaps: true }, "all").map(
      ({ events }) => events,
    ),
  ];
  for (const events of streams) {
    const index = events.findLastIndex((each) => each[discriminator] === type);
    const event = events[index];
    if (event !== undefined) yield { before: events.slice(0, index), event };
  }
}

/** The largest number of values of a field that are compared with each other. */
const MAX_VALUES = 12;

/** Whole numbers beside that of an event: near ones, and those that differ by what 32 bits hold. */
const NUMBERS = [0, 1, 2, 1000, 2 ** 31, 2 ** 32, 2 ** 32 + 1] as const;

/** Texts that are alike if a consumer trims them, or drops what is not ASCII. */
const NEAR_TEXTS = [`${TEXTS[0]} `, "qzälpha words", "qzölpha words"] as const;

/** Yields streams in which one event has different values in a payload field, or at the path of one within it. */
export function* listValueVariants(viewer: Viewer, type: string, field: string): Generator<Variants> {
  const { protocol } = viewer;
  for (const { before, event } of listSettings(viewer, type)) {
    const path = field.split("/");
    const [old] = listValuesAt(getPayload(protocol, event), path);
    const variants = listValues(viewer, event, path, old).flatMap((value) => {
      const set = (each: SampleEvent) =>
        path.length === 1
          ? setPayloadFields(protocol, each, { [field]: value })
          : mapPayload(protocol, each, (payload) => mapValuesAt(payload, path, () => value));
      const isSame = (each: SampleEvent) =>
        listValuesAt(getPayload(protocol, each), path).some((other) => areEqual(other, old ?? null));
      const setAll = (each: SampleEvent) =>
        mapPayload(protocol, each, (payload) =>
          mapValues(payload, (member) => (areEqual(member, old ?? null) ? value : member)),
        );
      // The contract may demand that earlier events, or other fields of the event, have the same value.
      const streams = [
        [...before, set(event)],
        ...(old === undefined
          ? []
          : [
              [...before, event].map((each) => (isSame(each) ? set(each) : each)),
              [...before, setAll(event)],
            ]),
      ];
      const stream = streams.find((events) => isAllowed(viewer, events));
      return stream === undefined ? [] : [{ stream, value }];
    });
    const chosen = variants.slice(0, MAX_VALUES);
    yield {
      streams: chosen.map(({ stream }) => stream),
      values: chosen.map(({ value }) => JSON.stringify(value)),
    };
  }
}

const getDeclaredPlaces = memoizeByObject(listDeclaredPlaces);

const getPlaces = memoizeByObject(
  (model: Protocol) =>
    new Map(getDeclaredPlaces(model).map((each) => [JSON.stringify([each.event, each.tokens]), each.values])),
);

/** Returns the values that the schema lists for a path in the payload of an event type. */
export function listKnownValues(model: Protocol, type: string, path: readonly string[]): readonly Json[] {
  const event = model.events.find((each) => each.type === type);
  const carrier = event && findPayloadCarrier(model.envelope, event);
  const tokens = carrier === undefined ? path : [carrier, ...path];
  return getPlaces(model).get(JSON.stringify([type, tokens])) ?? [];
}

/** Returns the paths in the payloads of an event type: its fields, and what objects in them declare. Lists have no paths. */
export function listPaths(model: Protocol, type: string): readonly string[] {
  const event = model.events.find((each) => each.type === type);
  const carrier = event && findPayloadCarrier(model.envelope, event);
  const paths = getDeclaredPlaces(model).flatMap(({ event: of, tokens }) => {
    const path = carrier === undefined ? tokens : tokens.slice(1);
    return of !== type || path.length === 0 || path.includes("*") ? [] : [path.join("/")];
  });
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
}

/** Returns values for a path: those that are listed, numbers of several sizes, other texts, and generated ones. */
function listValues(
  { context: { maker }, protocol }: Viewer,
  event: SampleEvent,
  [field = "", ...inner]: readonly string[],
  old: Json | undefined,
): readonly Json[] {
  const { protocol: model } = maker;
  const type = String(event[model.envelope.discriminator]);
  const merged = listPayloadFields(model).find((each) => each.type === type && each.field === field)?.merged;
  if (merged === undefined) return [];
  const listed = listKnownValues(model, type, [field, ...inner]);
  const isText = listTextFields(model).some((each) => each.type === type && each.field === field);
  const made = [1, 2].flatMap((seed) => {
    const other = maker.make({
      type,
      envelope: event,
      fixedFields: {},
      fieldChance: 1,
      seed: combineSeeds(seed, 17),
    });
    return other === undefined ? [] : listValuesAt(getPayload(protocol, other), [field, ...inner]);
  });
  const has = (name: string, value: Json): boolean =>
    (inner.length === 0 && merged.types?.includes(name) === true) || typeof old === typeof value;
  const others: Json[] = [
    ...(isText && inner.length === 0 ? [...TEXTS, ...NEAR_TEXTS] : made),
    ...(has("integer", 1) || has("number", 1) ? NUMBERS : []),
    ...(has("boolean", true) ? [false, true] : []),
  ];
  // A condition may name some values of a field that takes any text.
  const values = [...(listed.length > 1 && !isText ? listed : others), ...(old === undefined ? [] : [old])];
  return values.filter((value, index) => values.findIndex((each) => areEqual(each, value)) === index);
}

/** Returns a function that says whether writers may send an event, and remembers it. */
const getWriterCheck = memoizeByObject((protocol: KitProtocol) =>
  memoizeByObject(
    (event: SampleEvent) => protocol.decodeEvent(event, { profile: "writer" }).kind === "known",
  ),
);

/** Returns whether writers may send a stream. */
export function isAllowed({ protocol, context }: Viewer, events: readonly SampleEvent[]): boolean {
  return (
    events.every(getWriterCheck(protocol)) && findStreamErrors(context.maker.protocol, events).length === 0
  );
}

/** Yields streams with and without an optional field of one event. */
export function* listPresenceVariants(viewer: Viewer, type: string, field: string): Generator<Variants> {
  const { protocol } = viewer;
  for (const { before, event } of listSettings(viewer, type)) {
    if (getPayload(protocol, event)[field] === undefined) continue;
    const changed = mapPayload(protocol, event, ({ [field]: _, ...others }) => others);
    if (!isAllowed(viewer, [...before, changed])) continue;
    const zero = [...before, setPayloadFields(protocol, event, { [field]: 0 })];
    const streams = [[...before, changed], [...before, event], ...(isAllowed(viewer, zero) ? [zero] : [])];
    yield { streams, values: ["absence", "presence", "0"] };
  }
}

/** Yields streams with and without an event. */
export function* listEventVariants(viewer: Viewer, type: string): Generator<Variants> {
  for (const { before, event } of listSettings(viewer, type))
    yield { streams: [before, [...before, event]], values: [`no ${type}`, type] };
}
