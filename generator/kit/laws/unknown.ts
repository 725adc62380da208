import { createObject, formatCanonicalJson, isObject, type Json } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { listPayloadFields } from "../../sample/merged-schema.js";
import { readKnownValues } from "../../schema/listed-values.js";
import { findValueList } from "../../schema/merge.js";
import { insertEvent, makeUnknownEvent } from "../edit-events.js";
import { getFamily } from "../infer-shown.js";
import { createModel, type KitProtocol } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { copyEvent, readConsumer } from "../observe.js";
import { getPayload, mapPayload, setPayloadFields, TOKEN } from "../payload.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";
import { collectTexts, toJson } from "../view.js";
import { BUILT_IN_NAMES } from "./ids.js";

/** Laws about names and values that a later version of the contract may add. */
export const unknownLaws: readonly Law[] = [
  {
    id: "unknown-type",
    law: "An event of an unknown type is kept and shown, also if its family is new: its type is in the snapshot. A consumer that shows only a part of the protocol need not show any.",
    excludesTerminalEvents: true,
    *check(trial) {
      const { events, unknown } = insertUnknownEvents(trial);
      const expected = yield* selectExpected(trial, unknown);
      if (expected.length > 0) yield* expectTypes(trial, events, expected);
    },
  },
  {
    id: "unknown-type-opaque",
    law: "opaque() returns the events of unknown types, and no others, unchanged and in order.",
    hook: "opaque",
    excludesTerminalEvents: true,
    *check(trial) {
      const { events, unknown } = insertUnknownEvents(trial);
      yield* trial.requires("unknown-type", expectTypes(trial, events, unknown));
      trial.setFixture(events);
      const consumer = yield* trial.create();
      const eventsWithCopies = events.map((event) => ({ event, copy: copyEvent(event) }));
      for (const { copy } of eventsWithCopies) yield* trial.push(consumer, copy);
      // Compares with the copies that the consumer got, because another law covers consumers that change their input.
      const expectedEvents = eventsWithCopies
        .filter(({ event }) => unknown.includes(event))
        .map(({ copy }) => toJson(copy));
      const actual = yield* readConsumer("opaque()", () => consumer.opaque?.());
      trial.expectSame(expectedEvents, actual, "In opaque()");
    },
  },
  {
    id: "unknown-type-names",
    law: "An unknown event type may be named like a built-in property, such as constructor.",
    excludesTerminalEvents: true,
    *check(trial) {
      const { protocol, events, random } = trial;
      const [ordinary, unusual] = random.pick(BUILT_IN_NAMES);
      const template = makeUnknownEvent(trial);
      const rename = (type: string): SampleEvent => ({
        ...template,
        [protocol.envelope.discriminator]: type,
      });
      if ([ordinary, unusual].some((type) => protocol.decodeEvent(rename(type)).kind !== "unknown")) return;
      const view = yield* trial.tryView([...events, rename(ordinary)]);
      if (view === undefined) return;
      const expected = JSON.parse(formatCanonicalJson(view).replaceAll(ordinary, unusual));
      const actual = yield* trial.view([...events, rename(unusual)]);
      trial.expectSame(expected, actual, `With "${unusual}" as the type of an unknown event`);
    },
  },
  {
    id: "unknown-fields",
    law: "Unknown fields make no difference.",
    streams: 2,
    *check(trial) {
      const { protocol, events } = trial;
      const extendedEvents = events.map((event) => ({
        ...mapPayload(protocol, event, (payload) =>
          // An empty payload stays empty, because a consumer may show it in another way than a payload with fields.
          Object.keys(payload).length === 0 ? payload : { ...payload, [TOKEN]: TOKEN },
        ),
        [TOKEN]: TOKEN,
      }));
      const expectedView = yield* trial.view(events);
      const actual = removeToken(yield* trial.view(extendedEvents));
      trial.expectSame(expectedView, actual, `With one more field, "${TOKEN}", in each event and payload`);
    },
  },
  {
    id: "unknown-values",
    law: "An event with an unknown value of an open enumeration is handled like one with a known value.",
    findSkipReason: (protocol) =>
      findOpenFields(protocol).length === 0
        ? "no payload of this protocol has an open enumeration"
        : undefined,
    check: checkUnknownValue,
  },
];

function getEventType({ protocol }: Trial, event: SampleEvent): string {
  return String(event[protocol.envelope.discriminator]);
}

/**
 * Returns the events that a consumer must show: all of them, unless it shows a part of the protocol only. Then it need not
 * show unknown types, but if it shows those of several families, it must also show those of a new one.
 */
function* selectExpected(trial: Trial, unknown: readonly SampleEvent[]): Steps<readonly SampleEvent[]> {
  const { isWhole, unknownFamilies } = yield* trial.inferShown();
  const { opaque } = yield* trial.create();
  if (isWhole || opaque !== undefined) return unknown;
  const declared = new Set(trial.model.events.map(({ type }) => getFamily(type)));
  const isShown = (event: SampleEvent): boolean => {
    const family = getFamily(getEventType(trial, event));
    if (declared.has(family)) return unknownFamilies.has(family);
    return unknownFamilies.has("") || unknownFamilies.size > 1;
  };
  return unknown.filter(isShown);
}

/** Fails unless the snapshot contains the types of the `unknown` events. */
function* expectTypes(
  trial: Trial,
  events: readonly SampleEvent[],
  unknown: readonly SampleEvent[],
): Steps<void> {
  const texts = collectTexts(yield* trial.view(events));
  for (const type of unknown.map((event) => getEventType(trial, event)))
    if (!texts.some((text) => text.includes(type)))
      trial.fail(`The snapshot does not contain the unknown event type ${type}`);
}

/** Inserts two events of unknown types, the second one of a new family, into the stream, after the one that opens it. */
function insertUnknownEvents(trial: Trial): { events: SampleEvent[]; unknown: SampleEvent[] } {
  let events: SampleEvent[] = [...trial.events];
  const types: string[] = [];
  for (const index of [0, 2]) {
    const event = makeUnknownEvent(trial, index, events);
    types.push(getEventType(trial, event));
    const place = Math.min(events.length, 1 + trial.random.below(events.length + 1));
    events = insertEvent(trial, events, place, event);
  }
  return { events, unknown: events.filter((event) => types.includes(getEventType(trial, event))) };
}

const TOKEN_IN_TEXT = new RegExp(`,?\\s*"${TOKEN}":\\s*"${TOKEN}"`, "g");

/** Removes the unknown fields from a view, because a consumer may show whole payloads. */
function removeToken(view: Json): Json {
  if (typeof view === "string") return view.replace(TOKEN_IN_TEXT, "");
  if (Array.isArray(view)) return view.map(removeToken);
  if (!isObject(view)) return view;
  const entries = Object.entries(view).filter(([name]) => name !== TOKEN);
  return createObject(entries.map(([name, member]) => [name, removeToken(member)] as const));
}

/** A payload field with an open enumeration, and the known values. */
interface OpenField {
  readonly type: string;
  readonly field: string;
  readonly values: readonly Json[];
}

/** Returns the payload fields with an open enumeration. */
export const findOpenFields = memoizeByObject((protocol: KitProtocol): readonly OpenField[] =>
  listPayloadFields(createModel(protocol)).flatMap(({ type, field, merged }) => {
    const { description } = merged;
    const known = description.parts.flatMap(({ schema }) => readKnownValues(schema) ?? []);
    const values = findValueList(description, "open")?.values ?? known;
    return values.length === 0 ? [] : [{ type, field, values }];
  }),
);

function* checkUnknownValue(trial: Trial): Steps<void> {
  const { protocol, events } = trial;
  const testedKeys = new Set<string>();
  for (const [index, event] of events.entries()) {
    const before = events.slice(0, index);
    for (const open of findOpenFields(protocol)) {
      const name = `${open.type} ${open.field}`;
      if (open.type !== getEventType(trial, event) || testedKeys.has(name)) continue;
      if (typeof getPayload(protocol, event)[open.field] !== "string") continue;
      testedKeys.add(name);
      yield* checkOpenField(trial, { ...open, event, before });
    }
  }
}

/** Fails if an event with a new value in an open field is not shown, although it is with each known value. */
function* checkOpenField(
  trial: Trial,
  { event, before, field, values }: OpenField & { event: SampleEvent; before: readonly SampleEvent[] },
): Steps<void> {
  const { protocol } = trial;
  const setValue = (value: Json): SampleEvent => setPayloadFields(protocol, event, { [field]: value });
  const isAccepted = (changed: SampleEvent): boolean => protocol.decodeEvent(changed).kind === "known";
  const eventWithUnknownValue = setValue(TOKEN);
  if (!isAccepted(eventWithUnknownValue)) return;
  // If the consumer throws, this call throws. So the law also covers exceptions.
  yield* trial.view([...before, eventWithUnknownValue]);
  const eventsWithKnownValues = values.map(setValue).filter(isAccepted);
  // A consumer may be about the only known value.
  const [first, second] = eventsWithKnownValues;
  if (first === undefined || second === undefined) return;
  for (const each of eventsWithKnownValues) if (!(yield* trial.isShown({ before, added: [each] }))) return;
  yield* trial.expectShownLike(
    { before, added: [first] },
    { before, added: [eventWithUnknownValue] },
    `An event whose ${field} is the new value "${TOKEN}" is not shown, although it is with each known value`,
  );
}
